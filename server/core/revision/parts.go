package revision

import "path"

// A page that is too large for one was split where it was imported. Its parts have one path: the path alone is that of the
// first, and a fragment of any of them is one of all, as it was before.

// addParts completes the documents that were split. Where the first part is not there any more, the next stands for it.
func (r *Resolver) addParts() {
	for _, of := range r.sources {
		for at, parts := range of.parts {
			if first := of.pages.first[at]; first != "" {
				of.parts[at] = append([]string{first}, parts...)
				continue
			}
			of.pages.add(at, parts[0])
			if name := path.Base(at); !isDirectoryPage(name) {
				of.pageNames.add(name, parts[0])
				r.all.pageNames.add(name, parts[0])
			}
		}
	}
}

// WithTexts returns a resolver that leads a fragment to the part that has it, of a page that was split. texts says what
// the text of a page has.
func (r *Resolver) WithTexts(texts func(page string) PageLinks) *Resolver {
	with := *r
	with.texts = texts
	return &with
}

// Parts are the parts of the document that a page is one of; nil for one that was not split.
func (r *Resolver) Parts(page string) []string {
	p := r.tree.Page(page)
	if p == nil || p.Origin == nil || r.sources[p.Origin.Source] == nil {
		return nil
	}
	return r.sources[p.Origin.Source].parts[p.Origin.Path]
}

// Part is the part that a fragment leads to where a link names a page: that page, if it has it, else the first of the
// others that does. A link to the first means the whole document.
func (r *Resolver) Part(page, fragment string) string {
	if parts := r.Parts(page); len(parts) > 1 && r.texts != nil && page != parts[0] {
		if _, ok := r.texts(page).Anchor(fragment); ok {
			return page
		}
	}
	return r.ofDocument(page, fragment)
}

// ResolvePlace is Resolve for somebody who goes to the place that a fragment names: the fragment found is that of the
// page, and ok is false where the page has none such. The resolver has to know the texts.
func (r *Resolver) ResolvePlace(from *Page, destination string, isImage bool) (found Found, ok bool) {
	found, ok = r.Resolve(from, destination, isImage)
	if !ok || found.Fragment == "" {
		return found, ok
	}
	found.Fragment, ok = r.texts(found.Page).Anchor(found.Fragment)
	return found, ok
}

// ofDocument is the part that a fragment of a whole document leads to; the page itself where none has it.
func (r *Resolver) ofDocument(page, fragment string) string {
	if fragment == "" || r.texts == nil {
		return page
	}
	best := noAnchor
	for _, part := range r.Parts(page) {
		if _, way := r.texts(part).find(fragment); way < best {
			best, page = way, part
		}
	}
	return page
}
