package store

import (
	"context"
	"errors"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RegisterJobs puts organizations that have jobs back into the registry of jobs.
// Commits do not wait until the replicas of its masters hold what they write there,
// so a failover may lose it, and nobody would look at the jobs again. Every node
// does this from time to time. It returns how many were missing.
func (s *Store) RegisterJobs(ctx context.Context) (missing int, err error) {
	organizations, err := s.Organizations(ctx)
	if err != nil {
		return 0, err
	}
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		lost, err := s.unregistered(ctx, page)
		if err != nil {
			return missing, err
		}
		if err := s.Register(ctx, lost...); err != nil {
			return missing, err
		}
		missing += len(lost)
	}
	return missing, nil
}

// unregistered finds the organizations that have jobs and are not in the registry.
func (s *Store) unregistered(ctx context.Context, organizations []string) (lost []txn.Registration, err error) {
	pipe := s.Client.Pipeline()
	jobs, known := make([]*goredis.IntCmd, len(organizations)), make([]*goredis.FloatCmd, len(organizations))
	for i, org := range organizations {
		jobs[i] = pipe.ZCard(ctx, s.Name(txn.DueKey(org)))
		known[i] = pipe.ZScore(ctx, s.Name(txn.DueRegistryKey(org)), org)
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

// Time is the time of the Redis that has an organization: what decides when
// something goes for good. One trip.
func (s *Store) Time(ctx context.Context, org string) (time.Time, error) {
	return s.TimeAt(ctx, txn.DueKey(org))
}
