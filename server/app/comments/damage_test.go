package comments_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// Comments on content that cannot be read are listed with their text, without a place; those on other pages have
// theirs.
func TestCommentsOnUnreadableContentAreListed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose   func(head store.Head, page *revision.Page) string // hash of the object
		placed int                                               // comments with a place
	}{
		"text of a page": {func(_ store.Head, page *revision.Page) string { return page.Text }, 1},
		"all pages":      {func(head store.Head, _ *revision.Page) string { return head.Pages }, 0},
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
		})
	}
}
