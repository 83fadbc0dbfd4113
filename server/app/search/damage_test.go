package search_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// newIndexedSpace returns a world with an indexed space of three pages about the walrus.
func newIndexedSpace(t *testing.T) (w *servertest.World, space string) {
	t.Helper()
	w = servertest.NewWorld(t, storetest.Memory())
	return w, addIndexedSpace(w)
}

// addIndexedSpace adds an indexed space of three pages about the walrus.
func addIndexedSpace(w *servertest.World) (space string) {
	w.T.Helper()
	space = w.CreateSpace("Large", "", "")
	addPagesAbout(w, space, "walrus", 3)
	w.Clock.Advance(2 * time.Second)
	servertest.RunJobs(w)
	return space
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
		merge     bool // a job, not a search, is the first that reads the index
	}{
		"damaged index, read by a search":     {false, false},
		"damaged index, read by a job":        {false, true},
		"damaged directory, read by a search": {true, false},
		"damaged directory, read by a job":    {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, space := newIndexedSpace(t)
			id := space
			if c.directory {
				id = w.Org
			}
			w.Must(w.Store.Client.Set(t.Context(), indexKey(w, id, "segments"), "damaged", 0).Err())
			w.Serve() // a server with empty caches on the same store
			if c.merge {
				addPagesAbout(w, space, "seal", 2)
				w.Clock.Advance(2 * time.Second)
				servertest.RunJobs(w)
				wantFound(w, space, "seal", 2)
			}
			wantFound(w, space, "walrus", 3)
		})
	}
}

// TestIndexWithLostSegmentIsRebuilt checks that an index and a directory that have lost a segment are rebuilt by a search.
func TestIndexWithLostSegmentIsRebuilt(t *testing.T) {
	t.Parallel()
	w, space := newIndexedSpace(t)
	for _, id := range []string{space, w.Org} {
		segments := 0
		for name := range w.Dump() {
			if strings.HasPrefix(name, "{"+id+"}:segment:") {
				w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(redis.NewShard("", id).Key(redis.HashKind, "segment",
					name[strings.LastIndex(name, ":")+1:]))).Err())
				segments++
			}
		}
		servertest.Equal(t, "has segments", true, segments > 0)
		w.Serve() // a server with empty caches on the same store
		wantFound(w, space, "walrus", 3)
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

// TestSpaceTransferDuringSearch checks that a search of an organization succeeds if, before any of its calls to Redis, a
// space whose index it updates is transferred to another organization.
func TestSpaceTransferDuringSearch(t *testing.T) {
	t.Parallel()
	h := &interruption{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, h) })
	other := servertest.NewOrganization(w, "Other")
	stays := w.CreateSpace("Stays", "", "")
	addPagesAbout(w, stays, "walrus", 3)
	for calls := int64(1); !t.Failed(); calls++ {
		leaves := w.CreateSpace("Leaves", "", "")
		addPagesAbout(w, leaves, "walrus", 1)
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

// TestSearchFindsPagesAfterLossOfIndexedRevision checks that later pages are found although the revision that the index
// reflects is missing, damaged or unknown.
func TestSearchFindsPagesAfterLossOfIndexedRevision(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"missing", "damaged", "unknown"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			space := addIndexedSpace(w)
			indexed := servertest.ReadSpaceAs(w, "admin", space).Revision
			addPagesAbout(w, space, "seal", 2)
			switch name {
			case "missing":
				removeObject(space, revision.ObjectHash(indexed))
			case "damaged":
				w.DamageObject(space, revision.ObjectHash(indexed))
			case "unknown":
				next := indexState(w, space)
				next.From = []string{"unknown"}
				w.Must(w.Store.Search.SetState(t.Context(), space, indexState(w, space), next))
			}
			w.Serve()
			wantFound(w, space, "seal", 2)
			wantFound(w, space, "walrus", 3)
		})
	}
}

// TestUnreadableSpaceIsOmitted checks that a search of an organization finds the pages of the other spaces, and names
// the space whose pages cannot be indexed.
func TestUnreadableSpaceIsOmitted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, missing bool }{
		"pages are missing": {false, true},
		"pages are damaged": {false, false},
		"a text is missing": {true, true},
		"a text is damaged": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			readable, damaged := w.CreateSpace("Readable", "", ""), w.CreateSpace("Damaged", "", "")
			for _, space := range []string{readable, damaged} {
				addPagesAbout(w, space, "walrus", 3)
			}
			heads, err := w.Store.LoadHeads(t.Context(), w.Org, damaged)
			w.Must(err)
			object := heads[damaged].Pages
			if c.text {
				tree, err := revision.New(w.Store, 1<<20).Tree(t.Context(), w.Store.Content(damaged), object)
				w.Must(err)
				object = tree.Page(tree.Subtree("")[1]).Text
			}
			if c.missing {
				removeObject(damaged, object)
			} else {
				w.DamageObject(damaged, object)
			}
			w.Serve()
			wantFound(w, readable, "walrus", 3)
			found := servertest.Try(w, "reader", api.SearchOrganization, api.SearchOrganizationInput{Organization: w.Org, Query: "walrus"})
			servertest.Equal(t, "omitted", damaged, found.Header.Get("X-Unreadable-Spaces"))
		})
	}
}
