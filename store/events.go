package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// EventsKind is the kind of the jobs that remove the events of an organization that are older, or more, than are kept.
const EventsKind = "events"

// EventsJob returns the name of the job that removes old events of an organization.
func EventsJob(org string) string { return txn.JobName(EventsKind, org) }

const (
	// MinEventsKept is the number of events that an organization keeps at least, also with a small quota: with fewer, the timelines
	// of change requests would be incomplete soon.
	MinEventsKept = 1000

	eventShare  = 10 // the memory of the event log of an organization may be this part of its quota of bytes
	eventMargin = 20 // this part of the events that an organization may keep is removed as well, so that a job removes more than a few

	memorySamples = 1000 // parts of a log from which Redis estimates its memory, in less than 0.1 ms
)

// EventLog describes the event log of an organization that has events.
type EventLog struct {
	OldestID string
	Oldest   time.Time // when the oldest event was appended, by the clock of Redis
	Entries  int64
	Bytes    int64 // in memory; 0 = not measured, or Redis does not tell

	MaxBytes   int64         // a tenth of the quota; 0 = no limit
	MaxEntries int64         // what this organization keeps if that is its own limit; 0 = as all
	MaxAge     time.Duration // likewise
}

// EventLogs returns the event logs of organizations, with MeasureEventLogs to add their memory. Organizations without events are left
// out.
func EventLogs(ctx context.Context, s *Store, organizations []string) (map[string]EventLog, error) {
	logs := map[string]EventLog{}
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		b := s.NewBatch()
		first, entries := make([]*txn.Reply[string], len(page)), make([]*txn.Reply[int64], len(page))
		usage := make([]*txn.Reply[txn.Usage], len(page))
		for i, org := range page {
			first[i], entries[i], usage[i] = queueFirstID(b, EventsKey(org)), queueLength(b, EventsKey(org)), b.Usage(org)
		}
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("event logs: %w", err)
		}
		for i, org := range page {
			text, _, _ := strings.Cut(first[i].Value(), "-")
			ms, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				continue
			}
			u := usage[i].Value()
			logs[org] = EventLog{
				OldestID: first[i].Value(), Oldest: time.UnixMilli(ms), Entries: entries[i].Value(),
				MaxBytes: (u.Quota.Bytes + eventShare - 1) / eventShare, MaxEntries: u.Events,
				MaxAge: time.Duration(u.EventDays) * 24 * time.Hour,
			}
		}
	}
	return logs, nil
}

// MeasureEventLogs adds the memory to logs, which Redis estimates. If exact is set, it examines all entries, which takes about 6 ms for
// a million.
func MeasureEventLogs(ctx context.Context, s *Store, logs map[string]EventLog, exact bool) error {
	samples := memorySamples
	if exact {
		samples = 0
	}
	for page := range slices.Chunk(slices.Sorted(maps.Keys(logs)), txn.ChunkFields) {
		names := make([]string, len(page))
		for i, org := range page {
			names[i] = s.Name(EventsKey(org))
		}
		sizes, err := s.MemoryUsage(ctx, names, samples)
		if err != nil {
			return fmt.Errorf("measure event logs: %w", err)
		}
		for i, org := range page {
			log := logs[org]
			log.Bytes = sizes[i]
			logs[org] = log
		}
	}
	return nil
}

// KeptAge returns the time for which the events of the log are kept, given that for which those of all organizations are.
func (l EventLog) KeptAge(ofAll time.Duration) time.Duration {
	if l.MaxAge > 0 {
		return min(l.MaxAge, ofAll)
	}
	return ofAll
}

// KeptEntries returns how many events of the log are kept at most, given how many of each organization are.
func (l EventLog) KeptEntries(ofAll int64) int64 {
	if l.MaxEntries > 0 {
		return min(l.MaxEntries, ofAll)
	}
	return ofAll
}

// Excess reports whether the log has considerably more events than the organization may keep, because of its quota or of its own
// limit, and how many of the latest are to be kept.
func (l EventLog) Excess() (keep int64, exceeds bool) {
	most := l.KeptEntries(l.Entries)
	if l.MaxBytes > 0 && l.Bytes > l.MaxBytes && l.Entries > 0 {
		perEntry := (l.Bytes + l.Entries - 1) / l.Entries
		most = min(most, (l.MaxBytes-l.MaxBytes/eventMargin)/perEntry)
	}
	keep = max(most, MinEventsKept)
	return keep, l.Entries-keep > keep/eventMargin
}

// maxEventMemory exceeds the memory of an event.
const maxEventMemory = 4 << 10

// MayExceedQuota reports whether the memory of the log, which was not measured, may exceed its limit, and events be removed therefore.
func (l EventLog) MayExceedQuota() bool {
	return l.MaxBytes > 0 && l.Entries > MinEventsKept && l.Entries > l.MaxBytes/maxEventMemory
}

