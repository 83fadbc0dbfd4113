package comments_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestCommentLifecycle checks that a comment on a block keeps its page through edits, moves and deletion of the page.
func TestCommentLifecycle(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("First paragraph.\n\nSecond paragraph.\n")
		block := w.ReadPage(space, page).Blocks[1]
		created := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Page: page, Node: block.ID, Body: servertest.CommentBody("Really?")},
		})
		at := api.CommentRef{Space: space, Comment: created.ID}
		servertest.Equal(t, "status", api.CommentOpen, created.Status)
		servertest.Equal(t, "preview", "Second paragraph.", created.Target.Node.Preview)
		servertest.Equal(t, "revision", servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Revision,
			created.Target.Revision)
		shown := func() api.Comment {
			return servertest.Do(w, "commenter", api.GetComment, api.CommentInput{CommentRef: at})
		}
		servertest.Equal(t, "outdated", false, shown().Target.Page.Outdated)

		ref := w.NewRequest("editor", space)
		edit := servertest.Write(page, "First paragraph, edited.\n\nSecond paragraph.\n")
		edit.Title = api.Some("New title")
		w.Change(ref, edit)
		servertest.Equal(t, "outdated before the merge", false, shown().Target.Page.Outdated)
		w.MustMerge(ref)
		servertest.Equal(t, "outdated by an edit of another block", false, shown().Target.Page.Outdated)
		servertest.Equal(t, "title", "New title", shown().Target.Page.Title)

		ref = w.NewRequest("editor", space)
		w.Change(ref, servertest.DeletePage(page))
		w.MustMerge(ref)
		deleted := shown()
		servertest.Equal(t, "page", page, deleted.Target.Page.ID)
		servertest.Equal(t, "title as it was", "Page", deleted.Target.Page.Title)
		servertest.Equal(t, "outdated", true, deleted.Target.Page.Outdated)
		servertest.Equal(t, "state", api.AnchorOrphaned, deleted.Target.Anchor.State)
		servertest.Equal(t, "preview", "Second paragraph.", deleted.Target.Node.Preview)
	})
}

// TestCommentOnBlockFindsPage checks that the page of a comment is found by the id of its block.
func TestCommentOnBlockFindsPage(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("First paragraph\nof two lines.\n\nSecond paragraph.\n")
		ref := w.NewRequest("editor", space)
		w.InsertPage(ref, servertest.NewPage("Other", "First paragraph.\n\nThird.\n"))
		w.MustMerge(ref)
		block := w.ReadPage(space, page).Blocks[0]
		on := func(node, quote string) api.CreateCommentInput {
			return api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{Node: node, Quote: quote, Body: servertest.CommentBody("Really?")},
			}
		}
		created := servertest.Do(w, "commenter", api.CreateComment, on(block.ID, "paragraph"))
		servertest.Equal(t, "page", page, created.Target.Page.ID)
		servertest.Equal(t, "block", block.ID, created.Target.Node.ID)
		created = servertest.Do(w, "commenter", api.CreateComment, on(block.ID, "paragraph\nof two"))
		servertest.Equal(t, "over the end of a line", [2]any{
			api.AnchorExact, "paragraph\nof two",
		}, [2]any{created.Target.Anchor.State, created.Target.Anchor.Quote})
		e := servertest.Refused(w, "commenter", api.CreateComment, on("b_none", ""), 422, api.ReasonInvalid)
		servertest.Equal(t, "field", "node", e.Fields[0].Path)
		e = servertest.Refused(w, "commenter", api.CreateComment, on("", "paragraph"), 422, api.ReasonInvalid)
		servertest.Equal(t, "field", "node", e.Fields[0].Path)
	})
}

