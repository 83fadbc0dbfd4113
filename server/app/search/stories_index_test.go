package search_test

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
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

const maxSearchTrips = 6 // maximum trips of a search with nothing to index, see TestRoundTripsWithEmptyCaches

// addPagesAbout merges n pages about a word into a space.
func addPagesAbout(w *servertest.World, space, word string, n int) {
	w.T.Helper()
	r := w.CreateRequest("creator", space, "About "+word)
	for from := 0; from < n; from += 50 {
		var changes []api.ContentChange
		for i := from; i < min(n, from+50); i++ {
			changes = append(changes, servertest.Insert(fmt.Sprintf("Page %d", i), "",
				fmt.Sprintf("This is about the %s number%d.", word, i)))
		}
		w.Edit("creator", r, changes...)
	}
	w.Merge("creator", r)
}

// wantHits fails the test unless a query finds want pages at once, without indexing.
func wantHits(w *servertest.World, space, query string, want int) {
	w.T.Helper()
	w.Call("reader", http.MethodGet, "/v1/orgs/"+w.Org, nil, http.StatusOK) // records the use of the token in this minute
	w.Trips.Count()
	got := servertest.Do(w, "reader", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: query}).Count
	if trips := w.Trips.Count(); got != want || trips > maxSearchTrips {
		w.T.Errorf("%q finds %d pages in %d trips, want %d in at most %d", query, got, trips, want, maxSearchTrips)
	}
}

// countIndexJobs returns the number of jobs for the search index of a space.
func countIndexJobs(w *servertest.World, space string) int {
	w.T.Helper()
	return strings.Count(w.Dump()["{"+w.Org+"}:due"], txn.JobName(store.SearchKind, space))
}

// TestJobBuildsSearchIndex checks that a job builds the index before a search, for spaces of any size, that many
// edits need one job only, and that a search that comes first leaves the job nothing to do.
func TestJobBuildsSearchIndex(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Large", "", "")
		servertest.Equal(t, "jobs of an empty space", 0, countIndexJobs(w, space))
		addPagesAbout(w, space, "walrus", 200)
		w.Clock.Advance(time.Second)
		addPagesAbout(w, space, "narwhal", 3)
		servertest.Equal(t, "jobs", 1, countIndexJobs(w, space))
		w.Clock.Advance(time.Second)
		servertest.RunJobs(w)
		w.Serve() // a server with empty caches on the same store
		wantHits(w, space, "walrus", 200)
		wantHits(w, space, "narwhal", 3)
		wantHits(w, space, "number199", 1)
		servertest.Equal(t, "jobs afterwards", 0, countIndexJobs(w, space))

		addPagesAbout(w, space, "seal", 2)
		servertest.Equal(t, "pages", "Page 0", servertest.SearchTitles(w, "reader", space, "seal number0")[0])
		servertest.Equal(t, "jobs when a search came first", 0, countIndexJobs(w, space))
	})
}

// TestSearchOfIncompleteIndexIsMarked checks that a search before the index is ready is marked as such, and that a
// job completes the index even if none was scheduled.
func TestSearchOfIncompleteIndexIsMarked(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Large", "", "")
		addPagesAbout(w, space, "walrus", 40)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.MarkSearchCurrent(w.Org, space) // removes the mark and the job, as for a space stored by an earlier version
			return nil
		}))
		w.Serve(func(o *server.Options) { o.SearchWait = -1 })
		a := w.Send("reader", http.MethodGet, "/v1/spaces/"+space+"/search?query=walrus", nil)
		servertest.Equal(t, "status", http.StatusServiceUnavailable, a.Status)
		servertest.Equal(t, "retry after", "5", a.Header.Get("Retry-After"))
		if e := a.Error(); !strings.Contains(e.Message, "is being built") || e.Hint == "" {
			t.Errorf("the answer is %s", a.Body)
		}
		w.Clock.Advance(2 * time.Second)
		servertest.RunJobs(w)
		wantHits(w, space, "walrus", 40)
	})
}

