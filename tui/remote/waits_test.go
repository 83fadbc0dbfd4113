package remote

import (
	"errors"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

func TestWaits(t *testing.T) {
	t.Parallel()
	var w Waits
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	check := func(seconds int, longest time.Duration, heard time.Time) {
		t.Helper()
		if got := w.Longest(at(seconds)); got != longest {
			t.Errorf("at %d s: the longest wait is %s, want %s", seconds, got, longest)
		}
		if got := w.LastResponse(); !got.Equal(heard) {
			t.Errorf("at %d s: the last answer was at %s, want %s", seconds, got, heard)
		}
	}
	check(0, 0, time.Time{})
	first, second := w.Begin(at(0)), w.Begin(at(2))
	check(4, 4*time.Second, time.Time{})
	first(at(5), errors.New("no route"))
	check(5, 3*time.Second, time.Time{})
	second(at(6), api.Errorf(404, api.ReasonNotFound, "There is none."))
	check(6, 0, at(6))
	w.Begin(at(7))(at(8), ErrNotModified)
	check(9, 0, at(8))
}
