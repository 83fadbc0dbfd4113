package jobs

import (
	"context"
	"errors"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RegisterAgain has somebody look in time at those of some organizations that have jobs. Commits do not wait until the
// replicas of the registry hold what they write there, so a failover may lose it: the organization, or that something is
// due sooner than what was due first before. It returns how many it was that nobody would have looked at in time.
func (q *Queue) RegisterAgain(ctx context.Context, organizations []string) (missing int, err error) {
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		lost, err := q.unregistered(ctx, page)
		if err != nil {
			return missing, err
		}
		if err := q.store.Register(ctx, lost...); err != nil {
			return missing, err
		}
		missing += len(lost)
	}
	return missing, nil
}

// InTime reports whether the registry sends somebody to an organization in time: it is looked at by the time at which
// something is due first, or now.
func InTime(looked, first, now time.Time) bool { return !looked.After(first) || !looked.After(now) }

// unregistered finds the organizations that have jobs and that nobody looks at in time.
func (q *Queue) unregistered(ctx context.Context, organizations []string) (lost []txn.Registration, err error) {
	now, err := q.store.TimeAt(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return nil, err
	}
	pipe := q.store.Client.Pipeline()
	jobs, known := make([]*goredis.ZSliceCmd, len(organizations)), make([]*goredis.FloatCmd, len(organizations))
	for i, org := range organizations {
		jobs[i] = pipe.ZRangeWithScores(ctx, q.store.Name(txn.DueKey(org)), 0, 0)
		known[i] = pipe.ZScore(ctx, q.store.Name(txn.DueRegistryKey(org)), org)
	}
	if err := redis.Execute(ctx, "registry", pipe); err != nil {
		return nil, err
	}
	for i, org := range organizations {
		first := jobs[i].Val()
		if len(first) == 0 {
			continue
		}
		absent := errors.Is(known[i].Err(), goredis.Nil)
		if absent || !InTime(time.UnixMilli(int64(known[i].Val())), time.UnixMilli(int64(first[0].Score)), now) {
			lost = append(lost, txn.DueRegistration(org))
		}
	}
	return lost, nil
}