// TestInterruptedIndexingResumesCampaign interrupts a node at each of its calls to Redis while it indexes. Another
// node completes the work, and the index equals one that was built without interruption.
//
//wsd:serial
func TestInterruptedIndexingResumesCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "cuts", 1, 1)
	m := &servertest.CallLimit{}
	m.Remaining.Store(servertest.Unlimited)
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, m) })
	space := w.CreateSpace("Large", "", "")
	calls, whole := int64(0), false
	for !whole {
		calls++
		addPagesAbout(w, space, fmt.Sprintf("walrus%d", calls), 20)
		w.Clock.Advance(2 * time.Second)
		m.Remaining.Store(calls)
		err := w.Server.RunDueJobs(t.Context())
		whole = m.Remaining.Load() > 0
		m.Remaining.Store(servertest.Unlimited)
		if whole != (err == nil) {
			t.Fatalf("after %d calls: %v", calls, err)
		}
		w.Serve() // another node
		w.Clock.Advance(time.Minute)
		servertest.RunJobs(w)
		wantHits(w, space, fmt.Sprintf("walrus%d", calls), 20)
		wantHits(w, space, "number7", int(calls))
		servertest.Equal(t, "jobs", 0, countIndexJobs(w, space))
		w.Fsck()
		if t.Failed() {
			t.Fatalf("cut off after %d calls", calls)
		}
	}
	if t.Logf("cut off after each of %d calls", calls); calls < 12 {
		t.Error("that is too little to mean anything")
	}
}

// interruption is a hook that calls a function before one call to Redis.
type interruption struct {
	remaining atomic.Int64
	fn        func()
}

func (i *interruption) countCall() {
	if i.remaining.Add(-1) == 0 {
		i.fn()
	}
}

// DialHook implements redis.Hook.
func (i *interruption) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (i *interruption) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		i.countCall()
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (i *interruption) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		i.countCall()
		return next(ctx, commands)
	}
}

// TestContentMergedDuringIndexingIsFoundCampaign merges before each call to Redis of a node that indexes. The node or
// the next job indexes the merged content.
//
//wsd:serial
func TestContentMergedDuringIndexingIsFoundCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "cuts", 1, 1)
	h := &interruption{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, h) })
	space := w.CreateSpace("Large", "", "")
	for calls, interrupted := int64(1), true; interrupted; calls++ {
		addPagesAbout(w, space, fmt.Sprintf("walrus%d", calls), 20)
		w.Clock.Advance(2 * time.Second)
		interrupted = false
		h.fn = func() { interrupted = true; addPagesAbout(w, space, fmt.Sprintf("seal%d", calls), 3) }
		h.remaining.Store(calls)
		servertest.RunJobs(w)
		h.remaining.Store(0)
		w.Clock.Advance(2 * time.Second)
		servertest.RunJobs(w)
		wantHits(w, space, fmt.Sprintf("walrus%d", calls), 20)
		if interrupted {
			wantHits(w, space, fmt.Sprintf("seal%d", calls), 3)
		}
		servertest.Equal(t, "jobs", 0, countIndexJobs(w, space))
		if t.Failed() {
			t.Fatalf("merged before call %d", calls)
		}
	}
}

