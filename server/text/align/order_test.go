package align

import (
	"testing"

	"pgregory.net/rapid"
)

func TestInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "n")
		order := rapid.Permutation(sequence(n)).Draw(t, "order")
		kept := InOrder(order)
		last, count := -1, 0
		for i, x := range order {
			if kept[i] {
				if x < last {
					t.Fatalf("%v keeps %v out of order", order, kept)
				}
				last = x
				count++
			}
		}
		if want := bruteForceLength(order); count != want {
			t.Fatalf("InOrder(%v) keeps %d, want %d", order, count, want)
		}
	})
}

func sequence(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func bruteForceLength(order []int) int {
	best := 0
	for mask := range 1 << len(order) {
		last, count, ok := -1, 0, true
		for i, x := range order {
			if mask>>i&1 == 1 {
				ok = ok && x > last
				last, count = x, count+1
			}
		}
		if ok {
			best = max(best, count)
		}
	}
	return best
}
