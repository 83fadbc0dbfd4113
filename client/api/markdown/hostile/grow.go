package hostile

import (
	"runtime"
	"testing"
)

// Allowance is what reading a text may cost.
type Allowance struct {
	Factor uint64  // bytes that are allocated for each byte of a text that is no smaller than half of the test's
	Growth float64 // of the work, when a text is twice as large; 0 = any, where it depends on where a text is cut
}

// slack is what reading allocates whatever the text is: the parser's memory of lines in containers, which has a budget
// of its own, several times over where a text is read several times.
const slack = instrumented * 96 << 20

// Grow has all patterns read by consume, at half the size and at the size, and holds what is allocated against the
// allowance. It counts what the whole process allocates: nothing else may run, so no test that calls it is parallel.
func Grow(t *testing.T, size int, allowed Allowance, consume func(text []byte)) {
	t.Helper()
	var worst string
	var most uint64
	for _, pattern := range Patterns() {
		small, large := Allocated(func() { consume(pattern.Text(size / 2)) }), Allocated(func() { consume(pattern.Text(size)) })
		if limit := uint64(allowed.Growth*float64(small)) + slack; allowed.Growth > 0 && large > limit {
			t.Errorf("%s: %d bytes are allocated for half of the text, %d for the whole", pattern.Name, small, large)
		}
		if limit := instrumented*allowed.Factor*uint64(size) + slack; large > limit { //nolint:gosec // sizes are positive
			t.Errorf("%s: %d bytes are allocated for a text of %d, more than %d", pattern.Name, large, size, limit)
		}
		if large > most {
			worst, most = pattern.Name, large
		}
	}
	t.Logf("%d patterns of %d bytes; the most is allocated for %s: %d bytes", len(Patterns()), size, worst, most)
}

// Allocated counts the bytes that are allocated while do runs.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
