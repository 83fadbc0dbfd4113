package lifecycle_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestInterruptedTransferResumesCampaign interrupts the transfer of a collection at each call to Redis. At no time do
// two organizations show the space, and another node completes the transfer.
//
//wsd:serial
func TestInterruptedTransferResumesCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "cuts", 1, 1)
	servertest.Suite.Each(t, interruptAtEveryCall)
}

func interruptAtEveryCall(t *testing.T, engine storetest.Engine) {
	m := &servertest.CallLimit{}
	m.Remaining.Store(servertest.Unlimited)
	w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, m) })
	from, to := w.Org, servertest.NewOrganization(w, "Other")
	outer := w.NewCollection("Outer", "").ID
	space := w.NewSpaceIn("Docs", outer).ID
	r := w.NewRequest("admin", space)
	page := w.Change(r, servertest.NewPage("Page", "Text.\n")).Changes[0].Page.ID
	w.MustMerge(r)
	servertest.Do(w, "admin", api.CreateComment, api.CreateCommentInput{
		Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
	})
	before := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
	calls, whole := int64(0), false
	for !whole {
		calls++
		m.Remaining.Store(calls)
		a := w.Send("admin", "POST", "/v1/collections/"+outer+"/transfer", api.Transfer{Organization: to}).Status
		whole = m.Remaining.Load() > 0
		m.Remaining.Store(servertest.Unlimited)
		if whole && a != 200 {
			t.Fatalf("after %d calls: %d", calls, a)
		}
		servertest.WantListedOnce(w, space, from, to, true)
		w.Clock.Advance(time.Minute)
		servertest.RunJobs(w)
		servertest.WantListedOnce(w, space, from, to, false)
		now := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space})
		servertest.Equal(t, "comments and requests", [2]int{
			before.Comments, before.ChangeRequests,
		}, [2]int{now.Comments, now.ChangeRequests})
		w.Call("admin", "GET", "/v1/spaces/"+space+"/content/page/"+page+"?format=markdown", nil, 200)
		w.Call("admin", "PATCH", "/v1/spaces/"+space, []byte(`{"title":"Docs"}`), 200)
		w.Fsck()
		if now.Organization == to { // the next transfer returns the collection, so that all transfers start alike
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
