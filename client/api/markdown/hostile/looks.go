package hostile

import (
	"context"
	"runtime"
	"testing"
)

// leaver is a context of somebody who leaves when it was looked at so often.
type leaver struct {
	context.Context
	leave context.CancelFunc
	stays int // looks until then; negative = for ever
	looks int
	at    uint64 // bytes that were allocated until the last look
	most  uint64 // between two looks
}

// Err implements context.Context.
func (l *leaver) Err() error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l.most, l.at = max(l.most, m.TotalAlloc-l.at), m.TotalAlloc
	if l.looks++; l.stays >= 0 && l.looks > l.stays {
		l.leave()
	}
	return l.Context.Err()
}

// GiveUp has work done for somebody who leaves after none, a few and half of its looks at the context, and fails when
// it allocates more than so many bytes between two looks, or after the last. It counts what the whole process allocates:
// no test that calls it is parallel, and the work looks from one goroutine at a time.
func GiveUp(t *testing.T, most uint64, work func(ctx context.Context)) {
	t.Helper()
	run := func(stays int) (*leaver, uint64) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		l := &leaver{stays: stays, at: m.TotalAlloc}
		l.Context, l.leave = context.WithCancel(t.Context())
		defer l.leave()
		work(l)
		runtime.ReadMemStats(&m)
		return l, m.TotalAlloc - l.at
	}
	whole, _ := run(-1)
	if whole.looks < 4 {
		t.Fatalf("the work looks %d times whether somebody waits", whole.looks)
	}
	if whole.most > most {
		t.Errorf("%d bytes are allocated between two looks, more than %d", whole.most, most)
	}
	for _, stays := range []int{0, 3, whole.looks / 2} {
		if _, after := run(stays); after > most {
			t.Errorf("who leaves at look %d of %d: %d bytes are allocated afterwards, more than %d", stays, whole.looks, after, most)
		}
	}
	t.Logf("%d looks, at most %d bytes between two", whole.looks, whole.most)
}
