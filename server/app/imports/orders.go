package imports

import (
	"slices"
	"strings"

	"docspace.dev/wsd/store/txn"
)

// orderKeys returns the order keys of the incoming pages. Pages whose order has not changed keep their keys; the
// others, including new ones, get keys between these.
func (u *update) orderKeys() map[*incomingPage]string {
	orders, siblings := make(map[*incomingPage]string, len(u.pages)), map[string][]*incomingPage{}
	var parents []string
	for _, a := range u.pages {
		parent := a.parentID()
		if siblings[parent] == nil {
			parents = append(parents, parent)
		}
		siblings[parent] = append(siblings[parent], a)
	}
	for _, parent := range parents {
		u.setOrdersBelow(parent, siblings[parent], orders)
	}
	return orders
}

// setOrdersBelow sets the order keys of the pages below a parent.
func (u *update) setOrdersBelow(parent string, pages []*incomingPage, orders map[*incomingPage]string) {
	siblingKeys := u.siblingKeys(parent)
	var keys []string // keys of the pages whose parent has not changed, else ""
	for _, a := range pages {
		if was := u.basePage(a); was != nil && was.Parent == parent {
			keys = append(keys, was.Order)
		} else {
			keys = append(keys, "")
		}
	}
	kept := longestIncreasing(keys)
	if len(kept) == 0 && len(siblingKeys) == 0 {
		for i, key := range txn.SpreadKeys(len(pages)) {
			orders[pages[i]] = key
		}
		return
	}
	last, next := "", 0
	if len(kept) == 0 {
		last = siblingKeys[len(siblingKeys)-1]
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
		} else if at, found := slices.BinarySearch(siblingKeys, last); last != "" {
			if found {
				at++
			}
			if at < len(siblingKeys) {
				before = siblingKeys[at]
			}
		}
		last = keyBetween(last, before)
		orders[a] = last
	}
}

// keyBetween returns an order key between after and before or, if there is none, greater than after.
func keyBetween(after, before string) string {
	if key, err := txn.KeyBetween(after, before); err == nil {
		return key
	}
	key, err := txn.KeyBetween(after, "")
	if err != nil {
		return after // no key fits; ties are broken by id
	}
	return key
}

// siblingKeys returns the sorted order keys of the current pages below a parent.
func (u *update) siblingKeys(parent string) (keys []string) {
	for _, id := range u.draft.BaseTree.Children(parent) {
		keys = append(keys, u.draft.BaseTree.Page(id).Order)
	}
	return keys
}

// longestIncreasing returns the indexes of a longest strictly increasing subsequence of the nonempty keys.
func longestIncreasing(keys []string) []int {
	var ends, before []int // ends[n] is the index of the smallest last key of a subsequence with n+1 keys
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
