package server_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

// A discussion about a block: it stays with its page through edits, moves and the page's end.
func TestStoryOfAComment(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("First paragraph.\n\nSecond paragraph.\n")
		block := w.published(space, page).Blocks[1]
		made := do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Page: page, Node: block.ID, Body: says("Really?")},
		})
		at := api.CommentRef{Space: space, Comment: made.ID}
		equal(t, "status", api.CommentOpen, made.Status)
		equal(t, "preview", "Second paragraph.", made.Target.Node.Preview)
		equal(t, "revision", do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision, made.Target.Revision)
		shown := func() api.Comment { return do(w, "commenter", api.GetComment, api.CommentInput{CommentRef: at}) }
		equal(t, "outdated", false, shown().Target.Page.Outdated)

		ref := w.newRequest("editor", space)
		edit := write(page, "First paragraph, edited.\n\nSecond paragraph.\n")
		edit.Title = api.Some("New title")
		w.change(ref, edit)
		equal(t, "outdated before the merge", false, shown().Target.Page.Outdated)
		w.merged(ref)
		equal(t, "outdated by an edit beside it", false, shown().Target.Page.Outdated)
		equal(t, "title", "New title", shown().Target.Page.Title)

		ref = w.newRequest("editor", space)
		w.change(ref, remove(page))
		w.merged(ref)
		gone := shown()
		equal(t, "page", page, gone.Target.Page.ID)
		equal(t, "title as it was", "Page", gone.Target.Page.Title)
		equal(t, "outdated", true, gone.Target.Page.Outdated)
		equal(t, "state", api.AnchorOrphaned, gone.Target.Anchor.State)
		equal(t, "preview", "Second paragraph.", gone.Target.Node.Preview)
	})
}

func TestStoryOfADiscussion(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		count := func() int { return do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Comments }
		comment := func(as, page string) api.CommentRef {
			w.clock.Advance(time.Second)
			made := do(w, as, api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: says("by " + as)}})
			return api.CommentRef{Space: space, Comment: made.ID}
		}
		first, second := comment("commenter", page), comment("editor", "")
		equal(t, "comments of the space", 2, count())
		list := func(f api.CommentFilters) (ids []string) {
			page := do(w, "commenter", api.ListComments, api.ListCommentsInput{Space: space, CommentFilters: f})
			equal(t, "count", len(page.Items), page.Count)
			for _, c := range page.Items {
				ids = append(ids, c.ID)
			}
			return ids
		}
		both := []string{second.Comment, first.Comment}
		equal(t, "newest first", both, list(api.CommentFilters{}))
		equal(t, "oldest first", []string{first.Comment, second.Comment}, list(api.CommentFilters{Order: api.Ascending}))
		equal(t, "of the page", []string{first.Comment}, list(api.CommentFilters{TargetPage: page}))
		equal(t, "by the editor", []string{second.Comment}, list(api.CommentFilters{Authors: []string{w.users["editor"].ID}}))
		equal(t, "by either", both, list(api.CommentFilters{Authors: []string{w.users["editor"].ID, w.users["commenter"].ID}}))

		resolve := func(resolved bool) api.Comment {
			return do(w, "editor", api.UpdateComment, api.UpdateCommentInput{CommentRef: first, Body: api.CommentUpdate{Resolved: api.Some(resolved)}})
		}
		resolved := resolve(true)
		equal(t, "resolved by", w.users["editor"].ID, resolved.ResolvedBy.ID)
		equal(t, "open", []string{second.Comment}, list(api.CommentFilters{Status: "open"}))
		equal(t, "resolved", []string{first.Comment}, list(api.CommentFilters{Status: "resolved"}))
		if reopened := resolve(false); reopened.ResolvedBy != nil || !reopened.ResolvedAt.IsZero() {
			t.Errorf("reopened: %+v", reopened)
		}
		w.untouched(func() api.Error { resolve(false); return api.Error{} })

		reply := do(w, "editor", api.CreateReply, api.CreateReplyInput{CommentRef: first, Body: api.ReplyCreate{Body: says("Yes.")}})
		equal(t, "replies", 1, do(w, "editor", api.GetComment, api.CommentInput{CommentRef: first}).Replies)
		w.untouched(func() api.Error {
			return refused(w, "editor", api.GetReply, api.ReplyInput{ReplyRef: api.ReplyRef{CommentRef: second, Reply: reply.ID}}, 404, api.ReasonNotFound)
		})
		do(w, "commenter", api.DeleteComment, first)
		refused(w, "editor", api.GetReply, api.ReplyInput{ReplyRef: api.ReplyRef{CommentRef: first, Reply: reply.ID}}, 404, api.ReasonNotFound)
		equal(t, "comments of the space", 1, count())
	})
}

// Comments on a change request are counted there, and stay when it is merged.
func TestStoryOfAReview(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		ref := w.newRequest("editor", space)
		added := w.insertPage(ref, newPage("Added", "New.\n"))
		w.change(ref, write(page, "Other text.\n"))
		for _, on := range []string{page, added, ""} {
			do(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: ref, Body: api.CommentCreate{Page: on, Body: says("?")}})
		}
		w.untouched(func() api.Error {
			return refused(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: added, Body: says("?")}}, 422, api.ReasonInvalid)
		})
		equal(t, "comments", 3, w.shown(ref).Comments)
		equal(t, "comments of the space", 0, do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Comments)
		w.merged(ref)
		list := do(w, "commenter", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref})
		equal(t, "comments after the merge", 3, list.Count)
		equal(t, "change request", w.shown(ref).ID, list.Items[0].Target.ChangeRequest)
	})
}

