package remote

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// Placed is a page of a tree with its place.
type Placed struct {
	Page   api.RevisionPage
	Parent string // "" at the top
	Depth  int
}

// InOrder lists the pages of a tree in reading order.
func InOrder(pages []api.RevisionPage) []Placed { return inOrder(nil, pages, "", 0) }

func inOrder(out []Placed, pages []api.RevisionPage, parent string, depth int) []Placed {
	for _, p := range pages {
		out = append(out, Placed{p, parent, depth})
		out = inOrder(out, p.Pages, p.ID, depth+1)
	}
	return out
}

// Above are the pages above each page of a tree in reading order, the topmost first.
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