// IsLimitedByQuota reports whether the organization keeps fewer events because of its quota, or will soon: its log takes at least nine
// tenths of what it may, and has more events than are kept in any case.
func (l EventLog) IsLimitedByQuota() bool {
	return l.MaxBytes > 0 && l.Bytes >= l.MaxBytes-l.MaxBytes/10 && l.Entries > MinEventsKept
}

// queueLength queues a read of the number of entries of a stream.
func queueLength(b *txn.Batch, stream redis.Key) *txn.Reply[int64] {
	return txn.Queue(b, stream, redis.StreamKind, func(ctx context.Context, name string) (goredis.Cmder, func() (int64, bool)) {
		cmd := b.Pipe.XLen(ctx, name)
		return cmd, func() (int64, bool) { return cmd.Val(), true }
	})
}

// queueFirstID queues a read of the id of the first entry of a stream, which is "" if it has none.
func queueFirstID(b *txn.Batch, stream redis.Key) *txn.Reply[string] {
	return txn.Queue(b, stream, redis.StreamKind, func(ctx context.Context, name string) (goredis.Cmder, func() (string, bool)) {
		cmd := b.Pipe.XRangeN(ctx, name, "-", "+", 1)
		return cmd, func() (string, bool) {
			for _, entry := range cmd.Val() {
				return entry.ID, true
			}
			return "", true
		}
	})
}

// Event is an entry of a log.
type Event struct {
	ID     string
	Fields map[string]string
}

// NewEvent returns the Event with an id and fields.
func NewEvent(id string, fields map[string]string) Event { return Event{id, fields} }

// QueueEvents queues a read of entries of a log between two ids, the latest first if reverse is set. decode makes the results.
func QueueEvents[T any](b *txn.Batch, log redis.Key, from, to string, count int, reverse bool,
	decode func(id string, fields map[string]string) T,
) *txn.Reply[[]T] {
	return txn.Queue(b, log, redis.StreamKind, func(ctx context.Context, name string) (goredis.Cmder, func() ([]T, bool)) {
		read := b.Pipe.XRangeN
		if reverse {
			read = b.Pipe.XRevRangeN
		}
		cmd := read(ctx, name, from, to, int64(count))
		return cmd, func() ([]T, bool) { return decodeEvents(cmd.Val(), decode), true }
	})
}

func decodeEvents[T any](entries []goredis.XMessage, decode func(id string, fields map[string]string) T) []T {
	events := make([]T, len(entries))
	for i, entry := range entries {
		fields := make(map[string]string, len(entry.Values))
		for name, value := range entry.Values {
			fields[name], _ = value.(string)
		}
		events[i] = decode(entry.ID, fields)
	}
	return events
}

// StartOfEvents is the position before all events of a log.
const StartOfEvents = "0-0"

// QueueLastEvent queues a read of the id of the last entry of a log, which is StartOfEvents if it has none.
func QueueLastEvent(b *txn.Batch, log redis.Key) *txn.Reply[string] {
	return txn.Queue(b, log, redis.StreamKind, func(ctx context.Context, name string) (goredis.Cmder, func() (string, bool)) {
		cmd := b.Pipe.XRevRangeN(ctx, name, "+", "-", 1)
		return cmd, func() (string, bool) {
			for _, entry := range cmd.Val() {
				return entry.ID, true
			}
			return StartOfEvents, true
		}
	})
}

// TokenEventsKind is the kind of the jobs that copy the events of a member's tokens to an organization.
const TokenEventsKind = "token-events"

// FollowTokens schedules the job that copies the coming events of a user's tokens to an organization, and reports whether the user is a
// member. copied is the position up to which they were copied, "" = not at all; newest is that of the last event of the user, and was
// read after it. Copies begin at newest if there were none, or if copied is later, because a failover has taken events away.
func (tx *Tx) FollowTokens(org, user, copied, newest string) (isMember bool, err error) {
	m, err := tx.Member(org, user)
	if err != nil || m.Version == 0 {
		return false, err
	}
	position, _, err := tx.Field(FollowedKey(org), user)
	if err != nil {
		return false, err
	}
	if !IsEventID(position) || position == copied && isEventIDBefore(newest, position) {
		tx.SetField(FollowedKey(org), user, newest)
	}
	tx.Schedule(org, txn.JobName(TokenEventsKind, user), UserJobTime)
	return true, nil
}

// eventIDPattern matches the ids of entries.
var eventIDPattern = regexp.MustCompile(`^(\d{1,16})-(\d{1,10})$`)

// IsEventID reports whether a text has the form of the id of an entry.
func IsEventID(text string) bool { return eventIDPattern.MatchString(text) }

// isEventIDBefore reports whether an id is less than another.
func isEventIDBefore(a, b string) bool {
	number := func(id string, part int) int64 {
		if found := eventIDPattern.FindStringSubmatch(id); found != nil {
			return txn.ParseCount(found[part])
		}
		return 0
	}
	return cmp.Or(cmp.Compare(number(a, 1), number(b, 1)), cmp.Compare(number(a, 2), number(b, 2))) < 0
}
