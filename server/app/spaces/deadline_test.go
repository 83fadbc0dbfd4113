package spaces_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// Whether the contents of the trash can be restored depends on the time of Redis, which also determines the purge, and
// not on the clock of a node.
func TestRestoreDeadlineIgnoresClockOfNode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		passed, offset time.Duration // offset of the clock of the node that restores
		status         int
	}{
		"fast clock before the deadline": {store.TrashTime - time.Minute, time.Hour, http.StatusOK},
		"slow clock after the deadline":  {store.TrashTime, -time.Hour, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var offset atomic.Int64
			w := servertest.NewWorld(t, storetest.Memory(), func(config *store.Config) {
				clock := config.Clock
				config.Time, config.Clock = clock, func() time.Time { return clock().Add(time.Duration(offset.Load())) }
			})
			space, collection := w.CreateSpace("Space", "", ""), w.NewCollection("Collection", "").ID
			servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
			servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: collection})
			w.Clock.Advance(c.passed)
			offset.Store(int64(c.offset))
			servertest.Equal(t, "space", c.status, servertest.Try(w, "admin", api.RestoreSpace, api.SpaceRef{Space: space}).Status)
			servertest.Equal(t, "collection", c.status,
				servertest.Try(w, "admin", api.RestoreCollection, api.CollectionRef{Collection: collection}).Status)
		})
	}
}
