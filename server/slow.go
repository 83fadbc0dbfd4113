package server

import (
	"context"
	"fmt"
	"time"

	"docspace.dev/wsd/server/budgets"
)

// slowWork is where work that may be slow or large waits for its turn: imports, PDFs, comparisons, merges, texts in
// other forms. What is small has turns of its own, so that it never waits behind what is large.
type slowWork struct {
	large, small *budgets.Turns
	downloads    *budgets.Turns // they end when the reader likes: nothing else waits for them
	most         int64          // bytes of small work
}

func newSlowWork(b *budgets.Budgets) slowWork {
	wait := time.Duration(b.TurnWait)
	return slowWork{
		large: budgets.NewTurns(b.SlowBytes, wait), small: budgets.NewTurns(b.SmallBytes, wait), most: b.SmallWork,
		downloads: budgets.NewTurns(b.Downloads, wait),
	}
}

// What work holds for each byte of the texts that it is about, roughly: a parsed text is some ten times as large as it
// was, and more where it is all markup.
const (
	comparedFactor  = 16
	mergedFactor    = 16
	writtenFactor   = 16 // in another form, or with its expressions replaced
	printedFactor   = 32
	unpackedFactor  = 2        // what came in, and the objects that are made of it
	importStart     = 16 << 20 // until more is known of an import
	printStart      = 1 << 20  // of a PDF, beside its text
	specStart       = 1 << 20  // of an OpenAPI document, beside what it refers to
	specFactor      = 16       // of an OpenAPI document
	blamedFactor    = 16       // one revision's text after the other, each beside the last one
	locatedFactor   = 16       // of texts in which the places of comments are sought
	editedFactor    = 16       // of content operations
	changedOverhead = 1 << 10  // of a page that differs, beside its text
)

// work is slow work that has its turn.
type work struct {
	slow  slowWork
	party string
	turn  *budgets.Turn
	bytes int64
	large bool
}

// begin waits for the turn of work with so many bytes. Nobody begins a second one before the first has ended: two who
// do so may wait for each other.
func (s *Server) begin(ctx context.Context, bytes int) (*work, error) {
	w := &work{slow: s.slow, party: partyOf(ctx), bytes: int64(bytes)}
	return w, w.take(ctx)
}

// beginLarge is begin for work that is never small, for it waits for others.
func (s *Server) beginLarge(ctx context.Context, bytes int) (*work, error) {
	w := &work{slow: s.slow, party: partyOf(ctx), bytes: max(int64(bytes), s.slow.most+1)}
	return w, w.take(ctx)
}

func (w *work) take(ctx context.Context) (err error) {
	turns := w.slow.small
	if w.large = w.bytes > w.slow.most; w.large {
		turns = w.slow.large
	}
	turn, err := turns.Take(ctx, w.party, w.bytes)
	if err != nil {
		return fmt.Errorf("turn of %d bytes: %w", w.bytes, err)
	}
	w.end()
	w.turn = turn
	return nil
}

// grow goes on with more bytes than were known of.
func (w *work) grow(ctx context.Context, more int) error {
	w.bytes += int64(more)
	if w.large != (w.bytes > w.slow.most) {
		return w.take(ctx)
	}
	if err := w.turn.Grow(ctx, w.bytes); err != nil {
		return fmt.Errorf("turn of %d bytes: %w", w.bytes, err)
	}
	return nil
}

// upTo is grow to so many bytes in all.
func (w *work) upTo(ctx context.Context, bytes int64) error {
	if bytes <= w.bytes {
		return nil
	}
	return w.grow(ctx, int(bytes-w.bytes))
}

// end gives the turn back. It may be called again.
func (w *work) end() {
	if w.turn != nil {
		w.turn.Done()
	}
}

// partyKey is the key of who work is for.
type partyKey struct{}

// workingFor names the party that work is for: an organization, a user, or an address.
func workingFor(ctx context.Context, party string) context.Context {
	return context.WithValue(ctx, partyKey{}, party)
}

// partyOf is who takes turns; "" for wsd's own jobs.
func partyOf(ctx context.Context) string {
	party, _ := ctx.Value(partyKey{}).(string)
	return party
}
