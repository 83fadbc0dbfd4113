package inbox

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// forgetBatch is the number of readings deleted per transaction; each may have the maximum number of marks.
const forgetBatch = 3

// Forget is the job that deletes the private data of a member who left: readings and saved queries. A member who
// returns in the meantime starts without them.
func (rm *ReadMarks) Forget(ctx context.Context, lease store.Lease) error {
	org, user := lease.Organization, lease.Arg
	b := rm.Store.NewBatch()
	index := b.Range(store.ReaderKey(org, user), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read what %s has read: %w", user, err)
	}
	for chunk := range slices.Chunk(index.Value(), forgetBatch) {
		keys := make([]redis.Key, len(chunk))
		for i, request := range chunk {
			keys[i] = store.ReadingKey(org, request, user)
		}
		if err := rm.discard(ctx, org, keys, func(tx *store.Tx) error { return lease.Require(tx.Tx) }); err != nil {
			return err
		}
	}
	return rm.discard(ctx, org, []redis.Key{store.SavedQueriesKey(org, user)}, func(tx *store.Tx) error { return lease.Finish(tx.Tx) })
}

func (rm *ReadMarks) discard(ctx context.Context, org string, keys []redis.Key, may func(tx *store.Tx) error) error {
	return rm.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{Prefetch: keys}, func(tx *store.Tx) error {
		for _, key := range keys {
			if err := store.DiscardRecord(tx, org, key); err != nil {
				return err
			}
		}
		return may(tx)
	})
}
