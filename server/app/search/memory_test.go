package search

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/storetest"
)

// TestCacheEviction checks that values are discarded with their mark and that the least recently searched spaces are
// evicted.
func TestCacheEviction(t *testing.T) {
	t.Parallel()
	const budget = 10 * (termBytes + occurrenceBytes)
	s := NewCache(budget)
	learn := func(space, mark string) {
		m := s.get(space, mark)
		m.putTerm("word", make([]terms.Occurrence, 1))
		s.updateSize(space)
	}
	knows := func(space, mark string) bool {
		_, known := s.get(space, mark).term("word")
		return known
	}
	learn("a", "1")
	if !knows("a", "1") || knows("a", "2") || knows("a", "1") {
		t.Error("a space is remembered at one mark, until it has another")
	}
	for _, space := range []string{"b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
		learn(space, "1")
		if !knows("b", "1") {
			t.Fatalf("what was used last is forgotten for %s", space)
		}
	}
	learn("l", "1")
	if knows("c", "1") || !knows("l", "1") || !knows("b", "1") {
		t.Error("what was used longest ago is kept, or what was used last is forgotten")
	}
	if size := s.spaces.Size(); size > budget {
		t.Errorf("%d bytes are held, the budget is %d", size, budget)
	}
}

// TestCacheStaysWithinBudget checks that the cache does not use more memory than its budget if it is filled with words of many
// spaces.
func TestCacheStaysWithinBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.CheckBudget(t, func() (any, func() int64) {
		c := NewCache(storetest.Budget)
		for i := range 200 {
			space := fmt.Sprint("space ", i)
			m := c.get(space, "1")
			for w := range 200 {
				m.putTerm(fmt.Sprintf("word%d", w), make([]terms.Occurrence, 10))
			}
			c.updateSize(space)
		}
		return c, c.spaces.Size
	})
}
