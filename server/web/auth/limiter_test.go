package auth

import (
	"fmt"
	"testing"
	"time"
)

func TestTakeCountsPerMinute(t *testing.T) {
	t.Parallel()
	start := time.Unix(6000, 0) // start of a window
	l := NewLimiter(3, 100)
	for want := int64(2); want >= 0; want-- {
		a, ok := l.Take("u_1", start, 0)
		if !ok || a.remaining != want || a.Reset.Unix() != 6060 {
			t.Errorf("%+v, %v: want %d left", a, ok, want)
		}
	}
	if a, ok := l.Take("u_1", start.Add(59*time.Second), 0); ok || a.remaining != 0 {
		t.Errorf("the fourth passes: %+v", a)
	}
	if _, ok := l.Take("u_2", start, 0); !ok {
		t.Error("somebody else is refused")
	}
	if _, ok := l.Take("u_2", start, 3); ok {
		t.Error("what other nodes counted does not count")
	}
	if _, ok := l.Take("u_1", start.Add(time.Minute), 0); !ok {
		t.Error("the next minute is refused")
	}
	if _, ok := NewLimiter(0, 100).Take("u_1", start, 1000); !ok {
		t.Error("no limit refuses")
	}
}

func TestPendingReturnsUnstoredCounts(t *testing.T) {
	t.Parallel()
	start := time.Unix(6000, 0)
	l := NewLimiter(100, 100)
	for range 5 {
		l.Take("u_1", start, 0)
	}
	if n := l.Pending("u_1", start); n != 0 {
		t.Errorf("pending count %d at once, want 0", n)
	}
	if n := l.Pending("u_1", start.Add(flushInterval)); n != 5 {
		t.Errorf("pending count %d, want 5", n)
	}
	if a, _ := l.Take("u_1", start.Add(flushInterval), 0); a.remaining != 94 {
		t.Errorf("%d left while the store has not caught up, want 94", a.remaining)
	}
	if n := l.Pending("u_1", start.Add(2*flushInterval)); n != 1 {
		t.Errorf("pending count %d the second time, want 1", n)
	}
}

// TestLimiterIsBounded checks that the number of counters is bounded, that further principals share one, and that
// users and addresses are bounded separately.
func TestLimiterIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(6000, 0)
	l := NewLimiter(3, 10)
	for i := range 1000 {
		l.Take(fmt.Sprintf("192.0.2.%d", i), now, 0)
		l.Take(fmt.Sprintf("u_%d", i), now, 0)
	}
	if len(l.addresses) != 11 || len(l.users) != 11 {
		t.Errorf("%d addresses and %d users are kept", len(l.addresses), len(l.users))
	}
	if _, ok := l.Take("192.0.2.2000", now, 0); ok {
		t.Error("one of too many is not counted")
	}
	if _, ok := l.Take("192.0.2.5", now, 0); !ok {
		t.Error("one of the first is refused with the others")
	}
	if n := l.Pending("u_2000", now.Add(flushInterval)); n != 0 {
		t.Errorf("pending count %d of the shared counter, want 0", n)
	}
	if _, ok := l.Take("192.0.2.2000", now.Add(time.Minute), 0); !ok {
		t.Error("the next minute is refused")
	}
}

// TestLimiterAdmitsRecentUsers checks that an address without requests left is refused, except for users who
// were active recently.
func TestLimiterAdmitsRecentUsers(t *testing.T) {
	t.Parallel()
	now := time.Unix(6000, 0)
	l := NewLimiter(2, 10)
	l.Take("u_1", now.Add(-time.Minute), 0)
	for range 2 {
		if l.Refuses("192.0.2.1", "u_9", now) {
			t.Error("shut before anything is used up")
		}
		l.Take("192.0.2.1", now, 0)
	}
	for user, want := range map[string]bool{"": true, "u_9": true, "u_1": false} {
		if l.Refuses("192.0.2.1", user, now) != want {
			t.Errorf("shut to %q is not %t", user, want)
		}
	}
	if l.Refuses("192.0.2.2", "", now) || l.Refuses("192.0.2.1", "", now.Add(time.Minute)) {
		t.Error("shut to others, or for ever")
	}
}
