package inbox

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// forgetAtOnce is how many readings one transaction removes: each may have as many marks as there may be.
const forgetAtOnce = 3

// Forget is the job that removes what a member who left had for themselves alone. Who has come back meanwhile begins
// anew.
func (s *ReadMarks) Forget(ctx context.Context, lease store.Lease) error {
	org, user := lease.Organization, lease.Arg
	b := s.Store.Pipeline()
	index := b.Range(store.ReaderKey(org, user), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read what %s has read: %w", user, err)
	}
	for some := range slices.Chunk(index.Value(), forgetAtOnce) {
		keys := make([]redis.Key, len(some))
		for i, request := range some {
			keys[i] = store.ReadingKey(org, request, user)
		}
		if err := s.discard(ctx, org, keys, func(tx *store.Tx) error { return lease.Hold(tx.Tx) }); err != nil {
			return err
		}
	}
	return s.discard(ctx, org, []redis.Key{store.SavedQueriesKey(org, user)}, func(tx *store.Tx) error { return lease.Finish(tx.Tx) })
}

func (s *ReadMarks) discard(ctx context.Context, org string, keys []redis.Key, may func(tx *store.Tx) error) error {
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{Prefetch: keys}, func(tx *store.Tx) error {
		for _, key := range keys {
			if err := store.Discard(tx, org, key); err != nil {
				return err
			}
		}
		return may(tx)
	})
}
