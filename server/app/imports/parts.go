package imports

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/divide"
)

// A page that exceeds the maximum size of a page is divided into parts. All parts have the same source path. The first
// is at the page's own position; the others follow as its children.

// split divides a page into parts that do not exceed the importer's limit. earlier has the parts of the last import.
func (s *Service) split(page *importer.Page, earlier []divide.PreviousPart) []importer.Part {
	return importer.SplitPage(page, s.Importer.MaxPageText(), earlier)
}

// splitPages splits pages that are too large or were split by the last import. A part is matched with an existing one
// that begins with the same heading or has most of its blocks.
func (u *update) splitPages(ctx context.Context, same map[string]string) error {
	var pages []*incomingPage
	for _, a := range u.pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		pages = append(pages, a)
		known := u.otherParts(a)
		earlier, err := u.earlierParts(ctx, a, known)
		if err != nil {
			return err
		}
		whole := *a.Page
		whole.Markdown = a.markdown
		parts := u.assignParts(a, u.split(&whole, earlier), known, same)
		if err := u.matchPartsByText(ctx, same, parts, known); err != nil {
			return err
		}
		pages = append(pages, parts...)
	}
	u.pages = pages
	return nil
}

// otherParts returns the last imported parts of a page except the first, in order.
func (u *update) otherParts(a *incomingPage) []*revision.Page {
	if was := u.last.pages[a.id]; was != nil {
		return u.last.partsOf(was.Origin.Path)
	}
	return u.last.partsOf(a.path)
}

// partsOf returns the parts of a document except the first, in order.
func (l lastImport) partsOf(at string) (parts []*revision.Page) {
	for _, id := range l.parts[at] {
		parts = append(parts, l.pages[id])
	}
	slices.SortFunc(parts, func(a, b *revision.Page) int {
		return cmp.Or(strings.Compare(a.Order, b.Order), strings.Compare(a.ID, b.ID))
	})
	return parts
}

// earlierParts returns the last imported parts of a page with their texts, the first part first.
func (u *update) earlierParts(ctx context.Context, a *incomingPage, known []*revision.Page) (earlier []divide.PreviousPart, err error) {
	first := u.last.pages[a.id]
	if len(known) == 0 || len(a.markdown) == 0 {
		return nil, nil
	}
	if first == nil {
		first = &revision.Page{ID: a.id, Origin: &revision.Origin{}}
	}
	for _, p := range append([]*revision.Page{first}, known...) {
		t, err := u.baseText(ctx, p)
		if err != nil {
			return nil, err
		}
		earlier = append(earlier, divide.PreviousPart{Key: p.Origin.Part, Markdown: t.Markdown})
	}
	return earlier, nil
}

// assignParts gives a page the text of its first part, and returns the other parts.
func (u *update) assignParts(first *incomingPage, parts []importer.Part, known []*revision.Page,
	same map[string]string,
) (others []*incomingPage) {
	ids := map[string]string{}
	for _, p := range slices.Backward(known) {
		ids[p.Origin.Part] = p.ID
	}
	for n, p := range parts {
		if n == 0 {
			first.Page, first.markdown, first.aliases = p.Page, p.Markdown, p.Aliases
			continue
		}
		p.ID = u.newID("p_")
		a := &incomingPage{
			Page: p.Page, id: p.ID, parent: partsParent(first), topParent: u.parent, path: first.path,
			part: p.Divided.Key, markdown: p.Markdown,
			aliases: p.Aliases,
		}
		if id := ids[p.Divided.PreviousKey]; id != "" {
			u.last.claimed[id], same[a.ID], a.id = true, id, id
		}
		others = append(others, a)
	}
	if said := importer.SplitNote(parts); said != "" {
		u.note("%s: %s", first.Source, said)
	}
	return others
}

// partsParent returns the parent of the other parts: the first part, or its parent if that is at the maximum depth.
func partsParent(first *incomingPage) *incomingPage {
	depth := 0
	for at := first; at != nil; at = at.parent {
		depth++
	}
	if depth >= revision.MaxPageDepth {
		return first.parent
	}
	return first
}

// matchPartsByText matches parts that begin with another heading now.
func (u *update) matchPartsByText(ctx context.Context, same map[string]string, parts []*incomingPage, known []*revision.Page) error {
	fresh := slices.DeleteFunc(slices.Clone(parts), func(a *incomingPage) bool { return !a.isNew() })
	gone := slices.DeleteFunc(slices.Clone(known), func(p *revision.Page) bool { return u.last.claimed[p.ID] || p.Text == "" })
	return u.matchPagesByBlocks(ctx, same, fresh, singletons(gone))
}

// isDissolved reports whether a page was a part that its document does not have any more. Its text is in the other
// parts.
func (u *update) isDissolved(id string) bool {
	p := u.last.pages[id]
	return p.Origin.Part != "" && !u.last.claimed[id] && slices.ContainsFunc(u.last.pagePaths[p.Origin.Path], func(first string) bool {
		return u.last.claimed[first] && !u.held[first]
	})
}

// isHeldPart reports whether a page was a part of a held document. Its text is not in the other parts yet.
func (u *update) isHeldPart(id string) bool {
	p := u.last.pages[id]
	return p.Origin.Part != "" && slices.ContainsFunc(u.last.pagePaths[p.Origin.Path], func(first string) bool { return u.held[first] })
}

// documentParts returns the parts of a page's document. A conflict in one part keeps all of them unchanged, because a text
// that moved between parts would be duplicated or lost.
func (u *update) documentParts(id string) (ids []string) {
	at := ""
	for _, a := range u.pages {
		if a.id == id {
			at = a.path
		}
	}
	for _, a := range u.pages {
		if a.id == id || a.path == at && at != "" {
			ids = append(ids, a.id)
		}
	}
	return ids
}

// slugOrder returns the incoming pages in the order in which they get slugs: second and later parts of divided pages come last.
func (u *update) slugOrder() []*incomingPage {
	pages := slices.Clone(u.pages)
	slices.SortStableFunc(pages, func(a, b *incomingPage) int { return cmp.Compare(min(len(a.part), 1), min(len(b.part), 1)) })
	return pages
}

// onlyOtherPartsChanged reports whether the text of a part is unchanged although its document has changed.
func onlyOtherPartsChanged(p, was *revision.Page) bool {
	if was == nil || was.Origin == nil || p.Text != was.Text || p.Blocks != was.Blocks {
		return false
	}
	alike := *p.Origin
	alike.OID = was.Origin.OID
	return alike.EqualImport(was.Origin)
}