// TestOrganizationSearchDuringReindexing checks that while a node rebuilds an index of an earlier format, searches of the
// organization on another node find the space before each of the first node's calls to Redis.
func TestOrganizationSearchDuringReindexing(t *testing.T) {
	t.Parallel()
	h := &interruption{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, h) })
	space := w.CreateSpace("Large", "", "")
	addPagesAbout(w, space, "walrus", 20)
	w.Clock.Advance(2 * time.Second)
	servertest.RunJobs(w)
	search := func() int {
		return servertest.Do(w, "reader", api.SearchOrganization, api.SearchOrganizationInput{Organization: w.Org, Query: "walrus"}).Count
	}
	servertest.Equal(t, "spaces found", 1, search())
	for calls, interrupted := int64(1), true; interrupted && !t.Failed(); calls++ {
		w.Must(w.Store.Search.SetState(t.Context(), space, indexState(w, space), postings.State{
			Version: "earlier", Organization: w.Org,
		}))
		interrupted = false
		h.fn = func() {
			interrupted = true
			w.Serve() // another node
			if found := search(); found != 1 {
				t.Errorf("%d spaces are found before call %d", found, calls)
			}
		}
		h.remaining.Store(calls)
		finds := servertest.Do(w, "reader", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "walrus"}).Count
		h.remaining.Store(0)
		servertest.Equal(t, "pages found", 20, finds)
	}
}

// TestLostOrOutdatedDirectoryIsRebuilt checks that a lost directory, or one of an earlier format, is rebuilt by jobs
// that index all spaces, and that no space is missed in the meantime.
func TestLostOrOutdatedDirectoryIsRebuilt(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		spaces := []string{w.CreateSpace("One", "", ""), w.CreateSpace("Two", "", ""), w.CreateSpace("Three", "", "")}
		for _, space := range spaces[:2] {
			addPagesAbout(w, space, "walrus", 3)
		}
		w.Clock.Advance(2 * time.Second)
		servertest.RunJobs(w)
		search := func(query string) int {
			return servertest.Do(w, "reader", api.SearchOrganization, api.SearchOrganizationInput{Organization: w.Org, Query: query}).Count
		}
		servertest.Equal(t, "spaces found", 2, search("walrus"))
		lost := indexState(w, w.Org)
		for _, next := range []postings.State{{Version: "earlier", Organization: w.Org}, {}} {
			w.Must(w.Store.Search.SetState(t.Context(), w.Org, lost, next))
			w.Serve() // another node
			servertest.Equal(t, "spaces found meanwhile", 2, search("walrus"))
			servertest.Equal(t, "spaces found by their titles", 1, search("three"))
			w.Clock.Advance(2 * time.Second)
			servertest.RunJobs(w)
			servertest.Equal(t, "spaces found afterwards", 2, search("walrus"))
			wantHits(w, spaces[1], "walrus", 3)
			lost = indexState(w, w.Org)
		}
	})
}

// TestSearchRoundTripsDoNotGrowWithSpaces checks that the number of trips is independent of the number of spaces
// without the words, none of which is read.
func TestSearchRoundTripsDoNotGrowWithSpaces(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Large", "", "")
		addPagesAbout(w, space, "walrus", 3)
		path := func(query string) string { return "/v1/orgs/" + w.Org + "/search?query=" + query }
		queries, few := []string{"walrus", "wallrus", "walr", "nothing"}, map[string]int{}
		for n := range 2 {
			w.Clock.Advance(2 * time.Second)
			servertest.RunJobs(w)
			w.Call("reader", http.MethodGet, path("walrus"), nil, http.StatusOK)
			for _, query := range queries {
				w.Serve()
				w.Call("reader", http.MethodGet, "/v1/spaces/"+space, nil, http.StatusOK) // loads the model
				trips := servertest.CountTrips(w, "reader", path(query))
				if n == 0 {
					few[query] = trips
				}
				t.Logf("%s: %d trips", query, trips)
				servertest.Equal(t, "trips of "+query, few[query], trips)
			}
			for i := range 40 {
				w.CreateSpace(fmt.Sprintf("Other %d", i), "", "")
			}
		}
	})
}

// indexState reads the state that the search index of a space reflects.
func indexState(w *servertest.World, space string) postings.State {
	w.T.Helper()
	b := w.Store.NewBatch()
	state := postings.ReadState(b, space)
	w.Must(b.Do(w.T.Context()))
	return state.Value()
}
