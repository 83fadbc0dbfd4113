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
