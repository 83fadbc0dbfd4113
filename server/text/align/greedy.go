package align

import "slices"

// Limits of greedy searches. A segment that exceeds them is cut at anchors, or is treated as rewritten.
const (
	maxEdits = 512     // of one stretch
	maxSteps = 1 << 20 // of one Aligner
)

// searchGreedy pairs the elements of a longest common subsequence. If that takes too many steps, it pairs none and returns
// false.
func (al *Aligner[T]) searchGreedy(s segment[T]) bool {
	inA, inB := commonIndexes(s.a, s.b), commonIndexes(s.b, s.a)
	if len(inA) == 0 || len(inB) == 0 {
		return true
	}
	pairs, ok := al.myers(pick(s.a, inA), pick(s.b, inB))
	for _, p := range pairs {
		s.pair(inA[p[0]], inB[p[1]])
	}
	return ok
}

// commonIndexes returns the positions of elements of list that other contains: the others have no partner and only slow down
// the search.
func commonIndexes[T comparable](list, other []T) []int {
	has := make(map[T]bool, len(other))
	for _, x := range other {
		has[x] = true
	}
	var at []int
	for i, x := range list {
		if has[x] {
			at = append(at, i)
		}
	}
	return at
}

func pick[T any](list []T, at []int) []T {
	picked := make([]T, len(at))
	for i, n := range at {
		picked[i] = list[n]
	}
	return picked
}

// myers returns the pairs of a longest common subsequence by Myers' greedy search (An O(ND) Difference Algorithm,
// 1986). ok is false if that takes too many steps.
func (al *Aligner[T]) myers(a, b []T) (pairs [][2]int, ok bool) {
	most := min(len(a)+len(b), maxEdits)
	reach := make([]int, 2*most+2) // furthest position in a, by diagonal
	var trace [][]int
	for d := 0; d <= most; d++ {
		if al.steps += d + 1; al.steps > maxSteps || al.err() != nil {
			return nil, false
		}
		trace = append(trace, slices.Clone(reach[most-d:most+d+1]))
		for k := -d; k <= d; k += 2 {
			x := diagonalStart(reach, most, d, k)
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
				al.steps++
			}
			reach[most+k] = x
			if x >= len(a) && y >= len(b) {
				return backtrack(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// diagonalStart returns the position in a at which the d-th edit enters diagonal k: one step down or right from the
// neighbouring diagonal that reached further.
func diagonalStart(reach []int, middle, d, k int) int {
	if d == 0 {
		return 0
	}
	if fromAbove(reach, middle, d, k) {
		return reach[middle+k+1]
	}
	return reach[middle+k-1] + 1
}

// fromAbove reports whether the d-th edit on the path to diagonal k adds an element of b; otherwise it removes one of
// a.
func fromAbove(reach []int, middle, d, k int) bool {
	return k == -d || k != d && reach[middle+k-1] < reach[middle+k+1]
}

// backtrack returns the pairs on the path of the search that ends at x, y. trace[d] holds the positions that diagonals -d to d
// had reached before round d.
func backtrack(trace [][]int, x, y int) [][2]int {
	var pairs [][2]int
	for d, reach := range slices.Backward(trace) {
		k := x - y
		fromX := diagonalStart(reach, d, d, k)
		fromY := fromX - k
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			pairs = append(pairs, [2]int{x, y})
		}
		if d == 0 {
			break
		}
		if fromAbove(reach, d, d, k) {
			y--
		} else {
			x--
		}
	}
	slices.Reverse(pairs)
	return pairs
}
