package comments_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestCommentWeightAndOutcome checks that a comment has a weight, which only its author sets, and an outcome, which is set when
// the comment is resolved.
func TestCommentWeightAndOutcome(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("One sentence.\n")
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Another sentence.\n"))
		created := servertest.Do(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: ref, Body: api.CommentCreate{Page: page, Weight: api.WeightBlocking, Body: servertest.CommentBody("Wrong.")},
		})
		servertest.Equal(t, "weight", api.WeightBlocking, created.Weight)
		at := api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: created.ID}
		update := func(as string, body api.CommentUpdate) api.Comment {
			w.T.Helper()
			return servertest.Do(w, as, api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
				ChangeRequestCommentRef: at, Body: body,
			})
		}
		refused := func(as string, body api.CommentUpdate, status int, reason api.Reason) {
			w.T.Helper()
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, as, api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
					ChangeRequestCommentRef: at, Body: body,
				}, status, reason)
			})
		}
		refused("admin", api.CommentUpdate{Weight: api.Some(api.WeightNit)}, 403, api.ReasonForbidden)
		refused("commenter", api.CommentUpdate{Outcome: api.Some(api.OutcomeDone)}, 422, api.ReasonInvalid)
		refused("editor", api.CommentUpdate{Resolved: api.Some(true), Outcome: api.Some(api.OutcomeApplied)}, 422, api.ReasonInvalid)

		servertest.Equal(t, "lighter", api.WeightNit, update("commenter", api.CommentUpdate{Weight: api.Some(api.WeightNit)}).Weight)
		servertest.Equal(t, "without", api.CommentWeight(""),
			update("commenter", api.CommentUpdate{Weight: api.Null[api.CommentWeight]()}).Weight)
		done := update("editor", api.CommentUpdate{Resolved: api.Some(true), Outcome: api.Some(api.OutcomeDone)})
		servertest.Equal(t, "outcome", api.OutcomeDone, done.Outcome)
		servertest.Equal(t, "another", api.OutcomeDeclined, update("editor", api.CommentUpdate{
			Outcome: api.Some(api.OutcomeDeclined),
		}).Outcome)
		servertest.Equal(t, "none", api.CommentOutcome(""), update("editor", api.CommentUpdate{
			Outcome: api.Null[api.CommentOutcome](),
		}).Outcome)
		update("editor", api.CommentUpdate{Outcome: api.Some(api.OutcomeAnswered)})
		open := update("commenter", api.CommentUpdate{Resolved: api.Some(false)})
		servertest.Equal(t, "reopened", api.CommentOutcome(""), open.Outcome)
	})
}

// TestSuggestionsRequireChangeRequest checks that a suggestion in a comment on a space is rejected, since it could not be
// applied.
func TestSuggestionsRequireChangeRequest(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("One sentence.\n")
		e := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{
				Page: page, Node: w.ReadPage(space, page).Blocks[0].ID, Suggestion: &api.SuggestionCreate{Markdown: "Two."},
				Body: servertest.CommentBody("Better."),
			}}, 422, api.ReasonInvalid)
		})
		servertest.Equal(t, "field", "suggestion", e.Fields[0].Path)
	})
}
