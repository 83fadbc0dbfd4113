package screens

import (
	"cmp"
	"fmt"
	"slices"

	"docspace.dev/wsd/tui/components"
)

// sortThreads sorts the threads of a page in the order of its text, those on the page as a whole last, and threads on the
// same text by time. All lists of threads have this order, page by page.
func sortThreads(list []commentThread) {
	start := func(th *commentThread) int {
		if a := th.Target.Anchor; a != nil && a.Start != nil {
			return *a.Start
		}
		return 1 << 30
	}
	slices.SortStableFunc(list, func(a, b commentThread) int {
		return cmp.Or(cmp.Compare(start(&a), start(&b)), a.PostedAt.Compare(b.PostedAt.Time))
	})
}

// sortByPage sorts threads by the order of pages, which are ids. Threads on other pages come last.
func sortByPage(list []*commentThread, pages []string) {
	index := func(th *commentThread) int {
		id, _ := PageOf(th.Comment)
		return pageIndex(id, pages)
	}
	slices.SortStableFunc(list, func(a, b *commentThread) int { return cmp.Compare(index(a), index(b)) })
}

// pageIndex returns the index of an id in pages, or len(pages).
func pageIndex(id string, pages []string) int {
	if at := slices.Index(pages, id); at >= 0 {
		return at
	}
	return len(pages)
}

// listNote describes a list of threads on pages: their numbers, the filter and the order.
func (t *threadsPart) listNote(open, resolved int) string {
	counts := fmt.Sprintf("%d open, %d resolved on pages", open, resolved)
	if t.onlyWaiting {
		counts = fmt.Sprintf("%d on pages that wait for you", open)
	}
	return counts + " · text order"
}

// waitingAction returns the action that shows only the threads that wait for the user, or all.
func (t *threadsPart) waitingAction() components.Action {
	return components.Action{Name: "waiting", Help: "only the threads that wait for me, or all", Do: t.toggleWaiting}
}
