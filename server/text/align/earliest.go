package align

import "slices"

// searchEarliest pairs each element of b in order with the first element of a that a longest common subsequence allows.
func searchEarliest[T comparable](s segment[T]) {
	width := len(s.a) + 1
	best := make([]int32, (len(s.b)+1)*width) // length of the longest common subsequence of b[j:] and a[i:]
	for j, x := range slices.Backward(s.b) {
		for i, y := range slices.Backward(s.a) {
			at := j*width + i
			if x == y {
				best[at] = best[at+width+1] + 1
			} else {
				best[at] = max(best[at+width], best[at+1])
			}
		}
	}
	i := 0
	for j, x := range s.b {
		for i < len(s.a) && s.a[i] != x && best[j*width+i+1] == best[j*width+i] {
			i++
		}
		if i < len(s.a) && s.a[i] == x {
			s.pair(i, j)
			i++
		}
	}
}
