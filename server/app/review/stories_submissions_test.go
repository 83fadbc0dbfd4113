package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

func submissionInput(ref api.ChangeRequestRef, id string, body api.ReviewSubmit) api.SubmitReviewInput {
	return api.SubmitReviewInput{ChangeRequestRef: ref, Submission: id, Body: body}
}

func submitReview(w *servertest.World, as string, ref api.ChangeRequestRef, id string, body api.ReviewSubmit) api.Submission {
	w.T.Helper()
	return servertest.Do(w, as, api.SubmitChangeRequestReview, submissionInput(ref, id, body))
}

func pageDraft(page, says string) api.ReviewDraft {
	return api.ReviewDraft{CommentCreate: api.CommentCreate{Page: page, Body: servertest.CommentBody(says)}}
}

func getComment(w *servertest.World, ref api.ChangeRequestRef, id string) api.Comment {
	w.T.Helper()
	return servertest.Do(w, "editor", api.GetChangeRequestComment, api.ChangeRequestCommentInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: id},
	})
}

func commentCount(w *servertest.World, ref api.ChangeRequestRef) int {
	w.T.Helper()
	return servertest.Do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Count
}

// TestSubmitReviewIsIdempotent checks that a draft review is posted with one request and only once: a later repetition, even
// after the merge of the change request, returns the original result.
func TestSubmitReviewIsIdempotent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "The lamp is red and the door is red.\n"))
		asked := servertest.Do(w, "editor", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: ref, Body: api.CommentCreate{Body: servertest.CommentBody("Which red?")},
		})
		block := w.DraftPage(ref, page).Blocks[0].ID
		second := strings.LastIndex("The lamp is red and the door is red.", "red")
		body := api.ReviewSubmit{
			Status: api.ReviewChangesRequested, Comment: new(servertest.CommentBody("Almost.")),
			Drafts: []api.ReviewDraft{
				{CommentCreate: api.CommentCreate{
					Page: page, Node: block, Quote: "red", Start: api.Some(second), Weight: api.WeightBlocking,
					Suggestion: &api.SuggestionCreate{Markdown: "blue"}, Body: servertest.CommentBody("Both?"),
				}},
				{ReplyTo: asked.ID, CommentCreate: api.CommentCreate{Body: servertest.CommentBody("This one.")}},
			},
		}
		created := submitReview(w, "reviewer", ref, "first", body)
		servertest.Equal(t, "revision", w.ReadRequest(ref).Revision, created.Revision)
		posted := getComment(w, ref, created.Drafts[0].Comment)
		servertest.Equal(t, "weight", api.WeightBlocking, posted.Weight)
		servertest.Equal(t, "suggestion", api.Suggestion{Markdown: "blue", Original: "red"}, *posted.Suggestion)
		servertest.Equal(t, "place", second, *posted.Target.Anchor.Start)
		servertest.Equal(t, "review", created.Review, posted.Target.Review)
		servertest.Equal(t, "reply to", asked.ID, created.Drafts[1].Comment)
		servertest.Equal(t, "replies", 1, getComment(w, ref, asked.ID).Replies)
		review := servertest.Do(w, "editor", api.GetChangeRequestReview, api.ReviewInput{
			ReviewRef: api.ReviewRef{ChangeRequestRef: ref, Review: created.Review},
		})
		servertest.Equal(t, "verdict", api.ReviewChangesRequested, review.Status)
		servertest.Equal(t, "why", created.Comment, review.Comment.ID)
		servertest.Equal(t, "comments of the review", []string{posted.ID}, review.Comments)
		servertest.Equal(t, "comments", 3, commentCount(w, ref))

		w.Clock.Advance(30 * time.Hour)
		w.Change(ref, servertest.Write(page, "The lamp is blue.\n"))
		servertest.Equal(t, "sent again", created, submitReview(w, "reviewer", ref, "first", body))
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "reviewer", api.SubmitChangeRequestReview,
				submissionInput(ref, "first", api.ReviewSubmit{Status: api.ReviewApproved}), 422, api.ReasonKeyReused)
		})
		servertest.Equal(t, "comments after that", 3, commentCount(w, ref))
		seen := body
		seen.Revision = created.Revision
		if other := submitReview(w, "creator", ref, "first", seen); other.Review == created.Review {
			t.Error("an id that somebody else chose is theirs alone")
		}
		w.MustMerge(ref)
		servertest.Equal(t, "after the merge", created, submitReview(w, "reviewer", ref, "first", body))
		servertest.Refused(w, "reviewer", api.SubmitChangeRequestReview, submissionInput(ref, "second", body), 409, api.ReasonState)
		servertest.Equal(t, "without a verdict", "", submitReview(w, "reviewer", ref, "second", api.ReviewSubmit{
			Drafts: []api.ReviewDraft{pageDraft("", "Thanks.")},
		}).Review)
		servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{
			Space: space, Body: api.Transfer{Organization: servertest.NewOrganization(w, "Another", "reviewer", "editor")},
		})
		servertest.Equal(t, "elsewhere", created, submitReview(w, "reviewer", ref, "first", body))
	})
}

