package remote

import (
	"context"
	"errors"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
)

// Times without an answer after which the screen reports it, counts the seconds, and offers to ask again.
const (
	ReportedAfter = time.Second
	CountedAfter  = 3 * time.Second
	OverdueAfter  = 10 * time.Second
)

// Waits records which reads wait for an answer. Reads end in commands while the screen draws them, so Waits is safe for
// concurrent use. The zero value is ready to use.
type Waits struct {
	mu      sync.Mutex
	started map[int]time.Time // start of the reads without an answer, by number
	reads   int
	last    time.Time // time of the last response
}

// Begin records the start of a read. The caller calls end with its time and error.
func (w *Waits) Begin(now time.Time) (end func(now time.Time, err error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started == nil {
		w.started = map[int]time.Time{}
	}
	w.reads++
	number := w.reads
	w.started[number] = now
	return func(now time.Time, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.started, number)
		if isResponse(err) && now.After(w.last) {
			w.last = now
		}
	}
}

// isResponse reports whether a read that ended with an error got a response of the server.
func isResponse(err error) bool {
	_, refused := api.AsError(err)
	return err == nil || refused || errors.Is(err, ErrNotModified)
}

// Longest returns how long the oldest read has waited for an answer, or 0.
func (w *Waits) Longest(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	longest := time.Duration(0)
	for _, start := range w.started {
		longest = max(longest, now.Sub(start))
	}
	return longest
}

// LastResponse returns the time of the last response, or the zero time.
func (w *Waits) LastResponse() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// recordWait returns get with a record of how long it waits, from now on.
func recordWait[T any](ctx context.Context, c *Connection, get func(context.Context) (T, error)) func() (T, error) {
	end := c.Waits.Begin(c.Now())
	return func() (T, error) {
		value, err := get(ctx)
		end(c.Now(), err)
		return value, err
	}
}
