package server_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestOldEventsAreRemoved checks that a job removes the events that are older than they are kept, no others, and none while the clock
// of Redis differs from that of the node.
func TestOldEventsAreRemoved(t *testing.T) {
	t.Parallel()
	emulation, ahead := miniredis.NewMiniRedis(), &atomic.Int64{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
		clock := c.Clock
		c.Emulation, c.Time = emulation, func() time.Time { return clock().Add(time.Duration(ahead.Load())) }
		emulation.SetTime(clock())
	})
	count := func() int { return len(storetest.Stream(t, w.Store, store.EventsKey(w.Org))) }
	runJobs := func(after time.Duration) {
		w.Clock.Advance(after)
		emulation.SetTime(w.Clock.Now())
		w.Must(w.Server.RunDueJobs(t.Context()))
	}
	space := w.NewSpace()
	first := count()
	runJobs(server.DefaultEventsKept - time.Hour)
	servertest.Equal(t, "events before they are too old", first, count())
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space.ID, Body: api.SpacePatch{Title: api.Some("Later")}})

	ahead.Store(int64(2 * server.DefaultEventsKept))
	runJobs(time.Hour)
	servertest.Equal(t, "events while the clocks differ", first+1, count())
	ahead.Store(0)

	w.Must(w.Store.CheckClocks(t.Context()))
	w.Clock.Advance(25 * time.Hour) // after which a jump is forgotten
	w.Must(w.Store.CheckClocks(t.Context()))
	runJobs(time.Hour)
	servertest.Equal(t, "events afterwards", 1, count())
	var page api.LogPage[api.Event]
	servertest.Decode(w, w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/events", nil, http.StatusOK), &page)
	servertest.Equal(t, "the event that is left", "spaces.update", page.Items[0].Kind)
	runJobs(time.Hour)
	servertest.Equal(t, "events after another round", 1, count())
}
