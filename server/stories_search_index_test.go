package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

const readyTrips = 6 // that a search makes at most if it has nothing to index: see TestColdTrips

// pagesAbout merges pages about a word into a space.
func pagesAbout(w *world, space, word string, n int) {
	w.t.Helper()
	r := w.request("creator", space, "About "+word)
	for from := 0; from < n; from += 50 {
		var changes []api.ContentChange
		for i := from; i < min(n, from+50); i++ {
			changes = append(changes, insert(fmt.Sprintf("Page %d", i), "", fmt.Sprintf("This is about the %s number%d.", word, i)))
		}
		w.edit("creator", r, changes...)
	}
	w.merge("creator", r)
}

// finds fails the test unless a query finds so many pages at once, without indexing any.
func finds(w *world, space, query string, want int) {
	w.t.Helper()
	w.trips.Count()
	got := do(w, "reader", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: query}).Count
	if trips := w.trips.Count(); got != want || trips > readyTrips {
		w.t.Errorf("%q finds %d pages in %d trips, want %d in at most %d", query, got, trips, want, readyTrips)
	}
}

// indexJobs counts the jobs for the search index of a space.
func indexJobs(w *world, space string) int {
	w.t.Helper()
	return strings.Count(w.dump()["{"+w.org+"}:due"], txn.JobName(store.SearchKind, space))
}

// A search finds its index ready: a job has made it, however large the space. Many edits make one job, and a search
// that comes first leaves nothing to do.
func TestSearchIndexIsReady(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.space("Large", "", "")
		equal(t, "jobs of an empty space", 0, indexJobs(w, space))
		pagesAbout(w, space, "walrus", 200)
		w.clock.Advance(time.Second)
		pagesAbout(w, space, "narwhal", 3)
		equal(t, "jobs", 1, indexJobs(w, space))
		w.clock.Advance(time.Second)
		runJobs(w)
		w.serve() // a node that knows nothing
		finds(w, space, "walrus", 200)
		finds(w, space, "narwhal", 3)
		finds(w, space, "number199", 1)
		equal(t, "jobs afterwards", 0, indexJobs(w, space))

		pagesAbout(w, space, "seal", 2)
		equal(t, "pages", "Page 0", found(w, "reader", space, "seal number0")[0])
		equal(t, "jobs when a search came first", 0, indexJobs(w, space))
	})
}

// Who searches before the index is ready is told so, and to come again: a job goes on, even if there was none.
func TestSearchBeforeTheIndexIsReady(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.space("Large", "", "")
		pagesAbout(w, space, "walrus", 40)
		w.must(w.store.Update(t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.SearchReady(w.org, space) // as an older node has left it
			return nil
		}))
		w.server.WithoutPatience()
		a := w.raw("reader", http.MethodGet, "/v1/spaces/"+space+"/search?query=walrus", nil)
		equal(t, "status", http.StatusServiceUnavailable, a.Status)
		equal(t, "retry after", "5", a.Header.Get("Retry-After"))
		if e := a.Error(); !strings.Contains(e.Message, "is being built") || e.Hint == "" {
			t.Errorf("the answer is %s", a.Body)
		}
		w.clock.Advance(2 * time.Second)
		runJobs(w)
		finds(w, space, "walrus", 40)
	})
}

// A node that indexes is cut off at each of its calls to Redis. Another node ends what was begun, and the index is
// as if nothing had happened.
func TestIndexingIsCutOffAtEveryCall(t *testing.T) {
	t.Parallel()
	m := &mortal{}
	m.left.Store(alive)
	w := newWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, m) })
	space := w.space("Large", "", "")
	calls, whole := int64(0), false
	for !whole {
		calls++
		pagesAbout(w, space, fmt.Sprintf("walrus%d", calls), 20)
		w.clock.Advance(2 * time.Second)
		m.left.Store(calls)
		err := w.server.RunDueJobs(t.Context())
		whole = m.left.Load() > 0
		m.left.Store(alive)
		if whole != (err == nil) {
			t.Fatalf("after %d calls: %v", calls, err)
		}
		w.serve() // another node
		w.clock.Advance(time.Minute)
		runJobs(w)
		finds(w, space, fmt.Sprintf("walrus%d", calls), 20)
		finds(w, space, "number7", int(calls))
		equal(t, "jobs", 0, indexJobs(w, space))
		w.fsck()
		if t.Failed() {
			t.Fatalf("cut off after %d calls", calls)
		}
	}
	if t.Logf("cut off after each of %d calls", calls); calls < 12 {
		t.Error("that is too little to mean anything")
	}
}

// interruption is a hook that does something before one call to Redis.
type interruption struct {
	left atomic.Int64
	do   func()
}

func (h *interruption) call() {
	if h.left.Add(-1) == 0 {
		h.do()
	}
}

// DialHook implements redis.Hook.
func (h *interruption) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (h *interruption) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		h.call()
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (h *interruption) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		h.call()
		return next(ctx, commands)
	}
}

// What is merged while a node indexes, before any of its calls to Redis, is indexed too: by it or by the next job.
func TestMergedWhileIndexing(t *testing.T) {
	t.Parallel()
	h := &interruption{}
	w := newWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, h) })
	space := w.space("Large", "", "")
	for calls, interrupted := int64(1), true; interrupted; calls++ {
		pagesAbout(w, space, fmt.Sprintf("walrus%d", calls), 20)
		w.clock.Advance(2 * time.Second)
		interrupted = false
		h.do = func() { interrupted = true; pagesAbout(w, space, fmt.Sprintf("seal%d", calls), 3) }
		h.left.Store(calls)
		runJobs(w)
		h.left.Store(0)
		w.clock.Advance(2 * time.Second)
		runJobs(w)
		finds(w, space, fmt.Sprintf("walrus%d", calls), 20)
		if interrupted {
			finds(w, space, fmt.Sprintf("seal%d", calls), 3)
		}
		equal(t, "jobs", 0, indexJobs(w, space))
		if t.Failed() {
			t.Fatalf("merged before call %d", calls)
		}
	}
}