func TestCommentCounts(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		count := func() int { return servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Comments }
		comment := func(as, page string) api.CommentRef {
			w.Clock.Advance(time.Second)
			created := servertest.Do(w, as, api.CreateComment, api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("by " + as)},
			})
			return api.CommentRef{Space: space, Comment: created.ID}
		}
		first, second := comment("commenter", page), comment("editor", "")
		servertest.Equal(t, "comments of the space", 2, count())
		list := func(f api.CommentFilters) (ids []string) {
			page := servertest.Do(w, "commenter", api.ListComments, api.ListCommentsInput{Space: space, CommentFilters: f})
			servertest.Equal(t, "count", len(page.Items), page.Count)
			for _, c := range page.Items {
				ids = append(ids, c.ID)
			}
			return ids
		}
		both := []string{second.Comment, first.Comment}
		servertest.Equal(t, "newest first", both, list(api.CommentFilters{}))
		servertest.Equal(t, "oldest first", []string{first.Comment, second.Comment}, list(api.CommentFilters{Order: api.Ascending}))
		servertest.Equal(t, "of the page", []string{first.Comment}, list(api.CommentFilters{TargetPage: page}))
		servertest.Equal(t, "by the editor", []string{second.Comment}, list(api.CommentFilters{Authors: []string{w.Users["editor"].ID}}))
		servertest.Equal(t, "by either", both, list(api.CommentFilters{Authors: []string{w.Users["editor"].ID, w.Users["commenter"].ID}}))

		resolve := func(resolved bool) api.Comment {
			return servertest.Do(w, "editor", api.UpdateComment, api.UpdateCommentInput{
				CommentRef: first, Body: api.CommentUpdate{Resolved: api.Some(resolved)},
			})
		}
		resolved := resolve(true)
		servertest.Equal(t, "resolved by", w.Users["editor"].ID, resolved.ResolvedBy.ID)
		servertest.Equal(t, "open", []string{second.Comment}, list(api.CommentFilters{Status: "open"}))
		servertest.Equal(t, "resolved", []string{first.Comment}, list(api.CommentFilters{Status: "resolved"}))
		if reopened := resolve(false); reopened.ResolvedBy != nil || !reopened.ResolvedAt.IsZero() {
			t.Errorf("reopened: %+v", reopened)
		}
		w.WantUntouched(func() api.Error { resolve(false); return api.Error{} })

		reply := servertest.Do(w, "editor", api.CreateReply, api.CreateReplyInput{
			CommentRef: first, Body: api.ReplyCreate{Body: servertest.CommentBody("Yes.")},
		})
		servertest.Equal(t, "replies", 1, servertest.Do(w, "editor", api.GetComment, api.CommentInput{CommentRef: first}).Replies)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "editor", api.GetReply, api.ReplyInput{
				ReplyRef: api.ReplyRef{CommentRef: second, Reply: reply.ID},
			}, 404, api.ReasonNotFound)
		})
		servertest.Do(w, "commenter", api.DeleteComment, first)
		servertest.Refused(w, "editor", api.GetReply, api.ReplyInput{ReplyRef: api.ReplyRef{CommentRef: first, Reply: reply.ID}}, 404,
			api.ReasonNotFound)
		servertest.Equal(t, "comments of the space", 1, count())
	})
}

// TestChangeRequestComments checks that comments on a change request are counted in it and remain after the merge.
func TestChangeRequestComments(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("editor", space)
		added := w.InsertPage(ref, servertest.NewPage("Added", "New.\n"))
		w.Change(ref, servertest.Write(page, "Other text.\n"))
		for _, on := range []string{page, added, ""} {
			servertest.Do(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
				ChangeRequestRef: ref, Body: api.CommentCreate{Page: on, Body: servertest.CommentBody("?")},
			})
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "commenter", api.CreateComment, api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{Page: added, Body: servertest.CommentBody("?")},
			}, 422, api.ReasonInvalid)
		})
		servertest.Equal(t, "comments", 3, w.ReadRequest(ref).Comments)
		servertest.Equal(t, "comments of the space", 0, servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space}).Comments)
		w.MustMerge(ref)
		list := servertest.Do(w, "commenter", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref})
		servertest.Equal(t, "comments after the merge", 3, list.Count)
		servertest.Equal(t, "change request", w.ReadRequest(ref).ID, list.Items[0].Target.ChangeRequest)
	})
}

func TestListChangeRequests(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		draft, open, archived := w.NewRequest("editor", space), w.NewRequest("creator", space), w.NewRequest("editor", space)
		status := func(ref api.ChangeRequestRef, s api.ChangeRequestStatus) {
			servertest.Do(w, "creator", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
				ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Status: api.Some(s)},
			})
		}
		status(open, api.StatusOpen)
		status(archived, api.StatusArchived)
		list := func(s api.ChangeRequestStatus, contributor string) (ids []string) {
			page := servertest.Do(w, "commenter", api.ListChangeRequests, api.ListChangeRequestsInput{
				Space: space, Status: s, ChangeRequestPeople: api.ChangeRequestPeople{Contributor: contributor},
			})
			servertest.Equal(t, "count", len(page.Items), page.Count)
			for _, r := range page.Items {
				ids = append(ids, r.ID)
			}
			return ids
		}
		servertest.Equal(t, "open", []string{open.ChangeRequest}, list("", ""))
		servertest.Equal(t, "draft", []string{draft.ChangeRequest}, list(api.StatusDraft, ""))
		servertest.Equal(t, "archived", []string{archived.ChangeRequest}, list(api.StatusArchived, ""))
		editor := w.Users["editor"].ID
		servertest.Equal(t, "open, by the editor", nil, list("", editor))
		w.Change(open, servertest.Write(page, "Text.\n"))
		servertest.Equal(t, "open, by the editor who changed nothing", nil, list("", editor))
		w.Change(open, servertest.Write(page, "Other.\n"))
		servertest.Equal(t, "open, by the editor", []string{open.ChangeRequest}, list("", editor))
		shown := servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space})
		servertest.Equal(t, "counts", [3]int{4, 1, 1}, [3]int{shown.ChangeRequests, shown.ChangeRequestsOpen, shown.ChangeRequestsDraft})

		byNumber := api.ChangeRequestRef{Space: space, ChangeRequest: "3"}
		servertest.Equal(t, "by number", open.ChangeRequest, w.ReadRequest(byNumber).ID)
		w.MustMerge(byNumber)
		servertest.Equal(t, "text", "Other.\n", w.PageText(space, page))
		elsewhere := w.NewSpace().ID
		servertest.Refused(w, "editor", api.GetChangeRequest, api.ChangeRequestRef{Space: elsewhere, ChangeRequest: draft.ChangeRequest},
			404, api.ReasonNotFound)
		servertest.Refused(w, "editor", api.GetChangeRequest, api.ChangeRequestRef{Space: space, ChangeRequest: "99"}, 404,
			api.ReasonNotFound)
	})
}

