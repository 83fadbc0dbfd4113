package server

import (
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// window is the part of a list that a request asks for.
type window struct {
	after   string // member behind which the page begins, "" = the start
	size    int
	reverse bool
	filters []string
	err     error // of the cursor
}

// newWindow reads page and limit. filters is everything else that decides what the list has: a cursor is bound to
// it, and to the path.
func newWindow(c *call, o api.ListOptions, reverse bool, filters ...string) window {
	w := window{size: o.Size(), reverse: reverse, filters: append([]string{c.request.URL.Path}, filters...)}
	if o.Page != "" {
		cursor, err := store.DecodeCursor(o.Page, w.filters...)
		w.after, w.err = cursor.After, err
		if err == nil && cursor.Reverse != reverse {
			w.err = store.ErrCursor
		}
	}
	return w
}

// cut takes one page of members that were read with one more than the page holds, and returns the cursor of the
// next page, "" on the last one.
func (w window) cut(members []string) (page []string, next string) {
	if w.size == 0 || len(members) <= w.size {
		return members[:min(len(members), w.size)], ""
	}
	page = members[:w.size]
	return page, w.cursor(page[w.size-1])
}

// cursor is the one of the page behind a member.
func (w window) cursor(after string) string {
	return store.EncodeCursor(store.Cursor{After: after, Reverse: w.reverse}, w.filters...)
}

// of cuts a page out of members that are all at hand, sorted as the list is. Members sort by compare, so that the
// place of a member that has gone since is still found.
func (w window) of(members []string, compare func(a, b string) int) (page []string, next string) {
	start := 0
	if w.after != "" {
		at, found := slices.BinarySearchFunc(members, w.after, compare)
		if found {
			at++
		}
		start = at
	}
	return w.cut(members[start:])
}

// missing is the error of a record that is not there, or that could not be read.
func missing(err error) error {
	if err != nil {
		return err
	}
	return api.NotFound()
}

// oldestFirst is the order of lists that have no other: ids begin with their time.
func oldestFirst(a, b string) int { return strings.Compare(a, b) }

// newestFirst is the reverse.
func newestFirst(a, b string) int { return strings.Compare(b, a) }
