package imports_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestImportedTitlesAreCleaned checks that the title derived from a page's text is cleaned, not the text, and that an
// import reports the removed characters.
func TestImportedTitlesAreCleaned(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	text := "# In\u202evoice\u0085\n\nText.\n"
	w.Web[servertest.ImportURL] = text
	result := servertest.Do(w, "admin", api.ImportContent, api.ImportInput{
		Space: s.Notes, Body: api.Import{URL: servertest.ImportURL, Source: api.ImportMarkdown},
	})
	if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "title") {
		t.Errorf("notes %q", result.Notes)
	}
	page := servertest.Do(w, "admin", api.GetContentPageByPath, api.PagePathInput{
		Space: s.Notes, PagePath: "page", PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	servertest.Equal(t, "title", "Invoice", page.Title)
	servertest.Equal(t, "text", text, *page.Markdown)
}
