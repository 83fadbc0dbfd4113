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

// checkJobs checks that every lease has a job, and that the registry of jobs contains an organization with jobs, with a time
// not later than its first due time or now.
func (in *pass) checkJobs(ctx context.Context, want *expectation) error {
	key := txn.DueKey(want.org)
	redis.FailBefore("fsck.index")
	waiting, err := in.store.Client.ZRangeWithScores(ctx, in.store.Name(key), 0, -1).Result()
	redis.FailAfter("fsck.index")
	if err := in.addUnreadable(ctx, key.Name(), err); err != nil {
		return err
	}
	leases, err := in.readHash(ctx, txn.LeasesKey(want.org))
	if err != nil {
		return err
	}
	for job := range leases {
		if !slices.ContainsFunc(waiting, func(z goredis.Z) bool { return z.Member == job }) {
			in.add(txn.LeasesKey(want.org).Name(), job, "lease of no job", in.rewriteRepair(want.org, func(tx *store.Tx) {
				tx.DeleteField(txn.LeasesKey(want.org), job)
			}))
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	return in.checkJobRegistry(ctx, want.org, time.UnixMilli(int64(waiting[0].Score)))
}

// checkJobRegistry checks that the registry of jobs contains an organization, and that its score is at or before first, its
// first due time, or at or before now.
func (in *pass) checkJobRegistry(ctx context.Context, org string, first time.Time) error {
	s, part := in.store, txn.DueRegistryKey(org)
	redis.FailBefore("fsck.registry")
	score, err := s.Client.ZScore(ctx, s.Name(part), org).Result()
	redis.FailAfter("fsck.registry")
	if err != nil && !errors.Is(err, goredis.Nil) {
		return in.addUnreadable(ctx, part.Name(), err)
	}
	now, late := s.KeyTime(ctx, part)
	if late != nil || err == nil && store.RegisteredInTime(time.UnixMilli(int64(score)), first, now) {
		return late
	}
	in.add(part.Name(), org, "nobody looks at its jobs in time", func(ctx context.Context) error {
		return s.AddToSuperset(ctx, txn.DueRegistration(org))
	})
	return nil
}
