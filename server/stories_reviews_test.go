package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
)

// review posts a verdict.
func review(w *world, as string, ref api.ChangeRequestRef, body api.ReviewCreate) api.Review {
	w.t.Helper()
	return do(w, as, api.CreateChangeRequestReview, api.CreateReviewInput{ChangeRequestRef: ref, Body: body})
}

func approve(w *world, as string, ref api.ChangeRequestRef) api.Review {
	w.t.Helper()
	return review(w, as, ref, api.ReviewCreate{Status: api.ReviewApproved})
}

// outdated reads whether a review still says something about its change request.
func outdated(w *world, ref api.ChangeRequestRef, review api.Review) bool {
	w.t.Helper()
	return do(w, "commenter", api.GetChangeRequestReview, api.ReviewInput{ReviewRef: api.ReviewRef{ChangeRequestRef: ref, Review: review.ID}}).Outdated
}

func reviews(w *world, ref api.ChangeRequestRef, outdated api.Optional[bool]) []string {
	w.t.Helper()
	page := do(w, "commenter", api.ListChangeRequestReviews, api.ListReviewsInput{ChangeRequestRef: ref, Outdated: outdated})
	ids := []string{}
	for _, r := range page.Items {
		ids = append(ids, r.ID)
	}
	equal(w.t, "count", len(ids), page.Count)
	return ids
}

// A reviewer's verdict is posted with all that they wrote meanwhile; the author reads it, and the reviewer is no longer
// waited for.
func TestReviewIsPostedWhole(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "The lamp is red.\n"))
		do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
			ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{w.users["commenter"].ID}},
		})
		block := w.draftPage(ref, page).Blocks[0].ID
		made := review(w, "commenter", ref, api.ReviewCreate{
			Status: api.ReviewChangesRequested, Comment: new(says("Almost.")),
			Comments: []api.CommentCreate{{Page: page, Node: block, Body: says("Which red?")}, {Body: says("Thanks.")}},
		})
		equal(t, "who asked", w.users["editor"].ID, made.RequestedBy.ID)
		equal(t, "revision", w.shown(ref).Revision, made.Revision)
		equal(t, "waited for", 0, do(w, "editor", api.ListChangeRequestReviewers, api.ListReviewersInput{ChangeRequestRef: ref}).Count)
		comments := do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Items
		equal(t, "comments", 3, len(comments))
		for _, c := range comments {
			equal(t, "review of "+c.Body.Markdown, made.ID, c.Target.Review)
			equal(t, "author of "+c.Body.Markdown, w.users["commenter"].ID, c.PostedBy.ID)
		}
		equal(t, "block", block, comments[1].Target.Node.ID)
		equal(t, "ids", []string{comments[1].ID, comments[0].ID}, made.Comments)
		equal(t, "why", comments[2].ID, made.Comment.ID)
		shown := do(w, "commenter", api.GetChangeRequestReview, api.ReviewInput{ReviewRef: api.ReviewRef{ChangeRequestRef: ref, Review: made.ID}})
		equal(t, "review", made, shown)
		last := review(w, "commenter", ref, api.ReviewCreate{Status: api.ReviewApproved, Comment: new(says("Fine now."))}) // who was asked once may say more
		equal(t, "list", []string{last.ID, made.ID}, reviews(w, ref, api.Optional[bool]{}))
		equal(t, "open comments", 3, w.shown(ref).Comments) // what an approval says asks for nothing
		equal(t, "resolved by", w.users["commenter"].ID, last.Comment.ResolvedBy.ID)
	})
}

// A review that cannot be posted whole posts nothing.
func TestReviewIsAtomic(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "The lamp is red.\n"))
		for name, body := range map[string]api.ReviewCreate{
			"comments[1].page":          {Status: api.ReviewApproved, Comments: []api.CommentCreate{{Body: says("Fine.")}, {Page: "p_none", Body: says("Here?")}}},
			"comments[0].node":          {Status: api.ReviewApproved, Comments: []api.CommentCreate{{Page: page, Node: "b_none", Body: says("Here?")}}},
			"revision":                  {Status: api.ReviewApproved, Revision: do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision},
			"comment.markdown":          {Status: api.ReviewApproved, Comment: new(says("\x00"))},
			"comments[0].body.markdown": {Status: api.ReviewApproved, Comments: []api.CommentCreate{{Body: says("\x00")}}},
		} {
			e := w.untouched(func() api.Error {
				return refused(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{ChangeRequestRef: ref, Body: body}, 422, api.ReasonInvalid)
			})
			equal(t, "field", name, e.Fields[0].Path)
		}
		w.untouched(func() api.Error {
			return refused(w, "commenter", api.CreateChangeRequestReview, api.CreateReviewInput{ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved}}, 403, api.ReasonForbidden)
		})
		w.merged(ref)
		refused(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved}}, 409, api.ReasonState)
	})
}

// reviewed is a change request with a review of an edit of a page that includes a note and a variable.
type reviewed struct {
	ref               api.ChangeRequestRef
	page, other, note string
}

func (r reviewed) edit() api.ContentChange {
	return write(r.page, "Red in {{ space.vars.colour }}.\n\n{% include \"reusable:"+r.note+"\" %}\n")
}

