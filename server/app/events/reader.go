package events

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	maxScannedEvents = 5_000 // maximum number of events of the organization scanned per request
	batchSize        = 1_000 // events read per round trip, and the maximum number skipped before the cursor advances
	creationSkew     = 10 * time.Minute
)

// startCursor is the cursor before all events.
const startCursor = "0-0"

var cursorPattern = regexp.MustCompile(`^\d{1,16}-\d{1,10}$`)

// checkCursors returns an error if a cursor is malformed or both are given.
func checkCursors(in api.GetTimelineInput) error {
	if in.After != "" && in.Before != "" {
		return api.InvalidParam(api.FieldError{Path: "before", Message: "cannot be given together with after"})
	}
	for name, cursor := range map[string]string{"after": in.After, "before": in.Before} {
		if cursor != "" && !cursorPattern.MatchString(cursor) {
			return api.InvalidParam(api.FieldError{Path: name, Message: "is no cursor of a timeline"})
		}
	}
	return nil
}

// cursorBefore reports whether cursor a is before b.
func cursorBefore(a, b string) bool {
	a1, a2 := parseCursor(a)
	b1, b2 := parseCursor(b)
	return a1 < b1 || a1 == b1 && a2 < b2
}

func parseCursor(cursor string) (ms, n uint64) {
	left, right, _ := strings.Cut(cursor, "-")
	ms, _ = strconv.ParseUint(left, 10, 64)
	n, _ = strconv.ParseUint(right, 10, 64)
	return ms, n
}

// event is an entry of the event stream of an organization.
type event struct {
	id     string
	fields map[string]string
}

// eventRange is a range of the events of a change request.
type eventRange struct {
	events        []event // oldest first
	cursor        string
	more          bool
	earlierCursor string
	truncated     bool
}

// eventReader reads the events of one change request.
type eventReader struct {
	store   *store.Store
	stream  redis.Key
	key     string // RequestID
	created time.Time
	limit   int
	before  string     // exclusive end of the range, "" for the newest event
	oldest  event      // oldest entry of the stream
	batch   *txn.Batch // used for the first read
}

// queueEvents queues a read of entries of a stream, the latest first if reverse is set.
func queueEvents(b *txn.Batch, stream redis.Key, from, to string, count int, reverse bool) *txn.Reply[[]event] {
	return store.QueueEvents(b, stream, from, to, count, reverse, newEvent)
}

func newEvent(id string, fields map[string]string) event { return event{id, fields} }

// read reads a batch of entries, and the oldest entry of the stream if it is not known yet. The first read uses the
// given batch with its queued reads.
func (er *eventReader) read(ctx context.Context, from, to string, reverse bool) ([]event, error) {
	b := er.batch
	if er.batch = nil; b == nil {
		b = er.store.NewBatch()
	}
	var first *txn.Reply[[]event]
	if er.oldest.id == "" {
		first = queueEvents(b, er.stream, "-", "+", 1, false)
	}
	found := queueEvents(b, er.stream, from, to, batchSize, reverse)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	if first != nil && len(first.Value()) > 0 {
		er.oldest = first.Value()[0]
	}
	return found.Value(), nil
}

// matches reports whether an event belongs to the change request.
func (er *eventReader) matches(e event) bool {
	named := e.fields["changeRequest"]
	if e.fields["type"] == api.CreateChangeRequest.Name {
		named = e.fields["id"]
	}
	space, number, _ := strings.Cut(er.key, "-")
	return named != "" && e.fields["space"] == space && named[strings.LastIndexByte(named, '_')+1:] == number
}

// readAfter reads events after a cursor, oldest first.
func (er *eventReader) readAfter(ctx context.Context, cursor string) (s eventRange, err error) {
	s.cursor = cursor
	at, idle := cursor, 0
	for scanned := 0; ; {
		events, err := er.read(ctx, "("+at, "+", false)
		if err != nil {
			return s, err
		}
		s.truncated = er.isExpired(cursor)
		for _, e := range events {
			at, scanned, idle = e.id, scanned+1, idle+1
			if !er.matches(e) {
				continue
			}
			s.events, s.cursor, idle = append(s.events, e), e.id, 0
			if len(s.events) == er.limit {
				s.more = true
				return s, nil
			}
		}
		if idle >= batchSize { // advance the cursor, so that the next request does not scan these events again
			s.cursor, idle = at, 0
		}
		if len(events) < batchSize {
			return s, nil
		}
		if scanned >= maxScannedEvents {
			s.more = true
			return s, nil
		}
	}
}

// readLatest reads the latest events, or those before a cursor.
func (er *eventReader) readLatest(ctx context.Context) (s eventRange, err error) {
	from := "+"
	if er.before != "" {
		from = "(" + er.before
	}
	s.cursor = startCursor
	newest, at := "", ""
	for scanned := 0; ; {
		events, err := er.read(ctx, from, "-", true)
		if err != nil {
			return s, err
		}
		for _, e := range events {
			if newest == "" {
				newest = e.id
			}
			at, scanned = e.id, scanned+1
			if er.matches(e) {
				s.events = append(s.events, e)
			}
			if len(s.events) == er.limit || er.isFirst(e) {
				return er.finish(s, newest, at, !er.isFirst(e)), nil
			}
			if len(s.events) == 0 && scanned == batchSize {
				s.cursor = newest
			}
		}
		from = "(" + at
		if len(events) < batchSize {
			s.truncated = er.isTruncated()
			return er.finish(s, newest, at, false), nil
		}
		if scanned >= maxScannedEvents {
			return er.finish(s, newest, at, true), nil
		}
	}
}

// finish completes a range that was read backwards: it sets the cursors and sorts the events.
func (er *eventReader) finish(s eventRange, newest, oldest string, earlier bool) eventRange {
	switch {
	case er.before != "":
		s.cursor = er.before
	case s.cursor != startCursor: // keep the cursor, which the scan was long enough to advance
	case len(s.events) > 0:
		s.cursor = s.events[0].id
	case newest != "":
		s.cursor = newest
	}
	if earlier {
		s.earlierCursor = oldest
	}
	slices.Reverse(s.events)
	return s
}

// isFirst reports whether the change request has no events before e: e is its creation, or e is older than the change request.
func (er *eventReader) isFirst(e event) bool {
	if e.fields["type"] == api.CreateChangeRequest.Name && er.matches(e) {
		return true
	}
	at := e.at()
	return !at.IsZero() && at.Before(er.created.Add(-creationSkew))
}

// isTruncated reports whether early events of the change request have expired: the oldest entry of the stream is
// newer than the change request.
func (er *eventReader) isTruncated() bool {
	at := er.oldest.at()
	return at.IsZero() || at.After(er.created)
}

// isExpired reports whether events after a cursor have expired.
func (er *eventReader) isExpired(cursor string) bool {
	if cursor == startCursor {
		return er.isTruncated()
	}
	return er.oldest.id == "" || cursorBefore(cursor, er.oldest.id)
}
