package store

import (
	"context"
	"time"
)

// RemovesByAge reports whether jobs of a kind remove something for good because time has passed. A node that may not
// remove leaves them to other nodes.
func RemovesByAge(kind string) bool {
	return kind == PurgeKind || kind == OrganizationPurgeKind || kind == EventsKind
}

// RemovalDelay returns how long something must still be kept that may be removed for good at due; 0 = it may be removed
// by this transaction. Everything that is removed because time has passed is removed with this permission only. It
// returns a redis.ErrRemovalHeld while the time is not plausible (docs/decisions.md#clocks).
func (tx *Tx) RemovalDelay(ctx context.Context, due time.Time) (time.Duration, error) {
	now, err := tx.Time()
	if err != nil {
		return 0, err
	}
	if delay := due.Sub(now); delay > 0 {
		return delay, nil
	}
	return 0, tx.store.CheckRemoval(ctx, now)
}
