package server

import (
	"context"
	"errors"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// window is the part of a list that a request asks for.
type window struct {
	after   string // member behind which the page begins, "" = the start
	size    int
	reverse bool
	filters []string
	cursors store.Cursors
	err     error // of the cursor
}

// newWindow reads page and limit. filters is everything else that decides what the list has: a cursor is bound to
// it, and to the path.
func newWindow(c *call, o api.ListOptions, reverse bool, filters ...string) window {
	w := window{size: o.Size(), reverse: reverse, cursors: c.cursors, filters: append([]string{c.request.URL.Path}, filters...)}
	if o.Page != "" {
		cursor, err := w.cursors.Decode(o.Page, w.filters...)
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
	return w.cursors.Encode(store.Cursor{After: after, Reverse: w.reverse}, w.filters...)
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

// indexed is what a list needs that has the members of an index, by id or age.
type indexed struct {
	index redis.Key
	key   func(member string) redis.Key                       // of the record that a member names
	write func(member string, r store.Record) ([]byte, error) // writes an item out
}

// listIndexed lists what an index has. The index comes with the first pipeline of the request, the records with a
// second; what has gone in between is left out.
func listIndexed[Out any](ctx context.Context, c *call, s *Server, b *store.Batch, o api.ListOptions, in indexed) finish[api.Page[Out]] {
	w := newWindow(c, o, false)
	members, count := b.Range(in.index, w.after, w.size+1, false), b.Card(in.index)
	return func(ctx context.Context) (Result[api.Page[Out]], error) {
		var none Result[api.Page[Out]]
		if w.err != nil {
			return none, w.err
		}
		found, _, _ := members.Get()
		page, next := w.cut(found)
		records, err := s.records(ctx, page, in.key)
		if err != nil {
			return none, err
		}
		items := make([][]byte, 0, len(page))
		for _, member := range page {
			r, ok := records[member]
			if !ok {
				continue
			}
			item, err := in.write(member, r)
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
		total, _, _ := count.Get()
		return list[Out](items, int(total), next)
	}
}

// listShaped lists what the shape has: ids are all of it in order, write writes an item out.
func listShaped[Out any](c *call, w window, ids func(*access.Model) []string, write func(*access.Model, string) ([]byte, error)) (Result[api.Page[Out]], error) {
	var items [][]byte
	var next string
	err, count := w.err, 0
	c.withShape(func(sh *access.Model) {
		if err != nil {
			return
		}
		all := ids(sh)
		count = len(all)
		var page []string
		page, next = w.of(all, oldestFirst)
		for _, id := range page {
			item, e := write(sh, id)
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	if err != nil {
		return Result[api.Page[Out]]{}, err
	}
	return list[Out](items, count, next)
}
