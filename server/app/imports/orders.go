package imports

import (
	"slices"
	"strings"

	"docspace.dev/wsd/store/txn"
)

// orders finds the order keys of what came. Pages that the source has in the order of the last time keep theirs; the
// others, new ones among them, go between these.
func (u *update) orders() map[*arrival]string {
	orders, siblings := make(map[*arrival]string, len(u.pages)), map[string][]*arrival{}
	var parents []string
	for _, a := range u.pages {
		parent := a.parentID()
		if siblings[parent] == nil {
			parents = append(parents, parent)
		}
		siblings[parent] = append(siblings[parent], a)
	}
	for _, parent := range parents {
		u.orderBelow(parent, siblings[parent], orders)
	}
	return orders
}

// orderBelow finds the order keys of the pages below one.
func (u *update) orderBelow(parent string, pages []*arrival, orders map[*arrival]string) {
	standing := u.standing(parent)
	var keys []string // of those that were below the parent the last time
	for _, a := range pages {
		if was := u.base(a); was != nil && was.Parent == parent {
			keys = append(keys, was.Order)
		} else {
			keys = append(keys, "")
		}
	}
	kept := increasing(keys)
	if len(kept) == 0 && len(standing) == 0 {
		for i, key := range txn.Spread(len(pages)) {
			orders[pages[i]] = key
		}
		return
	}
	last, next := "", 0
	if len(kept) == 0 {
		last = standing[len(standing)-1]
	}
	for i, a := range pages {
		if next < len(kept) && kept[next] == i {
			last, next = keys[i], next+1
			orders[a] = last
			continue
		}
		before := ""
		if next < len(kept) {
			before = keys[kept[next]]
		} else if at, found := slices.BinarySearch(standing, last); last != "" {
			if found {
				at++
			}
			if at < len(standing) {
				before = standing[at]
			}
		}
		last = keyBetween(last, before)
		orders[a] = last
	}
}

// keyBetween is an order key behind one and, where there is room, before another.
func keyBetween(after, before string) string {
	if key, err := txn.Between(after, before); err == nil {
		return key
	}
	key, err := txn.Between(after, "")
	if err != nil {
		return after // there is no room behind it either: ties go by id
	}
	return key
}

// standing are the order keys of the pages that stand below one here, sorted.
func (u *update) standing(parent string) (keys []string) {
	for _, id := range u.draft.Start.Children(parent) {
		keys = append(keys, u.draft.Start.Page(id).Order)
	}
	return keys
}

// increasing returns the indexes of a longest run of keys that grow; empty keys are not in it.
func increasing(keys []string) []int {
	var ends, before []int // ends[n] is where the run of n+1 keys with the least last key ends
	before = make([]int, len(keys))
	for i, key := range keys {
		if key == "" {
			continue
		}
		n, _ := slices.BinarySearchFunc(ends, key, func(at int, key string) int { return strings.Compare(keys[at], key) })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	run := make([]int, len(ends))
	for n, at := len(ends)-1, ends[len(ends)-1]; n >= 0; n, at = n-1, before[at] {
		run[n] = at
	}
	return run
}
