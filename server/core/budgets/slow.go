package budgets

import (
	"context"
	"fmt"
	"time"
)

// Slow is where work that may be slow or large waits for its turn: imports, PDFs, comparisons, merges, texts in
// other forms. What is small has turns of its own, so that it never waits behind what is large.
type Slow struct {
	large, small *Turns
	Downloads    *Turns // they end when the reader likes: nothing else waits for them
	most         int64  // bytes of small work
}

// NewSlow returns the turns of slow work within budgets.
func NewSlow(b *Budgets) Slow {
	wait := time.Duration(b.TurnWait)
	return Slow{
		large: NewTurns(b.SlowBytes, wait), small: NewTurns(b.SmallBytes, wait), most: b.SmallWork,
		Downloads: NewTurns(b.Downloads, wait),
	}
}

// What work holds for each byte of the texts that it is about, roughly: a parsed text is some ten times as large as it
// was, and more where it is all markup.
const (
	ComparedFactor  = 16
	MergedFactor    = 16
	WrittenFactor   = 16 // in another form, or with its expressions replaced
	PrintedFactor   = 32
	UnpackedFactor  = 2        // what came in, and the objects that are made of it
	ImportStart     = 16 << 20 // until more is known of an import
	PrintStart      = 1 << 20  // of a PDF, beside its text
	SpecStart       = 1 << 20  // of an OpenAPI document, beside what it refers to
	SpecFactor      = 16       // of an OpenAPI document
	BlamedFactor    = 16       // one revision's text after the other, each beside the last one
	LocatedFactor   = 16       // of texts in which the places of comments are sought
	EditedFactor    = 16       // of content operations
	ChangedOverhead = 1 << 10  // of a page that differs, beside its text
)

// Work is slow work that has its turn.
type Work struct {
	slow  Slow
	party string
	turn  *Turn
	bytes int64
	large bool
}

// Begin waits for the turn of work with so many bytes. Nobody begins a second one before the first has ended: two who
// do so may wait for each other.
func (s Slow) Begin(ctx context.Context, bytes int) (*Work, error) {
	w := &Work{slow: s, party: PartyOf(ctx), bytes: int64(bytes)}
	return w, w.take(ctx)
}

// BeginLarge is begin for work that is never small, for it waits for others.
func (s Slow) BeginLarge(ctx context.Context, bytes int) (*Work, error) {
	w := &Work{slow: s, party: PartyOf(ctx), bytes: max(int64(bytes), s.most+1)}
	return w, w.take(ctx)
}

func (w *Work) take(ctx context.Context) (err error) {
	turns := w.slow.small
	if w.large = w.bytes > w.slow.most; w.large {
		turns = w.slow.large
	}
	turn, err := turns.Take(ctx, w.party, w.bytes)
	if err != nil {
		return fmt.Errorf("turn of %d bytes: %w", w.bytes, err)
	}
	w.End()
	w.turn = turn
	return nil
}

// Grow goes on with more bytes than were known of.
func (w *Work) Grow(ctx context.Context, more int) error {
	w.bytes += int64(more)
	if w.large != (w.bytes > w.slow.most) {
		return w.take(ctx)
	}
	if err := w.turn.Grow(ctx, w.bytes); err != nil {
		return fmt.Errorf("turn of %d bytes: %w", w.bytes, err)
	}
	return nil
}

// UpTo is grow to so many bytes in all.
func (w *Work) UpTo(ctx context.Context, bytes int64) error {
	if bytes <= w.bytes {
		return nil
	}
	return w.Grow(ctx, int(bytes-w.bytes))
}

// End gives the turn back. It may be called again.
func (w *Work) End() {
	if w.turn != nil {
		w.turn.Done()
	}
}

// partyKey is the key of who work is for.
type partyKey struct{}

// WorkingFor names the party that work is for: an organization, a user, or an address. A request gets its context
// before it is known who asks: *party may be set later, before the work begins.
func WorkingFor(ctx context.Context, party *string) context.Context {
	return context.WithValue(ctx, partyKey{}, party)
}

// PartyOf is who takes turns; "" for wsd's own jobs.
func PartyOf(ctx context.Context) string {
	if party, ok := ctx.Value(partyKey{}).(*string); ok {
		return *party
	}
	return ""
}
