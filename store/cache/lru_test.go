package cache

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLRU checks the keys, from the most to the least recently used, and the size after a sequence of calls.
func TestLRU(t *testing.T) {
	t.Parallel()
	type lru = LRU[string, int]
	fill := func(c *lru) {
		for i, key := range []string{"a", "b", "c"} {
			c.Put(key, i, 10)
		}
	}
	for name, test := range map[string]struct {
		least int
		calls func(c *lru)
		keys  string
		size  int64
	}{
		"values within the budget":          {0, fill, "c b a", 30},
		"least recently used entry evicted": {0, func(c *lru) { fill(c); c.Put("d", 3, 11) }, "d c b", 31},
		"several evicted for a large entry": {0, func(c *lru) { fill(c); c.Put("d", 3, 25) }, "d c", 35},
		"Get uses a value":                  {0, func(c *lru) { fill(c); c.Get("a"); c.Put("d", 3, 11) }, "d a c", 31},
		"Peek does not use a value":         {0, func(c *lru) { fill(c); c.Peek("a"); c.Put("d", 3, 11) }, "d c b", 31},
		"Put of a present key":              {0, func(c *lru) { fill(c); c.Put("a", 7, 30) }, "c b a", 30},
		"Add counts no bytes":               {0, func(c *lru) { fill(c); c.Add("d", 3) }, "d c b a", 30},
		"Add evicts nothing":                {1, func(c *lru) { c.Put("a", 0, 50); c.Add("b", 1) }, "b a", 50},
		"Resize evicts the oldest":          {0, func(c *lru) { fill(c); c.Resize("b", 25) }, "c b", 35},
		"Resize evicts the resized value":   {0, func(c *lru) { fill(c); c.Resize("a", 21) }, "c b", 20},
		"Resize to fewer bytes":             {0, func(c *lru) { fill(c); c.Resize("b", 1) }, "c b a", 21},
		"Resize of a missing key":           {0, func(c *lru) { fill(c); c.Resize("d", 40) }, "c b a", 30},
		"larger than the budget":            {0, func(c *lru) { c.Put("a", 0, 41) }, "", 0},
		"larger than the budget, kept":      {1, func(c *lru) { fill(c); c.Put("d", 3, 41) }, "d", 41},
		"oversized entry evicted":           {1, func(c *lru) { c.Put("a", 0, 41); c.Put("b", 1, 1) }, "b", 1},
		"Remove":                            {0, func(c *lru) { fill(c); c.Remove("b"); c.Remove("d") }, "c a", 20},
		"removed key put again":             {0, func(c *lru) { fill(c); c.Remove("a"); c.Put("a", 0, 5) }, "a c b", 25},
		"Remove of the current value in a loop": {0, func(c *lru) {
			fill(c)
			for key := range c.All() {
				if key != "b" {
					c.Remove(key)
				}
			}
		}, "b", 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := NewLRU[string, int](40, test.least)
			test.calls(c)
			var keys []string
			for key, v := range c.All() {
				keys = append(keys, key)
				if want := int(key[0] - 'a'); v != want {
					t.Errorf("the value of %s is %d, want %d", key, v, want)
				}
				if got, ok := c.Peek(key); !ok || got != v {
					t.Errorf("Peek(%s) = %d, %t, want %d", key, got, ok, v)
				}
			}
			if got := strings.Join(keys, " "); got != test.keys || c.Size() != test.size || c.Len() != len(keys) {
				t.Errorf("%q, %d values of %d bytes, want %q of %d bytes", got, c.Len(), c.Size(), test.keys, test.size)
			}
			if v, ok := c.Get("e"); ok || v != 0 {
				t.Errorf("Get of a missing key = %d, %t", v, ok)
			}
		})
	}
}

// TestLRUCountsSharedPartsOnce checks for any sequence of calls that the size is the sum of the values' own bytes and of the
// distinct parts, and is within the budget.
func TestLRUCountsSharedPartsOnce(t *testing.T) {
	t.Parallel()
	const budget, own = 1000, 3
	random := rand.New(rand.NewPCG(1, 0))
	randomParts := func() (parts []Part) {
		for p := range 30 {
			if random.IntN(4) == 0 {
				parts = append(parts, Part{p, 10 * (1 + p)})
			}
		}
		return parts
	}
	c := NewLRU[string, int](budget, 0)
	key := func() string { return fmt.Sprint(random.IntN(200)) }
	for i := range 5000 {
		c.Put(key(), i, own, randomParts()...)
		c.Get(key())
		c.Resize(key(), own, randomParts()...)
		if random.IntN(10) == 0 {
			c.Remove(key())
		}
		sum, seen := own*len(c.entries), map[any]bool{}
		for _, element := range c.entries {
			for _, p := range element.Value.(*entry[string, int]).parts {
				if !seen[p.ID] {
					seen[p.ID] = true
					sum += p.Bytes
				}
			}
		}
		if int64(sum) != c.Size() || sum > budget || len(c.uses) != len(seen) || c.Len() != len(c.entries) {
			t.Fatalf("after %d: %d values of %d bytes, counted as %d, want at most %d", i, c.Len(), sum, c.Size(), budget)
		}
	}
}
