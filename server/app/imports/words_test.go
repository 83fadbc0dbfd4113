package imports_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// appendedText is appended to each of manualPages, which have tables, nested lists and code: words next to content that no
// document node represents completely.
const appendedText = "\nWords nearby a [broken link](gone-away.html#nowhere) stay.\n\n" +
	"Words around<a name=\"marker\"></a> an anchor stay.\n\n" +
	"Words before a [link by reference][there] stay, as do those thereafter.\n\n<!-- a remark -->\n\n" +
	"- an outer item\n  * a deeper item, with *marks*\n    and a twofold line\n\n[there]: https://example.com/there \"Title\"\n\n" +
	"Others write 0.\n"

var manualPages = []string{"library/string.html", "library/argparse.html", "reference/lexical_analysis.html", "howto/logging.html"}

// leaf is a text of a document and the kind of block that contains it.
type leaf struct {
	kind string
	text *string
}

var wordPattern = regexp.MustCompile(`\b[a-z]{5,}\b`)

// othersPattern matches the sentence that another user changes between the reads and the writes of a document.
var othersPattern = regexp.MustCompile(`Others write \d+\.`)

// leavesOf returns all leaves of a document in order.
func leavesOf(d *api.JSONDocument) (all []leaf) {
	var walk func(nodes []api.DocumentNode, kind string, depth int)
	walk = func(nodes []api.DocumentNode, kind string, depth int) {
		for i := range nodes {
			n, in, depth := &nodes[i], kind, depth
			switch {
			case strings.HasPrefix(n.Type, "list-"):
				if n.Type == "list-item" {
					depth++
				}
				in = fmt.Sprintf("list %d deep", depth)
			case n.Type == "table":
				in = "cell"
			case n.Type == "link", n.Object == "block" && n.Type != "paragraph":
				in = n.Type
			}
			for j := range n.Leaves {
				all = append(all, leaf{in, &n.Leaves[j].Text})
			}
			walk(n.Nodes, in, depth)
			walk(n.Fragments, in, depth)
		}
	}
	walk(d.Nodes, "paragraph", 0)
	return all
}

// appendedWords maps words of appendedText to descriptions of their positions.
var appendedWords = map[string]string{
	"nearby": "next to a broken link", "around": "next to an anchor", "thereafter": "next to a link by reference",
	"twofold": "in an item below one",
}

// wordLocation is a word to change and the index of its leaf.
type wordLocation struct {
	leaf       int
	kind, word string
}

// wordLocations returns words in every kind of block of a document, at most three of each.
func wordLocations(d *api.JSONDocument) (found []wordLocation) {
	count := map[string]int{}
	for i, l := range leavesOf(d) {
		for word, kind := range appendedWords {
			if strings.Contains(*l.text, word) {
				found = append(found, wordLocation{i, kind, word})
			}
		}
		if word := wordPattern.FindString(*l.text); word != "" && count[l.kind] < 3 && !strings.Contains(*l.text, "://") {
			count[l.kind]++
			found = append(found, wordLocation{i, l.kind, word})
		}
	}
	return found
}

// pageEditor reads a page of the manual as a document, changes a word and sends it back.
type pageEditor struct {
	w    *servertest.World
	ref  api.ChangeRequestRef
	page string
}

func (r pageEditor) document() *api.JSONDocument {
	r.w.T.Helper()
	in := api.ChangeRequestPageInput{ChangeRequestRef: r.ref, Page: r.page, PageOptions: api.PageOptions{Format: api.FormatDocument}}
	return servertest.Do(r.w, "editor", api.GetChangeRequestContentPage, in).Document
}

func (r pageEditor) send(d *api.JSONDocument) {
	r.w.T.Helper()
	data, err := json.Marshal(d)
	r.w.Must(err)
	r.w.Change(r.ref, api.ContentChange{Operation: api.UpdatePage, Page: r.page, Document: &api.Document{Document: data}})
}

// addComments creates comments on blocks all over the page and returns their number.
func (r pageEditor) addComments() (count int) {
	r.w.T.Helper()
	shown := r.w.DraftPage(r.ref, r.page)
	for i := 0; i < len(shown.Blocks); i += max(1, len(shown.Blocks)/12) {
		servertest.Do(r.w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: r.ref, Body: api.CommentCreate{Page: r.page, Node: shown.Blocks[i].ID, Body: servertest.CommentBody("Here?")},
		})
		count++
	}
	return count
}