// TestGuestAccess checks that a guest with access to a collection can use that collection and nothing else.
func TestGuestAccess(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		books := w.NewCollection("Books", "").ID
		servertest.Grant(w, "guest", books, api.RoleCreate)
		created := servertest.Do(w, "guest", api.CreateSpace, api.CreateSpaceInput{
			Organization: w.Org, Body: api.SpaceCreate{Title: "Mine", Parent: books},
		})
		servertest.Equal(t, "permission", true, created.Permissions.Admin)
		servertest.Refused(w, "guest", api.CreateSpace, api.CreateSpaceInput{Organization: w.Org}, 403, api.ReasonForbidden)
		servertest.Refused(w, "guest", api.MoveSpace, api.MoveSpaceInput{Space: created.ID, Body: api.Move{Parent: api.Null[string]()}},
			403, api.ReasonForbidden)
		inner := servertest.Do(w, "guest", api.CreateCollection, api.CreateCollectionInput{
			Organization: w.Org, Body: api.CollectionCreate{Title: "Inner", Parent: books},
		})
		servertest.Do(w, "guest", api.MoveSpace, api.MoveSpaceInput{Space: created.ID, Body: api.Move{Parent: api.Some(inner.ID)}})
		other := w.NewCollection("Other", "").ID
		w.WantUntouched(func() api.Error {
			e := servertest.Refused(w, "guest", api.MoveSpace, api.MoveSpaceInput{
				Space: created.ID, Body: api.Move{Parent: api.Some(other)},
			}, 422, api.ReasonInvalid)
			missing := servertest.Refused(w, "guest", api.MoveSpace, api.MoveSpaceInput{
				Space: created.ID, Body: api.Move{Parent: api.Some(servertest.AbsentID(other))},
			}, 422, api.ReasonInvalid)
			servertest.Equal(t, "message", missing.Message, e.Message)
			return e
		})
		servertest.Do(w, "guest", api.DeleteSpace, api.SpaceRef{Space: created.ID})
		servertest.Do(w, "guest", api.RestoreSpace, api.SpaceRef{Space: created.ID})
	})
}

// TestSpacesAndCollectionsShareOrder checks that spaces and collections are sorted together, in one order.
func TestSpacesAndCollectionsShareOrder(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		parent := w.NewCollection("Parent", "").ID
		a := w.NewSpaceIn("a", parent).ID
		inner := w.NewCollection("Inner", parent).ID
		b := w.NewSpaceIn("b", parent).ID
		collection := &api.ContentPointer{Type: api.PointerCollection, Collection: inner}
		// Move b between a and the collection; a move of b to before the collection then changes nothing.
		servertest.Do(w, "creator", api.MoveSpace, api.MoveSpaceInput{
			Space: b, Body: api.Move{Position: &api.MovePosition{Before: collection, After: servertest.SpacePointer(a)}},
		})
		servertest.Refused(w, "creator", api.MoveSpace, api.MoveSpaceInput{
			Space: b, Body: api.Move{Position: &api.MovePosition{Before: collection}},
		}, 409, api.ReasonNoChange)
		servertest.Do(w, "creator", api.MoveCollection, api.MoveCollectionInput{
			Collection: inner, Body: api.Move{Position: &api.MovePosition{Before: servertest.SpacePointer(a)}},
		})
		servertest.Refused(w, "creator", api.MoveSpace, api.MoveSpaceInput{
			Space: a, Body: api.Move{Position: &api.MovePosition{After: collection}},
		}, 409, api.ReasonNoChange)
		wrong := &api.ContentPointer{Type: api.PointerSpace, Space: inner}
		servertest.Refused(w, "creator", api.MoveSpace, api.MoveSpaceInput{
			Space: a, Body: api.Move{Position: &api.MovePosition{After: wrong}},
		}, 422, api.ReasonInvalid)
		servertest.Equal(t, "order", []string{"a", "b"}, servertest.SpaceTitles(w, parent))
	})
}

// TestDeleteLastComment checks that a change request without comments passes fsck after its last comment is
// deleted.
func TestDeleteLastComment(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage("A page.\n")
		r := w.CreateRequest("editor", space, "Short")
		c := servertest.Do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: servertest.Ref(r), Body: api.CommentCreate{Body: servertest.CommentBody("No.")},
		})
		servertest.Do(w, "reviewer", api.DeleteChangeRequestComment, api.ChangeRequestCommentRef{
			ChangeRequestRef: servertest.Ref(r), Comment: c.ID,
		})
		w.Fsck()
	})
}
