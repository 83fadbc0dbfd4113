package align

import "context"

// None marks an element without a partner.
const None = -1

// maxScans limits the elements that one Aligner examines while it cuts.
const maxScans = 16 << 20

// Rules determine which of several possible alignments is chosen, and its maximum cost.
type Rules struct {
	Anchors Anchors
	Search  Search

	// Pairs limits an Earliest or a Halving search by the product of the lengths of both sides. A larger stretch
	// counts as rewritten.
	Pairs int
}

// Anchors determines when a stretch is cut at the elements that occur once on each side.
type Anchors int

// Values of Anchors.
const (
	NoAnchors    Anchors = iota // never: the search finds a longest common subsequence
	AnchorsFirst                // before the search: unique elements are paired, even if another alignment would pair more
	AnchorsLate                 // if a stretch is too long for the search, recursively: suits long texts
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

// NewWithoutContext returns an aligner without a context, for sequences that its rules keep short.
func NewWithoutContext[T comparable](rules Rules) Aligner[T] {
	return Aligner[T]{err: func() error { return nil }, rules: rules}
}

// Align pairs equal elements of a and b in order. It returns for each element of b the index of its partner in a, or
// None.
func (al *Aligner[T]) Align(a, b []T) []int {
	s := stretch[T]{a: a, b: b, partner: make([]int, len(b))}
	for j := range s.partner {
		s.partner[j] = None
	}
	al.align(s, al.rules.Anchors)
	return s.partner
}

// align pairs the elements of a stretch.
func (al *Aligner[T]) align(s stretch[T], anchors Anchors) {
	s = s.trim()
	if al.scans += len(s.a) + len(s.b); al.scans > maxScans || al.err() != nil {
		return
	}
	switch {
	case len(s.a)*len(s.b) <= 1: // nothing in common, or it would have been trimmed
	case anchors == AnchorsFirst:
		al.alignBetween(s, uniquePairs(s.a, s.b), NoAnchors)
	case anchors == AnchorsLate && al.alignBetweenPhrases(s):
	case !al.search(s) && anchors == AnchorsLate:
		if found := uniquePairs(s.a, s.b); len(found) > 0 {
			al.alignBetween(s, found, anchors)
		}
	}
}

// alignBetweenPhrases cuts a stretch that is too long for a search at the phrases that occur once on each side. It reports
// whether there are any.
func (al *Aligner[T]) alignBetweenPhrases(s stretch[T]) bool {
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

// alignBetween pairs the anchors and aligns the stretches between them.
func (al *Aligner[T]) alignBetween(s stretch[T], found [][2]int, anchors Anchors) {
	i, j := 0, 0
	for _, p := range found {
		al.align(s.part(i, p[0], j, p[1]), anchors)
		s.pair(p[0], p[1])
		i, j = p[0]+1, p[1]+1
	}
	al.align(s.part(i, len(s.a), j, len(s.b)), anchors)
}

// search pairs the elements of a longest common subsequence, or none if the search is too expensive. It returns false
// if cutting the stretch may help.
func (al *Aligner[T]) search(s stretch[T]) bool {
	if al.rules.Search == Greedy {
		return al.greedy(s)
	}
	if len(s.a)*len(s.b) > al.rules.Pairs {
		return false
	}
	if al.rules.Search == Halving {
		halving(s)
	} else {
		earliest(s)
	}
	return true
}

// stretch is a part of two sequences, with the partners of the second's elements.
type stretch[T comparable] struct {
	a, b    []T
	from    int // index of a's first element in the whole sequence
	partner []int
}

// pair makes two elements partners.
func (s stretch[T]) pair(i, j int) { s.partner[j] = s.from + i }

// part returns the stretch of a[i:iEnd] and b[j:jEnd].
func (s stretch[T]) part(i, iEnd, j, jEnd int) stretch[T] {
	return stretch[T]{s.a[i:iEnd], s.b[j:jEnd], s.from + i, s.partner[j:jEnd]}
}

// trim pairs the common beginning and end, and returns the stretch in between.
func (s stretch[T]) trim() stretch[T] {
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
