package align

// Hunk is one change between two sequences: a[A:AEnd] became b[B:BEnd].
type Hunk struct{ A, AEnd, B, BEnd int }

// Removed returns the number of elements that the change removes.
func (h Hunk) Removed() int { return h.AEnd - h.A }

// Added returns the number of elements that the change adds.
func (h Hunk) Added() int { return h.BEnd - h.B }

// Shift returns the change with its positions increased by a and b.
func (h Hunk) Shift(a, b int) Hunk { return Hunk{h.A + a, h.AEnd + a, h.B + b, h.BEnd + b} }

// Hunks returns the changes between two sequences in order. partner is the result of Align, size the length of its
// first sequence.
func Hunks(partner []int, size int) []Hunk {
	var found []Hunk
	a, b := 0, 0
	add := func(aEnd, bEnd int) {
		if a < aEnd || b < bEnd {
			found = append(found, Hunk{a, aEnd, b, bEnd})
		}
	}
	for j, i := range partner {
		if i != None {
			add(i, j)
			a, b = i+1, j+1
		}
	}
	add(size, len(partner))
	return found
}

// Invert returns for each of the size elements of an alignment's first sequence its partner in the second, or None.
func Invert(partner []int, size int) []int {
	at := make([]int, size)
	for i := range at {
		at[i] = None
	}
	for j, i := range partner {
		if i != None {
			at[i] = j
		}
	}
	return at
}
