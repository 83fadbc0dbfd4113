package budgets

import (
	"context"
	"sync/atomic"
	"time"
)

// Waited is the time that the work of a context has waited for permits.
type Waited struct{ total atomic.Int64 }

type waitedKey struct{}

// WithWaited returns a context whose waits for permits are timed.
func WithWaited(ctx context.Context) (context.Context, *Waited) {
	w := &Waited{}
	return context.WithValue(ctx, waitedKey{}, w), w
}

// Duration returns the time so far.
func (w *Waited) Duration() time.Duration { return time.Duration(w.total.Load()) }

// addWaited adds the time since start to the Waited of the context.
func addWaited(ctx context.Context, start time.Time) {
	if w, ok := ctx.Value(waitedKey{}).(*Waited); ok {
		w.total.Add(int64(time.Since(start)))
	}
}
