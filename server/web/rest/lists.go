package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Pager is the part of a list that a request asks for.
type Pager struct {
	After   string // member behind which the page begins, "" = the start
	Size    int
	reverse bool
	filters []string
	cursors Codec
	Err     error // of the cursor
}

// NewPager reads page and limit. filters is everything else that decides what the list has: a cursor is bound to
// it, and to the path.
func NewPager(c *Call, o api.ListOptions, reverse bool, filters ...string) Pager {
	w := Pager{Size: o.Size(), reverse: reverse, cursors: c.pipeline.cursors, filters: append([]string{c.Request.URL.Path}, filters...)}
	if o.Page != "" {
		cursor, err := w.cursors.Decode(o.Page, w.filters...)
		w.After, w.Err = cursor.After, err
		if err == nil && cursor.Reverse != reverse {
			w.Err = ErrInvalid
		}
	}
	return w
}

// Cut takes one page of members that were read with one more than the page holds, and returns the cursor of the
// next page, "" on the last one.
func (w Pager) Cut(members []string) (page []string, next string) {
	if w.Size == 0 || len(members) <= w.Size {
		return members[:min(len(members), w.Size)], ""
	}
	page = members[:w.Size]
	return page, w.Cursor(page[w.Size-1])
}

// Cursor is the one of the page behind a member.
func (w Pager) Cursor(after string) string {
	return w.cursors.Encode(Cursor{After: after, Reverse: w.reverse}, w.filters...)
}

// Slice cuts a page out of members that are all at hand, sorted as the list is. Members sort by compare, so that the
// place of a member that has gone since is still found.
func (w Pager) Slice(members []string, compare func(a, b string) int) (page []string, next string) {
	start := 0
	if w.After != "" {
		at, found := slices.BinarySearchFunc(members, w.After, compare)
		if found {
			at++
		}
		start = at
	}
	return w.Cut(members[start:])
}

// Missing is the error of a record that is not there, or that could not be read.
func Missing(err error) error {
	if err != nil {
		return err
	}
	return api.NotFound()
}

// OldestFirst is the order of lists that have no other: ids begin with their time.
func OldestFirst(a, b string) int { return strings.Compare(a, b) }

// NewestFirst is the reverse.
func NewestFirst(a, b string) int { return strings.Compare(b, a) }

// Indexed is what a list needs that has the members of an index, by id or age.
type Indexed struct {
	Index redis.Key
	Key   func(member string) redis.Key                     // of the record that a member names
	Write func(member string, r txn.Record) ([]byte, error) // writes an item out
}

// ListIndexed lists what an index has. The index comes with the first pipeline of the request, the records with a
// second; what has gone in between is left out.
func ListIndexed[Out any](ctx context.Context, c *Call, b *txn.Batch, o api.ListOptions, in Indexed) Finish[api.Page[Out]] {
	w := NewPager(c, o, false)
	members, count := b.Range(in.Index, w.After, w.Size+1, false), b.Card(in.Index)
	return func(ctx context.Context) (none Result[api.Page[Out]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		found := members.Value()
		page, next := w.Cut(found)
		records, err := ReadRecords(ctx, c.pipeline.store, page, in.Key)
		if err != nil {
			return none, err
		}
		items := make([][]byte, 0, len(page))
		for _, member := range page {
			r, ok := records[member]
			if !ok {
				continue
			}
			item, err := in.Write(member, r)
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
		total := count.Value()
		return PageOf[Out](items, int(total), next)
	}
}

// ListShaped lists what the model has: ids are all of it in order, write writes an item out.
func ListShaped[Out any](c *Call, w Pager, ids func(*access.Model) []string, write func(*access.Model, string) ([]byte, error)) (Result[api.Page[Out]], error) {
	var items [][]byte
	var next string
	err, count := w.Err, 0
	c.Access(func(model *access.Model) {
		if err != nil {
			return
		}
		all := ids(model)
		count = len(all)
		var page []string
		page, next = w.Slice(all, OldestFirst)
		for _, id := range page {
			item, e := write(model, id)
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	if err != nil {
		return Result[api.Page[Out]]{}, err
	}
	return PageOf[Out](items, count, next)
}

// ReadRecords reads records in one pipeline; absent ones are not in the map.
func ReadRecords(ctx context.Context, s *store.Store, ids []string, key func(id string) redis.Key) (map[string]txn.Record, error) {
	b := s.Pipeline()
	futures := make([]*txn.Future[txn.Record], len(ids))
	for i, id := range ids {
		futures[i] = b.Record(key(id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	found := make(map[string]txn.Record, len(ids))
	for i, id := range ids {
		r, ok, err := futures[i].Get()
		if err != nil {
			return nil, err
		}
		if ok {
			found[id] = r
		}
	}
	return found, nil
}

// NextPage is where a list goes on, nil on its last page.
func NextPage(cursor string) *api.Next {
	if cursor == "" {
		return nil
	}
	return &api.Next{Page: cursor}
}

// IsNotFound reports whether an error says that something is not there, or not for the caller.
func IsNotFound(err error) bool {
	wrong, ok := api.AsError(err)
	return ok && wrong.Code == http.StatusNotFound
}
