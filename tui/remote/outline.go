package remote

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// TreePage is a page with its position in a tree.
type TreePage struct {
	Page   api.RevisionPage
	Parent string // "" for root pages
	Depth  int
}

// ReadingOrder returns the pages of a tree in reading order.
func ReadingOrder(pages []api.RevisionPage) []TreePage { return appendInOrder(nil, pages, "", 0) }

func appendInOrder(out []TreePage, pages []api.RevisionPage, parent string, depth int) []TreePage {
	for _, p := range pages {
		out = append(out, TreePage{p, parent, depth})
		out = appendInOrder(out, p.Pages, p.ID, depth+1)
	}
	return out
}

// Ancestors returns the ancestors of each page by page id, root first.
func Ancestors(all []TreePage) map[string][]api.RevisionPage {
	ways := map[string][]api.RevisionPage{}
	pages := map[string]api.RevisionPage{}
	for _, e := range all {
		pages[e.Page.ID] = e.Page
		if e.Parent != "" {
			ways[e.Page.ID] = append(slices.Clone(ways[e.Parent]), pages[e.Parent])
		}
	}
	return ways
}
