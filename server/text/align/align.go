package align

import "context"

// None is the partner index of an element without a partner.
const None = -1

// maxScans limits the total length of the segments that one Aligner processes. Elements beyond the limit remain without a
// partner.
const maxScans = 16 << 20

// Rules determine which of several possible alignments is chosen, and its maximum cost.
type Rules struct {
	Anchors Anchors
	Search  Search

	// Pairs limits an Earliest or a Halving search by the product of the lengths of both sides. A larger segment is treated as
	// rewritten.
	Pairs int
}

// Anchors determines when a segment is cut at the elements that occur once on each side.
type Anchors int

// Values of Anchors.
const (
	NoAnchors    Anchors = iota // never: the search finds a longest common subsequence
	AnchorsFirst                // before the search: unique elements are paired, even if another alignment would pair more
	AnchorsLate                 // if a segment is too long for the search, recursively: suits long texts
)

// Search determines which of several longest common subsequences is chosen.
type Search int

// Values of Search.
const (
	Greedy   Search = iota // the first found by Myers' greedy search, whose cost grows with the difference: suits long texts
	Halving                // the one that go-diff finds from both ends: with another, some merges would become conflicts
	Earliest               // the one with the first possible partner for each element of b: repeated elements keep their first position
)

// Aligner pairs equal elements of sequences. Its budget applies to all its calls together, which limits the cost of
// one diff. It must be used by one goroutine only.
type Aligner[T comparable] struct {
	err   func() error // returns the context's error, after which no elements are paired
	rules Rules
	steps int // of greedy searches so far
	scans int // elements examined so far
}

// New returns an aligner for one diff or merge. After ctx is cancelled, it pairs no more elements.
func New[T comparable](ctx context.Context, rules Rules) Aligner[T] {
	return Aligner[T]{err: ctx.Err, rules: rules}
}

// NewWithoutContext returns an aligner without a context, for rules that limit the cost of long sequences.
func NewWithoutContext[T comparable](rules Rules) Aligner[T] {
	return Aligner[T]{err: func() error { return nil }, rules: rules}
}

// Align pairs equal elements of a and b in order. It returns for each element of b the index of its partner in a, or
// None.
func (al *Aligner[T]) Align(a, b []T) []int {
	s := segment[T]{a: a, b: b, partner: make([]int, len(b))}
	for j := range s.partner {
		s.partner[j] = None
	}
	al.align(s, al.rules.Anchors)
	return s.partner
}

// align pairs the elements of a segment.
func (al *Aligner[T]) align(s segment[T], anchors Anchors) {
	s = s.trim()
	if al.scans += len(s.a) + len(s.b); al.scans > maxScans || al.err() != nil {
		return
	}
	switch {
	case len(s.a)*len(s.b) <= 1: // no common element: trim would have removed it
	case anchors == AnchorsFirst:
		al.alignBetween(s, uniquePairs(s.a, s.b), NoAnchors)
	case anchors == AnchorsLate && al.alignBetweenPhrases(s):
	case !al.search(s) && anchors == AnchorsLate:
		if found := uniquePairs(s.a, s.b); len(found) > 0 {
			al.alignBetween(s, found, anchors)
		}
	}
}

// alignBetweenPhrases cuts a segment that is too long for a search at the phrases that occur once on each side. It reports
// whether there are any.
func (al *Aligner[T]) alignBetweenPhrases(s segment[T]) bool {
	if len(s.a)+len(s.b) <= 2*maxEdits {
		return false
	}
	found := uniquePairs(phrases(s.a), phrases(s.b))
	if len(found) == 0 {
		return false
	}
	al.alignBetween(s, found, AnchorsLate)
	return true
}

// alignBetween pairs the anchors and aligns the segments between them.
func (al *Aligner[T]) alignBetween(s segment[T], found [][2]int, anchors Anchors) {
	i, j := 0, 0
	for _, p := range found {
		al.align(s.part(i, p[0], j, p[1]), anchors)
		s.pair(p[0], p[1])
		i, j = p[0]+1, p[1]+1
	}
	al.align(s.part(i, len(s.a), j, len(s.b)), anchors)
}

// search pairs the elements of a longest common subsequence, or none if the search is too expensive. It returns false if
// cutting the segment may help.
func (al *Aligner[T]) search(s segment[T]) bool {
	if al.rules.Search == Greedy {
		return al.searchGreedy(s)
	}
	if len(s.a)*len(s.b) > al.rules.Pairs {
		return false
	}
	if al.rules.Search == Halving {
		searchHalving(s)
	} else {
		searchEarliest(s)
	}
	return true
}

// segment is a part of each of two sequences, with the partners of the elements of b.
type segment[T comparable] struct {
	a, b    []T
	offset  int // index of a's first element in the whole sequence
	partner []int
}

// pair makes a[i] the partner of b[j].
func (s segment[T]) pair(i, j int) { s.partner[j] = s.offset + i }

// part returns the segment of a[i:iEnd] and b[j:jEnd].
func (s segment[T]) part(i, iEnd, j, jEnd int) segment[T] {
	return segment[T]{s.a[i:iEnd], s.b[j:jEnd], s.offset + i, s.partner[j:jEnd]}
}

// trim pairs the common beginning and end, and returns the segment in between.
func (s segment[T]) trim() segment[T] {
	i, iEnd, jEnd := 0, len(s.a), len(s.b)
	for i < iEnd && i < jEnd && s.a[i] == s.b[i] {
		s.pair(i, i)
		i++
	}
	for i < iEnd && i < jEnd && s.a[iEnd-1] == s.b[jEnd-1] {
		iEnd, jEnd = iEnd-1, jEnd-1
		s.pair(iEnd, jEnd)
	}
	return s.part(i, iEnd, i, jEnd)
}
