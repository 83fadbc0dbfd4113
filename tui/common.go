package tui

import "slices"

// maxTable bounds the table of common; beyond it the middle of two lists counts as different.
const maxTable = 4 << 20

// common returns the positions of a longest common subsequence of two lists, in order.
func common(a, b []string) [][2]int {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out [][2]int
	for i := range head {
		out = append(out, [2]int{i, i})
	}
	for _, pair := range longest(a[head:len(a)-tail], b[head:len(b)-tail]) {
		out = append(out, [2]int{pair[0] + head, pair[1] + head})
	}
	for i := range tail {
		out = append(out, [2]int{len(a) - tail + i, len(b) - tail + i})
	}
	return out
}

func longest(a, b []string) [][2]int {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > maxTable {
		return nil
	}
	table := lengths(a, b)
	width := len(b) + 1
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return slices.Clip(out)
}

// lengths is, at i*(len(b)+1)+j, the length of a longest common subsequence of a[i:] and b[j:].
func lengths(a, b []string) []int32 {
	width := len(b) + 1
	table := make([]int32, (len(a)+1)*width)
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			if a[i] == b[j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	return table
}
