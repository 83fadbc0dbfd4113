package resolve

import (
	"path"

	"docspace.dev/wsd/server/text/content"
)

// A large page is split into parts when it is imported. All parts have the same path in the source: the path alone
// refers to the first part, and a fragment to the part that contains it.

// addParts completes the lists of parts of split documents. If the first part was deleted, the next one takes its
// role.
func (r *Resolver) addParts() {
	for _, of := range r.sources {
		for at, parts := range of.parts {
			if first := of.pages.first[at]; first != "" {
				of.parts[at] = append([]string{first}, parts...)
				continue
			}
			of.pages.add(at, parts[0])
			if name := path.Base(at); !content.IsDirectoryPage(name) {
				of.pageNames.add(name, parts[0])
				r.all.pageNames.add(name, parts[0])
			}
		}
	}
}

// WithAnchors returns a copy of the resolver that resolves fragments to the parts of split pages. anchors returns those of a
// page.
func (r *Resolver) WithAnchors(anchors func(page string) Anchors) *Resolver {
	with := *r
	with.anchors = anchors
	return &with
}

// Parts returns the parts of the document that a page belongs to, or nil if it was not split.
func (r *Resolver) Parts(page string) []string {
	p, _ := r.tree.Find(page)
	if p.Origin == nil || r.sources[p.Origin.Source] == nil {
		return nil
	}
	return r.sources[p.Origin.Source].parts[p.Origin.Path]
}

// FindPart returns the part that a fragment of a page refers to: the page itself if it has the anchor, else the first
// part that has it. A link to the first part refers to the whole document.
func (r *Resolver) FindPart(page, fragment string) string {
	if parts := r.Parts(page); len(parts) > 1 && r.anchors != nil && page != parts[0] {
		if _, ok := r.anchors(page).Find(fragment); ok {
			return page
		}
	}
	return r.findPart(page, fragment)
}

// ResolveFragment is like Resolve but also resolves the fragment to an anchor of the page. ok is false if the page has
// no such anchor. The resolver must be one returned by WithAnchors.
func (r *Resolver) ResolveFragment(from Page, destination string, isImage bool) (found Target, ok bool) {
	found, ok = r.Resolve(from, destination, isImage)
	if !ok || found.Fragment == "" {
		return found, ok
	}
	found.Fragment, ok = r.anchors(found.Page).Find(found.Fragment)
	return found, ok
}

// findPart returns the part of a document with the best match for a fragment, or page if there is none.
func (r *Resolver) findPart(page, fragment string) string {
	if fragment == "" || r.anchors == nil {
		return page
	}
	best := noAnchor
	for _, part := range r.Parts(page) {
		if _, way := r.anchors(part).find(fragment); way < best {
			best, page = way, part
		}
	}
	return page
}
