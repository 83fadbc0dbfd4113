package folder

import (
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
)

// pageTree is the page tree of a space while operations on it are planned.
type pageTree struct {
	byID     map[string]*api.ExportedPage
	children map[string][]string // ids by parent, "" for the root
}

func newPageTree(pages []api.ExportedPage) *pageTree {
	t := &pageTree{byID: map[string]*api.ExportedPage{}, children: map[string][]string{}}
	for _, p := range pages {
		t.byID[p.ID] = &p
		t.children[p.Parent] = append(t.children[p.Parent], p.ID)
	}
	return t
}

// place moves a page below parent, to the place after the page previous, and returns its index there. An empty previous is the
// beginning.
func (t *pageTree) place(id, parent, previous string) int {
	p := t.byID[id]
	t.children[p.Parent] = slices.DeleteFunc(t.children[p.Parent], func(other string) bool { return other == id })
	at := slices.Index(t.children[parent], previous) + 1
	t.children[parent] = slices.Insert(t.children[parent], at, id)
	p.Parent = parent
	return at
}

// drop removes a page with all pages below it.
func (t *pageTree) drop(id string) {
	p := t.byID[id]
	if p == nil {
		return
	}
	for _, child := range slices.Clone(t.children[id]) {
		t.drop(child)
	}
	t.children[p.Parent] = slices.DeleteFunc(t.children[p.Parent], func(other string) bool { return other == id })
	delete(t.byID, id)
}

// freeSlug gives a page a slug, with a number if a sibling has it, and returns it.
func (t *pageTree) freeSlug(id, slug string) string {
	p := t.byID[id]
	p.Slug = slug
	for n := 2; slices.ContainsFunc(t.children[p.Parent], func(other string) bool {
		return other != id && t.byID[other].Slug == p.Slug
	}); n++ {
		p.Slug = fmt.Sprintf("%s-%d", slug, n)
	}
	return p.Slug
}

// list returns the pages in reading order, with the given ids in the place of references.
func (t *pageTree) list(ids map[string]string) (pages []api.ExportedPage) {
	named := func(id string) string {
		if made, ok := ids[id]; ok {
			return made
		}
		return id
	}
	var walk func(parent string)
	walk = func(parent string) {
		for _, id := range t.children[parent] {
			p := *t.byID[id]
			p.ID, p.Parent = named(p.ID), named(p.Parent)
			pages = append(pages, p)
			walk(id)
		}
	}
	walk("")
	return pages
}
