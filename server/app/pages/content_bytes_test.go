package pages_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// texts maps names to Markdown samples that careless processing could change.
var texts = map[string]string{
	"empty":             "",
	"only white space":  " \n\t\n  ",
	"no final newline":  "# Title\n\nText",
	"CRLF":              "# Title\r\n\r\nLine\r\nline\r\n",
	"CR":                "# Title\r\rLine\rline\r",
	"mixed ends":        "one\r\ntwo\nthree\rfour",
	"front matter":      "---\ntitle: Other\ndescription: x\n---\n\nText\n",
	"BOM":               "\ufeff# Title\n",
	"tabs":              "\tcode\n\n-\titem\n\t-\tnested\n",
	"U+2028":            "a\u2028b\u2029c\u0085d\n",
	"script":            "</script><!-- & < > \\u0000 \" ' -->\n",
	"emoji":             "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 \U0010FFFF\n",
	"control":           "a\x01b\x1bc\x7fd\x0ce\x0bf\n",
	"trailing spaces":   "hard  \nbreak   \n\n\n\n\n",
	"replacement":       "\ufffd is not an error\n",
	"open fence":        "```go\nfunc main() {\n",
	"links to refs":     "[a](/pages/none) [b](/files/none#x)\n",
	"one mebibyte":      strings.Repeat("0123456789abcde\n", 1<<16),
	"one long line":     strings.Repeat("x", 1<<20),
	"ten thousand less": strings.Repeat("p\n\n", 9_999),
}

// TestMarkdownRoundTrip checks that sent Markdown is returned byte for byte, from the change request and from the
// space.
func TestMarkdownRoundTrip(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		pages := map[string]string{}
		for _, name := range servertest.SortedKeys(texts) {
			pages[name] = w.InsertPage(ref, servertest.NewPage(name, texts[name]))
		}
		w.MustMerge(ref)
		for name, page := range pages {
			if got := *w.DraftPage(ref, page).Markdown; got != texts[name] {
				t.Errorf("%s: the change request has %.60q, want %.60q", name, got, texts[name])
			}
			shown := w.ReadPage(ref.Space, page)
			if *shown.Markdown != texts[name] {
				t.Errorf("%s: the space has %.60q, want %.60q", name, *shown.Markdown, texts[name])
			}
			checkBlockCoverage(t, name, shown)
		}
	})
}

// checkBlockCoverage fails the test unless the blocks of a page cover its text without gaps.
func checkBlockCoverage(t *testing.T, name string, p api.RevisionPage) {
	t.Helper()
	end := 0
	for _, b := range p.Blocks {
		if b.Start != end || b.End <= b.Start {
			t.Errorf("%s: block %s is %d..%d, the one before ends at %d", name, b.ID, b.Start, b.End, end)
		}
		end = b.End
	}
	if end != len(*p.Markdown) {
		t.Errorf("%s: the blocks end at %d of %d", name, end, len(*p.Markdown))
	}
}

// TestMarkdownRoundTripRapid updates one page with random texts.
//
//wsd:serial
func TestMarkdownRoundTripRapid(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		page := w.InsertPage(ref, servertest.NewPage("Page", "begin\n"))
		rapid.Check(t, func(r *rapid.T) {
			parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{
				"\r\n", "\r", "\n", "\n\n", "# ", "- ", "\t", "```\n", "---\n", "    ", "> ", "|", "{% hint %}\n", "{% endhint %}\n",
				"<div>\n", "[a]: b\n",
			}), rapid.StringOf(rapid.Rune())), 0, 20).Draw(r, "parts")
			text := strings.ReplaceAll(strings.Join(parts, ""), "\x00", "")
			w.Change(ref, servertest.Write(page, text))
			if got := *w.DraftPage(ref, page).Markdown; got != text {
				r.Fatalf("got %q, want %q", got, text)
			}
		})
	})
}

// FuzzMarkdownRoundTrip checks that valid text is returned unchanged and that invalid text is refused with its
// position.
func FuzzMarkdownRoundTrip(f *testing.F) {
	for _, name := range servertest.SortedKeys(texts) {
		if len(texts[name]) < 1000 {
			f.Add(texts[name])
		}
	}
	f.Add("a\x00b")
	f.Fuzz(func(t *testing.T, text string) {
		w := servertest.NewWorld(t, storetest.Memory())
		ref := w.NewRequest("editor", w.NewSpace().ID)
		a := servertest.Try(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
			ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{servertest.NewPage("Page", text)}},
		})
		text = strings.ToValidUTF8(text, "\ufffd") // as encoding/json encodes it
		if a.Status != 200 {
			if a.Status != 422 || !strings.Contains(text, "\x00") && len(text) < 1<<20 {
				t.Fatalf("%q: %d %s", text, a.Status, a.Body)
			}
			return
		}
		var made api.ContentResult
		w.Must(json.Unmarshal(a.Body, &made))
		if got := *w.DraftPage(ref, made.Changes[0].Page.ID).Markdown; got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	})
}

