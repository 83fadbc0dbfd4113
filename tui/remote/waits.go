package remote

import (
	"context"
	"errors"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
)

// The waiting times after which the screen reports a missing response, counts the seconds, and offers to repeat the request.
const (
	ReportedAfter = time.Second
	CountedAfter  = 3 * time.Second
	OverdueAfter  = 10 * time.Second
)

// Waits records the reads that have no response yet. Commands end reads while the screen draws them, so Waits is safe for
// concurrent use. The zero value is ready to use.
type Waits struct {
	mu           sync.Mutex
	startTimes   map[int]time.Time // start of the reads without an answer, by number
	reads        int
	lastResponse time.Time // time of the last response
}

// Begin records the start of a read. The caller calls end with the end time and the error of the read.
func (w *Waits) Begin(now time.Time) (end func(now time.Time, err error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.startTimes == nil {
		w.startTimes = map[int]time.Time{}
	}
	w.reads++
	number := w.reads
	w.startTimes[number] = now
	return func(now time.Time, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.startTimes, number)
		if isResponse(err) && now.After(w.lastResponse) {
			w.lastResponse = now
		}
	}
}

// isResponse reports whether a read that ended with err got a response of the server: no error, a rejection or ErrNotModified.
func isResponse(err error) bool {
	_, refused := api.AsError(err)
	return err == nil || refused || errors.Is(err, ErrNotModified)
}

// Longest returns how long the oldest read has waited for an answer, or 0.
func (w *Waits) Longest(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	longest := time.Duration(0)
	for _, start := range w.startTimes {
		longest = max(longest, now.Sub(start))
	}
	return longest
}

// LastResponse returns the time of the last response, or the zero time.
func (w *Waits) LastResponse() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lastResponse
}

// recordWait returns get with its wait recorded: the wait starts now and ends when get returns.
func recordWait[T any](ctx context.Context, c *Connection, get func(context.Context) (T, error)) func() (T, error) {
	end := c.Waits.Begin(c.Now())
	return func() (T, error) {
		value, err := get(ctx)
		end(c.Now(), err)
		return value, err
	}
}
