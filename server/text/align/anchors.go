package align

// uniquePairs returns the pairs of elements that occur once on each side and are in order.
func uniquePairs[K comparable](a, b []K) [][2]int {
	at := uniquePositions(a, b)
	var order []int
	var pairs [][2]int
	for j, x := range b {
		if i, ok := at[x]; ok && i != None {
			order = append(order, i)
			pairs = append(pairs, [2]int{i, j})
		}
	}
	kept := pairs[:0]
	for n, ok := range InOrder(order) {
		if ok {
			kept = append(kept, pairs[n])
		}
	}
	return kept
}

// uniquePositions maps each element of a to its position, or to None if it occurs several times in a or in b. Elements that b
// lacks are included.
func uniquePositions[K comparable](a, b []K) map[K]int {
	at := make(map[K]int, len(a))
	for i, x := range a {
		if _, seen := at[x]; seen {
			i = None
		}
		at[x] = i
	}
	inB := make([]bool, len(a))
	for _, x := range b {
		switch i, ok := at[x]; {
		case !ok || i == None:
		case inB[i]:
			at[x] = None
		default:
			inB[i] = true
		}
	}
	return at
}

// phrases returns the runs of three consecutive elements; in prose, most of them occur once.
func phrases[T comparable](list []T) [][3]T {
	together := make([][3]T, 0, max(len(list)-2, 0))
	for i := 2; i < len(list); i++ {
		together = append(together, [3]T{list[i-2], list[i-1], list[i]})
	}
	return together
}
