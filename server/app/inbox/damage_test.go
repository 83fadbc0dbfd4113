package inbox_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// The job that deletes the private data of a former member fails while a reading cannot be read, and is not finished:
// it deletes the rest as soon as the reading is readable.
func TestForgetRetriesAfterDamage(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	space, page := w.NewSpaceWithPage("Green.\n")
	var ref api.ChangeRequestRef
	for range 4 { // more than one transaction deletes
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
