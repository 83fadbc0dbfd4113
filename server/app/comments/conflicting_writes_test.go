package comments_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// A comment on a page that is deleted between the check and the commit is refused; one on a page that is edited is
// anchored in the text as it is now.
func TestCommentOnChangedPage(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	ref := w.NewRequest("editor", space)
	create := func() servertest.Answer {
		return servertest.Try(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: ref, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
		})
	}
	count := func() int {
		return servertest.Do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Count
	}
	answer := i.Before(func() { w.Change(ref, servertest.Write(page, "The lamp is red.\n")) }, create)
	servertest.Equal(t, "status on the edited page", http.StatusOK, answer.Status)
	var made api.Comment
	servertest.Decode(w, answer, &made)
	servertest.Equal(t, "comments", 1, count())
	answer = i.Before(func() { w.Change(ref, servertest.DeletePage(page)) }, create)
	servertest.Equal(t, "status on the deleted page", http.StatusUnprocessableEntity, answer.Status)
	servertest.Equal(t, "comments", 1, count())
}

// A reply that is made between the check and the commit of the deletion of its comment does not outlive the comment.
func TestReplyDoesNotOutliveComment(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	comment := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
		Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
	})
	ref := api.CommentRef{Space: space, Comment: comment.ID}
	reply := func() api.CommentReply {
		return servertest.Do(w, "editor", api.CreateReply, api.CreateReplyInput{
			CommentRef: ref, Body: api.ReplyCreate{Body: servertest.CommentBody("!")},
		})
	}
	reply()
	var late api.CommentReply
	answer := i.Before(func() {
		late = reply()
	}, func() servertest.Answer { return servertest.Try(w, "commenter", api.DeleteComment, ref) })
	if !servertest.Succeeded(answer) {
		t.Errorf("answer %d %s", answer.Status, answer.Body)
	}
	servertest.Equal(t, "keys of the reply", 0, len(servertest.KeysWithID(w, late.ID)))
}

// A comment is not moved to a page that is deleted between the check and the commit: it stays where it is.
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
	answer := i.Before(func() { w.Change(ref, servertest.DeletePage(other)) }, func() servertest.Answer {
		return servertest.Try(w, "commenter", api.ReattachChangeRequestComment, api.ReattachChangeRequestCommentInput{
			ChangeRequestCommentRef: at, Body: api.CommentPlace{Page: other},
		})
	})
	servertest.Equal(t, "status", http.StatusUnprocessableEntity, answer.Status)
	listed := servertest.Do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Items
	servertest.Equal(t, "comments", 1, len(listed))
	servertest.Equal(t, "page", page, listed[0].Target.Page.ID)
}
