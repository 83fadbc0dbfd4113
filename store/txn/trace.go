package txn

import (
	"context"
	"sync/atomic"
)

// Trace notes what became of the commits that were made for one piece of work.
// Who answers for the work asks it: after a failure behind a commit it must not
// be said that nothing was written.
type Trace struct{ commits atomic.Int64 }

type traceKey struct{}

// WithTrace returns a context whose commits are noted.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{}
	return context.WithValue(ctx, traceKey{}, t), t
}

// untraced returns a context whose commits are not noted: they are no part of the
// work.
func untraced(ctx context.Context) context.Context {
	return context.WithValue(ctx, traceKey{}, (*Trace)(nil))
}

// Commits is how many transactions were committed, dry runs left out.
func (t *Trace) Commits() int { return int(t.commits.Load()) }

// traceCommit notes a commit.
func traceCommit(ctx context.Context) {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok && t != nil {
		t.commits.Add(1)
	}
}