func TestStoryOfRequests(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		draft, open, archived := w.newRequest("editor", space), w.newRequest("creator", space), w.newRequest("editor", space)
		status := func(ref api.ChangeRequestRef, s api.ChangeRequestStatus) {
			do(w, "creator", api.UpdateChangeRequest, api.UpdateChangeRequestInput{ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Status: api.Some(s)}})
		}
		status(open, api.StatusOpen)
		status(archived, api.StatusArchived)
		list := func(s api.ChangeRequestStatus, contributor string) (ids []string) {
			page := do(w, "commenter", api.ListChangeRequests, api.ListChangeRequestsInput{Space: space, Status: s, ChangeRequestPeople: api.ChangeRequestPeople{Contributor: contributor}})
			equal(t, "count", len(page.Items), page.Count)
			for _, r := range page.Items {
				ids = append(ids, r.ID)
			}
			return ids
		}
		equal(t, "open", []string{open.ChangeRequest}, list("", ""))
		equal(t, "draft", []string{draft.ChangeRequest}, list(api.StatusDraft, ""))
		equal(t, "archived", []string{archived.ChangeRequest}, list(api.StatusArchived, ""))
		editor := w.users["editor"].ID
		equal(t, "open, by the editor", nil, list("", editor))
		w.change(open, write(page, "Text.\n"))
		equal(t, "open, by the editor who changed nothing", nil, list("", editor))
		w.change(open, write(page, "Other.\n"))
		equal(t, "open, by the editor", []string{open.ChangeRequest}, list("", editor))
		shown := do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space})
		equal(t, "counts", [3]int{4, 1, 1}, [3]int{shown.ChangeRequests, shown.ChangeRequestsOpen, shown.ChangeRequestsDraft})

		byNumber := api.ChangeRequestRef{Space: space, ChangeRequest: "3"}
		equal(t, "by number", open.ChangeRequest, w.shown(byNumber).ID)
		w.merged(byNumber)
		equal(t, "text", "Other.\n", w.text(space, page))
		elsewhere := w.newSpace().ID
		refused(w, "editor", api.GetChangeRequest, api.ChangeRequestRef{Space: elsewhere, ChangeRequest: draft.ChangeRequest}, 404, api.ReasonNotFound)
		refused(w, "editor", api.GetChangeRequest, api.ChangeRequestRef{Space: space, ChangeRequest: "99"}, 404, api.ReasonNotFound)
	})
}

// A guest who was given a collection works in it, and only there.
func TestStoryOfAGuest(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		books := w.newCollection("Books", "").ID
		grant(w, "guest", books, api.RoleCreate)
		made := do(w, "guest", api.CreateSpace, api.CreateSpaceInput{Organization: w.org, Body: api.SpaceCreate{Title: "Mine", Parent: books}})
		equal(t, "permission", true, made.Permissions.Admin)
		refused(w, "guest", api.CreateSpace, api.CreateSpaceInput{Organization: w.org}, 403, api.ReasonForbidden)
		refused(w, "guest", api.MoveSpace, api.MoveSpaceInput{Space: made.ID, Body: api.Move{Parent: api.Null[string]()}}, 403, api.ReasonForbidden)
		inner := do(w, "guest", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Inner", Parent: books}})
		do(w, "guest", api.MoveSpace, api.MoveSpaceInput{Space: made.ID, Body: api.Move{Parent: api.Some(inner.ID)}})
		other := w.newCollection("Other", "").ID
		w.untouched(func() api.Error {
			e := refused(w, "guest", api.MoveSpace, api.MoveSpaceInput{Space: made.ID, Body: api.Move{Parent: api.Some(other)}}, 422, api.ReasonInvalid)
			missing := refused(w, "guest", api.MoveSpace, api.MoveSpaceInput{Space: made.ID, Body: api.Move{Parent: api.Some(elsewhere(other))}}, 422, api.ReasonInvalid)
			equal(t, "message", missing.Message, e.Message)
			return e
		})
		do(w, "guest", api.DeleteSpace, api.SpaceRef{Space: made.ID})
		do(w, "guest", api.RestoreSpace, api.SpaceRef{Space: made.ID})
	})
}

// Spaces and collections share one order: each can stand before or behind the other.
func TestStoryOfAMixedOrder(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		parent := w.newCollection("Parent", "").ID
		a := w.newSpaceIn("a", parent).ID
		inner := w.newCollection("Inner", parent).ID
		b := w.newSpaceIn("b", parent).ID
		collection := &api.ContentPointer{Type: api.PointerCollection, Collection: inner}
		// Between a and the collection there is nothing: b goes there.
		do(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: b, Body: api.Move{Position: &api.MovePosition{Before: collection, After: pointer(a)}}})
		refused(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: b, Body: api.Move{Position: &api.MovePosition{Before: collection}}}, 409, api.ReasonNoChange)
		do(w, "creator", api.MoveCollection, api.MoveCollectionInput{Collection: inner, Body: api.Move{Position: &api.MovePosition{Before: pointer(a)}}})
		refused(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: a, Body: api.Move{Position: &api.MovePosition{After: collection}}}, 409, api.ReasonNoChange)
		wrong := &api.ContentPointer{Type: api.PointerSpace, Space: inner}
		refused(w, "creator", api.MoveSpace, api.MoveSpaceInput{Space: a, Body: api.Move{Position: &api.MovePosition{After: wrong}}}, 422, api.ReasonInvalid)
		equal(t, "order", []string{"a", "b"}, spacesOf(w, parent))
	})
}
