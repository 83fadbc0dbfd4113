package comments_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// TestCommentOnConcurrentlyChangedPage checks that a comment on a page that is deleted between the check and the commit is
// refused, and that a comment on a page that is edited is anchored in the edited text.
func TestCommentOnConcurrentlyChangedPage(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	ref := w.NewRequest("editor", space)
	create := func() servertest.Response {
		return servertest.Try(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: ref, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
		})
	}
	count := func() int {
		return servertest.Do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Count
	}
	response := i.Before(func() { w.Change(ref, servertest.Write(page, "The lamp is red.\n")) }, create)
	servertest.Equal(t, "status on the edited page", http.StatusOK, response.Status)
	var made api.Comment
	servertest.Decode(w, response, &made)
	servertest.Equal(t, "comments", 1, count())
	response = i.Before(func() { w.Change(ref, servertest.DeletePage(page)) }, create)
	servertest.Equal(t, "status on the deleted page", http.StatusUnprocessableEntity, response.Status)
	servertest.Equal(t, "comments", 1, count())
}

// commentDeletion is the deletion of a comment with two replies.
type commentDeletion struct {
	replies, first           redis.Key // keys of the index of the replies and of the record of one reply
	deleteFirst, createReply func()
	run                      func() servertest.Response
}

// A reply that is created during the deletion of its comment does not outlive the comment, even if another reply was deleted at
// the same time.
func TestReplyDoesNotOutliveComment(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	for name, run := range map[string]func(d commentDeletion) servertest.Response{
		"made before the commit": func(d commentDeletion) servertest.Response { return i.Before(d.createReply, d.run) },
		"replaced before and after the list is read": func(d commentDeletion) servertest.Response {
			return i.Before(d.createReply, func() servertest.Response {
				return i.BeforeRead("zrangebylex", d.replies, d.deleteFirst, d.run)
			})
		},
		"replaced after the list was read": func(d commentDeletion) servertest.Response {
			return i.BeforeRead("get", d.first, func() { d.deleteFirst(); d.createReply() }, d.run)
		},
	} {
		comment := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
		})
		ref := api.CommentRef{Space: space, Comment: comment.ID}
		reply := func() string {
			return servertest.Do(w, "editor", api.CreateReply, api.CreateReplyInput{
				CommentRef: ref, Body: api.ReplyCreate{Body: servertest.CommentBody("!")},
			}).ID
		}
		reply()
		first, late := reply(), ""
		response := run(commentDeletion{
			replies: store.RepliesKey(w.Org, comment.ID), first: store.ReplyKey(w.Org, first),
			deleteFirst: func() { servertest.Do(w, "editor", api.DeleteReply, api.ReplyRef{CommentRef: ref, Reply: first}) },
			createReply: func() { late = reply() },
			run:         func() servertest.Response { return servertest.Try(w, "commenter", api.DeleteComment, ref) },
		})
		if !servertest.Succeeded(response) {
			t.Errorf("%s: answer %d %s", name, response.Status, response.Body)
		}
		servertest.Equal(t, "keys of the reply "+name, 0, len(servertest.KeysWithID(w, late)))
	}
}

// TestCommentIsNotMovedToDeletedPage checks that a comment is not moved to a page that is deleted between the check and the
// commit, and keeps its anchor.
func TestCommentIsNotMovedToDeletedPage(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	ref := w.NewRequest("editor", space)
	other := w.InsertPage(ref, servertest.NewPage("Other", "Text.\n"))
	comment := servertest.Do(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: ref, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
	})
	at := api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: comment.ID}
	response := i.Before(func() { w.Change(ref, servertest.DeletePage(other)) }, func() servertest.Response {
		return servertest.Try(w, "commenter", api.ReattachChangeRequestComment, api.ReattachChangeRequestCommentInput{
			ChangeRequestCommentRef: at, Body: api.CommentPlace{Page: other},
		})
	})
	servertest.Equal(t, "status", http.StatusUnprocessableEntity, response.Status)
	listed := servertest.Do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Items
	servertest.Equal(t, "comments", 1, len(listed))
	servertest.Equal(t, "page", page, listed[0].Target.Page.ID)
}
