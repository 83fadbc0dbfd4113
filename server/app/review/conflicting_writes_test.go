package review_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// setStatus sets the status of a change request as its editor.
func setStatus(w *servertest.World, ref api.ChangeRequestRef, status api.ChangeRequestStatus) {
	w.T.Helper()
	servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
		ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Status: api.Some(status)},
	})
}

// TestRequestArchivedDuringMergeIsNotMerged checks that a change request that is archived between the plan and the commit of a
// merge or an update is neither merged nor updated, although no head has moved.
func TestRequestArchivedDuringMergeIsNotMerged(t *testing.T) {
	t.Parallel()
	for name, merge := range map[string]bool{"merge": true, "update": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := servertest.NewInterference(t)
			w := i.World
			space, page := w.NewSpaceWithPage("Green.\n")
			ref, other := w.NewRequest("editor", space), w.NewRequest("editor", space)
			w.Change(ref, servertest.Write(page, "Red.\n"))
			w.InsertPage(other, servertest.NewPage("Other", "Text.\n"))
			w.MustMerge(other)
			before := w.ReadRequest(ref)
			act := func() servertest.Response {
				return servertest.Try(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(ref))
			}
			if !merge {
				act = func() servertest.Response {
					return servertest.Try(w, "editor", api.PullChangeRequest, api.PullInput{ChangeRequestRef: ref})
				}
			}
			response := i.Before(func() { setStatus(w, ref, api.StatusArchived) }, act)
			servertest.Equal(t, "status of the answer", http.StatusConflict, response.Status)
			servertest.Equal(t, "reason", api.ReasonState, response.Error().Reason)
			after := w.ReadRequest(ref)
			servertest.Equal(t, "status", api.StatusArchived, after.Status)
			servertest.Equal(t, "revision", before.Revision, after.Revision)
			servertest.Equal(t, "text of the space", "Green.\n", w.PageText(space, page))
		})
	}
}

// TestRequestedChangesBlockConcurrentMerge checks that a reviewer who requests changes between the plan and the commit of a
// merge prevents it.
func TestRequestedChangesBlockConcurrentMerge(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("Green.\n")
	setRules(w, api.MergeRule{Rule: api.RuleApproval})
	ref := w.NewRequest("editor", space)
	w.Change(ref, servertest.Write(page, "Red.\n"))
	approve(w, "reviewer", ref)
	response := i.Before(func() {
		postReview(w, "reviewer", ref, api.ReviewCreate{Status: api.ReviewChangesRequested})
	}, func() servertest.Response {
		return servertest.Try(w, "admin", api.MergeChangeRequest, servertest.MergeInput(ref))
	})
	servertest.Equal(t, "status of the answer", http.StatusConflict, response.Status)
	servertest.Equal(t, "text of the space", "Green.\n", w.PageText(space, page))
}

// TestReviewIsNotRequestedFromFormerMember checks that no review is requested from a member who leaves, or loses access to the
// space, between the check and the commit.
func TestReviewIsNotRequestedFromFormerMember(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(w *servertest.World, user string){
		"deleted member": func(w *servertest.World, user string) {
			servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: user})
		},
		"member without access": func(w *servertest.World, _ string) { w.SetMember("reviewer", api.RoleGuest) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := servertest.NewInterference(t)
			w, user := i.World, i.Users["reviewer"].ID
			space, page := w.NewSpaceWithPage("Green.\n")
			ref := w.NewRequest("editor", space)
			w.Change(ref, servertest.Write(page, "Red.\n"))
			response := i.Before(func() { leave(w, user) }, func() servertest.Response {
				return servertest.Try(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
					ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{user}},
				})
			})
			servertest.Equal(t, "status of the answer", http.StatusUnprocessableEntity, response.Status)
			asked := servertest.Do(w, "admin", api.ListChangeRequestReviewers, api.ListReviewersInput{ChangeRequestRef: ref}).Items
			servertest.Equal(t, "requests", 0, len(asked))
		})
	}
}

// TestSuggestionResolvedDuringApplicationIsNotApplied checks that a suggestion that is resolved between the plan and the commit
// of its application is not applied.
func TestSuggestionResolvedDuringApplicationIsNotApplied(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	ref := w.NewRequest("editor", space)
	w.Change(ref, servertest.Write(page, "The lamp is red.\n"))
	made := suggest(w, "reviewer", ref, page, 0, "red", "blue")
	resolve := func() {
		servertest.Do(w, "reviewer", api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
			ChangeRequestCommentRef: api.ChangeRequestCommentRef{
				ChangeRequestRef: ref, Comment: made.ID,
			}, Body: api.CommentUpdate{Resolved: api.Some(true)},
		})
	}
	response := i.Before(resolve, func() servertest.Response {
		return servertest.Try(w, "editor", api.ApplyChangeRequestSuggestions, suggestionsInput(w, ref, made))
	})
	servertest.Equal(t, "status of the answer", http.StatusUnprocessableEntity, response.Status)
	servertest.Equal(t, "text", "The lamp is red.\n", *w.DraftPage(ref, page).Markdown)
}

// TestReviewDuringEditCoversHead checks that a review without a revision covers the head at its commit, even if the change
// request is edited concurrently.
func TestReviewDuringEditCoversHead(t *testing.T) {
	t.Parallel()
	for name, review := range map[string]func(w *servertest.World, ref api.ChangeRequestRef) servertest.Response{
		"review": func(w *servertest.World, ref api.ChangeRequestRef) servertest.Response {
			return servertest.Try(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{
				ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved},
			})
		},
		"submission": func(w *servertest.World, ref api.ChangeRequestRef) servertest.Response {
			return servertest.Try(w, "reviewer", api.SubmitChangeRequestReview,
				submissionInput(ref, "first", api.ReviewSubmit{Status: api.ReviewApproved}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := servertest.NewInterference(t)
			w := i.World
			space, page := w.NewSpaceWithPage("Green.\n")
			ref := w.NewRequest("editor", space)
			w.Change(ref, servertest.Write(page, "Red.\n"))
			response := i.Before(func() {
				w.Change(ref, servertest.Write(page, "Blue.\n"))
			}, func() servertest.Response { return review(w, ref) })
			servertest.Equal(t, "accepted", true, servertest.Succeeded(response))
			given := servertest.Do(w, "editor", api.ListChangeRequestReviews, api.ListReviewsInput{ChangeRequestRef: ref}).Items
			servertest.Equal(t, "reviews", 1, len(given))
			servertest.Equal(t, "revision", w.ReadRequest(ref).Revision, given[0].Revision)
			servertest.Equal(t, "outdated", false, isOutdated(w, ref, given[0]))
		})
	}
}

// TestSuggestionKeepsConcurrentEdit checks that suggestions are not applied to a change request that is edited between the plan
// and the commit: the edit is kept.
func TestSuggestionKeepsConcurrentEdit(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	ref := w.NewRequest("editor", space)
	w.Change(ref, servertest.Write(page, "The lamp is red.\n"))
	in := suggestionsInput(w, ref, suggest(w, "reviewer", ref, page, 0, "red", "blue"))
	response := i.Before(func() { w.InsertPage(ref, servertest.NewPage("Other", "Text.\n")) }, func() servertest.Response {
		return servertest.Try(w, "editor", api.ApplyChangeRequestSuggestions, in)
	})
	servertest.Equal(t, "status of the answer", http.StatusConflict, response.Status)
	servertest.Equal(t, "pages", 2, len(w.Pages(ref)))
	servertest.Equal(t, "text", "The lamp is red.\n", *w.DraftPage(ref, page).Markdown)
}
