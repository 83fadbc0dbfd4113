package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// EventsKind is the kind of the jobs that remove the events of an organization that are older than they are kept.
const EventsKind = "events"

// EventsJob returns the name of the job that removes old events of an organization.
func EventsJob(org string) string { return txn.JobName(EventsKind, org) }

// OldestEvents returns the times of the oldest events of organizations, by the clock of Redis. Organizations without events are left
// out.
func OldestEvents(ctx context.Context, s *Store, organizations []string) (map[string]time.Time, error) {
	oldest := map[string]time.Time{}
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		b := s.NewBatch()
		replies := make([]*txn.Reply[string], len(page))
		for i, org := range page {
			replies[i] = queueFirstID(b, EventsKey(org))
		}
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("oldest events: %w", err)
		}
		for i, org := range page {
			text, _, _ := strings.Cut(replies[i].Value(), "-")
			if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
				oldest[org] = time.UnixMilli(ms)
			}
		}
	}
	return oldest, nil
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
func QueueEvents[T any](b *txn.Batch, log redis.Key, from, to string, count int, reverse bool, decode func(id string, fields map[string]string) T,
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

// FollowTokens schedules the job that copies the events of a user's tokens after a position to an organization, and reports whether the
// user is a member. Events up to an earlier position, from which they are being copied already, are copied as well.
func (tx *Tx) FollowTokens(org, user, position string) (isMember bool, err error) {
	m, err := tx.Member(org, user)
	if err != nil || m.Version == 0 {
		return false, err
	}
	_, is, err := tx.Field(FollowedKey(org), user)
	if err != nil {
		return false, err
	}
	if !is {
		tx.SetField(FollowedKey(org), user, position)
	}
	tx.Schedule(org, txn.JobName(TokenEventsKind, user), UserJobTime)
	return true, nil
}