// What a verdict is about, and what leaves it standing.
func TestReviewIsBoundToWhatItSaw(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outdated bool
		act      func(w *world, r reviewed)
	}{
		"nothing": {false, func(*world, reviewed) {}},
		"subject": {false, func(w *world, r reviewed) { subject(w, r.ref, "Other") }},
		"text":    {true, func(w *world, r reviewed) { w.change(r.ref, write(r.page, "Blue.\n")) }},
		"there and back": {false, func(w *world, r reviewed) {
			w.change(r.ref, write(r.page, "Blue.\n"))
			w.change(r.ref, r.edit())
		}},
		"place": {true, func(w *world, r reviewed) { w.change(r.ref, move(r.page, r.other, 0)) }},
		"title": {true, func(w *world, r reviewed) {
			w.change(r.ref, api.ContentChange{Operation: api.UpdatePage, Page: r.page, Title: api.Some("Other")})
		}},
		"new page":   {true, func(w *world, r reviewed) { w.change(r.ref, newPage("New", "x\n")) }},
		"other page": {true, func(w *world, r reviewed) { w.change(r.ref, write(r.other, "x\n")) }},
		"update of another page": {false, func(w *world, r reviewed) {
			meanwhile(w, r.ref, write(r.other, "Elsewhere.\n"))
		}},
		"update of the page": {true, func(w *world, r reviewed) {
			meanwhile(w, r.ref, api.ContentChange{Operation: api.UpdatePage, Page: r.page, Title: api.Some("Theirs")})
		}},
		"update of an included text": {true, func(w *world, r reviewed) {
			meanwhile(w, r.ref, api.ContentChange{Operation: api.UpdateReusableContent, ReusableContent: r.note, Document: &api.Document{Markdown: "Other.\n"}})
		}},
		"update of a variable in it": {true, func(w *world, r reviewed) { meanwhile(w, r.ref, setVariables("", "colour", "dark")) }},
		"update of a variable elsewhere": {false, func(w *world, r reviewed) {
			meanwhile(w, r.ref, setVariables("", "size", "small"))
		}},
		"update that it takes back": {true, func(w *world, r reviewed) {
			meanwhile(w, r.ref, write(r.other, "Better.\n"))
			w.change(r.ref, write(r.other, "Other page.\n"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(t *testing.T, w *world) {
				space, page := w.seed("Green.\n")
				setup := w.newRequest("editor", space)
				made := w.change(setup, newPage("Other", "Other page.\n"), insertReusable("Note", "A note.\n"), setVariables("", "colour", "bright"))
				other := made.Changes[0].Page.ID
				w.merged(setup)
				ref := w.newRequest("editor", space)
				r := reviewed{ref, page, other, made.Changes[1].ReusableContent.ID}
				w.change(ref, r.edit())
				review := approve(w, "reviewer", ref)
				test.act(w, r)
				equal(t, "outdated", test.outdated, outdated(w, ref, review))
				equal(t, "listed as outdated", test.outdated, len(reviews(w, ref, api.Some(true))) == 1)
				equal(t, "listed as standing", !test.outdated, len(reviews(w, ref, api.Some(false))) == 1)
			})
		})
	}
}

// subject changes the subject of a change request.
func subject(w *world, ref api.ChangeRequestRef, subject string) {
	w.t.Helper()
	do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Subject: api.Some(subject)}})
}

// meanwhile merges other changes into the space and brings them into a change request.
func meanwhile(w *world, ref api.ChangeRequestRef, changes ...api.ContentChange) {
	w.t.Helper()
	other := w.newRequest("editor", ref.Space)
	w.change(other, changes...)
	w.merged(other)
	equal(w.t, "update", api.OutcomeUpdate, w.pull(ref).Result)
}

// A verdict on a revision that is no longer the head counts for that one, and says so at once.
func TestReviewOfAnEarlierRevision(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(threeSentences)
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "The lamp is red.\n"))
		seen := w.shown(ref).Revision
		block := w.draftPage(ref, page).Blocks[0].ID
		meanwhile(w, ref, newPage("Elsewhere", "x\n"))
		body := api.ReviewCreate{Status: api.ReviewApproved, Revision: seen, Comments: []api.CommentCreate{{Page: page, Node: block, Body: says("Good.")}}}
		made := review(w, "reviewer", ref, body)
		equal(t, "outdated by an update beside it", false, made.Outdated)
		w.change(ref, write(page, "The lamp is blue.\n"))
		late := review(w, "creator", ref, body)
		equal(t, "outdated by an edit", true, late.Outdated)
		equal(t, "revision", seen, late.Revision)
		comment := do(w, "editor", api.GetChangeRequestComment, api.ChangeRequestCommentInput{ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: late.Comments[0]}})
		equal(t, "revision of the comment", seen, comment.Target.Revision)
	})
}

// Reviews and rules move with their space, and go with it for good.
func TestReviewsMoveWithTheSpace(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Green.\n")
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "Red.\n"))
		review := review(w, "reviewer", ref, api.ReviewCreate{Status: api.ReviewChangesRequested, Comment: new(says("Why red?"))})
		target := organization(w, "Another", "reviewer", "editor")
		do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: target}})
		shown := do(w, "reviewer", api.GetChangeRequestReview, api.ReviewInput{ReviewRef: api.ReviewRef{ChangeRequestRef: ref, Review: review.ID}})
		equal(t, "verdict", review.Status, shown.Status)
		equal(t, "why", "Why red?", shown.Comment.Body.Markdown)
		equal(t, "outdated", false, shown.Outdated)
		equal(t, "changes asked for", api.GateAdvice, gate(w, "admin", ref, api.GateChangesRequested).State)
	})
}
