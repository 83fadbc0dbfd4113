package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
)

// leavesOf is the text of a tree.
func leavesOf(nodes []api.DocumentNode) string {
	text := ""
	for _, n := range nodes {
		for _, l := range n.Leaves {
			text += l.Text
		}
		text += leavesOf(n.Nodes)
	}
	return text
}

// A page comes without its text, as Markdown, or as a tree whose keys are the ids of its blocks.
func TestPageFormats(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		ref := w.newRequest("editor", w.newSpace().ID)
		page := w.change(ref, newPage("Page", "# Title\n\nHello *{{ space.vars.name }}*.\n\n- one\n- two\n"), setVariables("", "name", "world")).Changes[0].Page.ID
		in := api.ChangeRequestPageInput{ChangeRequestRef: ref, Page: page}
		plain := do(w, "editor", api.GetChangeRequestContentPage, in)
		if plain.Markdown != nil || plain.Document != nil || plain.Blocks != nil {
			t.Errorf("without a format: %+v", plain)
		}
		in.Format = api.FormatDocument
		shown := do(w, "editor", api.GetChangeRequestContentPage, in)
		if shown.Markdown != nil {
			t.Errorf("the Markdown is there, too: %q", *shown.Markdown)
		}
		equal(t, "text", "TitleHello {{ space.vars.name }}.onetwo", leavesOf(shown.Document.Nodes))
		var keys, ids []string
		for _, n := range shown.Document.Nodes[:2] {
			keys = append(keys, n.Key)
		}
		for _, n := range shown.Document.Nodes[2].Nodes {
			keys = append(keys, n.Key)
		}
		for _, block := range w.draftPage(ref, page).Blocks {
			ids = append(ids, block.ID)
		}
		equal(t, "keys", ids, keys)
		in.Evaluated = api.Some(true)
		shown = do(w, "editor", api.GetChangeRequestContentPage, in)
		equal(t, "evaluated", "TitleHello world.onetwo", leavesOf(shown.Document.Nodes))
		equal(t, "key of the title", keys[0], shown.Document.Nodes[0].Key)
		w.merged(ref)
		byPath := do(w, "reader", api.GetContentPageByPath, api.PagePathInput{
			Space: ref.Space, PagePath: "page", PageOptions: api.PageOptions{Format: api.FormatDocument, Evaluated: api.Some(true)},
		})
		equal(t, "by path", shown.Document, byPath.Document)
	})
}

// Comments and replies are Markdown unless a tree is asked for.
func TestCommentFormats(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		comment := do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Body: says("Is *that* so?")}})
		at := api.CommentRef{Space: space, Comment: comment.ID}
		reply := do(w, "editor", api.CreateReply, api.CreateReplyInput{CommentRef: at, Body: api.ReplyCreate{Body: says("`Yes`.")}})
		equal(t, "comment", "Is *that* so?", comment.Body.Markdown)
		asDocument := api.FormatOption{Format: api.FormatDocument}
		for what, body := range map[string]api.CommentText{
			"Is that so? alone": do(w, "reviewer", api.GetComment, api.CommentInput{CommentRef: at, FormatOption: asDocument}).Body,
			"Is that so? listed": do(w, "reviewer", api.ListComments, api.ListCommentsInput{
				Space: space, CommentFilters: api.CommentFilters{FormatOption: asDocument},
			}).Items[0].Body,
			"Yes. alone": do(w, "reviewer", api.GetReply, api.ReplyInput{
				ReplyRef: api.ReplyRef{CommentRef: at, Reply: reply.ID}, FormatOption: asDocument,
			}).Body,
			"Yes. listed": do(w, "reviewer", api.ListReplies, api.ListRepliesInput{CommentRef: at, FormatOption: asDocument}).Items[0].Body,
		} {
			if body.Markdown != "" || body.Document == nil {
				t.Fatalf("%s: %+v", what, body)
			}
			if text := leavesOf(body.Document.Nodes); text != what[:len(text)] {
				t.Errorf("%s: %q", what, text)
			}
		}
		equal(t, "the same comment as Markdown", comment.Body, do(w, "reviewer", api.GetComment, api.CommentInput{CommentRef: at}).Body)
	})
}
