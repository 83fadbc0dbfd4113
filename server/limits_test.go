package server

import (
	"testing"
	"time"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	start := time.Unix(6000, 0) // a window begins
	l := newLimiter(3)
	for want := int64(2); want >= 0; want-- {
		a, ok := l.take("u_1", start, 0)
		if !ok || a.remaining != want || a.reset.Unix() != 6060 {
			t.Errorf("%+v, %v: want %d left", a, ok, want)
		}
	}
	if a, ok := l.take("u_1", start.Add(59*time.Second), 0); ok || a.remaining != 0 {
		t.Errorf("the fourth passes: %+v", a)
	}
	if _, ok := l.take("u_2", start, 0); !ok {
		t.Error("somebody else is refused")
	}
	if _, ok := l.take("u_2", start, 3); ok {
		t.Error("what other nodes counted does not count")
	}
	if _, ok := l.take("u_1", start.Add(time.Minute), 0); !ok {
		t.Error("the next minute is refused")
	}
	if _, ok := newLimiter(0).take("u_1", start, 1000); !ok {
		t.Error("no limit refuses")
	}
}

func TestLimiterTellsWhatItCounted(t *testing.T) {
	t.Parallel()
	start := time.Unix(6000, 0)
	l := newLimiter(100)
	for range 5 {
		l.take("u_1", start, 0)
	}
	if n := l.untold("u_1", start); n != 0 {
		t.Errorf("told %d at once", n)
	}
	if n := l.untold("u_1", start.Add(tellEvery)); n != 5 {
		t.Errorf("told %d, want 5", n)
	}
	if a, _ := l.take("u_1", start.Add(tellEvery), 0); a.remaining != 94 {
		t.Errorf("%d left while the store has not caught up, want 94", a.remaining)
	}
	if n := l.untold("u_1", start.Add(2*tellEvery)); n != 1 {
		t.Errorf("told %d the second time, want 1", n)
	}
}
