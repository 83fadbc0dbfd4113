package budgets

import (
	"context"
	"fmt"
	"time"
)

// WorkLimiter limits the memory of slow or large work: imports, PDFs, comparisons, merges, and conversions of texts. Small
// work has a limiter of its own, so it never waits for large work, and so has large work that only reads, so that readers do
// not wait for writers.
type WorkLimiter struct {
	large, reading, small *FairLimiter
	Downloads             *FairLimiter // separate, because clients decide how long downloads take
	maxSmall              int64        // bytes up to which work is small
}

// NewWorkLimiter returns the limiters for the given budgets.
func NewWorkLimiter(b *Budgets) WorkLimiter {
	wait := time.Duration(b.TurnWait)
	return WorkLimiter{
		large: NewFairLimiter(b.SlowBytes, wait), reading: NewFairLimiter(b.ReadBytes, wait),
		small: NewFairLimiter(b.SmallBytes, wait), maxSmall: b.SmallWorkBytes,
		Downloads: NewFairLimiter(b.DownloadBytes, wait),
	}
}

// ByBudget returns the limiters by the names of their budgets.
func (s WorkLimiter) ByBudget() map[string]*FairLimiter {
	return map[string]*FairLimiter{
		"slow-bytes": s.large, "read-bytes": s.reading, "small-bytes": s.small, "download-bytes": s.Downloads,
	}
}

// Estimated memory of work for each byte of its texts. A parsed text takes about ten times its size, and more if it
// consists of markup.
const (
	CompareFactor   = 16
	MergeFactor     = 16
	RenderFactor    = 16 // conversion to another format, or replacement of expressions
	PrintFactor     = 32
	UnpackFactor    = 2        // archives and the objects made from them
	ImportStart     = 16 << 20 // initial bytes of an import
	PrintStart      = 1 << 20  // of a PDF, in addition to its text
	SpecStart       = 1 << 20  // of an OpenAPI document, in addition to the documents it refers to
	SpecFactor      = 16       // of an OpenAPI document
	BlameFactor     = 16       // texts of revisions, two of them at a time in memory
	LocateFactor    = 16       // texts in which comments are located
	EditFactor      = 16       // of content operations
	CopyStart       = 16 << 20 // of a duplicate or a transfer, which read a page of objects or records at a time
	ChangedOverhead = 1 << 10  // of a changed page, in addition to its text
)

// Work is slow work that holds a permit.
type Work struct {
	limiter   WorkLimiter
	requester Requester
	permit    *Permit
	bytes     int64
	large     bool
}

// Begin waits for a permit for the given number of bytes. A caller must end its work before it begins another;
// otherwise two callers may wait for each other.
func (s WorkLimiter) Begin(ctx context.Context, bytes int) (*Work, error) {
	w := &Work{limiter: s, requester: RequesterOf(ctx), bytes: int64(bytes)}
	return w, w.take(ctx)
}

// BeginLarge is Begin for work that counts as large whatever its size, because it waits for other hosts.
func (s WorkLimiter) BeginLarge(ctx context.Context, bytes int) (*Work, error) {
	w := &Work{limiter: s, requester: RequesterOf(ctx), bytes: max(int64(bytes), s.maxSmall+1)}
	return w, w.take(ctx)
}

func (w *Work) take(ctx context.Context) (err error) {
	limiter := w.limiter.small
	switch w.large = w.bytes > w.limiter.maxSmall; {
	case w.large && w.requester.Reading:
		limiter = w.limiter.reading
	case w.large:
		limiter = w.limiter.large
	}
	permit, err := limiter.Take(ctx, w.requester, w.bytes)
	if err != nil {
		return fmt.Errorf("turn of %d bytes: %w", w.bytes, err)
	}
	w.End()
	w.permit = permit
	return nil
}

// Grow extends the permit by more bytes. If the work becomes large by that, the permit is exchanged for one of the limiter for
// large work.
func (w *Work) Grow(ctx context.Context, more int) error {
	w.bytes += int64(more)
	if w.large != (w.bytes > w.limiter.maxSmall) {
		return w.take(ctx)
	}
	if err := w.permit.Grow(ctx, w.bytes); err != nil {
		return fmt.Errorf("turn of %d bytes: %w", w.bytes, err)
	}
	return nil
}

// GrowTo extends the permit to a total number of bytes.
func (w *Work) GrowTo(ctx context.Context, bytes int64) error {
	if bytes <= w.bytes {
		return nil
	}
	return w.Grow(ctx, int(bytes-w.bytes))
}

// End releases the permit. It may be called repeatedly.
func (w *Work) End() {
	if w.permit != nil {
		w.permit.Done()
	}
}

// requesterKey is the context key of the requester.
type requesterKey struct{}

// WithRequester sets the requester that work is charged to. The context of a request is created before its caller is known, so *requester
// may be set later, until the work begins.
func WithRequester(ctx context.Context, requester *Requester) context.Context {
	return context.WithValue(ctx, requesterKey{}, requester)
}

// WithTenant is WithRequester for work of an organization whose person is unknown.
func WithTenant(ctx context.Context, tenant *string) context.Context {
	return WithRequester(ctx, &Requester{Tenant: *tenant})
}

// RequesterOf returns the requester of the context; the zero Requester for wsd's own jobs.
func RequesterOf(ctx context.Context) Requester {
	if requester, ok := ctx.Value(requesterKey{}).(*Requester); ok {
		return *requester
	}
	return Requester{}
}
