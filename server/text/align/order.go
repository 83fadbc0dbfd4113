package align

import "sort"

// InOrder reports which elements of a sequence of distinct numbers kept their order: those of a longest increasing
// subsequence. The others moved. The choice among several longest ones depends only on the sequence.
func InOrder(sequence []int) []bool {
	var tails []int // tails[k] is the index of the smallest last element of an increasing run of k+1 elements
	before := make([]int, len(sequence))
	for i, x := range sequence {
		k := sort.Search(len(tails), func(k int) bool { return sequence[tails[k]] >= x })
		before[i] = None
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	kept := make([]bool, len(sequence))
	if len(tails) == 0 {
		return kept
	}
	for i := tails[len(tails)-1]; i != None; i = before[i] {
		kept[i] = true
	}
	return kept
}
