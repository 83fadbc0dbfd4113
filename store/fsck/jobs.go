package fsck

import (
	"context"
	"errors"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// jobs checks that no lease is left of a job that is gone, and that the registry
// sends somebody to the jobs in time.
func (in *inspection) jobs(ctx context.Context, want *expectation) error {
	key := txn.DueKey(want.org)
	redis.FailBefore("fsck.index")
	waiting, err := in.store.Client.ZRangeWithScores(ctx, in.store.Name(key), 0, -1).Result()
	redis.FailAfter("fsck.index")
	if err := in.unreadable(ctx, key.Name(), err); err != nil {
		return err
	}
	leases, err := in.hash(ctx, txn.LeasesKey(want.org))
	if err != nil {
		return err
	}
	for job := range leases {
		if !slices.ContainsFunc(waiting, func(z goredis.Z) bool { return z.Member == job }) {
			in.add(txn.LeasesKey(want.org).Name(), job, "lease of no job", in.rewrite(want.org, func(tx *store.Tx) { tx.DeleteField(txn.LeasesKey(want.org), job) }))
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	return in.expected(ctx, want.org, time.UnixMilli(int64(waiting[0].Score)))
}

// expected checks that the registry of jobs has an organization, by the time at
// which something is due first or by now.
func (in *inspection) expected(ctx context.Context, org string, first time.Time) error {
	s, part := in.store, txn.DueRegistryKey(org)
	redis.FailBefore("fsck.registry")
	score, err := s.Client.ZScore(ctx, s.Name(part), org).Result()
	redis.FailAfter("fsck.registry")
	if err != nil && !errors.Is(err, goredis.Nil) {
		return in.unreadable(ctx, part.Name(), err)
	}
	now, late := s.KeyTime(ctx, part)
	if late != nil || err == nil && store.InTime(time.UnixMilli(int64(score)), first, now) {
		return late
	}
	in.add(part.Name(), org, "nobody looks at its jobs in time", func(ctx context.Context) error {
		return s.Register(ctx, txn.DueRegistration(org))
	})
	return nil
}
