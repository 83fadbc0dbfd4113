package spaces_test

import (
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestDeletionIsFinal checks that no write to a space succeeds after the response to its deletion, including writes
// in progress.
func TestDeletionIsFinal(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Busy", "", "")
		var deleted atomic.Bool
		servertest.Concurrently(4, func(i int) {
			if i == 0 {
				defer deleted.Store(true) // ends the writers also if the deletion is refused
				servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
				return
			}
			for late := false; !late; {
				late = deleted.Load()
				a := servertest.Try(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
				if a.Status != http.StatusNotFound && (late || a.Status != http.StatusCreated) {
					t.Errorf("late %t: %d %s", late, a.Status, a.Body)
				}
			}
		})
	})
}

// TestConcurrentMovesKeepTreeConsistent checks that concurrent moves of spaces and collections keep a total order and
// create no cycle.
func TestConcurrentMovesKeepTreeConsistent(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var collections []string
		for i := range 4 {
			collections = append(collections, servertest.Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
				Organization: w.Org, Body: api.CollectionCreate{Title: fmt.Sprint(i)},
			}).ID)
		}
		spaces := w.CreateSpaces(4)
		servertest.Concurrently(8, func(i int) {
			for j := range 4 {
				var a servertest.Response
				if i%2 == 0 {
					a = servertest.Try(w, "admin", api.MoveCollection, api.MoveCollectionInput{
						Collection: collections[i/2], Body: api.Move{Parent: api.Some(collections[(i/2+j)%4])},
					})
				} else {
					a = servertest.Try(w, "admin", api.MoveSpace, api.MoveSpaceInput{
						Space: spaces[i/2], Body: api.Move{Parent: api.Some(collections[j])},
					})
				}
				if a.Status >= http.StatusInternalServerError {
					t.Errorf("move: %d %s", a.Status, a.Body)
				}
			}
		})
		if got := servertest.Do(w, "admin", api.ListCollections, api.ListCollectionsInput{Organization: w.Org}); got.Count != 4 {
			t.Errorf("%d collections are left", got.Count)
		}
		if got := servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}); got.Count != 4 {
			t.Errorf("%d spaces are left", got.Count)
		}
	})
}

// TestConcurrentDeletionLeavesNoOrphans checks that an entry that is created in or moved into a collection while a
// collection above it is deleted is refused or deleted with it. No active space remains below a deleted collection.
func TestConcurrentDeletionLeavesNoOrphans(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		var gone atomic.Bool
		servertest.Concurrently(3, func(i int) {
			if i == 0 {
				defer gone.Store(true) // ends the writers also if the deletion is refused
				servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: s.Guides})
				return
			}
			for late, made := false, 0; !late; made++ {
				late = gone.Load()
				if made >= 50 && !late { // the contents of a deleted collection are limited
					runtime.Gosched()
					continue
				}
				a := servertest.Try(w, "creator", api.CreateSpace, api.CreateSpaceInput{
					Organization: w.Org, Body: api.SpaceCreate{Parent: s.Nested},
				})
				if a.Status != http.StatusUnprocessableEntity && (late || a.Status != http.StatusCreated) {
					t.Errorf("late %t: %d %s", late, a.Status, a.Body)
				}
			}
		})
		for _, space := range servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Items {
			if space.Parent != "" {
				t.Errorf("%s is listed in %s", space.ID, space.Parent)
			}
		}
	})
}
