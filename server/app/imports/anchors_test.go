package imports_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

const manualURL = "https://example.com/manual/"

// brokenLinks lists the destinations of broken links.
func brokenLinks(w *servertest.World, space string) (broken []string) {
	w.T.Helper()
	for _, l := range servertest.Do(w, "reader", api.ListSpaceLinks, api.ListLinksInput{Space: space}).Items {
		if l.Status != api.LinkOK {
			broken = append(broken, l.Href)
		}
	}
	slices.Sort(broken)
	return broken
}

// textAt returns the text from the anchor with the given name to the end of its line.
func textAt(w *servertest.World, space, page, name string) string {
	w.T.Helper()
	p := w.ReadPage(space, page)
	for _, block := range p.Blocks {
		if at, ok := block.Offsets[name]; ok && slices.Contains(block.Aliases, name) {
			line, _, _ := strings.Cut((*p.Markdown)[at:block.End], "\n")
			return strings.Trim(line, "*")
		}
	}
	return ""
}

// TestWebsiteAnchorsResolveAfterReimport checks that links to ids and names of a site's elements work after an import,
// after edits of their target pages, and after another import.
func TestWebsiteAnchorsResolveAfterReimport(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		start := `<html><head><title>Manual</title></head><body><main><h1>Manual</h1><p>See <a href="options.html#OPT-V">verbose</a>, ` +
			`<a href="options.html#exit">exit</a>, <a href="options.html#codes">codes</a>, <a href="options.html#sect1">options</a>, ` +
			`<a href="options.html#options">by its slug</a>, and <a href="#here">here</a>.</p><p>At last <span id="here">this place</span> is here.</p></main></body></html>`
		options := `<html><head><title>Options</title></head><body><main><div id="sect1"><h1>Options</h1>` +
			`<p>The command has some of them.</p><dl><dt id="OPT-V"><code>-v</code></dt><dd>It does. <i id="OPT-more">Says more.</i></dd></dl>` +
			`<a name="exit"></a><p>It exits with zero when all went well.</p><table id="codes"><tr><th>Code</th></tr><tr><td>One</td></tr></table></div></main></body></html>`
		w.Web["https://example.com/robots.txt"] = "User-agent: *\nAllow: /\n"
		w.Web[manualURL], w.Web[manualURL+"options.html"] = start, options
		f := newFolder(w, nil)
		in := api.ImportInput{Space: f.space, Body: api.Import{URL: manualURL, Source: api.ImportWebsite, Name: "manual"}}
		servertest.Do(w, "editor", api.ImportContent, in)
		servertest.Equal(t, "broken links", nil, brokenLinks(w, f.space))

		page := f.page("Options")
		text := *servertest.Do(w, "reader", api.GetContentPage, api.PageInput{
			Space: f.space, Page: page.ID, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		}).Markdown
		if strings.Contains(text, "OPT-V") {
			t.Errorf("names are written into the text:\n%s", text)
		}
		f.edit(servertest.Write(page.ID, "New before all.\n\n"+strings.Replace(text, "all went well", "nothing at all went wrong", 1)))
		servertest.Equal(t, "broken links after an edit", nil, brokenLinks(w, f.space))

		servertest.Equal(t, "where it leads into a block", "Says more.", textAt(w, f.space, page.ID, "OPT-more"))

		request := w.NewRequest("editor", f.space)
		back := api.ContentChange{Operation: api.RevertPage, Page: page.ID, Revision: w.ReadRequest(request).Revision}
		for _, b := range w.DraftPage(request, page.ID).Blocks {
			back.Block = append(back.Block, b.ID)
		}
		f.edit(servertest.Write(page.ID, "# Options\n"))
		request = w.NewRequest("editor", f.space)
		w.Change(request, back)
		w.MustMerge(request)
		servertest.Equal(t, "broken links after blocks were deleted and came back", nil, brokenLinks(w, f.space))

		w.Web[manualURL+"options.html"] = strings.Replace(options, `id="codes"`, `id="codes2"`, 1)
		servertest.Do(w, "editor", api.ImportContent, in)
		page = f.page("Options")
		servertest.Equal(t, "broken links after the site renamed one", []string{"/pages/" + page.ID + "#codes"}, brokenLinks(w, f.space))
		before := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: f.space}).ID
		servertest.Equal(t, "revision of an import without news", before, servertest.Do(w, "editor", api.ImportContent, in).Revision)
		w.WantClean()
	})
}
