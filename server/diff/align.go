package diff

import (
	"context"
	"slices"

	"docspace.dev/wsd/server/content"
)

// Bounds of the exact search for what two sequences have in common, in steps; a
// stretch that needs more is cut at what occurs once on each side, as a long one is
// from the start; else it counts as rewritten.
const (
	maxEdits = 512      // of one stretch
	maxSteps = 1 << 20  // of one diff
	maxScans = 16 << 20 // elements that one diff looks at while it cuts
)

// none marks an element without a partner.
const none = -1

// aligner finds what sequences have in common. Its budget is that of a whole
// diff, so that no text makes one expensive.
type aligner struct {
	ctx   context.Context // of who waits: without them nothing has a partner
	names map[string]int  // of elements, so that comparing them is cheap
	steps int             // of exact searches so far
	scans int             // elements looked at so far
}

func newAligner(ctx context.Context) *aligner { return &aligner{ctx: ctx, names: map[string]int{}} }

// name numbers an element's key.
func (al *aligner) name(key string) int {
	n, ok := al.names[key]
	if !ok {
		n = len(al.names)
		al.names[key] = n
	}
	return n
}

// align pairs equal elements in order: the result has for each element of b the
// index of its partner in a, or none.
func (al *aligner) align(a, b []int) []int {
	partner := slices.Repeat([]int{none}, len(b))
	al.stretch(a, b, 0, 0, partner)
	return partner
}

// stretch aligns a with b, which begin at the given offsets of the whole.
func (al *aligner) stretch(a, b []int, aFrom, bFrom int, partner []int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		partner[bFrom] = aFrom
		a, b, aFrom, bFrom = a[1:], b[1:], aFrom+1, bFrom+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
		partner[bFrom+len(b)] = aFrom + len(a)
	}
	if al.scans += len(a) + len(b); al.scans > maxScans || al.ctx.Err() != nil {
		return
	}
	if len(a)+len(b) > 2*maxEdits {
		if found := anchors(shingles(a), shingles(b)); len(found) > 0 {
			al.between(found, a, b, aFrom, bFrom, partner)
			return
		}
	}
	aAt, bAt := inBoth(a, b), inBoth(b, a)
	if len(aAt) == 0 || len(bAt) == 0 {
		return
	}
	if pairs, ok := al.exact(pick(a, aAt), pick(b, bAt)); ok {
		for _, p := range pairs {
			partner[bFrom+bAt[p[1]]] = aFrom + aAt[p[0]]
		}
		return
	}
	al.between(anchors(a, b), a, b, aFrom, bFrom, partner)
}

// between aligns what lies between anchors.
func (al *aligner) between(anchors [][2]int, a, b []int, aFrom, bFrom int, partner []int) {
	if len(anchors) == 0 {
		return
	}
	i, j := 0, 0
	for _, p := range append(anchors, [2]int{len(a), len(b)}) {
		al.stretch(a[i:p[0]], b[j:p[1]], aFrom+i, bFrom+j, partner)
		if p[0] < len(a) {
			partner[bFrom+p[1]] = aFrom + p[0]
		}
		i, j = p[0]+1, p[1]+1
	}
}

// inBoth are the positions of elements of list that other has, too: the others
// have no partner and only make the search long.
func inBoth(list, other []int) []int {
	has := make(map[int]bool, len(other))
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

func pick(list, at []int) []int {
	picked := make([]int, len(at))
	for i, n := range at {
		picked[i] = list[n]
	}
	return picked
}

// exact returns the pairs of a longest common subsequence by Myers' greedy
// search, or not ok where that takes too many steps.
func (al *aligner) exact(a, b []int) (pairs [][2]int, ok bool) {
	most := min(len(a)+len(b), maxEdits)
	reach := make([]int, 2*most+2) // furthest position in a, by diagonal
	var trace [][]int
	for d := 0; d <= most; d++ {
		if al.steps += d + 1; al.steps > maxSteps || al.ctx.Err() != nil {
			return nil, false
		}
		trace = append(trace, slices.Clone(reach[most-d:most+d+1]))
		for k := -d; k <= d; k += 2 {
			x := furthest(reach, most, d, k)
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

// furthest is where diagonal k starts after d edits: one down or right of a
// neighbour, whichever is further.
func furthest(reach []int, middle, d, k int) int {
	if d == 0 {
		return 0
	}
	if k == -d || k != d && reach[middle+k-1] < reach[middle+k+1] {
		return reach[middle+k+1]
	}
	return reach[middle+k-1] + 1
}

// backtrack reads the pairs off the trace of the search. trace[d] holds what
// diagonals -d to d had reached before round d.
func backtrack(trace [][]int, x, y int) [][2]int {
	var pairs [][2]int
	for d, reach := range slices.Backward(trace) {
		k := x - y
		fromX := furthest(reach, d, d, k)
		fromY := fromX - k
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			pairs = append(pairs, [2]int{x, y})
		}
		if d == 0 {
			break
		}
		if k == -d || k != d && reach[d+k-1] < reach[d+k+1] {
			y--
		} else {
			x--
		}
	}
	slices.Reverse(pairs)
	return pairs
}

// anchors are the pairs of elements that occur once on each side and kept their
// order.
func anchors(a, b []int) [][2]int {
	inA, inB := once(a), once(b)
	var order []int
	var pairs [][2]int
	for j, x := range b {
		if i, ok := inA[x]; ok && i >= 0 && inB[x] == j {
			order = append(order, i)
			pairs = append(pairs, [2]int{i, j})
		}
	}
	kept := pairs[:0]
	for n, ok := range content.InOrder(order) {
		if ok {
			kept = append(kept, pairs[n])
		}
	}
	return kept
}

// shingles are the elements each with the two behind it: in prose most of those
// occur once.
func shingles(list []int) []int {
	const width = 21 // bits of a name: a text is too small to have more
	var together []int
	for i := 0; i+2 < len(list); i++ {
		together = append(together, list[i]<<(2*width)|list[i+1]<<width|list[i+2])
	}
	return together
}

// once maps elements to their positions, to none where there are several.
func once(list []int) map[int]int {
	at := make(map[int]int, len(list))
	for i, x := range list {
		if _, seen := at[x]; seen {
			at[x] = none
		} else {
			at[x] = i
		}
	}
	return at
}
