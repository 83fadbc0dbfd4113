package events

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	lookedAt     = 5_000 // events of the organization that one request looks at, at most
	atOnce       = 1_000 // in one trip; and so many may lie behind the cursor that is answered
	creationSkew = 10 * time.Minute
)

// beginning is the cursor before every event.
const beginning = "0-0"

var cursorForm = regexp.MustCompile(`^\d{1,16}-\d{1,10}$`)

// checkCursors refuses what no answer has said.
func checkCursors(in api.GetTimelineInput) error {
	if in.After != "" && in.Before != "" {
		return api.InvalidParam(api.FieldError{Path: "before", Message: "cannot be given together with after"})
	}
	for name, cursor := range map[string]string{"after": in.After, "before": in.Before} {
		if cursor != "" && !cursorForm.MatchString(cursor) {
			return api.InvalidParam(api.FieldError{Path: name, Message: "is no cursor of a timeline"})
		}
	}
	return nil
}

// behind reports whether one cursor is before another.
func behind(a, b string) bool {
	a1, a2 := numbers(a)
	b1, b2 := numbers(b)
	return a1 < b1 || a1 == b1 && a2 < b2
}

func numbers(cursor string) (ms, n uint64) {
	left, right, _ := strings.Cut(cursor, "-")
	ms, _ = strconv.ParseUint(left, 10, 64)
	n, _ = strconv.ParseUint(right, 10, 64)
	return ms, n
}

// event is what a commit has left.
type event struct {
	id     string
	fields map[string]string
}

// stretch is a part of the events of a change request.
type stretch struct {
	events  []event // the oldest first
	cursor  string
	more    bool
	earlier string
	gone    bool
}

// reader reads the events of one change request.
type reader struct {
	store   *store.Store
	stream  redis.Key
	key     string // RequestID
	created time.Time
	limit   int
	before  string     // read only what was before this
	first   event      // the oldest that is kept
	batch   *txn.Batch // of the first read
}

// queue queues the read of some entries of the stream.
func (r *reader) queue(b *txn.Batch, from, to string, count int, reverse bool) *txn.Reply[[]event] {
	return txn.Queue(b, r.stream, redis.StreamKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]event, bool)) {
		read := b.Pipe.XRangeN
		if reverse {
			read = b.Pipe.XRevRangeN
		}
		cmd := read(ctx, name, from, to, int64(count))
		return cmd, func() ([]event, bool) { return eventsOf(cmd.Val()), true }
	})
}

func eventsOf(entries []goredis.XMessage) []event {
	events := make([]event, len(entries))
	for i, entry := range entries {
		events[i] = event{entry.ID, make(map[string]string, len(entry.Values))}
		for name, value := range entry.Values {
			events[i].fields[name], _ = value.(string)
		}
	}
	return events
}

// read reads some entries, with the first of all as long as that is not known, and what is queued already.
func (r *reader) read(ctx context.Context, from, to string, reverse bool) ([]event, error) {
	b := r.batch
	if r.batch = nil; b == nil {
		b = r.store.Pipeline()
	}
	var first *txn.Reply[[]event]
	if r.first.id == "" {
		first = r.queue(b, "-", "+", 1, false)
	}
	found := r.queue(b, from, to, atOnce, reverse)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	if first != nil && len(first.Value()) > 0 {
		r.first = first.Value()[0]
	}
	return found.Value(), nil
}

// about reports whether an event is about the change request.
func (r *reader) about(e event) bool {
	named := e.fields["changeRequest"]
	if e.fields["type"] == api.CreateChangeRequest.Name {
		named = e.fields["id"]
	}
	space, number, _ := strings.Cut(r.key, "-")
	return named != "" && e.fields["space"] == space && named[strings.LastIndexByte(named, '_')+1:] == number
}

// after reads on behind a cursor.
func (r *reader) after(ctx context.Context, cursor string) (s stretch, err error) {
	s.cursor = cursor
	at, idle := cursor, 0
	for looked := 0; ; {
		events, err := r.read(ctx, "("+at, "+", false)
		if err != nil {
			return s, err
		}
		s.gone = r.forgotten(cursor)
		for _, e := range events {
			at, looked, idle = e.id, looked+1, idle+1
			if !r.about(e) {
				continue
			}
			s.events, s.cursor, idle = append(s.events, e), e.id, 0
			if len(s.events) == r.limit {
				s.more = true
				return s, nil
			}
		}
		if idle >= atOnce { // what asks again does not look at all of this again
			s.cursor, idle = at, 0
		}
		if len(events) < atOnce {
			return s, nil
		}
		if looked >= lookedAt {
			s.more = true
			return s, nil
		}
	}
}

// latest reads the last events, or those before a cursor.
func (r *reader) latest(ctx context.Context) (s stretch, err error) {
	from := "+"
	if r.before != "" {
		from = "(" + r.before
	}
	s.cursor = beginning
	newest, at := "", ""
	for looked := 0; ; {
		events, err := r.read(ctx, from, "-", true)
		if err != nil {
			return s, err
		}
		for _, e := range events {
			if newest == "" {
				newest = e.id
			}
			at, looked = e.id, looked+1
			if r.about(e) {
				s.events = append(s.events, e)
			}
			if len(s.events) == r.limit || r.isFirst(e) {
				return r.turned(s, newest, at, !r.isFirst(e)), nil
			}
			if len(s.events) == 0 && looked == atOnce {
				s.cursor = newest
			}
		}
		from = "(" + at
		if len(events) < atOnce {
			s.gone = r.lost()
			return r.turned(s, newest, at, false), nil
		}
		if looked >= lookedAt {
			return r.turned(s, newest, at, true), nil
		}
	}
}

// turned puts a stretch that was read backwards into order.
func (r *reader) turned(s stretch, newest, oldest string, earlier bool) stretch {
	switch {
	case r.before != "":
		s.cursor = r.before
	case s.cursor != beginning: // so much lies before it that it is not looked at again
	case len(s.events) > 0:
		s.cursor = s.events[0].id
	case newest != "":
		s.cursor = newest
	}
	if earlier {
		s.earlier = oldest
	}
	slices.Reverse(s.events)
	return s
}

// isFirst reports whether nothing of the change request is before an event.
func (r *reader) isFirst(e event) bool {
	if e.fields["type"] == api.CreateChangeRequest.Name && r.about(e) {
		return true
	}
	ms, err := strconv.ParseInt(e.fields["at"], 10, 64)
	return err == nil && time.UnixMilli(ms).Before(r.created.Add(-creationSkew))
}

// lost reports whether events of the change request are not kept any more: the oldest that is, is younger than the change
// request.
func (r *reader) lost() bool {
	ms, err := strconv.ParseInt(r.first.fields["at"], 10, 64)
	return err != nil || time.UnixMilli(ms).After(r.created)
}

// forgotten reports whether events behind a cursor are not kept any more.
func (r *reader) forgotten(cursor string) bool {
	if cursor == beginning {
		return r.lost()
	}
	return r.first.id == "" || behind(cursor, r.first.id)
}
