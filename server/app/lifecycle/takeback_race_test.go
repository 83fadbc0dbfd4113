package lifecycle_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestTakeBackOrConcurrentWriteIsRefused writes in the other organization before each write of a take-back: either the
// text is stored and the take-back is refused, or the writer is refused.
func TestTakeBackOrConcurrentWriteIsRefused(t *testing.T) {
	t.Parallel()
	b := &servertest.WriteHook{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, b) })
	won, lost, n := 0, 0, int64(0)
	for more := true; more; {
		n++
		g := servertest.TransferAway(w, n%2 == 0)
		var taken, written servertest.Response
		more = b.Before(n, func() {
			written = g.CommentInTarget()
		}, func() { taken = servertest.Try(w, "admin", api.TakeTransferBack, g.SourceRef()) })
		if !more {
			break
		}
		now := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: g.Space})
		switch {
		case servertest.Succeeded(written):
			won++
			servertest.Equal(t, "organization", g.ToOrganization, now.Organization)
			servertest.Equal(t, "comments", 2, now.Comments)
			servertest.Equal(t, "taking it back", http.StatusConflict, taken.Status)
			g.WantState(api.TransferOpen)
			servertest.Equal(t, "it is open again", http.StatusOK, g.CommentInTarget().Status)
		default:
			lost++
			g.WantReturned(1)
			servertest.Equal(t, "taking it back", http.StatusOK, taken.Status)
		}
		for name := range activeTransferRecords(w) {
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

// activeTransferRecords returns the records of transfers in progress.
func activeTransferRecords(w *servertest.World) map[string]string {
	w.T.Helper()
	under := map[string]string{}
	for name, value := range w.Dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			under[name] = value
		}
	}
	return under
}

// TestConcurrentTakeBacksRunOnce checks that of two concurrent take-backs by two admins one takes effect.
func TestConcurrentTakeBacksRunOnce(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, true)
		answers := make(chan int, 4)
		for range cap(answers) {
			go func() { answers <- servertest.Try(w, "admin", api.TakeTransferBack, g.SourceRef()).Status }()
		}
		for range cap(answers) {
			if status := <-answers; status != http.StatusOK && status != http.StatusServiceUnavailable {
				t.Errorf("status %d", status)
			}
		}
		g.WantReturned(1)
		servertest.Equal(t, "events", 2, servertest.CountEvents(w, api.TakeTransferBack.Name))
	})
}

// TestInterruptedTakeBackResumesCampaign interrupts a take-back at its calls to Redis. At no time do two
// organizations show the space, another node completes the take-back, and all content is present.
//
//wsd:serial
func TestInterruptedTakeBackResumesCampaign(t *testing.T) {
	t.Parallel()
	const most = 200 // upper bound for the calls of a take-back
	cuts, _ := storetest.LongCampaign(t, "takeback", 12, most)
	m := &servertest.CallLimit{}
	m.Remaining.Store(servertest.Unlimited)
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, m) })
	allowOrganizations(w) // each interruption needs a new organization
	calls := int64(0)
	for step := int64(max(1, 60/cuts)); ; {
		calls += step
		g := servertest.TransferAway(w, calls/step%2 == 0)
		if calls/step%3 == 0 {
			servertest.Do(w, "creator", api.DeleteSpace, api.SpaceRef{Space: g.Space})
		}
		m.Remaining.Store(calls)
		status := servertest.Try(w, "admin", api.TakeTransferBack, g.SourceRef()).Status
		whole := m.Remaining.Load() > 0
		m.Remaining.Store(servertest.Unlimited)
		servertest.WantListedOnce(w, g.Space, w.Org, g.ToOrganization, true)
		w.Clock.Advance(time.Minute)
		servertest.RunJobs(w)
		if again := servertest.Try(w, "admin", api.TakeTransferBack, g.SourceRef()).Status; again != http.StatusOK || whole &&
			status != http.StatusOK {
			t.Fatalf("cut off after %d calls: %d, and again %d", calls, status, again)
		}
		g.WantReturned(1)
		servertest.WantListedOnce(w, g.Space, w.Org, g.ToOrganization, false)
		servertest.Equal(t, "the reader reviews again", api.RoleReview, servertest.ShownRole(w, "reader", g.Space))
		w.Fsck()
		if t.Failed() {
			t.Fatalf("cut off after %d calls", calls)
		}
		if whole {
			break
		}
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: g.Space}) // keeps lists short
	}
	if t.Logf("cut off at every step-th of %d calls", calls); calls < 30 {
		t.Error("that is too little to mean anything")
	}
}

// TestTakeBackCompletesInterruptedTakeBack checks that a take-back of a deleted collection completes another one,
// which began between its checks and its first write, and was interrupted after every third of its calls to Redis.
func TestTakeBackCompletesInterruptedTakeBack(t *testing.T) {
	t.Parallel()
	hook, limit := &servertest.WriteHook{}, &servertest.CallLimit{}
	limit.Remaining.Store(servertest.Unlimited)
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook, limit) })
	to := servertest.NewOrganization(w, "Other")
	for calls, whole := int64(1), false; !whole; calls += 3 {
		w.Clock.Advance(time.Minute) // ends the permits of interrupted requests
		collection := w.NewCollection("Collection", "").ID
		servertest.Do(w, "admin", api.TransferCollection, api.TransferCollectionInput{
			Collection: collection, Body: api.Transfer{Organization: to},
		})
		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: collection})
		ref := api.TransferRef{Organization: w.Org}
		for _, made := range servertest.ListTransfers(w, w.Org) {
			if made.Content() == collection {
				ref.Transfer = made.ID
			}
		}
		var taken servertest.Response
		hook.Before(1, func() {
			limit.Remaining.Store(calls)
			servertest.Try(w, "admin", api.TakeTransferBack, ref)
			whole = limit.Remaining.Load() > 0
			limit.Remaining.Store(servertest.Unlimited)
		}, func() { taken = servertest.Try(w, "admin", api.TakeTransferBack, ref) })
		servertest.Equal(t, "status", http.StatusOK, taken.Status)
		servertest.Equal(t, "organization", w.Org,
			servertest.Do(w, "admin", api.GetCollection, api.CollectionRef{Collection: collection}).Organization)
		if t.Failed() {
			t.Fatalf("interrupted after %d calls", calls)
		}
	}
}

// TestTakeBackCompletesInterruptedReturn checks that a take-back completes a return that the other organization agreed
// to, and that was interrupted after every sixth of its calls to Redis.
func TestTakeBackCompletesInterruptedReturn(t *testing.T) {
	t.Parallel()
	limit := &servertest.CallLimit{}
	limit.Remaining.Store(servertest.Unlimited)
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, limit) })
	allowOrganizations(w)
	for calls, whole := int64(1), false; !whole; calls += 6 {
		w.Clock.Advance(time.Minute) // ends the permits of interrupted requests
		g := servertest.TransferAway(w, false)
		servertest.Do(w, "admin", api.AskTransfer, g.SourceRef())
		limit.Remaining.Store(calls)
		servertest.Try(w, "admin", api.AgreeTransfer, g.TargetRef(), "Idempotency-Key", fmt.Sprint(calls))
		whole = limit.Remaining.Load() > 0
		limit.Remaining.Store(servertest.Unlimited)
		servertest.Do(w, "admin", api.TakeTransferBack, g.SourceRef())
		g.WantReturned(1)
		if t.Failed() {
			t.Fatalf("interrupted after %d calls", calls)
		}
	}
}
