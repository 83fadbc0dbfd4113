package pages_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/text/texttest"
)

// TestPDFLinks checks that links in a PDF lead to the block that the fragment names: by an id of the imported source,
// an id in the text, or a heading. A broken link is printed as text.
func TestPDFLinks(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		const address = "https://example.com/manual/"
		w.Web["https://example.com/robots.txt"] = "User-agent: *\nAllow: /\n"
		w.Web[address] = `<html><head><title>Manual</title></head><body><main><h1>Manual</h1><p><a href="options.html#OPT-V">verbose</a> ` +
			`<a href="options.html#exit-codes">heading</a> <a href="options.html#nothing">missing</a> <a href="options.html">page</a></p></main></body></html>`
		w.Web[address+"options.html"] = `<html><head><title>Options</title></head><body><main><h1>Options</h1><p>It has some.</p>` +
			`<dl><dt id="OPT-V">Dash V</dt><dd>Says more.</dd></dl><h2>Exit codes</h2><p>Zero.</p></main></body></html>`
		space := w.NewSpace().ID
		request := w.NewRequest("editor", space)
		servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
			ChangeRequestRef: request, Body: api.Import{URL: address, Source: api.ImportWebsite},
		})
		w.Change(request, servertest.SetVariables("", "intro", "New words"),
			servertest.Insert("Mine", "",
				"[timed](?t=1:30#mine), [own](#mine) and [other](#mine-1)\n\n{{ space.vars.intro }}\n\n## Mine {#mine}\n\nOne.\n\n"+
					"## Mine\n\nTwo.\n\n## Mine\n\nThree.\n"))
		w.MustMerge(request)

		leads := pdfLinks(w, api.GetSpacePDFInput{Space: space})
		for text, want := range map[string]string{
			"verbose": "• Dash V Says more.", "heading": "Exit codes Zero.", "page": "Options It has some.", "own": "Mine One.",
			"timed,": "Mine One.", "other": "Mine Two.",
		} {
			if !strings.HasPrefix(leads[text].To, want) {
				t.Errorf("%q leads to %.40q, want %q", text, leads[text].To, want)
			}
		}
		if link, ok := leads["missing"]; ok {
			t.Errorf("%q leads to %q", "missing", link.To)
		}
		pages := servertest.Do(w, "reader", api.GetContent, api.GetContentInput{Space: space}).Pages
		alone := pdfLinks(w, api.GetSpacePDFInput{Space: space, PDFOptions: api.PDFOptions{Page: pages[0].ID, Only: api.Some(true)}})
		if got := alone["verbose"].URL; !strings.HasSuffix(got, "#OPT-V") {
			t.Errorf("a link out of the PDF leads to %q", got)
		}
		if link, ok := alone["missing"]; ok {
			t.Errorf("%q leads to %q", "missing", link.URL)
		}
	})
}

// pdfLinks returns the links of a PDF by their text.
func pdfLinks(w *servertest.World, in api.GetSpacePDFInput) map[string]texttest.Link {
	w.T.Helper()
	pdf := servertest.Do(w, "reader", api.GetSpacePdf, in)
	a := w.Call("", http.MethodGet, strings.TrimPrefix(pdf.URL, servertest.PublicURL), nil, http.StatusOK)
	links := map[string]texttest.Link{}
	for _, link := range texttest.Links(w.T, a.Body) {
		links[link.Text] = link
	}
	return links
}

// TestPDFOfDuplicateLinksToOriginal checks that the link pages in the PDF of a duplicate lead to the space that they name, even
// if a page of the duplicate has the same id.
func TestPDFOfDuplicateLinksToOriginal(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		original, page := w.NewSpaceWithPage("# Guide\n\nText.\n")
		duplicate := servertest.Do(w, "creator", api.DuplicateSpace, api.SpaceRef{Space: original}).ID
		linkPage := func(title string, to api.ContentRef) api.ContentChange {
			return api.ContentChange{Operation: api.InsertPage, Type: api.PageLink, Title: api.Some(title), Target: &to}
		}
		request := w.NewRequest("editor", duplicate)
		made := w.Change(request,
			linkPage("Original", api.ContentRef{Kind: api.RefPage, Space: original, Page: page}),
			linkPage("Web", api.ContentRef{Kind: api.RefURL, URL: "https://example.com/"}),
		)
		w.MustMerge(request)
		for i, want := range []string{servertest.PublicURL + "/app/pages/" + original + "~" + page, "https://example.com/"} {
			id := made.Changes[i].Page.ID
			links := pdfLinks(w, api.GetSpacePDFInput{Space: duplicate, PDFOptions: api.PDFOptions{Page: id, Only: api.Some(true)}})
			if !slices.ContainsFunc(slices.Collect(maps.Values(links)), func(l texttest.Link) bool { return l.URL == want }) {
				t.Errorf("%s leads to %+v, want %s", w.ReadPage(duplicate, id).Title, links, want)
			}
		}
	})
}
