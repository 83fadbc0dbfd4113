package budgets

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaitForPermitIsTimed checks that a context contains the time that its work has waited for permits, whether or not they
// were granted.
func TestWaitForPermitIsTimed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, waited := WithWaitTime(context.Background())
		limiter := NewFairLimiter(100, time.Minute)
		held, err := limiter.Take(ctx, Requester{Tenant: "a"}, 50)
		if err != nil || waited.Duration() != 0 {
			t.Fatalf("a free permit: %v after %s", err, waited.Duration())
		}
		go func() {
			time.Sleep(7 * time.Second)
			held.Done()
		}()
		second, err := limiter.Take(ctx, Requester{Tenant: "a"}, 50)
		if err != nil || waited.Duration() != 7*time.Second {
			t.Fatalf("a permit that is released: %v after %s", err, waited.Duration())
		}
		defer second.Done()
		if _, err := limiter.Take(ctx, Requester{Tenant: "a"}, 50); !errors.Is(err, ErrBusy) || waited.Duration() != 67*time.Second {
			t.Errorf("a permit that is not released: %v after %s", err, waited.Duration())
		}
	})
}
