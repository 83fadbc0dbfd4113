package objects

import (
	"fmt"
	"testing"
)

func TestDerivedCacheKeepsRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := NewDerivedCache(3*(cacheOverhead+101), func(int) int { return 100 })
	for i := range 5 {
		c.Put(RecordKey(fmt.Sprint(i)), i)
		if _, ok := c.Get(RecordKey("0")); !ok {
			t.Fatalf("what was used last is gone after %d", i)
		}
	}
	if _, ok := c.Get(RecordKey("1")); ok {
		t.Error("what was used longest ago is kept")
	}
	large := NewDerivedCache(100, func(int) int { return 101 })
	large.Put(RecordKey("a"), 1)
	if _, ok := large.Get(RecordKey("a")); ok || large.Size() != 0 {
		t.Error("what is larger than the budget is kept")
	}
}
