package search

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/storetest"
)

// What was read of an index at one mark is gone with the mark, and the spaces that were searched longest ago make room.
func TestSearchMemory(t *testing.T) {
	t.Parallel()
	s := NewMemory(10 * (termBytes + occurrenceBytes))
	learn := func(space, mark string) {
		m := s.of(space, mark)
		m.learnTerm("word", make([]terms.Occurrence, 1))
		s.count(space)
	}
	knows := func(space, mark string) bool {
		_, known := s.of(space, mark).term("word")
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
	if s.held > s.budget {
		t.Errorf("%d bytes are held, the budget is %d", s.held, s.budget)
	}
}

// TestSearchMemoryIsWithinItsBudget fills the memory with words of many spaces.
func TestSearchMemoryIsWithinItsBudget(t *testing.T) { //nolint:paralleltest // counts memory
	storetest.Within(t, func() (any, func() int64) {
		c := NewMemory(storetest.Budget)
		for i := range 200 {
			space := fmt.Sprint("space ", i)
			m := c.of(space, "1")
			for w := range 200 {
				m.learnTerm(fmt.Sprintf("word%d", w), make([]terms.Occurrence, 10))
			}
			c.count(space)
		}
		return c, func() int64 { return c.held }
	})
}
