package review_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// postReview posts a review of a change request as a user and returns the review.
func postReview(w *servertest.World, as string, ref api.ChangeRequestRef, body api.ReviewCreate) api.Review {
	w.T.Helper()
	return servertest.Do(w, as, api.CreateChangeRequestReview, api.CreateReviewInput{ChangeRequestRef: ref, Body: body})
}

func approve(w *servertest.World, as string, ref api.ChangeRequestRef) api.Review {
	w.T.Helper()
	return postReview(w, as, ref, api.ReviewCreate{Status: api.ReviewApproved})
}

// isOutdated reports whether a review is outdated.
func isOutdated(w *servertest.World, ref api.ChangeRequestRef, review api.Review) bool {
	w.T.Helper()
	return servertest.Do(w, "commenter", api.GetChangeRequestReview, api.ReviewInput{
		ReviewRef: api.ReviewRef{ChangeRequestRef: ref, Review: review.ID},
	}).Outdated
}

func listReviews(w *servertest.World, ref api.ChangeRequestRef, outdated api.Optional[bool]) []string {
	w.T.Helper()
	page := servertest.Do(w, "commenter", api.ListChangeRequestReviews, api.ListReviewsInput{ChangeRequestRef: ref, Outdated: outdated})
	ids := []string{}
	for _, r := range page.Items {
		ids = append(ids, r.ID)
	}
	servertest.Equal(w.T, "count", len(ids), page.Count)
	return ids
}

// TestReviewPostsCommentsAndVerdict checks that a review posts its verdict and all its comments, and the review request of its
// author is removed.
func TestReviewPostsCommentsAndVerdict(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "The lamp is red.\n"))
		servertest.Do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
			ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{w.Users["commenter"].ID}},
		})
		block := w.DraftPage(ref, page).Blocks[0].ID
		created := postReview(w, "commenter", ref, api.ReviewCreate{
			Status: api.ReviewChangesRequested, Comment: new(servertest.CommentBody("Almost.")),
			Comments: []api.CommentCreate{
				{Page: page, Node: block, Body: servertest.CommentBody("Which red?")}, {Body: servertest.CommentBody("Thanks.")},
			},
		})
		servertest.Equal(t, "who asked", w.Users["editor"].ID, created.RequestedBy.ID)
		servertest.Equal(t, "revision", w.ReadRequest(ref).Revision, created.Revision)
		servertest.Equal(t, "waited for", 0, servertest.Do(w, "editor", api.ListChangeRequestReviewers,
			api.ListReviewersInput{ChangeRequestRef: ref}).Count)
		comments := servertest.Do(w, "editor", api.ListChangeRequestComments,
			api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Items
		servertest.Equal(t, "comments", 3, len(comments))
		for _, c := range comments {
			servertest.Equal(t, "review of "+c.Body.Markdown, created.ID, c.Target.Review)
			servertest.Equal(t, "author of "+c.Body.Markdown, w.Users["commenter"].ID, c.PostedBy.ID)
		}
		servertest.Equal(t, "block", block, comments[1].Target.Node.ID)
		servertest.Equal(t, "ids", []string{comments[1].ID, comments[0].ID}, created.Comments)
		servertest.Equal(t, "why", comments[2].ID, created.Comment.ID)
		shown := servertest.Do(w, "commenter", api.GetChangeRequestReview, api.ReviewInput{
			ReviewRef: api.ReviewRef{ChangeRequestRef: ref, Review: created.ID},
		})
		servertest.Equal(t, "review", created, shown)
		// a former reviewer may review again
		last := postReview(w, "commenter", ref, api.ReviewCreate{
			Status: api.ReviewApproved, Comment: new(servertest.CommentBody("Fine now.")),
		})
		servertest.Equal(t, "list", []string{last.ID, created.ID}, listReviews(w, ref, api.Optional[bool]{}))
		servertest.Equal(t, "open comments", 3, w.ReadRequest(ref).Comments) // the comment of an approval is resolved
		servertest.Equal(t, "resolved by", w.Users["commenter"].ID, last.Comment.ResolvedBy.ID)
	})
}

