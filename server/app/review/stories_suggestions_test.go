package review_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// suggest comments on a part of a block with a suggestion.
func suggest(w *servertest.World, as string, ref api.ChangeRequestRef, page string, block int, quote, instead string) api.Comment {
	w.T.Helper()
	return servertest.Do(w, as, api.CreateChangeRequestComment,
		api.CreateChangeRequestCommentInput{ChangeRequestRef: ref, Body: api.CommentCreate{
			Page: page, Node: w.DraftPage(ref, page).Blocks[block].ID, Quote: quote, Suggestion: &api.SuggestionCreate{Markdown: instead},
			Body: servertest.CommentBody("So?"),
		}})
}

func suggestionsInput(w *servertest.World, ref api.ChangeRequestRef, comments ...api.Comment) api.ApplySuggestionsInput {
	w.T.Helper()
	in := api.ApplySuggestionsInput{ChangeRequestRef: ref, Body: api.SuggestionsApply{Revision: w.ReadRequest(ref).Revision}}
	for _, c := range comments {
		in.Body.Comments = append(in.Body.Comments, c.ID)
	}
	return in
}

// TestApplySuggestion checks that applied suggestions make one revision with the reviewer as author of the text. The reviewer
// does not become a contributor, and their verdict covers the earlier text only.
func TestApplySuggestion(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("# Lamps\n\nThe lamp is green.\n\nA | B\n--|--\n1 | 1\n")
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "# Lamps\n\nThe lamp is red.\n\nA | B\n--|--\n1 | 1\n"))
		approval := approve(w, "reviewer", ref)
		created := suggest(w, "reviewer", ref, page, 1, "red", "*blue*")
		before := w.ReadRequest(ref).Revision
		in := suggestionsInput(w, ref, created)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "commenter", api.ApplyChangeRequestSuggestions, in, 403, api.ReasonForbidden)
		})
		applied := servertest.Do(w, "editor", api.ApplyChangeRequestSuggestions, in)
		servertest.Equal(t, "text", "# Lamps\n\nThe lamp is *blue*.\n\nA | B\n--|--\n1 | 1\n", *w.DraftPage(ref, page).Markdown)
		servertest.Equal(t, "head", w.ReadRequest(ref).Revision, applied.Revision)
		servertest.Equal(t, "pages", []string{page}, applied.Pages)
		closed := getComment(w, ref, created.ID)
		servertest.Equal(t, "status", api.CommentResolved, closed.Status)
		servertest.Equal(t, "outcome", api.OutcomeApplied, closed.Outcome)
		servertest.Equal(t, "revision", applied.Revision, closed.AppliedRevision)
		servertest.Equal(t, "resolved by", w.Users["editor"].ID, closed.ResolvedBy.ID)
		servertest.Equal(t, "the verdict is outdated", true, isOutdated(w, ref, approval))
		for _, who := range servertest.Do(w, "editor", api.ListChangeRequestContributors,
			api.ListContributorsInput{ChangeRequestRef: ref}).Items {
			if who.User.ID == w.Users["reviewer"].ID && who.ActionType == api.ContributedEdit {
				t.Error("who suggested is a contributor")
			}
		}
		// already applied
		servertest.Refused(w, "editor", api.ApplyChangeRequestSuggestions, suggestionsInput(w, ref, created), 422, api.ReasonInvalid)
		in.Body.Revision = before
		servertest.Refused(w, "editor", api.ApplyChangeRequestSuggestions, in, 409, api.ReasonConflict) // for another head
		w.MustMerge(ref)
		blame := servertest.Do(w, "commenter", api.BlamePage, api.BlamePageInput{Space: space, Page: page}).Blocks
		servertest.Equal(t, "who wrote it", w.Users["reviewer"].ID, blame[1].Author.ID)
		servertest.Equal(t, "who applied it", w.Users["editor"].ID, blame[1].AppliedBy.ID)
		servertest.Equal(t, "what was not suggested", w.Users["editor"].ID, blame[0].Author.ID)
		if blame[0].AppliedBy != nil {
			t.Error("a block that nobody suggested was applied by somebody")
		}
	})
}

// TestSuggestionsAreAppliedAtomically checks that several suggestions are applied as one revision or not at all. The error
// names those that do not fit or overlap.
func TestSuggestionsAreAppliedAtomically(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("One two three four.\n\nFive six seven.\n\nEight nine.\n")
		ref := w.NewRequest("editor", space)
		other := w.InsertPage(ref, servertest.NewPage("Other", "Ten eleven.\n"))
		two, threeFour := suggest(w, "reviewer", ref, page, 0, "two", "2"), suggest(w, "commenter", ref, page, 0, "three four", "3")
		twoThree, whole := suggest(w, "reviewer", ref, page, 0, "two three", "2 3"), suggest(w, "reviewer", ref, page, 1, "", "5\n\n6\n\n7")
		eight, ten := suggest(w, "reviewer", ref, page, 2, "Eight ", ""), suggest(w, "reviewer", ref, other, 0, "Ten", "10")

		refused := func(status int, reason api.Reason, fields []string, comments ...api.Comment) {
			t.Helper()
			e := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "editor", api.ApplyChangeRequestSuggestions, suggestionsInput(w, ref, comments...),
					status, reason)
			})
			var paths []string
			for _, f := range e.Fields {
				paths = append(paths, f.Path)
			}
			servertest.Equal(t, "named", fields, paths)
		}
		refused(409, api.ReasonConflict, []string{"comments[1]", "comments[2]"}, ten, two, twoThree)
		plain := servertest.Do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: ref, Body: api.CommentCreate{Body: servertest.CommentBody("?")},
		})
		refused(422, api.ReasonInvalid, []string{"comments[1]"}, two, plain)
		w.Change(ref, servertest.Write(page, "Another beginning.\n\nOne two three four.\n\nFive six seven.\n\nEighty nine.\n"))
		refused(409, api.ReasonConflict, []string{"comments[1]"}, two, eight)

		applied := servertest.Do(w, "editor", api.ApplyChangeRequestSuggestions, suggestionsInput(w, ref, whole, ten, threeFour, two))
		servertest.Equal(t, "text", "Another beginning.\n\nOne 2 3.\n\n5\n\n6\n\n7\n\nEighty nine.\n", *w.DraftPage(ref, page).Markdown)
		servertest.Equal(t, "other text", "10 eleven.\n", *w.DraftPage(ref, other).Markdown)
		servertest.Equal(t, "pages", 2, len(applied.Pages))
		servertest.Equal(t, "left open", api.CommentOpen, getComment(w, ref, twoThree.ID).Status)
		servertest.Equal(t, "opened again", "", servertest.Do(w, "reviewer", api.UpdateChangeRequestComment,
			api.UpdateChangeRequestCommentInput{
				ChangeRequestCommentRef: api.ChangeRequestCommentRef{
					ChangeRequestRef: ref, Comment: two.ID,
				}, Body: api.CommentUpdate{Resolved: api.Some(false)},
			}).AppliedRevision)
	})
}
