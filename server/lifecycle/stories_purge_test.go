package lifecycle_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// A space whose time in the trash is over leaves nothing behind: no record, no index, no content, no grant.
func TestStoryOfAPurgedSpace(t *testing.T) {
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
		servertest.Equal(t, "text", servertest.UsageText, w.Text(s.Handbook, s.Pages["Usage"]))
		servertest.Do(w, "admin", api.DeleteSpace, ref)
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		servertest.Refused(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}, 404, api.ReasonNotFound)
		servertest.Refused(w, "admin", api.RestoreSpace, ref, 404, api.ReasonNotFound)
		if left := servertest.Mentions(w, s.Handbook); len(left) > 0 {
			t.Errorf("what is left of the space: %v", left)
		}
		servertest.Equal(t, "events", 2, servertest.Purges(w)) // Trash, too
		servertest.RunJobs(w)
		servertest.Equal(t, "events afterwards", 2, servertest.Purges(w))
	})
}

// Three nodes share one Redis. Whatever they do at the same time, a space can be restored until the end of its time
// and is purged once.
func TestThreeNodesPurgeOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		emulation := miniredis.NewMiniRedis()
		emulation.ClockTTL(true)
		nodes := []*servertest.World{newNode(t, emulation), newNode(t, emulation), newNode(t, emulation)}
		w := nodes[0]
		w.People()
		w.Schema = servertest.EmittedDocument(t, w.Handler)
		for _, other := range nodes[1:] {
			other.Org, other.Tokens, other.Schema = w.Org, w.Tokens, w.Schema
		}
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
		for _, node := range nodes { // 7 days after it was deleted, and nobody has purged it yet
			servertest.Refused(node, "admin", api.RestoreSpace, api.SpaceRef{Space: gone}, 404, api.ReasonNotFound)
		}
		servertest.Equal(t, "events before the purge", 0, servertest.Purges(w))
		stop := startJobs(t, nodes)
		time.Sleep(10 * time.Second)
		stop()
		servertest.Do(nodes[2], "admin", api.GetSpace, api.GetSpaceInput{Space: kept})
		servertest.Do(nodes[0], "admin", api.GetSpace, api.GetSpaceInput{Space: last})
		servertest.Equal(t, "events", 1, servertest.Purges(w))
		if left := servertest.Mentions(w, gone); len(left) > 0 {
			t.Errorf("what is left of the space: %v", left)
		}
		w.Fsck()
	})
}

// A failover may lose that an organization has jobs: its space is purged nevertheless.
func TestLostJobsAreFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		emulation := miniredis.NewMiniRedis()
		emulation.ClockTTL(true)
		w := newNode(t, emulation)
		w.People()
		w.Schema = servertest.EmittedDocument(t, w.Handler)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: w.NewSpaceIn("Gone", "").ID})
		time.Sleep(store.TrashTime)
		for _, key := range emulation.Keys() {
			if strings.HasSuffix(key, "}:due") && strings.Contains(key, "{g:") {
				emulation.Del(key)
			}
		}
		stop := startJobs(t, []*servertest.World{w})
		defer stop()
		time.Sleep(10 * time.Second)
		servertest.Equal(t, "events before it is found", 0, servertest.Purges(w))
		time.Sleep(10 * time.Minute)
		servertest.Equal(t, "events", 1, servertest.Purges(w))
	})
}

// startJobs lets nodes do what is due until stop is called.
func startJobs(t *testing.T, nodes []*servertest.World) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, node := range nodes {
		running.Go(func() { node.Server.RunJobs(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// newNode is a world that shares its Redis and lives by the time of the bubble.
func newNode(t *testing.T, emulation *miniredis.Miniredis) *servertest.World {
	t.Helper()
	w := &servertest.World{T: t, Users: map[string]api.UserFields{}, Tokens: map[string]string{}}
	var err error
	w.Store, err = store.Open(t.Context(), store.Config{Memory: true, Emulation: emulation, Model: access.New})
	w.Must(err)
	t.Cleanup(func() { w.Must(w.Store.Close()) })
	w.Server, err = server.New(server.Options{
		Store: w.Store, PublicURL: servertest.PublicURL, Secret: []byte("a secret that is used in tests alone"),
		Log: slog.New(slog.NewTextHandler(servertest.TestLog{T: t}, &slog.HandlerOptions{Level: slog.LevelError})), Version: "test",
	})
	w.Must(err)
	w.Handler = w.Server.Handler()
	return w
}
