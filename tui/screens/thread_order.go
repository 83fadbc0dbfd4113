package screens

import (
	"cmp"
	"slices"

	"docspace.dev/wsd/tui/render"
)

// sort sorts threads in the order of a list: those that wait for the user first, then by the order of pages, which
// are ids. Threads on other pages come last.
func (t *threadsPart) sort(list []*commentThread, pages []string) {
	place := func(th *commentThread) int {
		id, _ := PageOf(th.Comment)
		return pageIndex(id, pages)
	}
	slices.SortStableFunc(list, func(a, b *commentThread) int {
		if waits := t.waits(a); waits != t.waits(b) {
			return render.Choose(waits, -1, 1)
		}
		return cmp.Compare(place(a), place(b))
	})
}

// pageIndex returns the index of an id in pages, or len(pages).
func pageIndex(id string, pages []string) int {
	if at := slices.Index(pages, id); at >= 0 {
		return at
	}
	return len(pages)
}
