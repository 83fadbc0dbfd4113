package comments_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestCommentsOnUnreadableContentAreListed checks that comments on content that cannot be read are listed, shown and resolved with
// their text, but without a location. Comments on other pages have a location.
func TestCommentsOnUnreadableContentAreListed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose   func(head store.Head, page *revision.Page) string // returns the hash of the object to remove
		placed int                                               // number of comments with a location
	}{
		"text of a page is missing": {func(_ store.Head, page *revision.Page) string { return page.Text }, 1},
		"page tree is missing":      {func(head store.Head, _ *revision.Page) string { return head.Pages }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			space, page := w.NewSpaceWithPage("The lamp is green.\n")
			ref := w.NewRequest("editor", space)
			other := w.InsertPage(ref, servertest.NewPage("Other", "The door is shut.\n"))
			w.MustMerge(ref)
			for id, quote := range map[string]string{page: "lamp", other: "door"} {
				servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{
					Page: id, Node: w.ReadPage(space, id).Blocks[0].ID, Quote: quote, Body: servertest.CommentBody(quote),
				}})
			}
			edited := w.NewRequest("editor", space)
			w.Change(edited, servertest.Write(page, "The lamp is very green.\n"), servertest.Write(other, "The door is nearly shut.\n"))
			w.MustMerge(edited)
			heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
			w.Must(err)
			tree, err := revision.New(w.Store, 1<<20).Tree(t.Context(), w.Store.Content(space), heads[space].Pages)
			w.Must(err)
			removeObject(space, c.lose(heads[space], tree.Page(page)))
			w.Serve()
			placed := 0
			list := servertest.Do(w, "commenter", api.ListComments, api.ListCommentsInput{Space: space}).Items
			for _, comment := range list {
				if comment.Target.Anchor != nil {
					placed++
				}
			}
			servertest.Equal(t, "comments", 2, len(list))
			servertest.Equal(t, "with a place", c.placed, placed)
			for _, comment := range list {
				ref := api.CommentRef{Space: space, Comment: comment.ID}
				shown := servertest.Do(w, "commenter", api.GetComment, api.CommentInput{CommentRef: ref})
				servertest.Equal(t, "target", comment.Target, shown.Target)
				resolved := servertest.Do(w, "editor", api.UpdateComment, api.UpdateCommentInput{
					CommentRef: ref, Body: api.CommentUpdate{Resolved: api.Some(true)},
				})
				servertest.Equal(t, "target after the update", comment.Target, resolved.Target)
				servertest.Equal(t, "status", api.CommentResolved, resolved.Status)
			}
		})
	}
}

// A comment whose text left its page is listed without a place if the pages that it may have moved to are not known,
// because the revision that was commented on cannot be read; a comment that is still on its page has its place.
func TestCommentsOfUnreadableRevisionAreListed(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]func(head store.Head) string{
		"revision is missing":  func(head store.Head) string { return revision.ObjectHash(head.Revision) },
		"page tree is missing": func(head store.Head) string { return head.Pages },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, removeObject := servertest.NewBreakableWorld(t)
			space, page := w.NewSpaceWithPage("The lamp is green.\n\nThe door is shut.\n")
			for n, quote := range []string{"lamp", "door"} {
				servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{
					Page: page, Node: w.ReadPage(space, page).Blocks[n].ID, Quote: quote, Body: servertest.CommentBody(quote),
				}})
			}
			heads, err := w.Store.LoadHeads(t.Context(), w.Org, space)
			w.Must(err)
			edited := w.NewRequest("editor", space)
			w.Change(edited, servertest.Write(page, "The door is shut.\n"))
			w.MustMerge(edited)
			removeObject(space, lost(heads[space]))
			w.Serve()
			places := map[string]bool{}
			for _, comment := range servertest.Do(w, "commenter", api.ListComments, api.ListCommentsInput{Space: space}).Items {
				places[comment.Body.Markdown] = comment.Target.Anchor != nil
			}
			servertest.Equal(t, "with a place", map[string]bool{"lamp": false, "door": true}, places)
		})
	}
}

// A comment is deleted with its replies if the record of one is lost.
func TestDeleteCommentWithLostReply(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	space, page := w.NewSpaceWithPage("The lamp is green.\n")
	comment := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
		Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
	})
	ref := api.CommentRef{Space: space, Comment: comment.ID}
	reply := servertest.Do(w, "editor", api.CreateReply, api.CreateReplyInput{
		CommentRef: ref, Body: api.ReplyCreate{Body: servertest.CommentBody("!")},
	})
	w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(store.ReplyKey(w.Org, reply.ID))).Err())
	w.SkipFsck = true // the quota counts the lost record
	response := servertest.Try(w, "commenter", api.DeleteComment, ref)
	if !servertest.Succeeded(response) {
		t.Errorf("answer %d %s", response.Status, response.Body)
	}
	servertest.Equal(t, "keys of the reply", 0, len(servertest.KeysWithID(w, reply.ID)))
}