// TestSubmitDraftOnDeletedText checks that a draft on a text that was deleted in the meantime is posted with its quote.
func TestSubmitDraftOnDeletedText(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "A sentence that nobody likes very much.\n"))
		shown := w.DraftPage(ref, page)
		written := w.ReadRequest(ref).Revision
		w.Change(ref, servertest.Write(page, "Other words altogether, about something else.\n"))
		d := pageDraft(page, "I like it.")
		d.Node, d.Quote, d.Revision = shown.Blocks[0].ID, "nobody likes", written
		created := submitReview(w, "commenter", ref, "one", api.ReviewSubmit{Drafts: []api.ReviewDraft{d, pageDraft(page, "And this?")}})
		old := getComment(w, ref, created.Drafts[0].Comment)
		servertest.Equal(t, "state", api.AnchorOrphaned, old.Target.Anchor.State)
		servertest.Equal(t, "quote", "nobody likes", old.Target.Anchor.Quote)
		servertest.Equal(t, "outdated", true, old.Target.Page.Outdated)
		servertest.Equal(t, "revision", written, old.Target.Revision)
		servertest.Equal(t, "the other", w.ReadRequest(ref).Revision, getComment(w, ref, created.Drafts[1].Comment).Target.Revision)
		servertest.Equal(t, "review", "", created.Review)
		servertest.Equal(t, "outdated is nobody's verdict", 0, len(listReviews(w, ref, api.Optional[bool]{})))
	})
}

// TestSubmissionIsAtomic checks that a submission that cannot be posted completely posts nothing, and the error names the
// invalid draft.
func TestSubmissionIsAtomic(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "The lamp is red.\n"))
		block := w.DraftPage(ref, page).Blocks[0].ID
		on := func(change func(d *api.ReviewDraft)) []api.ReviewDraft {
			d := pageDraft(page, "Here?")
			d.Node = block
			change(&d)
			return []api.ReviewDraft{pageDraft("", "Fine."), d}
		}
		for field, drafts := range map[string][]api.ReviewDraft{
			"drafts[1].page":          on(func(d *api.ReviewDraft) { d.Page = "p_none" }),
			"drafts[1].node":          on(func(d *api.ReviewDraft) { d.Node = "b_none" }),
			"drafts[1].quote":         on(func(d *api.ReviewDraft) { d.Quote, d.Start = "lamp", api.Some(3) }),
			"drafts[1].revision":      on(func(d *api.ReviewDraft) { d.Revision = "r_none" }),
			"drafts[1].body.markdown": on(func(d *api.ReviewDraft) { d.Body = servertest.CommentBody("\x00") }),
			"drafts[1].suggestion.markdown": on(func(d *api.ReviewDraft) {
				d.Suggestion = &api.SuggestionCreate{Markdown: "The lamp is red."}
			}),
			"drafts[1].replyTo": {
				pageDraft("", "Fine."), {ReplyTo: "c_none", CommentCreate: api.CommentCreate{Body: servertest.CommentBody("No.")}},
			},
			"drafts[0].page": {{ReplyTo: "c_none", CommentCreate: api.CommentCreate{Page: page, Body: servertest.CommentBody("No.")}}},
			"drafts":         {},
		} {
			e := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "reviewer", api.SubmitChangeRequestReview,
					submissionInput(ref, "one", api.ReviewSubmit{Drafts: drafts}), 422, api.ReasonInvalid)
			})
			servertest.Equal(t, "field", field, e.Fields[0].Path)
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "commenter", api.SubmitChangeRequestReview, submissionInput(ref, "one", api.ReviewSubmit{
				Status: api.ReviewApproved, Drafts: []api.ReviewDraft{pageDraft("", "Fine.")},
			}), 403, api.ReasonForbidden)
		})
	})
}

// TestSubmissionSizeLimit checks that a submission of the maximum size is posted; one byte more is rejected.
func TestSubmissionSizeLimit(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "The lamp is red.\n"))
		body := api.ReviewSubmit{Status: api.ReviewApproved}
		for i := range 200 {
			body.Drafts = append(body.Drafts,
				pageDraft(page, fmt.Sprintf("%03d\n%s", i, strings.Repeat("é", api.MaxSubmissionBytes/200/2-2))))
		}
		submitReview(w, "reviewer", ref, "one", body)
		servertest.Equal(t, "comments", 200, commentCount(w, ref))
		body.Comment = new(servertest.CommentBody(strings.Repeat("a", 1000)))
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "reviewer", api.SubmitChangeRequestReview, submissionInput(ref, "two", body), 422,
				api.ReasonInvalid)
		})
	})
}
