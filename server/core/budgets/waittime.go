package budgets

import (
	"context"
	"sync/atomic"
	"time"
)

// WaitTime is the time that the work of a context has waited for permits.
type WaitTime struct{ total atomic.Int64 }

type waitTimeKey struct{}

// WithWaitTime returns a context whose waits for permits are timed.
func WithWaitTime(ctx context.Context) (context.Context, *WaitTime) {
	w := &WaitTime{}
	return context.WithValue(ctx, waitTimeKey{}, w), w
}

// Duration returns the time so far.
func (w *WaitTime) Duration() time.Duration { return time.Duration(w.total.Load()) }

// addWaitTime adds the time since start to the WaitTime of the context.
func addWaitTime(ctx context.Context, start time.Time) {
	if w, ok := ctx.Value(waitTimeKey{}).(*WaitTime); ok {
		w.total.Add(int64(time.Since(start)))
	}
}
