package txn

import (
	"errors"
	"fmt"
	"testing"

	"docspace.dev/wsd/store/redis"
)

// TestFailuresAreCountedByReason checks under which reason each error of a transaction is counted.
func TestFailuresAreCountedByReason(t *testing.T) {
	t.Parallel()
	var c counts
	for _, err := range []error{
		fmt.Errorf("commit: %w", redis.ErrUnknown), redis.ErrStale, redis.ErrStale, ErrBusy, ErrBusy, ErrBusy, errors.New("refused"),
	} {
		c.addFailure(err)
	}
	if unknown, stale, busy := c.unknown.Load(), c.stale.Load(), c.busy.Load(); unknown != 1 || stale != 2 || busy != 3 {
		t.Errorf("%d unknown, %d stale, %d busy; want 1, 2, 3", unknown, stale, busy)
	}
}
