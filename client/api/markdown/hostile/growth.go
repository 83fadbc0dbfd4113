package hostile

import (
	"runtime"
	"testing"
)

// Allowance limits the cost of processing a text.
type Allowance struct {
	Factor uint64  // bytes allocated per byte of text, for texts of at least half the size of the test
	Growth float64 // growth of the work when the text doubles; 0 for no limit, if the work depends on where a text is cut
}

// slack is the allocation allowed for any text: the parser's record of lines in containers, which has a budget of its
// own, multiplied because a text may be parsed several times.
const slack = raceFactor * 96 << 20

// CheckGrowth calls consume with every pattern, at size/2 and at size, and checks the allocations against allowed. It
// measures the allocations of the whole process, so tests that call it must not run in parallel.
func CheckGrowth(t *testing.T, size int, allowed Allowance, consume func(text []byte)) {
	t.Helper()
	var worst string
	var most uint64
	for _, pattern := range Patterns() {
		small, large := AllocatedBytes(func() { consume(pattern.Text(size / 2)) }), AllocatedBytes(func() { consume(pattern.Text(size)) })
		if limit := uint64(allowed.Growth*float64(small)) + slack; allowed.Growth > 0 && large > limit {
			t.Errorf("%s: %d bytes are allocated for half of the text, %d for the whole", pattern.Name, small, large)
		}
		if limit := raceFactor*allowed.Factor*uint64(size) + slack; large > limit { //nolint:gosec // sizes are positive
			t.Errorf("%s: %d bytes are allocated for a text of %d, more than %d", pattern.Name, large, size, limit)
		}
		if large > most {
			worst, most = pattern.Name, large
		}
	}
	t.Logf("%d patterns of %d bytes; the most is allocated for %s: %d bytes", len(Patterns()), size, worst, most)
}

// AllocatedBytes returns the number of bytes that the process allocates while do runs.
func AllocatedBytes(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
