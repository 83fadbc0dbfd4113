package pages_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// manual is a page as imported from a manual.
const manual = "---\ntitle: 8. Compound statements\n---\n\n# 8. Compound statements\n\nCompound statements contain *(groups of)* other\n" +
	"statements; see [the `if` statement](missing.html#if), or\n" +
	"[the grammar][g].<a name=\"index-0\"></a> They span multiple lines.\n\n<!-- kept -->\n\n[g]: /files/f_grammar \"Grammar\"\n\n" +
	"* first\n  * the nested item,\n    which goes on\n  * another\n\n" +
	"|  Form  | Meaning |\n|:-------|--------:|\n| `if` | chooses   one |\n| `for`|repeats |\n\n##### Notes\n\n" +
	"The [broken one](gone.html) stays.\n"

// documentOf returns the draft of a page as a document.
func documentOf(w *servertest.World, ref api.ChangeRequestRef, page string) api.JSONDocument {
	w.T.Helper()
	in := api.ChangeRequestPageInput{ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{Format: api.FormatDocument}}
	return *servertest.Do(w, "editor", api.GetChangeRequestContentPage, in).Document
}

// asDocument returns the document as the text of a page.
func asDocument(w *servertest.World, d api.JSONDocument) *api.Document {
	w.T.Helper()
	data, err := json.Marshal(d)
	w.Must(err)
	return &api.Document{Document: data}
}

// replaceWords returns the document with every occurrence of a text replaced. It fails the test if there is none.
func replaceWords(w *servertest.World, d api.JSONDocument, from, to string) api.JSONDocument {
	w.T.Helper()
	data, err := json.Marshal(d)
	w.Must(err)
	if !strings.Contains(string(data), from) {
		w.T.Errorf("%q is not in %s", from, data)
	}
	var changed api.JSONDocument
	w.Must(json.Unmarshal([]byte(strings.ReplaceAll(string(data), from, to)), &changed))
	return changed
}

func updateDocument(page string, text *api.Document) api.ContentChange {
	return api.ContentChange{Operation: api.UpdatePage, Page: page, Document: text}
}

// TestEditDocumentChangesOnlyEditedWord changes one word of a document and writes it back: nothing else changes, and
// comments stay attached.
func TestEditDocumentChangesOnlyEditedWord(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		page := w.Change(ref, servertest.NewPage("8. Compound statements", manual)).Changes[0].Page.ID
		at := api.ChangeRequestRef{Space: ref.Space, ChangeRequest: ref.ChangeRequest}
		for _, quote := range []string{"They span", "`for`", "another", "Notes", "stays"} {
			block := ""
			shown := w.DraftPage(ref, page)
			for _, b := range shown.Blocks {
				if strings.Contains((*shown.Markdown)[b.Start:b.End], quote) {
					block = b.ID
				}
			}
			servertest.Do(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
				ChangeRequestRef: at, Body: api.CommentCreate{Page: page, Node: block, Quote: quote, Body: servertest.CommentBody("Here?")},
			})
		}
		want := manual
		for _, change := range [][2]string{
			{"multiple", "several"},
			{"chooses", "picks"},
			{"goes on", "continues"},
			{"broken one", "lost one"},
			{"the grammar", "this grammar"},
		} {
			d := replaceWords(w, documentOf(w, ref, page), change[0], change[1])
			w.Change(ref, updateDocument(page, asDocument(w, d)))
			want = strings.ReplaceAll(want, change[0], change[1])
			servertest.Equal(t, change[0], want, *w.DraftPage(ref, page).Markdown)
		}
		for _, c := range servertest.Do(w, "editor", api.ListChangeRequestComments,
			api.ListChangeRequestCommentsInput{ChangeRequestRef: at}).Items {
			if state := c.Target.Anchor.State; state != "exact" && state != "shifted" {
				t.Errorf("the comment on %q is %s", c.Target.Anchor.Quote, state)
			}
		}
	})
}

// TestEditOutdatedDocument checks that edits made since the document was read are merged, and that conflicting ones
// are refused.
func TestEditOutdatedDocument(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		page := w.Change(ref, servertest.NewPage("8. Compound statements", manual)).Changes[0].Page.ID
		mine := replaceWords(w, documentOf(w, ref, page), "chooses", "picks")
		theirs := strings.Replace(manual, "multiple lines", "many lines", 1)
		w.Change(ref, servertest.Write(page, theirs))
		w.Change(ref, updateDocument(page, asDocument(w, mine)))
		both := strings.Replace(theirs, "chooses", "picks", 1)
		servertest.Equal(t, "both", both, *w.DraftPage(ref, page).Markdown)

		again := replaceWords(w, mine, "multiple lines", "several lines")
		e := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
				ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{updateDocument(page, asDocument(w, again))}},
			}, http.StatusConflict, api.ReasonConflict)
		})
		if !strings.Contains(e.Message, "Others changed") {
			t.Error(e.Message)
		}
	})
}

// TestEditRejectsInvalidDocuments sends texts as Markdown, as documents and not at all. Content that a document
// cannot represent is refused with its path.
func TestEditRejectsInvalidDocuments(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		empty := api.ContentChange{Operation: api.InsertPage, Title: api.Some("Empty"), Document: &api.Document{}}
		page := w.Change(ref, empty).Changes[0].Page.ID
		servertest.Equal(t, "an empty page", "", *w.DraftPage(ref, page).Markdown)
		d := documentOf(w, ref, page)
		servertest.Equal(t, "no nodes", 0, len(d.Nodes))
		w.Must(json.Unmarshal([]byte(`{"object":"document","data":{"schemaVersion":1},"nodes":[{"object":"block","type":"hint","data":{"style":"info"},"nodes":[
			{"object":"block","type":"paragraph","nodes":[{"object":"text","leaves":[{"object":"leaf","text":"Mind","marks":[]}]}]}]}]}`), &d))
		w.Change(ref, updateDocument(page, asDocument(w, d)))
		const hint = "{% hint style=\"info\" %}\nMind\n{% endhint %}\n"
		servertest.Equal(t, "written", hint, *w.DraftPage(ref, page).Markdown)
		w.Change(ref, updateDocument(page, &api.Document{}))
		servertest.Equal(t, "left as it is", hint, *w.DraftPage(ref, page).Markdown)

		d.Nodes[0].Type = "odd"
		w.ChangeRefused(ref, "changes[0].document.document.nodes[0].type", updateDocument(page, asDocument(w, d)))
		d = documentOf(w, ref, page)
		d.Data.Evaluated = true
		w.ChangeRefused(ref, "changes[0].document.document.data.evaluated", updateDocument(page, asDocument(w, d)))
		d.Data.Evaluated, d.Data.Text = false, "a+b"
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
				ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{updateDocument(page, asDocument(w, d))}},
			}, http.StatusConflict, api.ReasonConflict)
		})
		w.ChangeRefused(ref, "changes[0].document.document",
			updateDocument(page, &api.Document{Markdown: api.Some("x"), Document: api.JSONObject(`{}`)}))
		d = documentOf(w, ref, page)
		d.Nodes = []api.DocumentNode{}
		w.Change(ref, updateDocument(page, asDocument(w, d)))
		servertest.Equal(t, "emptied", "", *w.DraftPage(ref, page).Markdown)
	})
}
