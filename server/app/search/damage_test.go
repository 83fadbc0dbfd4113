package search_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// newIndexedSpace returns a world with an indexed space of three pages about the walrus.
func newIndexedSpace(t *testing.T) (w *servertest.World, space string) {
	t.Helper()
	w = servertest.NewWorld(t, storetest.Memory())
	space = w.CreateSpace("Large", "", "")
	pagesAbout(w, space, "walrus", 3)
	w.Clock.Advance(2 * time.Second)
	servertest.RunJobs(w)
	return w, space
}

// indexKey returns the name of a key of the index of a space, or of the directory of an organization.
func indexKey(w *servertest.World, id, name string) string {
	return w.Store.Name(redis.NewShard("", id).Key(redis.StringKind, name))
}

// wantFound fails the test unless a query finds one space of the organization, and pages in it.
func wantFound(w *servertest.World, space, query string, pages int) {
	w.T.Helper()
	found := servertest.Do(w, "reader", api.SearchOrganization, api.SearchOrganizationInput{Organization: w.Org, Query: query})
	servertest.Equal(w.T, "spaces with "+query, 1, found.Count)
	hits := servertest.Do(w, "reader", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: query})
	servertest.Equal(w.T, "pages with "+query, pages, hits.Count)
}

// TestDamagedIndexIsRebuilt checks that a damaged index of a space, and a damaged directory, are rebuilt by the first
// search or by the next job, and that everything is found.
func TestDamagedIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		directory bool // is damaged
		merge     bool // a job is the first that reads the index
	}{
		"index, search":     {false, false},
		"index, job":        {false, true},
		"directory, search": {true, false},
		"directory, job":    {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, space := newIndexedSpace(t)
			id := space
			if c.directory {
				id = w.Org
			}
			w.Must(w.Store.Client.Set(t.Context(), indexKey(w, id, "segments"), "damaged", 0).Err())
			w.Serve() // a node with empty caches
			if c.merge {
				pagesAbout(w, space, "seal", 2)
				w.Clock.Advance(2 * time.Second)
				servertest.RunJobs(w)
				wantFound(w, space, "seal", 2)
			}
			wantFound(w, space, "walrus", 3)
		})
	}
}

// TestLostDirectoryIsRebuilt checks that the spaces of an organization are found although its directory is lost.
func TestLostDirectoryIsRebuilt(t *testing.T) {
	t.Parallel()
	w, space := newIndexedSpace(t)
	for _, name := range []string{"index", "segments"} {
		w.Must(w.Store.Client.Del(t.Context(), indexKey(w, w.Org, name)).Err())
	}
	w.Serve() // a node with empty caches
	wantFound(w, space, "walrus", 3)
}

// TestSpaceLeavesDuringSearch checks that a search of an organization succeeds if, before any of its calls to Redis, a
// space whose index it updates is transferred to another organization.
func TestSpaceLeavesDuringSearch(t *testing.T) {
	t.Parallel()
	h := &interruption{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, h) })
	other := servertest.NewOrganization(w, "Other")
	stays := w.CreateSpace("Stays", "", "")
	pagesAbout(w, stays, "walrus", 3)
	for calls := int64(1); !t.Failed(); calls++ {
		leaves := w.CreateSpace("Leaves", "", "")
		pagesAbout(w, leaves, "walrus", 1)
		interrupted := false
		h.fn = func() {
			interrupted = true
			servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(leaves, other))
		}
		h.remaining.Store(calls)
		found := servertest.Try(w, "admin", api.SearchOrganization, api.SearchOrganizationInput{Organization: w.Org, Query: "walrus"})
		h.remaining.Store(0)
		if !servertest.Succeeded(found) {
			t.Errorf("transferred before call %d: %d %s", calls, found.Status, found.Body)
		}
		if !interrupted {
			break
		}
		wantFound(w, stays, "walrus", 3)
	}
}
