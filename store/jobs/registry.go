package jobs

import (
	"context"
	"errors"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RegisterAgain puts those of some organizations that have jobs back into the
// registry. Commits do not wait until the replicas of its masters hold what they
// write there, so a failover may lose it, and nobody would look at the jobs again.
// It returns how many were missing.
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

// unregistered finds the organizations that have jobs and are not in the registry.
func (q *Queue) unregistered(ctx context.Context, organizations []string) (lost []txn.Registration, err error) {
	pipe := q.store.Client.Pipeline()
	jobs, known := make([]*goredis.IntCmd, len(organizations)), make([]*goredis.FloatCmd, len(organizations))
	for i, org := range organizations {
		jobs[i] = pipe.ZCard(ctx, q.store.Name(txn.DueKey(org)))
		known[i] = pipe.ZScore(ctx, q.store.Name(txn.DueRegistryKey(org)), org)
	}
	if err := redis.Execute(ctx, "registry", pipe); err != nil {
		return nil, err
	}
	for i, org := range organizations {
		if jobs[i].Val() > 0 && errors.Is(known[i].Err(), goredis.Nil) {
			lost = append(lost, txn.DueRegistration(org))
		}
	}
	return lost, nil
}
