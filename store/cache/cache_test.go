package cache

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The reported size is the sum of the distinct parts and within the budget for any sequence of values.
func TestCacheCountsSharedPartsOnce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 0))
	c := NewSharing(1000, func(_ Key, parts []int) (all []Part) {
		for _, p := range parts {
			all = append(all, Part{p, 10 * (1 + p)})
		}
		return all
	})
	for i := range 5000 {
		var parts []int
		for p := range 30 {
			if random.IntN(4) == 0 {
				parts = append(parts, p)
			}
		}
		c.Put(RecordKey(fmt.Sprint(random.IntN(200))), parts)
		c.Get(RecordKey(fmt.Sprint(random.IntN(200))))
		sum, seen := 0, map[int]bool{}
		for _, element := range c.values {
			for _, p := range element.Value.(*cachedValue[[]int]).value {
				if !seen[p] {
					seen[p] = true
					sum += 10 * (1 + p)
				}
			}
		}
		if int64(sum) != c.size || c.size > c.budget || len(c.uses) != len(seen) || c.recent.Len() != len(c.values) {
			t.Fatalf("after %d: %d bytes are held, counted as %d, of %d", i, sum, c.size, c.budget)
		}
	}
}

func TestCacheKeepsRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := New(3*(cacheOverhead+101), func(int) int { return 100 })
	for i := range 5 {
		c.Put(RecordKey(fmt.Sprint(i)), i)
		if _, ok := c.Get(RecordKey("0")); !ok {
			t.Fatalf("what was used last is gone after %d", i)
		}
	}
	if _, ok := c.Get(RecordKey("1")); ok {
		t.Error("what was used longest ago is kept")
	}
	large := New(100, func(int) int { return 101 })
	if large.Put(RecordKey("a"), 1); large.size != 0 || len(large.values) != 0 {
		t.Error("what is larger than the budget is kept")
	}
}
