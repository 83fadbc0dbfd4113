package hostile

import (
	"context"
	"runtime"
	"testing"
)

// countingContext is a context that is canceled after a number of calls of Err.
type countingContext struct {
	context.Context
	cancel       context.CancelFunc
	limit        int // calls of Err until it is canceled; negative for never
	calls        int
	allocated    uint64 // bytes allocated until the last call
	maxAllocated uint64 // maximum allocated between two calls
}

// Err implements context.Context.
func (c *countingContext) Err() error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.maxAllocated, c.allocated = max(c.maxAllocated, m.TotalAlloc-c.allocated), m.TotalAlloc
	if c.calls++; c.limit >= 0 && c.calls > c.limit {
		c.cancel()
	}
	return c.Context.Err()
}

// CheckCancellation runs work with a context that is canceled at the first, an early and a middle check of the context. It fails
// the test if work allocates more than most bytes between two checks or after the last. It measures the allocations
// of the whole process, so tests that call it must not run in parallel, and work must check the context from one
// goroutine at a time.
func CheckCancellation(t *testing.T, most uint64, work func(ctx context.Context)) {
	t.Helper()
	run := func(limit int) (*countingContext, uint64) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c := &countingContext{limit: limit, allocated: m.TotalAlloc}
		c.Context, c.cancel = context.WithCancel(t.Context())
		defer c.cancel()
		work(c)
		runtime.ReadMemStats(&m)
		return c, m.TotalAlloc - c.allocated
	}
	whole, _ := run(-1)
	if whole.calls < 4 {
		t.Fatalf("work checks the context only %d times", whole.calls)
	}
	if whole.maxAllocated > most {
		t.Errorf("%d bytes are allocated between two checks, more than %d", whole.maxAllocated, most)
	}
	for _, limit := range []int{0, 3, whole.calls / 2} {
		if _, after := run(limit); after > most {
			t.Errorf("canceled at check %d of %d: %d bytes are allocated afterwards, more than %d", limit, whole.calls, after, most)
		}
	}
	t.Logf("%d checks, at most %d bytes between two", whole.calls, whole.maxAllocated)
}
