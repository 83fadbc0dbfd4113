package events

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// filter selects events of the log of an organization. Empty members select all.
type filter struct {
	actor  string // id of a user or an installation, or systemActor
	kind   string // of an operation, job or command, or the resource before the dot
	object string
	space  string
	since  time.Time // inclusive
	until  time.Time // exclusive
}

// newFilter returns the filter of the list and the stream of events.
func newFilter(in api.EventFilter) (filter, error) {
	return filter{actor: in.Actor, kind: in.Kind, object: in.Object, space: in.Space}.between("since", in.Since, "until", in.Until)
}

// between returns f with the times that two parameters contain. An error names the parameter.
func (f filter) between(sinceParam, since, untilParam, until string) (filter, error) {
	var err error
	if f.since, err = parseTime(sinceParam, since); err != nil {
		return f, err
	}
	f.until, err = parseTime(untilParam, until)
	return f, err
}

func parseTime(param, text string) (t time.Time, err error) {
	if text == "" {
		return t, nil
	}
	if t, err = time.Parse(time.RFC3339Nano, text); err != nil {
		return t, api.InvalidParam(api.FieldError{Path: param, Message: "is not a time such as 2026-11-29T18:00:00Z"})
	}
	return t, nil
}

// texts returns the filter as texts, which cursors are bound to.
func (f filter) texts() []string {
	return []string{f.actor, f.kind, f.object, f.space, formatTime(f.since), formatTime(f.until)}
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// matches reports whether the filter selects an event.
func (f filter) matches(e event) bool {
	kind := e.fields[eventlog.Type]
	resource, _, _ := strings.Cut(kind, ".")
	o, _ := objectOf(kind)
	switch {
	case f.kind != "" && f.kind != kind && f.kind != resource,
		f.actor != "" && f.actor != actorOf(e.fields) && f.actor != e.fields[eventlog.Installation],
		f.object != "" && f.object != o.id(e.fields),
		f.space != "" && f.space != spaceOf(e.fields):
		return false
	}
	at := e.at()
	return (f.since.IsZero() || !at.Before(f.since)) && (f.until.IsZero() || at.Before(f.until))
}

// actorOf returns the id of the user or installation that made a change, or systemActor.
func actorOf(fields map[string]string) string {
	return cmp.Or(fields[eventlog.Actor], fields[eventlog.Installation], systemActor)
}

// spaceOf returns the id of the space that an event is in, or that it is about.
func spaceOf(fields map[string]string) string {
	if o, _ := objectOf(fields[eventlog.Type]); o.typ == "space" {
		return o.id(fields)
	}
	return fields["space"]
}

// at returns the time of the commit. It is zero if the entry has none.
func (e event) at() time.Time {
	ms, err := strconv.ParseInt(e.fields[eventlog.At], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// idSkew is the assumed maximum difference between the time of a commit, which is that of a node, and the time in the id of its
// entry, which is that of Redis.
const idSkew = time.Hour

// logReader reads the events of an organization, the latest first.
type logReader struct {
	store  *store.Store
	stream redis.Key
	filter filter
	limit  int
	before string // id of the last entry that was read; "" = none
}

// logPage is the result of a logReader.
type logPage struct {
	events []event
	last   string // id of the last entry that was read; "" if no earlier entries are left
}

// read reads entries until the page is full, maxScannedEvents were read, or none is left. show reports which of the events that
// the filter selects are part of the page.
func (lr logReader) read(ctx context.Context, show func([]event) []bool) (page logPage, err error) {
	if lr.limit == 0 {
		return page, nil
	}
	newest, oldest, err := lr.bounds(ctx)
	if err != nil {
		return page, err
	}
	if lr.before != "" {
		newest = "(" + lr.before
	}
	for scanned := 0; scanned < maxScannedEvents; {
		found, err := lr.batch(ctx, newest, oldest)
		if err != nil {
			return page, err
		}
		for i, visible := range show(found) {
			page.last = found[i].id
			if visible {
				page.events = append(page.events, found[i])
			}
			if len(page.events) == lr.limit {
				return page, nil
			}
		}
		if len(found) < batchSize {
			page.last = ""
			return page, nil
		}
		scanned += len(found)
		newest = "(" + page.last
	}
	return page, nil
}

// batch reads the latest entries of a range of ids.
func (lr logReader) batch(ctx context.Context, newest, oldest string) ([]event, error) {
	b := lr.store.NewBatch()
	found := queueEvents(b, lr.stream, newest, oldest, batchSize, true)
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	return found.Value(), nil
}

// bounds returns the range of ids that contains all events between the times of the filter. Ids increase even if the clock of Redis
// has gone back or forward, so that their times may be far from those of the events; then the range ends at that of the log.
func (lr logReader) bounds(ctx context.Context) (newest, oldest string, err error) {
	newest, oldest = "+", "-"
	f := lr.filter
	if f.since.IsZero() && f.until.IsZero() {
		return newest, oldest, nil
	}
	b := lr.store.NewBatch()
	var above, below *txn.Reply[[]event]
	if !f.until.IsZero() {
		newest = streamID(f.until.Add(idSkew))
		above = queueEvents(b, lr.stream, "("+newest, "+", 1, false)
	}
	if !f.since.IsZero() {
		oldest = streamID(f.since.Add(-idSkew))
		below = queueEvents(b, lr.stream, "("+oldest, "-", 1, true)
	}
	if err := b.Do(ctx); err != nil {
		return "", "", err
	}
	if above != nil && isSkewed(above.Value()) {
		newest = "+"
	}
	if below != nil && isSkewed(below.Value()) {
		oldest = "-"
	}
	return newest, oldest, nil
}

// streamID returns the first id of a time. Times before 1970 have that of 1970.
func streamID(t time.Time) string { return strconv.FormatInt(max(t.UnixMilli(), 0), 10) + "-0" }

// isSkewed reports whether the id of one of the events is further from its time than idSkew.
func isSkewed(events []event) bool {
	for _, e := range events {
		ms, _ := parseCursor(e.id)
		if time.UnixMilli(int64(min(ms, 1<<62))).Sub(e.at()).Abs() > idSkew {
			return true
		}
	}
	return false
}

// newLogPager returns the pager of a list of events, whose cursors are ids of entries.
func newLogPager(r *rest.Request, page string, limit int, f filter) (rest.Pager, error) {
	pager := r.NewPager(api.ListOptions{Page: page, Limit: api.Some(limit)}, true, f.texts()...)
	if pager.Err == nil && pager.After != "" && !cursorPattern.MatchString(pager.After) {
		return pager, rest.ErrInvalidCursor
	}
	return pager, pager.Err
}
