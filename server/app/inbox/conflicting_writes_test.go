package inbox_test

import (
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/inbox"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestForgetWithLostLeaseDeletesNothing checks that a node that has lost the lease of the job deletes nothing: the readings and
// saved queries of a member who has returned are kept.
func TestForgetWithLostLeaseDeletesNothing(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	p := newProposal(w)
	read := func() { updateReading(w, "reviewer", p.ref, api.ReadingUpdate{Read: []string{p.page}}) }
	read()
	reviewer := w.Users["reviewer"].ID
	servertest.Do(w, "reviewer", api.DeleteMember, api.MemberRef{Organization: w.Org, User: reviewer})
	due, err := w.Store.Jobs.Lease(t.Context(), w.Org, []store.LeaseRequest{{Kind: store.ForgetKind, Limit: 1}}, time.Second)
	w.Must(err)
	servertest.Equal(t, "leases", 1, len(due.Leases))
	w.Clock.Advance(time.Minute)
	servertest.RunJobs(w)
	servertest.Equal(t, "records of the former member", 0, countPrivate(w, reviewer))
	w.SetMember("reviewer", api.RoleReview)
	w.Tokens["reviewer"] = w.CreateToken("reviewer")
	read()
	marks := inbox.ReadMarks{Store: w.Store}
	storetest.WantError(t, marks.Forget(t.Context(), due.Leases[0]), txn.ErrLeaseLost)
	servertest.Equal(t, "records of the member", 1, countPrivate(w, reviewer))
}

// checkSummaries fails the test unless the open change requests of a space have summaries for their own heads and the head of
// the space.
func checkSummaries(w *servertest.World, space string) {
	w.T.Helper()
	heads, err := w.Store.LoadHeads(w.T.Context(), w.Org, space)
	w.Must(err)
	stored, err := w.Store.Client.HGetAll(w.T.Context(), w.Store.Name(store.SummariesKey(w.Org))).Result()
	w.Must(err)
	for _, q := range servertest.Do(w, "admin", api.ListChangeRequestQueue, api.ListQueueInput{
		Organization: w.Org, ListOptions: api.ListOptions{Limit: api.Some(1000)},
	}).Items {
		id := store.RequestID(q.Space, q.Number)
		sum, err := store.ParseSummary(stored[id])
		w.Must(err)
		if sum.Revision != heads[id].Revision || sum.Space != heads[space].Revision {
			w.T.Errorf("the summary of %s is of %s and %s, want %s and %s", id, sum.Revision, sum.Space, heads[id].Revision,
				heads[space].Revision)
		}
	}
}

// TestSummariesReflectChangesDuringJob checks that a change request or a space that changes while the summaries of its space
// are computed, before any write of the job, gets summaries of its last state.
func TestSummariesReflectChangesDuringJob(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(d queueWorld, ref api.ChangeRequestRef){
		"change request changes": func(d queueWorld, ref api.ChangeRequestRef) {
			d.InsertPage(ref, servertest.NewPage("More", "More text.\n"))
		},
		"space changes": func(d queueWorld, _ api.ChangeRequestRef) {
			other := d.NewRequest("editor", d.space)
			d.InsertPage(other, servertest.NewPage("Other", "Text.\n"))
			d.MustMerge(other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := &servertest.WriteHook{}
			w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
			d := newQueueWorld(w)
			for n, more := int64(1), true; more; n++ {
				ref := d.openRequest("editor", fmt.Sprint(n), "")
				d.Clock.Advance(time.Minute)
				more = hook.Before(n, func() { change(d, ref) }, func() { servertest.RunJobs(w) })
				d.runJobs()
				checkSummaries(w, d.space)
				if t.Failed() {
					t.Fatalf("before write %d", n)
				}
				if n > 100 {
					t.Fatal("the jobs do not end")
				}
			}
		})
	}
}

// TestSummariesReflectChangesBetweenBatches checks that a space that changes again while the job computes the summaries of its
// last change in several batches, before any write of the job, gets summaries of its last state only.
func TestSummariesReflectChangesBetweenBatches(t *testing.T) {
	t.Parallel()
	hook := &servertest.WriteHook{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	d := newQueueWorld(w)
	for i := range batchSize + 1 {
		d.openRequest("editor", fmt.Sprint(i), "")
	}
	merge := func() {
		other := d.NewRequest("editor", d.space)
		d.InsertPage(other, servertest.NewPage("Other", "Text.\n"))
		d.MustMerge(other)
	}
	d.runJobs()
	for n, more := int64(1), true; more; n++ {
		merge()
		d.Clock.Advance(time.Minute)
		more = hook.Before(n, merge, func() { servertest.RunJobs(w) })
		d.runJobs()
		checkSummaries(w, d.space)
		if t.Failed() {
			t.Fatalf("before write %d", n)
		}
		if n > 100 {
			t.Fatal("the jobs do not end")
		}
	}
}

// TestMarkDoesNotOutliveChangeRequest checks that a mark set while the space of the change request is purged is rejected and
// leaves no record.
func TestMarkDoesNotOutliveChangeRequest(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	p := newProposal(i.World)
	response := i.Before(func() {
		servertest.Do(i.World, "admin", api.DeleteSpace, api.SpaceRef{Space: p.ref.Space})
		i.Clock.Advance(store.TrashTime)
		servertest.RunJobs(i.World)
	}, func() servertest.Response {
		return servertest.Try(i.World, "reviewer", api.UpdateChangeRequestReading, api.UpdateReadingInput{
			ChangeRequestRef: p.ref, Body: api.ReadingUpdate{Read: []string{p.page}},
		})
	})
	servertest.Equal(t, "accepted", false, servertest.Succeeded(response))
	servertest.Equal(t, "records", 0, countPrivate(i.World, ""))
}
