package imports_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/objects"
)

// A page whose imported text is recorded as lost by a repair is imported again from its changed source, and the edits of users
// since then are kept.
func TestReimportAfterLossOfImportedText(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	f := newFolder(w, map[string]string{"a.md": threeParts, "b.md": "# B\n\nAnother page.\n"})
	f.reimport(nil)
	page := f.page("A").ID
	heads, err := w.Store.LoadHeads(t.Context(), w.Org, f.space)
	w.Must(err)
	tree, err := revision.New(w.Store, 1<<20).Tree(t.Context(), w.Store.Content(f.space), heads[f.space].Pages)
	w.Must(err)
	text := tree.Page(page).Text
	f.edit(servertest.Write(page, "First part of the page.\n\nWritten by a person.\n"))
	removeObject(f.space, text)
	w.Must(w.Store.ReplaceLost(t.Context(), f.space, map[string]objects.Placeholder{text: {}}))
	w.Serve()
	f.texts["a.md"] = "# A\n\nFirst part of the page.\n\nFourth part of the page.\n"
	f.texts["b.md"] = "# B\n\nAnother page, changed.\n"
	response := servertest.Try(w, "editor", api.ImportContent, f.input(nil))
	if !servertest.Succeeded(response) {
		t.Fatalf("answer %d %s", response.Status, response.Body)
	}
	if got := w.PageText(f.space, page); !strings.Contains(got, "Written by a person.") {
		t.Errorf("text %q; %s", got, response.Body)
	}
	if got := w.PageText(f.space, f.page("B").ID); !strings.Contains(got, "Another page, changed.") {
		t.Errorf("text of the other page %q", got)
	}
}
