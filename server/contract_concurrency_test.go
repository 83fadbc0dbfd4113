package server_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// Change requests that are made at the same time get the numbers from 1 on, each once.
func TestNumbersAreDense(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.Space("Busy", "", "")
		numbers := make([]int, 16)
		servertest.Together(len(numbers), func(i int) {
			numbers[i] = w.Request([]string{"editor", "creator"}[i%2], space, fmt.Sprint(i)).Number
		})
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != i+1 {
				t.Fatalf("numbers %v", numbers)
			}
		}
		if got := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space}); got.ChangeRequests != 16 || got.ChangeRequestsDraft != 16 {
			t.Errorf("the space counts %d, %d drafts", got.ChangeRequests, got.ChangeRequestsDraft)
		}
	})
}

// One change request that is merged by many at the same time is merged once.
func TestMergeOnce(t *testing.T) {
	t.Parallel()
	servertest.EachSampled(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		answers := make([]servertest.Answer, 6)
		servertest.Together(len(answers), func(i int) {
			answers[i] = servertest.Try(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: servertest.Ref(s.Request)})
		})
		merged := 0
		for _, a := range answers {
			switch a.Status {
			case http.StatusOK:
				merged++
			case http.StatusConflict:
			default:
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		if merged != 1 {
			t.Errorf("merged %d times", merged)
		}
	})
}

// Change requests that touch different pages all merge, and nothing of any is lost, while others comment.
func TestMergesAndCommentsTogether(t *testing.T) {
	t.Parallel()
	servertest.EachSampled(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		const n = 6
		requests := make([]api.ChangeRequest, n)
		for i := range requests {
			requests[i] = w.Request("editor", s.Handbook, fmt.Sprint(i))
			w.Edit("editor", requests[i], servertest.Insert(fmt.Sprintf("Page %d", i), "", fmt.Sprintf("# Page %d\n", i)))
		}
		before := servertest.Do(w, "admin", api.ListComments, api.ListCommentsInput{Space: s.Handbook}).Count
		servertest.Together(2*n, func(i int) {
			if i < n {
				w.Merge("reviewer", requests[i])
				return
			}
			servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
				Space: s.Handbook, Body: api.CommentCreate{Page: s.Pages["Usage"], Body: servertest.Says(fmt.Sprint(i))},
			})
		})
		var titles []string
		for _, p := range servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: s.Handbook}).Pages {
			titles = append(titles, p.Title)
		}
		for i := range n {
			if !slices.Contains(titles, fmt.Sprintf("Page %d", i)) {
				t.Errorf("page %d is missing in %v", i, titles)
			}
		}
		if got := servertest.Do(w, "admin", api.ListComments, api.ListCommentsInput{Space: s.Handbook}).Count; got != before+n {
			t.Errorf("%d comments, want %d", got, before+n)
		}
	})
}

// Edits of one change request at the same time are all applied.
func TestEditsTogether(t *testing.T) {
	t.Parallel()
	servertest.EachSampled(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		const n = 6
		servertest.Together(n, func(i int) { w.Edit("editor", s.Request, servertest.Insert(fmt.Sprintf("Page %d", i), "", "# Text\n")) })
		pages := servertest.Do(w, "editor", api.ListChangeRequestContentPages, api.ChangeRequestContentInput{ChangeRequestRef: servertest.Ref(s.Request)}).Pages
		slugs := map[string]bool{}
		for _, p := range pages {
			if slugs[p.Slug] {
				t.Errorf("two pages have the slug %s", p.Slug)
			}
			slugs[p.Slug] = true
		}
		if len(pages) != 2+n {
			t.Errorf("%d pages at the top, want %d", len(pages), 2+n)
		}
	})
}

// When the answer to a revocation is there, no write of the revoked is accepted any more, not even one that was
// under way.
func TestRevocationIsFinal(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.Space("Busy", "", "")
		var accepted, revoked atomic.Int64
		begun := make(chan struct{}, 100)
		count := func() int {
			return servertest.Do(w, "admin", api.ListChangeRequests, api.ListChangeRequestsInput{Space: space, Status: api.StatusDraft}).Count
		}
		var atRevocation int
		servertest.Together(5, func(i int) {
			if i == 0 {
				for range 5 {
					<-begun
				}
				defer revoked.Store(1)
				w.Member("editor", api.RoleRead)
				atRevocation = count()
				return
			}
			for after := 0; after < 3; {
				late := revoked.Load() == 1
				a := servertest.Try(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
				switch {
				case a.Status == http.StatusCreated && !late:
					accepted.Add(1)
				case a.Status == http.StatusForbidden:
				default:
					t.Errorf("late %t: %d %s", late, a.Status, a.Body)
				}
				if late {
					after++
				}
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
		if got := count(); got != atRevocation || int64(got) != accepted.Load() {
			t.Errorf("%d were made, %d accepted, %d when the revocation was answered", got, accepted.Load(), atRevocation)
		}
	})
}

// A space that is deleted while others write to it takes nothing in after its deletion was answered.
func TestDeletionIsFinal(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.Space("Busy", "", "")
		var deleted atomic.Bool
		servertest.Together(4, func(i int) {
			if i == 0 {
				defer deleted.Store(true) // also when the deletion is refused, or the others would go on for ever
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

// Spaces and collections that are moved against each other at the same time keep a total order and make no cycle.
func TestMovesTogether(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var collections []string
		for i := range 4 {
			collections = append(collections, servertest.Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
				Organization: w.Org, Body: api.CollectionCreate{Title: fmt.Sprint(i)},
			}).ID)
		}
		spaces := w.ManySpaces(4)
		servertest.Together(8, func(i int) {
			for j := range 4 {
				var a servertest.Answer
				if i%2 == 0 {
					a = servertest.Try(w, "admin", api.MoveCollection, api.MoveCollectionInput{
						Collection: collections[i/2], Body: api.Move{Parent: api.Some(collections[(i/2+j)%4])},
					})
				} else {
					a = servertest.Try(w, "admin", api.MoveSpace, api.MoveSpaceInput{Space: spaces[i/2], Body: api.Move{Parent: api.Some(collections[j])}})
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

// What is created or moved into a collection while a collection above it is deleted is refused or goes with it: no
// living space is left below what is gone.
func TestNothingIsPutIntoWhatGoes(t *testing.T) {
	t.Parallel()
	servertest.EachSampled(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		var gone atomic.Bool
		servertest.Together(3, func(i int) {
			if i == 0 {
				defer gone.Store(true) // also when the deletion is refused, or the others would go on for ever
				servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: s.Guides})
				return
			}
			for late, made := false, 0; !late; made++ {
				late = gone.Load()
				if made >= 50 && !late { // what a deletion takes along is limited
					runtime.Gosched()
					continue
				}
				a := servertest.Try(w, "creator", api.CreateSpace, api.CreateSpaceInput{Organization: w.Org, Body: api.SpaceCreate{Parent: s.Nested}})
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
