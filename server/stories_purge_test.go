package server_test

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
	"docspace.dev/wsd/store"
)

// A space whose time in the trash is over leaves nothing behind: no record, no index, no content, no grant.
func TestStoryOfAPurgedSpace(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		s := w.populate()
		ref := api.SpaceRef{Space: s.Handbook}
		do(w, "admin", api.DeleteSpace, ref)
		w.clock.Advance(store.TrashTime - time.Millisecond)
		runJobs(w)
		do(w, "admin", api.RestoreSpace, ref)
		w.clock.Advance(time.Hour)
		runJobs(w)
		equal(t, "text", usageText, w.text(s.Handbook, s.Pages["Usage"]))
		do(w, "admin", api.DeleteSpace, ref)
		w.clock.Advance(store.TrashTime)
		runJobs(w)
		refused(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}, 404, api.ReasonNotFound)
		refused(w, "admin", api.RestoreSpace, ref, 404, api.ReasonNotFound)
		if left := mentions(w, s.Handbook); len(left) > 0 {
			t.Errorf("what is left of the space: %v", left)
		}
		equal(t, "events", 2, purges(w)) // Trash, too
		runJobs(w)
		equal(t, "events afterwards", 2, purges(w))
	})
}

// Three nodes share one Redis. Whatever they do at the same time, a space can be restored until the end of its time
// and is purged once.
func TestThreeNodesPurgeOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		emulation := miniredis.NewMiniRedis()
		emulation.ClockTTL(true)
		nodes := []*world{newNode(t, emulation), newNode(t, emulation), newNode(t, emulation)}
		w := nodes[0]
		w.people()
		w.schema = emittedDocument(t, w.handler)
		for _, other := range nodes[1:] {
			other.org, other.tokens, other.schema = w.org, w.tokens, w.schema
		}
		const day = 24 * time.Hour
		kept, last, gone := w.newSpaceIn("Kept", "").ID, w.newSpaceIn("Last", "").ID, w.newSpaceIn("Gone", "").ID
		for _, id := range []string{kept, last, gone} {
			do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: id})
		}
		time.Sleep(6*day + 23*time.Hour)
		do(nodes[1], "admin", api.RestoreSpace, api.SpaceRef{Space: kept})
		time.Sleep(time.Hour - time.Millisecond)
		do(nodes[2], "admin", api.RestoreSpace, api.SpaceRef{Space: last})
		time.Sleep(time.Millisecond)
		for _, node := range nodes { // 7 days after it was deleted, and nobody has purged it yet
			refused(node, "admin", api.RestoreSpace, api.SpaceRef{Space: gone}, 404, api.ReasonNotFound)
		}
		equal(t, "events before the purge", 0, purges(w))
		stop := startJobs(t, nodes)
		time.Sleep(10 * time.Second)
		stop()
		do(nodes[2], "admin", api.GetSpace, api.GetSpaceInput{Space: kept})
		do(nodes[0], "admin", api.GetSpace, api.GetSpaceInput{Space: last})
		equal(t, "events", 1, purges(w))
		if left := mentions(w, gone); len(left) > 0 {
			t.Errorf("what is left of the space: %v", left)
		}
		w.fsck()
	})
}

// A failover may lose that an organization has jobs: its space is purged nevertheless.
func TestLostJobsAreFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		emulation := miniredis.NewMiniRedis()
		emulation.ClockTTL(true)
		w := newNode(t, emulation)
		w.people()
		w.schema = emittedDocument(t, w.handler)
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: w.newSpaceIn("Gone", "").ID})
		time.Sleep(store.TrashTime)
		for _, key := range emulation.Keys() {
			if strings.HasSuffix(key, "}:due") && strings.Contains(key, "{g:") {
				emulation.Del(key)
			}
		}
		stop := startJobs(t, []*world{w})
		defer stop()
		time.Sleep(10 * time.Second)
		equal(t, "events before it is found", 0, purges(w))
		time.Sleep(10 * time.Minute)
		equal(t, "events", 1, purges(w))
	})
}

// startJobs lets nodes do what is due until stop is called.
func startJobs(t *testing.T, nodes []*world) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, node := range nodes {
		running.Go(func() { node.server.RunJobs(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// newNode is a world that shares its Redis and lives by the time of the bubble.
func newNode(t *testing.T, emulation *miniredis.Miniredis) *world {
	t.Helper()
	w := &world{t: t, users: map[string]api.UserFields{}, tokens: map[string]string{}}
	var err error
	w.store, err = store.Open(t.Context(), store.Config{Memory: true, Emulation: emulation, Model: access.New})
	w.must(err)
	t.Cleanup(func() { w.must(w.store.Close()) })
	w.server, err = server.New(server.Options{
		Store: w.store, PublicURL: publicURL, Secret: []byte("a secret that is used in tests alone"),
		Log: slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelError})), Version: "test",
	})
	w.must(err)
	w.handler = w.server.Handler()
	return w
}
