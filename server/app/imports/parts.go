package imports

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/revision"
)

// A page that is too large for one is split when it comes, and its parts are pages with one path in the source. The first
// is at the page's own place; the others stand below it, as the chapters of a document do.

// split cuts a page by what the importer lets a page have.
func (s *Service) split(page *importer.Page, earlier []importer.Earlier) []importer.Part {
	return importer.SplitPage(page, s.Importer.PageText(), earlier)
}

// splitPages splits what is too large, and again what was split the last time. A part that begins where one of here
// began, or that has most of its blocks, is that one.
func (u *update) splitPages(ctx context.Context, same map[string]string) error {
	var pages []*arrival
	for _, a := range u.pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		pages = append(pages, a)
		known := u.partsBefore(a)
		earlier, err := u.earlierParts(ctx, a, known)
		if err != nil {
			return err
		}
		whole := *a.Page
		whole.Markdown = a.markdown
		parts := u.takeParts(a, u.split(&whole, earlier), known, same)
		if err := u.partsByText(ctx, same, parts, known); err != nil {
			return err
		}
		pages = append(pages, parts...)
	}
	u.pages = pages
	return nil
}

// partsBefore are the parts of a page beside the first, as its last import brought them, in their order.
func (u *update) partsBefore(a *arrival) []*revision.Page {
	if was := u.before.pages[a.id]; was != nil {
		return u.before.partsOf(was.Origin.Path)
	}
	return u.before.partsOf(a.path)
}

// partsOf are the parts of a document beside the first, in their order.
func (b brought) partsOf(at string) (parts []*revision.Page) {
	for _, id := range b.parts[at] {
		parts = append(parts, b.pages[id])
	}
	slices.SortFunc(parts, func(a, b *revision.Page) int {
		return cmp.Or(strings.Compare(a.Order, b.Order), strings.Compare(a.ID, b.ID))
	})
	return parts
}

// earlierParts are the parts of a page with the texts that came, the first before the others.
func (u *update) earlierParts(ctx context.Context, a *arrival, known []*revision.Page) (earlier []importer.Earlier, err error) {
	first := u.before.pages[a.id]
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
		earlier = append(earlier, importer.Earlier{Key: p.Origin.Part, Markdown: t.Markdown})
	}
	return earlier, nil
}

// takeParts gives a page the text of its first part, and returns the others.
func (u *update) takeParts(first *arrival, parts []importer.Part, known []*revision.Page, same map[string]string) (others []*arrival) {
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
		a := &arrival{Page: p.Page, id: p.ID, parent: below(first), below: u.below, path: first.path, part: p.Key, markdown: p.Markdown, aliases: p.Aliases}
		if id := ids[p.Was]; id != "" {
			u.before.taken[id], same[a.ID], a.id = true, id, id
		}
		others = append(others, a)
	}
	if said := importer.Note(parts); said != "" {
		u.note("%s: %s", first.Source, said)
	}
	return others
}

// below is the page that parts stand below: the first, or where that is as deep as pages may be, the one above it.
func below(first *arrival) *arrival {
	depth := 0
	for at := first; at != nil; at = at.parent {
		depth++
	}
	if depth >= revision.MaxPageDepth {
		return first.parent
	}
	return first
}

// partsByText finds parts that begin elsewhere now.
func (u *update) partsByText(ctx context.Context, same map[string]string, parts []*arrival, known []*revision.Page) error {
	fresh := slices.DeleteFunc(slices.Clone(parts), func(a *arrival) bool { return !a.isNew() })
	gone := slices.DeleteFunc(slices.Clone(known), func(p *revision.Page) bool { return u.before.taken[p.ID] || p.Text == "" })
	return u.pagesByBlocks(ctx, same, fresh, single(gone))
}

// dissolved reports whether a page was a part of a document that is there and has no such part now: what it said is in
// the others.
func (u *update) dissolved(id string) bool {
	p := u.before.pages[id]
	return p.Origin.Part != "" && !u.before.taken[id] && slices.ContainsFunc(u.before.pagePaths[p.Origin.Path], func(first string) bool {
		return u.before.taken[first] && !u.held[first]
	})
}

// waits reports whether a page was a part of a document that is held: what it says is not in the others yet.
func (u *update) waits(id string) bool {
	p := u.before.pages[id]
	return p.Origin.Part != "" && slices.ContainsFunc(u.before.pagePaths[p.Origin.Path], func(first string) bool { return u.held[first] })
}

// together are the pages that are held with one: the parts of its document. A text that went from one of them to another
// would be there twice otherwise, or not at all.
func (u *update) together(id string) (ids []string) {
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

// partsLast are the pages that came, for the choice of slugs: parts of others take what is left.
func (u *update) partsLast() []*arrival {
	pages := slices.Clone(u.pages)
	slices.SortStableFunc(pages, func(a, b *arrival) int { return cmp.Compare(min(len(a.part), 1), min(len(b.part), 1)) })
	return pages
}

// elsewhere reports whether of a part only the rest of its document differs.
func elsewhere(p, was *revision.Page) bool {
	if was == nil || was.Origin == nil || p.Text != was.Text || p.Blocks != was.Blocks {
		return false
	}
	alike := *p.Origin
	alike.OID = was.Origin.OID
	return alike.Repeats(was.Origin)
}
