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

// Pager is the page of a list that a request asks for.
type Pager struct {
	After   string // member before the first one of the page; "" = start of the list
	Size    int
	reverse bool
	filters []string
	cursors Codec
	Err     error // error of an invalid cursor
}

// NewPager returns the Pager for page and limit. filters are all other parameters that select items: a cursor is
// bound to them and to the path.
func (r *Request) NewPager(o api.ListOptions, reverse bool, filters ...string) Pager {
	p := Pager{Size: o.Size(), reverse: reverse, cursors: r.pipeline.cursors, filters: append([]string{r.HTTP.URL.Path}, filters...)}
	if o.Page != "" {
		cursor, err := p.cursors.Decode(o.Page, p.filters...)
		p.After, p.Err = cursor.After, err
		if err == nil && cursor.Reverse != reverse {
			p.Err = ErrInvalidCursor
		}
	}
	return p
}

// Cut returns the page of members and the cursor of the next page, which is "" on the last page. members holds up to one more
// than the page size.
func (p Pager) Cut(members []string) (page []string, next string) {
	if p.Size == 0 || len(members) <= p.Size {
		return members[:min(len(members), p.Size)], ""
	}
	page = members[:p.Size]
	return page, p.Cursor(page[p.Size-1])
}

// Cursor returns the cursor of the page after a member.
func (p Pager) Cursor(after string) string {
	return p.cursors.Encode(Cursor{After: after, Reverse: p.reverse}, p.filters...)
}

// Slice returns one page of the complete, sorted members, and the cursor of the next page. Since it searches by
// compare, the position is found even if the member of the cursor was removed.
func (p Pager) Slice(members []string, compare func(a, b string) int) (page []string, next string) {
	start := 0
	if p.After != "" {
		at, found := slices.BinarySearchFunc(members, p.After, compare)
		if found {
			at++
		}
		start = at
	}
	return p.Cut(members[start:])
}

// NotFoundIfNil returns err, or a not_found error if the record could be read but does not exist.
func NotFoundIfNil(err error) error {
	if err != nil {
		return err
	}
	return api.NotFound()
}

// OldestFirst compares ids, which begin with their time. It is the order of lists that have no other.
func OldestFirst(a, b string) int { return strings.Compare(a, b) }

// NewestFirst compares ids in the reverse order of OldestFirst.
func NewestFirst(a, b string) int { return strings.Compare(b, a) }

// IndexedList describes a list of the members of an index, ordered by id.
type IndexedList struct {
	Index  redis.Key
	Key    func(member string) redis.Key                              // returns the key of a member's record
	Encode func(c *Call, member string, r txn.Record) ([]byte, error) // returns an item as JSON
	Filter string                                                     // if not empty, the list has only records that Keep selects
	Keep   func(r txn.Record) (bool, error)
}

// ListIndexed lists the members of an index. The index is read with the request's first pipeline, the records with a
// second one; records that were deleted in between are omitted. A list with a filter reads the whole index, which has to be small.
func ListIndexed[Out any](r *Request, b *txn.Batch, o api.ListOptions, in IndexedList) Finish[api.Page[Out]] {
	pager := r.NewPager(o, false)
	after, size := pager.After, pager.Size+1
	if in.Filter != "" {
		pager = r.NewPager(o, false, in.Filter)
		after, size = "", -1
	}
	members, count := b.Range(in.Index, after, size, false), b.Cardinality(in.Index)
	return func(ctx context.Context, c *Call) (none Result[api.Page[Out]], err error) {
		if pager.Err != nil {
			return none, pager.Err
		}
		page, total := members.Value(), int(count.Value())
		next := ""
		if in.Filter == "" {
			page, next = pager.Cut(page)
		}
		records, err := ReadRecords(ctx, c.pipeline.store, page, in.Key)
		if err != nil {
			return none, err
		}
		if in.Filter != "" {
			if page, err = in.selected(page, records); err != nil {
				return none, err
			}
			total = len(page)
			page, next = pager.Slice(page, OldestFirst)
		}
		items := make([][]byte, 0, len(page))
		for _, member := range page {
			r, ok := records[member]
			if !ok {
				continue
			}
			item, err := in.Encode(c, member, r)
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
		return PageOf[Out](items, total, next)
	}
}

// selected returns the members whose records Keep selects.
func (l IndexedList) selected(members []string, records map[string]txn.Record) (kept []string, err error) {
	for _, member := range members {
		if r, ok := records[member]; ok {
			keep, e := l.Keep(r)
			if err = errors.Join(err, e); keep {
				kept = append(kept, member)
			}
		}
	}
	return kept, err
}

// ListModel lists items of the access model: ids returns the ids of all in order, encode returns one as JSON.
func ListModel[Out any](
	c *Call, w Pager, ids func(*access.Model) []string, encode func(*access.Model, string) ([]byte, error),
) (Result[api.Page[Out]], error) {
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
		page, next = w.Slice(all, strings.Compare)
		for _, id := range page {
			item, e := encode(model, id)
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	if err != nil {
		return Result[api.Page[Out]]{}, err
	}
	return PageOf[Out](items, count, next)
}

// ReadRecords reads records in one pipeline. Records that do not exist are not in the map.
func ReadRecords(ctx context.Context, s *store.Store, ids []string, key func(id string) redis.Key) (map[string]txn.Record, error) {
	b := s.NewBatch()
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

// NextPage returns the reference to the next page, or nil if cursor is empty.
func NextPage(cursor string) *api.Next {
	if cursor == "" {
		return nil
	}
	return &api.Next{Page: cursor}
}

// IsNotFound reports whether err is a 404: the object does not exist, or the caller may not see it.
func IsNotFound(err error) bool {
	wrong, ok := api.AsError(err)
	return ok && wrong.Code == http.StatusNotFound
}
