package review_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestRequestNumbersAreConsecutive checks that change requests created concurrently are numbered from 1 without gaps.
func TestRequestNumbersAreConsecutive(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.CreateSpace("Busy", "", "")
		numbers := make([]int, 16)
		servertest.Concurrently(len(numbers), func(i int) {
			numbers[i] = w.CreateRequest([]string{"editor", "creator"}[i%2], space, fmt.Sprint(i)).Number
		})
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != i+1 {
				t.Fatalf("numbers %v", numbers)
			}
		}
		if got := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space}); got.ChangeRequests != 16 ||
			got.ChangeRequestsDraft != 16 {
			t.Errorf("the space counts %d, %d drafts", got.ChangeRequests, got.ChangeRequestsDraft)
		}
	})
}

// TestConcurrentMergesMergeOnce checks that a change request that is merged by concurrent requests is merged once.
func TestConcurrentMergesMergeOnce(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		responses := make([]servertest.Response, 6)
		servertest.Concurrently(len(responses), func(i int) {
			in := api.MergeInput{ChangeRequestRef: servertest.Ref(s.Request)}
			responses[i] = servertest.Try(w, "reviewer", api.MergeChangeRequest, in)
		})
		merged := 0
		for _, a := range responses {
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

// TestConcurrentMergesAndComments checks that concurrent merges of change requests on different pages all succeed, without
// losses, while others comment.
func TestConcurrentMergesAndComments(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		const n = 6
		requests := make([]api.ChangeRequest, n)
		for i := range requests {
			requests[i] = w.CreateRequest("editor", s.Handbook, fmt.Sprint(i))
			w.Edit("editor", requests[i], servertest.Insert(fmt.Sprintf("Page %d", i), "", fmt.Sprintf("# Page %d\n", i)))
		}
		before := servertest.Do(w, "admin", api.ListComments, api.ListCommentsInput{Space: s.Handbook}).Count
		servertest.Concurrently(2*n, func(i int) {
			if i < n {
				w.Merge("reviewer", requests[i])
				return
			}
			servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
				Space: s.Handbook, Body: api.CommentCreate{Page: s.Pages["Usage"], Body: servertest.CommentBody(fmt.Sprint(i))},
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

// TestConcurrentEditsAreAllApplied checks that concurrent edits of one change request are all applied.
func TestConcurrentEditsAreAllApplied(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		const n = 6
		servertest.Concurrently(n, func(i int) {
			w.Edit("editor", s.Request, servertest.Insert(fmt.Sprintf("Page %d", i), "", "# Text\n"))
		})
		pages := servertest.Do(w, "editor", api.ListChangeRequestContentPages, api.ChangeRequestContentInput{
			ChangeRequestRef: servertest.Ref(s.Request),
		}).Pages
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
