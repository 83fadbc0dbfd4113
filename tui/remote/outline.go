package remote

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// Placed is a page with its position in a tree.
type Placed struct {
	Page   api.RevisionPage
	Parent string // "" for root pages
	Depth  int
}

// InOrder returns the pages of a tree in reading order.
func InOrder(pages []api.RevisionPage) []Placed { return appendInOrder(nil, pages, "", 0) }

func appendInOrder(out []Placed, pages []api.RevisionPage, parent string, depth int) []Placed {
	for _, p := range pages {
		out = append(out, Placed{p, parent, depth})
		out = appendInOrder(out, p.Pages, p.ID, depth+1)
	}
	return out
}

// Above returns the ancestors of each page by page id, root first.
func Above(all []Placed) map[string][]api.RevisionPage {
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
