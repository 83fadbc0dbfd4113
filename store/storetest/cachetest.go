package storetest

import (
	"runtime"
	"testing"
)

// Budget is the budget of a tested cache in bytes.
const Budget = 8 << 20

// CheckBudget fails the test unless the cache filled by fill stays within Budget, by its own count and by the memory of
// the process, and uses most of it. fill returns the cache and a function that returns its size in bytes. The test
// must not be parallel, because the memory of the process is measured.
func CheckBudget(t *testing.T, fill func() (kept any, held func() int64)) {
	t.Helper()
	before := liveBytes()
	kept, held := fill()
	after := liveBytes()
	runtime.KeepAlive(kept)
	grown := after - before
	t.Logf("%.0f bytes in memory, %d are counted, the budget is %d", grown, held(), int64(Budget))
	if held() > Budget || held() < Budget/2 {
		t.Errorf("%d bytes are counted, the budget is %d", held(), int64(Budget))
	}
	if grown > Budget {
		t.Errorf("%.0f bytes are in memory, the budget is %d", grown, int64(Budget))
	}
	if grown*8 < Budget {
		t.Errorf("only %.0f bytes are in memory when the budget of %d is used up", grown, int64(Budget))
	}
}

// liveBytes returns the number of live heap bytes.
func liveBytes() float64 {
	var m runtime.MemStats
	for range 2 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
