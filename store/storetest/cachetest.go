// Package cachetest holds caches to their budgets, for the tests of the rooms that have some.
package storetest

import (
	"runtime"
	"testing"
)

// Budget is what a cache that is tested is given, in bytes.
const Budget = 8 << 20

// Within fails the test unless what fill fills stays within Budget, as it counts itself and as the process's memory has
// it, and uses it well. fill returns the cache and what says how many bytes it holds. The test must not be parallel: the
// memory of the process is counted.
func Within(t *testing.T, fill func() (kept any, held func() int64)) {
	t.Helper()
	before := inMemory()
	kept, held := fill()
	after := inMemory()
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

// inMemory is how many bytes live.
func inMemory() float64 {
	var m runtime.MemStats
	for range 2 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
