package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// Somebody of the other organization writes before each of the writes of a take-back: either the text is there and
// nothing was taken back, or the writer was refused and it is back.
func TestTakeBackAgainstAWriter(t *testing.T) {
	t.Parallel()
	b := &between{}
	w := newWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, b) })
	won, lost, n := 0, 0, int64(0)
	for more := true; more; {
		n++
		g := giveAway(w, n%2 == 0)
		var taken, written answer
		more = b.before(n, func() { written = g.comment() }, func() { taken = try(w, "admin", api.TakeTransferBack, g.mine()) })
		if !more {
			break
		}
		now := do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.space})
		switch {
		case done(written):
			won++
			equal(t, "organization", g.to, now.Organization)
			equal(t, "comments", 2, now.Comments)
			equal(t, "taking it back", http.StatusConflict, taken.Status)
			g.state(api.TransferOpen)
			equal(t, "it is open again", http.StatusOK, g.comment().Status)
		default:
			lost++
			g.here(1)
			equal(t, "taking it back", http.StatusOK, taken.Status)
		}
		for name := range mentionsOfTransfers(w) {
			t.Errorf("%s is left", name)
		}
		if t.Failed() {
			t.Fatalf("before write %d: %d %s, %d %s", n, taken.Status, taken.Body, written.Status, written.Body)
		}
	}
	if won == 0 || lost == 0 || n < 8 {
		t.Errorf("%d writes: the writer was faster %d times and slower %d times", n, won, lost)
	}
}

// mentionsOfTransfers are the records of transfers that are under way.
func mentionsOfTransfers(w *world) map[string]string {
	w.t.Helper()
	under := map[string]string{}
	for name, value := range w.dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			under[name] = value
		}
	}
	return under
}

// Two admins take it back at once: it comes back once.
func TestTakeBackTogether(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		g := giveAway(w, true)
		answers := make(chan int, 4)
		for range cap(answers) {
			go func() { answers <- try(w, "admin", api.TakeTransferBack, g.mine()).Status }()
		}
		for range cap(answers) {
			if status := <-answers; status != http.StatusOK && status != http.StatusServiceUnavailable {
				t.Errorf("status %d", status)
			}
		}
		g.here(1)
		equal(t, "events", 2, events(w, api.TakeTransferBack.Name))
	})
}

// A node that takes something back is cut off at its calls to Redis. Whatever it left, at no time two organizations
// show the space, another node ends what was begun, and all that it had is there.
func TestTakeBackIsCutOffCampaign(t *testing.T) {
	t.Parallel()
	const most = 200 // calls of a take-back, and more
	cuts, _ := storetest.Campaign(t, "takeback", 12, most)
	m := &mortal{}
	m.left.Store(alive)
	w := newWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, m) })
	calls := int64(0)
	for step := int64(max(1, 60/cuts)); ; {
		calls += step
		g := giveAway(w, calls/step%2 == 0)
		if calls/step%3 == 0 {
			do(w, "creator", api.DeleteSpace, api.SpaceRef{Space: g.space})
		}
		m.left.Store(calls)
		status := try(w, "admin", api.TakeTransferBack, g.mine()).Status
		whole := m.left.Load() > 0
		m.left.Store(alive)
		shownOnce(w, g.space, w.org, g.to, true)
		w.clock.Advance(time.Minute)
		runJobs(w)
		if again := try(w, "admin", api.TakeTransferBack, g.mine()).Status; again != http.StatusOK || whole && status != http.StatusOK {
			t.Fatalf("cut off after %d calls: %d, and again %d", calls, status, again)
		}
		g.here(1)
		shownOnce(w, g.space, w.org, g.to, false)
		equal(t, "the reader reviews again", api.RoleReview, shownRole(w, "reader", g.space))
		w.fsck()
		if t.Failed() {
			t.Fatalf("cut off after %d calls", calls)
		}
		if whole {
			break
		}
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: g.space}) // lists are short
	}
	if t.Logf("cut off at every step-th of %d calls", calls); calls < 30 {
		t.Error("that is too little to mean anything")
	}
}