// anchors returns the ids of the commented blocks by comment.
func (r pageEditor) anchors() map[string]string {
	r.w.T.Helper()
	in := api.ListChangeRequestCommentsInput{ChangeRequestRef: r.ref}
	in.Limit = api.Some(1000)
	at := map[string]string{}
	for _, c := range servertest.Do(r.w, "editor", api.ListChangeRequestComments, in).Items {
		at[c.ID] = c.Target.Anchor.Node
	}
	return at
}

// difference returns the parts of two texts between their common prefix and their common suffix.
func difference(was, is string) (old, next string) {
	from := 0
	for from < len(was) && from < len(is) && was[from] == is[from] {
		from++
	}
	suffix := 0
	for suffix < len(was)-from && suffix < len(is)-from && was[len(was)-1-suffix] == is[len(is)-1-suffix] {
		suffix++
	}
	return was[from : len(was)-suffix], is[from : len(is)-suffix]
}

// TestEditChangesOnlyEditedWords changes words of a real manual in documents and writes them back: nothing else
// changes, comments stay attached, and concurrent edits are kept.
//
//wsd:serial
func TestEditChangesOnlyEditedWords(t *testing.T) {
	if _, err := os.Stat(filepath.Join(siteDirectory, manualPages[0])); err != nil {
		if os.Getenv(requireSiteEnv) == "1" {
			t.Fatalf("%s=1, but the site is not there: %v", requireSiteEnv, err)
		}
		t.Skip("no documentation site found (package python3.11-doc)")
	}
	t.Parallel()
	web := httptest.NewServer(http.FileServer(http.Dir(siteDirectory)))
	t.Cleanup(web.Close)
	w := servertest.NewWorld(t, storetest.Memory())
	w.AllowLoopback()
	changed := map[string]int{}
	for _, file := range manualPages {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: ref, Body: api.Import{URL: web.URL + "/" + file, Source: api.ImportHTML},
		})
		pages := servertest.Do(w, "editor", api.GetChangeRequestContent, api.ChangeRequestContentInput{ChangeRequestRef: ref}).Pages
		r := pageEditor{w, ref, pages[len(pages)-1].ID}
		w.Change(ref, servertest.Write(r.page, *w.DraftPage(ref, r.page).Markdown+appendedText))
		for kind, n := range r.changeWords(file) {
			changed[kind] += n
		}
	}
	for _, kind := range []string{
		"paragraph", "heading-1", "cell", "list 2 deep", "link", "code-line", "next to a broken link", "next to an anchor",
		"next to a link by reference", "in an item below one",
	} {
		if changed[kind] == 0 {
			t.Errorf("no word was changed in a place of kind %q", kind)
		}
	}
	w.WantClean()
}

// changeWords changes one word after the other. Before every second one is sent, another user edits the page.
func (r pageEditor) changeWords(file string) (kinds map[string]int) {
	r.w.T.Helper()
	comments := r.addComments()
	places := r.anchors()
	servertest.Equal(r.w.T, file+": comments", comments, len(places))
	kinds = map[string]int{}
	for i, at := range wordLocations(r.document()) {
		d, was := r.document(), *r.w.DraftPage(r.ref, r.page).Markdown
		text := leavesOf(d)[at.leaf].text
		if !strings.Contains(*text, at.word) {
			continue // the leaf lost this word when another of its words was changed
		}
		if i%2 == 1 { // an edit that the reader has not seen
			was = othersPattern.ReplaceAllString(was, fmt.Sprintf("Others write %d.", i))
			r.w.Change(r.ref, servertest.Write(r.page, was))
		}
		*text = strings.Replace(*text, at.word, "QZXQ", 1)
		r.send(d)
		old, next := difference(was, *r.w.DraftPage(r.ref, r.page).Markdown)
		if old != at.word || next != "QZXQ" {
			r.w.T.Errorf("%s, %s: %q became %q in the place of %q", file, at.kind, old, next, at.word)
		}
		for id, block := range r.anchors() {
			if places[id] != block {
				r.w.T.Errorf("%s, %s: a comment went from %s to %s", file, at.kind, places[id], block)
			}
		}
		kinds[at.kind]++
	}
	r.w.T.Logf("%s, %d comments: words changed %v", file, comments, kinds)
	return kinds
}