// TestEditRejectsInvalidText checks that invalid text is refused with the position of the error.
func TestEditRejectsInvalidText(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		for name, test := range map[string]struct{ text, says string }{
			"NUL":             {"abc\x00def", "3"},
			"too long":        {strings.Repeat("x", 1<<20+1), "1048576"},
			"too many blocks": {strings.Repeat("p\n\n", 10_001), "10000"},
		} {
			e := w.ChangeRefused(ref, "changes[0].document.markdown", servertest.NewPage("Page", test.text))
			if !strings.Contains(strings.ReplaceAll(e.Message, ",", ""), test.says) {
				t.Errorf("%s: %q does not say %s", name, e.Message, test.says)
			}
		}
		path := contentPath(ref)
		for name, test := range map[string]struct{ literal, says string }{
			"not UTF-8":            {"ab\xffcd", "not UTF-8"},
			"high surrogate alone": {`ab\ud800cd`, "surrogate"},
			"low surrogate alone":  {`ab\udc00cd`, "surrogate"},
		} {
			body := []byte(`{"changes":[{"operation":"insert_page","document":{"markdown":"` + test.literal + `"}}]}`)
			w.WantUntouched(func() api.Error {
				a := w.Call("editor", "POST", path, body, 400)
				if !strings.Contains(a.Error().Message, test.says) || !strings.Contains(a.Error().Message, "byte ") {
					t.Errorf("%s: %s", name, a.Error().Message)
				}
				return a.Error()
			})
		}
	})
}

// TestEditLimitsTextOfRequest checks that the texts of one request together have at most edit-text bytes, whether they are Markdown
// or documents, of pages or of reusable contents.
func TestEditLimitsTextOfRequest(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		most := int(budgets.Defaults().EditText)
		var changes []api.ContentChange
		for len(changes) < most>>20 {
			changes = append(changes, servertest.NewPage("Page", strings.Repeat("x", 1<<20)))
		}
		w.Change(ref, changes...)
		w.ChangeRefused(ref, "changes[4].document", append(slices.Clip(changes), servertest.NewPage("Page", "x"))...)
		w.ChangeRefused(ref, "changes[4].document", append(slices.Clip(changes), api.ContentChange{
			Operation: api.InsertReusableContent, Title: api.Some("Note"),
			Document: &api.Document{Markdown: api.Some("x")},
		})...)
		w.ChangeRefused(ref, "changes[4].document", append(slices.Clip(changes), api.ContentChange{
			Operation: api.InsertPage, Title: api.Some("Document"),
			Document: &api.Document{Document: api.JSONObject(`{"object":"document","nodes":[]}`)},
		})...)
		page := servertest.NewPage("Page", strings.Repeat("*a ", 125_000))
		w.Change(ref, page, page)
		w.ChangeRefused(ref, "changes[0].document", servertest.NewPage("Page", strings.Repeat("|b", 250_001)))
		w.ChangeRefused(ref, "changes[2].document", page, page, servertest.NewPage("Page", "*"))
	})
}

// contentPath returns the path of a change request's content.
func contentPath(ref api.ChangeRequestRef) string {
	return "/v1/spaces/" + ref.Space + "/change-requests/" + ref.ChangeRequest + "/content"
}

// TestEditKeepsBlockIDs checks that after inserting a paragraph and editing a block all other blocks keep their ids.
func TestEditKeepsBlockIDs(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		text := "# Title\n\nThe first paragraph.\n\n- one\n- two\n\nThe last paragraph.\n"
		page := w.InsertPage(ref, servertest.NewPage("Page", text))
		ids := func() (ids []string) {
			for _, b := range w.DraftPage(ref, page).Blocks {
				ids = append(ids, b.ID)
			}
			return ids
		}
		before := ids()
		w.Change(ref, servertest.Write(page, strings.Replace(text, "The first", "A new one above.\n\nThe first", 1)))
		after := ids()
		servertest.Equal(t, "blocks that were there", before, slices.Delete(slices.Clone(after), 1, 2))
		w.Change(ref, servertest.Write(page, strings.Replace(text, "The first paragraph", "The first paragraph with more words", 1)))
		servertest.Equal(t, "blocks after an edit", before, ids())
		w.MustMerge(ref)
		var merged []string
		for _, b := range w.ReadPage(ref.Space, page).Blocks {
			merged = append(merged, b.ID)
		}
		servertest.Equal(t, "blocks after the merge", before, merged)
	})
}
