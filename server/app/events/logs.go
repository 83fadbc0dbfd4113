package events

import (
	"context"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Log is the event log of a shard, for the rows of other packages that show it. They decide which entries a caller may see.
type Log struct {
	Store  *store.Store
	Stream redis.Key
}

// Entry is an entry of a Log.
type Entry struct {
	ID     string
	At     time.Time         // time of the commit; zero if the entry has none
	Fields map[string]string // see package eventlog
}

func entryOf(e event) Entry { return Entry{ID: e.id, At: e.at(), Fields: e.fields} }

// Damaged returns the error of an entry that cannot be shown.
func (e Entry) Damaged(err error) error { return damagedEntry(event{id: e.ID}, err) }

// Entry returns the entry with an id, or a not_found error.
func (l Log) Entry(ctx context.Context, id string) (Entry, error) {
	e, err := readEntry(ctx, l.Store, l.Stream, id)
	return entryOf(e), err
}

// readEntry returns the entry of a stream with an id, or a not_found error.
func readEntry(ctx context.Context, s *store.Store, stream redis.Key, id string) (event, error) {
	if !cursorPattern.MatchString(id) {
		return event{}, api.NotFound()
	}
	b := s.NewBatch()
	found := queueEvents(b, stream, id, id, 1, false)
	if err := b.Do(ctx); err != nil {
		return event{}, err
	}
	if len(found.Value()) == 0 {
		return event{}, api.NotFound()
	}
	return found.Value()[0], nil
}

// ListLog returns a page of the items of the entries that selects returns true for, the latest first.
func ListLog[T any](ctx context.Context, c *rest.Call, l Log, o api.ListOptions, selects func(Entry) bool, item func(Entry) (T, error)) (
	none rest.Result[api.LogPage[T]], err error,
) {
	pager, err := newLogPager(&c.Request, o.Page, o.Size(), filter{})
	if err != nil {
		return none, err
	}
	lr := logReader{store: l.Store, stream: l.Stream, limit: pager.Size, before: pager.After}
	page, err := lr.read(ctx, func(found []event) []bool {
		selected := make([]bool, len(found))
		for i, e := range found {
			selected[i] = selects(entryOf(e))
		}
		return selected
	})
	if err != nil {
		return none, err
	}
	items := make([]T, len(page.events))
	for i, e := range page.events {
		if items[i], err = item(entryOf(e)); err != nil {
			return none, err
		}
	}
	return logPageOf(items, pager, page)
}
