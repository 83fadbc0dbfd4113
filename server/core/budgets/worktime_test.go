package budgets

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWorkTimeIsLimitedWithoutWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := WithWorkTime(t.Context(), time.Minute)
		defer stop()
		time.Sleep(30 * time.Second)
		first := PauseWork(ctx)
		second := PauseWork(ctx)
		time.Sleep(time.Hour)
		first()
		time.Sleep(time.Hour) // the second one still waits
		second()
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if err := ctx.Err(); err != nil {
			t.Errorf("after 59 seconds of work: %v", err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if err := context.Cause(ctx); !errors.Is(err, ErrWorkTime) {
			t.Errorf("after 61 seconds of work: %v", err)
		}
	})
}

// TestWaitForPermitIsNoWork checks that the time in which work waits for a permit does not count.
func TestWaitForPermitIsNoWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := WithWorkTime(t.Context(), time.Minute)
		defer stop()
		limiter := NewFairLimiter(100, time.Hour)
		held, err := limiter.Take(t.Context(), Requester{Tenant: "a"}, 50)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Minute, held.Done)
		permit, err := limiter.Take(ctx, Requester{Tenant: "a"}, 50)
		if err != nil {
			t.Fatalf("a permit after 10 minutes: %v", err)
		}
		permit.Done()
		if err := ctx.Err(); err != nil {
			t.Errorf("after waiting for a permit: %v", context.Cause(ctx))
		}
	})
}