// TestReviewIsAtomic checks that a review that cannot be posted completely posts nothing.
func TestReviewIsAtomic(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "The lamp is red.\n"))
		for name, body := range map[string]api.ReviewCreate{
			"comments[1].page": {
				Status: api.ReviewApproved, Comments: []api.CommentCreate{
					{Body: servertest.CommentBody("Fine.")}, {Page: "p_none", Body: servertest.CommentBody("Here?")},
				},
			},
			"comments[0].node": {
				Status: api.ReviewApproved, Comments: []api.CommentCreate{
					{Page: page, Node: "b_none", Body: servertest.CommentBody("Here?")},
				},
			},
			"revision": {
				Status: api.ReviewApproved, Revision: servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision,
			},
			"comment.markdown": {Status: api.ReviewApproved, Comment: new(servertest.CommentBody("\x00"))},
			"comments[0].body.markdown": {
				Status: api.ReviewApproved, Comments: []api.CommentCreate{{Body: servertest.CommentBody("\x00")}},
			},
		} {
			e := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{
					ChangeRequestRef: ref, Body: body,
				}, 422, api.ReasonInvalid)
			})
			servertest.Equal(t, "field", name, e.Fields[0].Path)
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "commenter", api.CreateChangeRequestReview, api.CreateReviewInput{
				ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved},
			}, 403, api.ReasonForbidden)
		})
		w.MustMerge(ref)
		servertest.Refused(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{
			ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved},
		}, 409, api.ReasonState)
	})
}

// reviewedRequest is a change request with a review of an edit of a page that includes a note and a variable.
type reviewedRequest struct {
	ref                   api.ChangeRequestRef
	page, otherPage, note string
}

func (r reviewedRequest) edit() api.ContentChange {
	return servertest.Write(r.page, "Red in {{ space.vars.colour }}.\n\n{% include \"reusable:"+r.note+"\" %}\n")
}

// TestUnseenChangesOutdateReview checks that only unseen changes of the reviewed content outdate a review.
func TestUnseenChangesOutdateReview(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outdated bool
		act      func(w *servertest.World, r reviewedRequest)
	}{
		"no change": {false, func(*servertest.World, reviewedRequest) {}},
		"subject":   {false, func(w *servertest.World, r reviewedRequest) { setSubject(w, r.ref, "Other") }},
		"text":      {true, func(w *servertest.World, r reviewedRequest) { w.Change(r.ref, servertest.Write(r.page, "Blue.\n")) }},
		"reverted change": {false, func(w *servertest.World, r reviewedRequest) {
			w.Change(r.ref, servertest.Write(r.page, "Blue.\n"))
			w.Change(r.ref, r.edit())
		}},
		"position": {true, func(w *servertest.World, r reviewedRequest) {
			w.Change(r.ref, servertest.MovePage(r.page, r.otherPage, 0))
		}},
		"title": {true, func(w *servertest.World, r reviewedRequest) {
			w.Change(r.ref, api.ContentChange{Operation: api.UpdatePage, Page: r.page, Title: api.Some("Other")})
		}},
		"new page": {true, func(w *servertest.World, r reviewedRequest) { w.Change(r.ref, servertest.NewPage("New", "x\n")) }},
		"text of another page": {true, func(w *servertest.World, r reviewedRequest) {
			w.Change(r.ref, servertest.Write(r.otherPage, "x\n"))
		}},
		"update of another page": {false, func(w *servertest.World, r reviewedRequest) {
			mergeOtherChanges(w, r.ref, servertest.Write(r.otherPage, "Elsewhere.\n"))
		}},
		"update of the page": {true, func(w *servertest.World, r reviewedRequest) {
			mergeOtherChanges(w, r.ref, api.ContentChange{Operation: api.UpdatePage, Page: r.page, Title: api.Some("Theirs")})
		}},
		"update of an included text": {true, func(w *servertest.World, r reviewedRequest) {
			mergeOtherChanges(w, r.ref, api.ContentChange{
				Operation: api.UpdateReusableContent, ReusableContent: r.note, Document: &api.Document{Markdown: api.Some("Other.\n")},
			})
		}},
		"update of a variable of the page": {true, func(w *servertest.World, r reviewedRequest) {
			mergeOtherChanges(w, r.ref, servertest.SetVariables("", "colour", "dark"))
		}},
		"update of an unused variable": {false, func(w *servertest.World, r reviewedRequest) {
			mergeOtherChanges(w, r.ref, servertest.SetVariables("", "size", "small"))
		}},
		"update that the change request reverts": {true, func(w *servertest.World, r reviewedRequest) {
			mergeOtherChanges(w, r.ref, servertest.Write(r.otherPage, "Better.\n"))
			w.Change(r.ref, servertest.Write(r.otherPage, "Other page.\n"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				space, page := w.NewSpaceWithPage("Green.\n")
				setup := w.NewRequest("editor", space)
				created := w.Change(setup, servertest.NewPage("Other", "Other page.\n"), servertest.InsertReusable("Note", "A note.\n"),
					servertest.SetVariables("", "colour", "bright"))
				other := created.Changes[0].Page.ID
				w.MustMerge(setup)
				ref := w.NewRequest("editor", space)
				r := reviewedRequest{ref, page, other, created.Changes[1].ReusableContent.ID}
				w.Change(ref, r.edit())
				review := approve(w, "reviewer", ref)
				test.act(w, r)
				servertest.Equal(t, "outdated", test.outdated, isOutdated(w, ref, review))
				servertest.Equal(t, "listed as outdated", test.outdated, len(listReviews(w, ref, api.Some(true))) == 1)
				servertest.Equal(t, "listed as current", !test.outdated, len(listReviews(w, ref, api.Some(false))) == 1)
			})
		})
	}
}

