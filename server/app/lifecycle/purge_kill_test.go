package lifecycle_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestInterruptedPurgeResumes interrupts the purge of a collection and of an organization at calls to Redis. After
// each interruption the store is consistent, nothing can be restored, and another node completes the purge.
//
//wsd:serial
func TestInterruptedPurgeResumes(t *testing.T) {
	t.Parallel()
	m := &servertest.CallLimit{}
	m.Remaining.Store(servertest.Unlimited)
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, m) })
	const step = 4
	for calls, whole := int64(1), false; !whole; calls += step {
		doomed := servertest.NewOrganization(w, "Doomed", "creator")
		in := func(parent string) string {
			return servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{
				Organization: w.Org, Body: api.SpaceCreate{Parent: parent},
			}).ID
		}
		shelf := w.NewCollection("Shelf", "").ID
		box := w.NewCollection("Box", shelf).ID
		lost := []string{shelf, box, in(shelf), in(box), doomed}
		servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: doomed})
		servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: shelf})
		servertest.Do(w, "admin", api.DeleteOrganization, deleteOrganizationInput(w, doomed))
		w.Clock.Advance(store.TrashTime)

		m.Remaining.Store(calls)
		_ = w.Server.RunDueJobs(t.Context()) // fails where it is interrupted
		whole = m.Remaining.Load() > 0
		m.Remaining.Store(servertest.Unlimited)
		w.Fsck()
		w.Call("admin", "POST", "/v1/collections/"+shelf+"/restore", nil, 404)
		w.Call("admin", "POST", "/v1/orgs/"+doomed+"/restore", nil, 404)
		w.Clock.Advance(time.Hour)
		servertest.RunJobs(w)
		for _, id := range lost {
			for _, key := range servertest.KeysWithID(w, id) {
				// derived keys may remain
				if id != doomed || !isExpectedLeftover(key) && !strings.HasPrefix(key, "{g:") && !strings.HasPrefix(key, "{u:") {
					t.Errorf("left of %s: %s", id, key)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("cut off after %d calls", calls)
		}
		if whole && calls < 20*step {
			t.Errorf("%d calls are too few to mean anything", calls)
		}
	}
}
