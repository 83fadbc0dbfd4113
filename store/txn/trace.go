package txn

import (
	"context"
	"sync/atomic"
)

// Trace counts the commits that were made for one piece of work, such as a request. After a failure it shows whether
// something had already been written.
type Trace struct{ commits atomic.Int64 }

type traceKey struct{}

// WithTrace returns a context whose commits are counted.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{}
	return context.WithValue(ctx, traceKey{}, t), t
}

// WithoutTrace returns a context whose commits are not counted, because they only prepare the work or clean up after it.
func WithoutTrace(ctx context.Context) context.Context {
	return context.WithValue(ctx, traceKey{}, (*Trace)(nil))
}

// Commits returns the number of committed transactions, excluding dry runs.
func (t *Trace) Commits() int { return int(t.commits.Load()) }

// countCommit increments the Trace of ctx, if there is one.
func countCommit(ctx context.Context) {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok && t != nil {
		t.commits.Add(1)
	}
}