// setSubject changes the subject of a change request.
func setSubject(w *servertest.World, ref api.ChangeRequestRef, subject string) {
	w.T.Helper()
	servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
		ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Subject: api.Some(subject)},
	})
}

// mergeOtherChanges merges other changes into the space and updates the change request.
func mergeOtherChanges(w *servertest.World, ref api.ChangeRequestRef, changes ...api.ContentChange) {
	w.T.Helper()
	other := w.NewRequest("editor", ref.Space)
	w.Change(other, changes...)
	w.MustMerge(other)
	servertest.Equal(w.T, "update", api.OutcomeUpdate, w.Pull(ref).Result)
}

// TestReviewOfEarlierRevisionIsOutdated checks that a review of an earlier revision is outdated from the start.
func TestReviewOfEarlierRevisionIsOutdated(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "The lamp is red.\n"))
		seen := w.ReadRequest(ref).Revision
		block := w.DraftPage(ref, page).Blocks[0].ID
		mergeOtherChanges(w, ref, servertest.NewPage("Elsewhere", "x\n"))
		body := api.ReviewCreate{
			Status: api.ReviewApproved, Revision: seen, Comments: []api.CommentCreate{
				{Page: page, Node: block, Body: servertest.CommentBody("Good.")},
			},
		}
		created := postReview(w, "reviewer", ref, body)
		servertest.Equal(t, "outdated by an unrelated update", false, created.Outdated)
		w.Change(ref, servertest.Write(page, "The lamp is blue.\n"))
		late := postReview(w, "creator", ref, body)
		servertest.Equal(t, "outdated by an edit", true, late.Outdated)
		servertest.Equal(t, "revision", seen, late.Revision)
		comment := servertest.Do(w, "editor", api.GetChangeRequestComment, api.ChangeRequestCommentInput{
			ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: late.Comments[0]},
		})
		servertest.Equal(t, "revision of the comment", seen, comment.Target.Revision)
	})
}

// TestReviewsMoveWithSpace checks that reviews and rules move with their space and are purged with it.
func TestReviewsMoveWithSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Green.\n")
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Red.\n"))
		review := postReview(w, "reviewer", ref, api.ReviewCreate{
			Status: api.ReviewChangesRequested, Comment: new(servertest.CommentBody("Why red?")),
		})
		target := servertest.NewOrganization(w, "Another", "reviewer", "editor")
		servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: target}})
		shown := servertest.Do(w, "reviewer", api.GetChangeRequestReview, api.ReviewInput{
			ReviewRef: api.ReviewRef{ChangeRequestRef: ref, Review: review.ID},
		})
		servertest.Equal(t, "verdict", review.Status, shown.Status)
		servertest.Equal(t, "why", "Why red?", shown.Comment.Body.Markdown)
		servertest.Equal(t, "outdated", false, shown.Outdated)
		servertest.Equal(t, "changes asked for", api.GateAdvice, getGate(w, "admin", ref, api.GateChangesRequested).State)
	})
}
