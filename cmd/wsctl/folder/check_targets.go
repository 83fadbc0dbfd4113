package folder

import (
	"maps"
	"path"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/resolve"
)

// plannedIDs begins the ids of pages and files that do not exist yet, so that no destination names one of them by its id.
const plannedIDs = "\x00"

// plannedTree is the page tree of a space after a push. It implements resolve.Tree.
type plannedTree struct {
	pages    map[string]resolve.Page
	titles   map[string]string
	paths    map[string]string
	children map[string][]string
}

// Find returns the page with an id.
func (t *plannedTree) Find(id string) (p resolve.Page, ok bool) {
	p, ok = t.pages[id]
	return p, ok
}

// Children returns the ids of the children of a page in reading order.
func (t *plannedTree) Children(parent string) []string { return t.children[parent] }

// Path returns the slugs from the root to a page.
func (t *plannedTree) Path(id string) string { return t.paths[id] }

// linkTargets finds the targets of destinations in the texts of a folder.
type linkTargets struct {
	resolver *resolve.Resolver
	tree     *plannedTree
	byPath   map[string]resolve.Page // pages by path in the folder
}

// newTargets returns the targets of links in the folder, as they are after a push to an empty space.
func (c *checker) newTargets() *linkTargets {
	t := &linkTargets{
		tree:   &plannedTree{map[string]resolve.Page{}, map[string]string{}, map[string]string{}, map[string][]string{}},
		byPath: map[string]resolve.Page{},
	}
	origin := func(at string) *resolve.Origin { return &resolve.Origin{Source: c.folder.Config.Name, Path: at} }
	planned := func(id string) string {
		if id == "" {
			return ""
		}
		return plannedIDs + id
	}
	for _, p := range c.plan.pages.list(nil) {
		id, parent := planned(p.ID), planned(p.Parent)
		page := resolve.Page{ID: id, Slug: p.Slug, IsLink: p.Type == api.PageLink}
		if p.Path != "" {
			page.Origin = origin(p.Path)
			if _, isPart := t.byPath[p.Path]; isPart {
				page.Origin.Part = id
			} else {
				t.byPath[p.Path] = page
			}
		}
		t.tree.pages[id], t.tree.titles[id] = page, p.Title
		t.tree.paths[id] = path.Join(t.tree.paths[parent], page.Slug)
		t.tree.children[parent] = append(t.tree.children[parent], id)
	}
	var files []resolve.File
	for _, at := range slices.Sorted(maps.Keys(c.scan.Files)) {
		if !isText(at) {
			files = append(files, resolve.File{ID: planned(at), Name: path.Base(at), Origin: origin(at)})
		}
	}
	t.resolver = resolve.New(c.folder.Config.Space, t.tree, files)
	return t
}

// find returns the target of a destination in the text of the page at a path.
func (t *linkTargets) find(from, destination string, isImage bool) (to resolve.Target, ok bool) {
	return t.resolver.Resolve(t.byPath[from], destination, isImage)
}

// name returns the path of a target in the folder, or the title of a page that has no file.
func (t *linkTargets) name(to resolve.Target) (name string, isFile bool) {
	if to.File != "" {
		return to.File[len(plannedIDs):], true
	}
	if p := t.tree.pages[to.Page]; p.Origin != nil {
		return p.Origin.Path, true
	}
	return t.tree.titles[to.Page], false
}
