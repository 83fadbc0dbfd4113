package lifecycle_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// TestPurgeSpaceRemovesAllData checks that the purge of a space removes its records, indexes, content and grants.
func TestPurgeSpaceRemovesAllData(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		ref := api.SpaceRef{Space: s.Handbook}
		servertest.Do(w, "admin", api.DeleteSpace, ref)
		w.Clock.Advance(store.TrashTime - time.Millisecond)
		servertest.RunJobs(w)
		servertest.Do(w, "admin", api.RestoreSpace, ref)
		w.Clock.Advance(time.Hour)
		servertest.RunJobs(w)
		servertest.Equal(t, "text", servertest.UsageText, w.PageText(s.Handbook, s.Pages["Usage"]))
		servertest.Do(w, "admin", api.DeleteSpace, ref)
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		servertest.Refused(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}, 404, api.ReasonNotFound)
		servertest.Refused(w, "admin", api.RestoreSpace, ref, 404, api.ReasonNotFound)
		if left := servertest.KeysWithID(w, s.Handbook); len(left) > 0 {
			t.Errorf("what is left of the space: %v", left)
		}
		servertest.Equal(t, "events", 2, servertest.CountPurges(w)) // including the purge of the space Trash
		servertest.RunJobs(w)
		servertest.Equal(t, "events afterwards", 2, servertest.CountPurges(w))
	})
}

// TestConcurrentNodesPurgeOnce runs three nodes on one Redis. A space can be restored until the end of its time in
// the trash and is purged once.
func TestConcurrentNodesPurgeOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		nodes := servertest.NewNodes(t, 3)
		w := nodes[0]
		const day = 24 * time.Hour
		kept, last, gone := w.NewSpaceIn("Kept", "").ID, w.NewSpaceIn("Last", "").ID, w.NewSpaceIn("Gone", "").ID
		for _, id := range []string{kept, last, gone} {
			servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: id})
		}
		time.Sleep(6*day + 23*time.Hour)
		servertest.Do(nodes[1], "admin", api.RestoreSpace, api.SpaceRef{Space: kept})
		time.Sleep(time.Hour - time.Millisecond)
		servertest.Do(nodes[2], "admin", api.RestoreSpace, api.SpaceRef{Space: last})
		time.Sleep(time.Millisecond)
		for _, node := range nodes { // after 7 days the space cannot be restored, although it is not purged yet
			servertest.Refused(node, "admin", api.RestoreSpace, api.SpaceRef{Space: gone}, 404, api.ReasonNotFound)
		}
		servertest.Equal(t, "events before the purge", 0, servertest.CountPurges(w))
		stop := servertest.StartJobs(t, nodes)
		time.Sleep(10 * time.Second)
		stop()
		servertest.Do(nodes[2], "admin", api.GetSpace, api.GetSpaceInput{Space: kept})
		servertest.Do(nodes[0], "admin", api.GetSpace, api.GetSpaceInput{Space: last})
		servertest.Equal(t, "events", 1, servertest.CountPurges(w))
		if left := servertest.KeysWithID(w, gone); len(left) > 0 {
			t.Errorf("what is left of the space: %v", left)
		}
		w.Fsck()
	})
}

// TestLostPurgeJobIsRecovered checks that if a failover loses the job index of an organization, the next node that
// starts purges its space.
func TestLostPurgeJobIsRecovered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		emulation := miniredis.NewMiniRedis()
		emulation.ClockTTL(true)
		w := servertest.NewNode(t, emulation)
		w.People()
		w.Schema = servertest.EmittedDocument(t, w.Handler)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: w.NewSpaceIn("Gone", "").ID})
		time.Sleep(store.TrashTime)
		for _, key := range emulation.Keys() {
			if strings.HasSuffix(key, "}:due") && strings.Contains(key, "{g:") {
				emulation.Del(key)
			}
		}
		stop := servertest.StartJobs(t, []*servertest.World{w})
		defer stop()
		time.Sleep(10 * time.Second)
		servertest.Equal(t, "events", 1, servertest.CountPurges(w))
	})
}
