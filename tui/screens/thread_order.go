package screens

import (
	"cmp"
	"slices"
)

// Put puts threads in the order in which a list shows them and n goes through them: those that wait for the user first, and
// then as the pages stand, which are given by their ids; those on other pages come last.
func (t *Threads) Put(list []*Thread, pages []string) {
	place := func(th *Thread) int {
		id, _ := PageOf(th.Comment)
		return Place(id, pages)
	}
	slices.SortStableFunc(list, func(a, b *Thread) int {
		if waits := t.Waits(a); waits != t.Waits(b) {
			return map[bool]int{true: -1, false: 1}[waits]
		}
		return cmp.Compare(place(a), place(b))
	})
}

// Place is where a page stands among others, by their ids; behind all of them if it is none.
func Place(id string, pages []string) int {
	if at := slices.Index(pages, id); at >= 0 {
		return at
	}
	return len(pages)
}
