package importer

import (
	"docspace.dev/wsd/server/text/divide"
)

// Part is a part of a divided page. The first is the page itself; the others are its children, in order.
type Part struct {
	*Page

	Divided divide.Part // where it was cut
}

// SplitPage divides a page as divide.Parts does. It returns nil if the page is not divided.
func SplitPage(page *Page, size int, earlier []divide.PreviousPart) []Part {
	divided := divide.Parts(divide.Text{Title: page.Title, Markdown: page.Markdown, Aliases: page.Aliases}, size, earlier)
	var parts []Part
	taken := slugSet{}
	for n, d := range divided {
		p := *page
		if n > 0 {
			p = Page{Source: page.Source, Path: page.Path, OID: page.OID, Title: d.Title, RequestedSlug: firstSlug(d.Title)}
			p.Slug = taken.Take(p.RequestedSlug)
		}
		p.Markdown, p.Aliases = page.Markdown[d.Start:d.End:d.End], d.Aliases
		parts = append(parts, Part{&p, d})
	}
	return parts
}

// SplitNote returns a sentence about how a page was divided, or "" if it was divided at headings only.
func SplitNote(parts []Part) string {
	var divided []divide.Part
	for _, p := range parts {
		divided = append(divided, p.Divided)
	}
	return divide.Note(divided)
}
