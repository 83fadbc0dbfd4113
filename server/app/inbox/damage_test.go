package inbox_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestForgetRetriesAfterDamage checks that the job that deletes the private data of a former member fails while a reading is
// damaged, and deletes the rest once the reading can be read again.
func TestForgetRetriesAfterDamage(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	space, page := w.NewSpaceWithPage("Green.\n")
	var ref api.ChangeRequestRef
	for range 4 { // more readings than one transaction deletes
		ref = w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Red.\n"))
		updateReading(w, "reviewer", ref, api.ReadingUpdate{Read: []string{page}})
	}
	reviewer := w.Users["reviewer"].ID
	servertest.Equal(t, "records", 4, countPrivate(w, reviewer))
	key := w.Store.Name(store.ReadingKey(w.Org, store.RequestID(space, w.ReadRequest(ref).Number), reviewer))
	stored, err := w.Store.Client.Get(t.Context(), key).Result()
	w.Must(err)
	w.Must(w.Store.Client.Set(t.Context(), key, "damaged", 0).Err())
	servertest.Do(w, "reviewer", api.DeleteMember, api.MemberRef{Organization: w.Org, User: reviewer})
	if w.Server.RunDueJobs(t.Context()) == nil {
		t.Error("the job has finished")
	}
	if countPrivate(w, reviewer) == 0 {
		t.Error("the damaged record was deleted")
	}
	w.Must(w.Store.Client.Set(t.Context(), key, stored, 0).Err())
	w.Clock.Advance(time.Minute)
	servertest.RunJobs(w)
	servertest.Equal(t, "records", 0, countPrivate(w, reviewer))
}

// TestSummariesAreComputedDespiteLostHead checks that the summaries of a space are computed if one of its change requests has
// lost its head, and that the job ends.
func TestSummariesAreComputedDespiteLostHead(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.SkipFsck = true
	d := newQueueWorld(w)
	lost, other := d.openRequest("editor", "Lost", ""), d.openRequest("editor", "Other", "")
	id := func(ref api.ChangeRequestRef) string { return store.RequestID(d.space, w.ReadRequest(ref).Number) }
	lostID, otherID := id(lost), id(other)
	w.Must(w.Store.Client.HDel(t.Context(), w.Store.Name(store.HeadsKey(w.Org)), lostID).Err())
	d.runJobs()
	stored, err := w.Store.Client.HGetAll(t.Context(), w.Store.Name(store.SummariesKey(w.Org))).Result()
	w.Must(err)
	if _, computed := stored[otherID]; !computed || stored[lostID] != "" {
		t.Errorf("summaries %v", stored)
	}
	b := w.Store.NewBatch()
	pending := b.Cardinality(store.PendingSummariesKey(w.Org, d.space))
	w.Must(b.Do(t.Context()))
	servertest.Equal(t, "pending", 0, int(pending.Value()))
}
