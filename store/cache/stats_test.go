package cache

import "testing"

// TestStats checks the counts of found and missing values and of those that were dropped for lack of space.
func TestStats(t *testing.T) {
	t.Parallel()
	c := NewLRU[string, int](10, 0)
	c.Put("a", 1, 6)
	c.Get("a")
	c.Get("b")
	c.Peek("b")
	c.Put("b", 2, 6) // drops a
	c.Get("a")
	c.Remove("b")
	c.Put("c", 3, 4)
	if got, want := c.Stats(), (Stats{Hits: 1, Misses: 2, Evictions: 1, Len: 1, Bytes: 4, Budget: 10}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	sum := c.Stats()
	sum.Add(Stats{Hits: 1, Misses: 1, Evictions: 1, Len: 1, Bytes: 1, Budget: 1})
	if want := (Stats{Hits: 2, Misses: 3, Evictions: 2, Len: 2, Bytes: 5, Budget: 11}); sum != want {
		t.Errorf("the sum is %+v, want %+v", sum, want)
	}
}
