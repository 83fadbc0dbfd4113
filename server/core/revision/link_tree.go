package revision

import (
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/resolve"
)

// NewResolver returns the resolver of destinations in a revision of a space.
func NewResolver(space string, t *Tree, files map[string]File) *resolve.Resolver {
	named := make([]resolve.File, 0, len(files))
	for _, id := range slices.Sorted(maps.Keys(files)) {
		named = append(named, resolve.File{ID: id, Name: files[id].Name, Origin: files[id].Origin.linkOrigin()})
	}
	return resolve.New(space, linkTree{t}, named)
}

// linkTree implements resolve.Tree.
type linkTree struct{ *Tree }

// Find returns the page with an id.
func (t linkTree) Find(id string) (p resolve.Page, ok bool) {
	found := t.Page(id)
	if found == nil {
		return p, false
	}
	return found.LinkSource(), true
}

// LinkSource returns the page as one whose links are resolved.
func (p *Page) LinkSource() resolve.Page {
	return resolve.Page{ID: p.ID, Slug: p.Slug, IsLink: p.Type == api.PageLink, Origin: p.Origin.linkOrigin()}
}

// linkOrigin returns the origin as that of a page or file whose links are resolved, nil for none.
func (o *Origin) linkOrigin() *resolve.Origin {
	if o == nil {
		return nil
	}
	return &resolve.Origin{Source: o.Source, Path: o.Path, Part: o.Part}
}
