package pages_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// textOf returns the text of the leaves of a tree.
func textOf(nodes []api.DocumentNode) string {
	text := ""
	for _, n := range nodes {
		for _, l := range n.Leaves {
			text += l.Text
		}
		text += textOf(n.Nodes)
	}
	return text
}

// TestPageFormats requests a page without text, as Markdown, and as a document tree whose keys are block ids.
func TestPageFormats(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		page := w.Change(ref, servertest.NewPage("Page", "# Title\n\n## Part\n\nHello *{{ space.vars.name }}*.\n\n- one\n- two\n"),
			servertest.SetVariables("", "name", "world")).Changes[0].Page.ID
		in := api.ChangeRequestPageInput{ChangeRequestRef: ref, Page: page}
		plain := servertest.Do(w, "editor", api.GetChangeRequestContentPage, in)
		if plain.Markdown != nil || plain.Document != nil || plain.Blocks != nil {
			t.Errorf("without a format: %+v", plain)
		}
		in.Format = api.FormatDocument
		shown := servertest.Do(w, "editor", api.GetChangeRequestContentPage, in)
		if shown.Markdown != nil {
			t.Errorf("also contains the Markdown: %q", *shown.Markdown)
		}
		servertest.Equal(t, "text", "TitlePartHello .onetwo", textOf(shown.Document.Nodes))
		var keys, ids []string
		for _, n := range shown.Document.Nodes[:3] {
			keys = append(keys, n.Key)
		}
		for _, n := range shown.Document.Nodes[3].Nodes {
			keys = append(keys, n.Key)
		}
		for _, block := range w.DraftPage(ref, page).Blocks {
			ids = append(ids, block.ID)
		}
		servertest.Equal(t, "keys", ids, keys)
		in.Evaluated = api.EvaluateAll
		shown = servertest.Do(w, "editor", api.GetChangeRequestContentPage, in)
		servertest.Equal(t, "evaluated", "TitlePartHello world.onetwo", textOf(shown.Document.Nodes))
		servertest.Equal(t, "key of the title", keys[0], shown.Document.Nodes[0].Key)
		w.MustMerge(ref)
		byPath := servertest.Do(w, "reader", api.GetContentPageByPath, api.PagePathInput{
			Space: ref.Space, PagePath: "page", PageOptions: api.PageOptions{
				Format: api.FormatDocument, TextOptions: api.TextOptions{Evaluated: api.EvaluateAll},
			},
		})
		servertest.Equal(t, "by path", shown.Document, byPath.Document)
	})
}

// TestCommentFormats checks that comments and replies are Markdown unless a document is requested.
func TestCommentFormats(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		comment := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Body: servertest.CommentBody("Is *that* so?")},
		})
		at := api.CommentRef{Space: space, Comment: comment.ID}
		reply := servertest.Do(w, "editor", api.CreateReply, api.CreateReplyInput{
			CommentRef: at, Body: api.ReplyCreate{Body: servertest.CommentBody("`Yes`.")},
		})
		servertest.Equal(t, "comment", "Is *that* so?", comment.Body.Markdown)
		asDocument := api.FormatOption{Format: api.FormatDocument}
		for what, body := range map[string]api.CommentText{
			"Is that so? alone": servertest.Do(w, "reviewer", api.GetComment, api.CommentInput{
				CommentRef: at, FormatOption: asDocument,
			}).Body,
			"Is that so? listed": servertest.Do(w, "reviewer", api.ListComments, api.ListCommentsInput{
				Space: space, CommentFilters: api.CommentFilters{FormatOption: asDocument},
			}).Items[0].Body,
			"Yes. alone": servertest.Do(w, "reviewer", api.GetReply, api.ReplyInput{
				ReplyRef: api.ReplyRef{CommentRef: at, Reply: reply.ID}, FormatOption: asDocument,
			}).Body,
			"Yes. listed": servertest.Do(w, "reviewer", api.ListReplies, api.ListRepliesInput{
				CommentRef: at, FormatOption: asDocument,
			}).Items[0].Body,
		} {
			if body.Markdown != "" || body.Document == nil {
				t.Fatalf("%s: %+v", what, body)
			}
			if text := textOf(body.Document.Nodes); text != what[:len(text)] {
				t.Errorf("%s: %q", what, text)
			}
		}
		servertest.Equal(t, "the same comment as Markdown", comment.Body,
			servertest.Do(w, "reviewer", api.GetComment, api.CommentInput{CommentRef: at}).Body)
	})
}
