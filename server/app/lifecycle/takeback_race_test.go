package lifecycle_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestTakeBackWithConcurrentWriter writes in the other organization before each write of a take-back: either the text
// is stored and the take-back is refused, or the writer is refused.
func TestTakeBackWithConcurrentWriter(t *testing.T) {
	t.Parallel()
	b := &servertest.WriteHook{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, b) })
	won, lost, n := 0, 0, int64(0)
	for more := true; more; {
		n++
		g := servertest.TransferAway(w, n%2 == 0)
		var taken, written servertest.Answer
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
			servertest.Equal(t, "organization", g.To, now.Organization)
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
	for _, name := range []string{"admin", "creator", "stranger"} { // each interruption needs an organization of its own
		id := w.Users[name].ID
		w.Must(orgs.Accounts{Store: w.Store}.SetLimits(t.Context(), store.User(id), store.UserQuotaKey(id), map[string]*int64{
			"organizations": new(int64(2 * most)),
		}))
	}
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
		servertest.WantListedOnce(w, g.Space, w.Org, g.To, true)
		w.Clock.Advance(time.Minute)
		servertest.RunJobs(w)
		if again := servertest.Try(w, "admin", api.TakeTransferBack, g.SourceRef()).Status; again != http.StatusOK || whole &&
			status != http.StatusOK {
			t.Fatalf("cut off after %d calls: %d, and again %d", calls, status, again)
		}
		g.WantReturned(1)
		servertest.WantListedOnce(w, g.Space, w.Org, g.To, false)
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
