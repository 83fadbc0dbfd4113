package server_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// A node that transfers a collection is cut off at each of its calls to Redis. Whatever it left, at no time two
// organizations show the space, and another node ends what was begun.
func TestTransferIsCutOffAtEveryCall(t *testing.T) {
	t.Parallel()
	suite.Each(t, cutOffAtEveryCall)
}

func cutOffAtEveryCall(t *testing.T, engine storetest.Engine) {
	m := &mortal{}
	m.left.Store(alive)
	w := newWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, m) })
	from, to := w.org, organization(w, "Other")
	outer := w.newCollection("Outer", "").ID
	space := w.newSpaceIn("Docs", outer).ID
	r := w.newRequest("admin", space)
	page := w.change(r, newPage("Page", "Text.\n")).Changes[0].Page.ID
	w.merged(r)
	do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: says("?")}})
	before := do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
	calls, whole := int64(0), false
	for !whole {
		calls++
		m.left.Store(calls)
		a := w.raw("admin", "POST", "/v1/collections/"+outer+"/transfer", api.Transfer{Organization: to}).Status
		whole = m.left.Load() > 0
		m.left.Store(alive)
		if whole && a != 200 {
			t.Fatalf("after %d calls: %d", calls, a)
		}
		shownOnce(w, space, from, to, true)
		w.clock.Advance(time.Minute)
		runJobs(w)
		shownOnce(w, space, from, to, false)
		now := do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
		equal(t, "comments and requests", [2]int{before.Comments, before.ChangeRequests}, [2]int{now.Comments, now.ChangeRequests})
		w.call("admin", "GET", "/v1/spaces/"+space+"/content/page/"+page+"?format=markdown", nil, 200)
		w.call("admin", "PATCH", "/v1/spaces/"+space, []byte(`{"title":"Docs"}`), 200)
		w.fsck()
		if now.Organization == to { // and back, so that the next one begins as this one
			from, to = to, from
		}
		if t.Failed() {
			t.Fatalf("cut off after %d calls", calls)
		}
	}
	if t.Logf("cut off after each of %d calls", calls); calls < 30 {
		t.Error("that is too little to mean anything")
	}
}
