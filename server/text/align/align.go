package align

import "context"

// None marks an element without a partner.
const None = -1

// maxScans bounds the elements that one Aligner looks at while it cuts.
const maxScans = 16 << 20

// Rules say how the partners are found where there are several possibilities, and
// what finding them may cost. They differ by what the answer is for.
type Rules struct {
	Anchors Anchors
	Search  Search

	// Pairs bounds an Earliest or a Halving search, in elements of one side times those
	// of the other. A stretch that has more counts as rewritten.
	Pairs int
}

// Anchors says when a stretch is cut at the elements that occur once on each side.
type Anchors int

// When a stretch is cut.
const (
	NoAnchors    Anchors = iota // never: what the search finds is the longest there is
	AnchorsFirst                // before the search: what is unique stays what it was, even where more of the rest would match
	AnchorsLate                 // where it is too long to be searched, again and again: long texts have an answer, too
)

// Search says which of several longest common subsequences is taken.
type Search int

// How stretches are searched.
const (
	Greedy   Search = iota // the one that Myers' greedy search meets first: its cost grows with what differs, so it suits long texts
	Halving                // the one that the diff library meets from both ends: with another, some merges would become conflicts
	Earliest               // the one with the first possible partner for each element of b: what repeats stays at its first place
)

// Aligner pairs equal elements of sequences. Its budget is that of all its work, so
// that nothing that somebody sends makes one diff expensive. One goroutine uses it.
type Aligner[T comparable] struct {
	gone  func() error // what the one who waits left for: without them nothing has a partner
	rules Rules
	steps int // of greedy searches so far
	scans int // elements looked at so far
}

// New returns an aligner for one diff or merge of which ctx is the caller's.
func New[T comparable](ctx context.Context, rules Rules) Aligner[T] {
	return Aligner[T]{gone: ctx.Err, rules: rules}
}

// Short returns an aligner for what its rules alone keep short: nobody gives it up.
func Short[T comparable](rules Rules) Aligner[T] {
	return Aligner[T]{gone: func() error { return nil }, rules: rules}
}

// Align pairs equal elements of a and b in order. It returns for each element of b
// the index of its partner in a, or None.
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
	s = s.trimmed()
	if al.scans += len(s.a) + len(s.b); al.scans > maxScans || al.gone() != nil {
		return
	}
	switch {
	case len(s.a)*len(s.b) <= 1: // nothing in common, or it would have been trimmed
	case anchors == AnchorsFirst:
		al.between(s, unique(s.a, s.b), NoAnchors)
	case anchors == AnchorsLate && al.betweenPhrases(s):
	case !al.search(s) && anchors == AnchorsLate:
		if found := unique(s.a, s.b); len(found) > 0 {
			al.between(s, found, anchors)
		}
	}
}

// betweenPhrases cuts a stretch that is too long for a search at the phrases that
// occur once on each side, and reports whether there are any.
func (al *Aligner[T]) betweenPhrases(s stretch[T]) bool {
	if len(s.a)+len(s.b) <= 2*maxEdits {
		return false
	}
	found := unique(phrases(s.a), phrases(s.b))
	if len(found) == 0 {
		return false
	}
	al.between(s, found, AnchorsLate)
	return true
}

// between pairs the anchors, and aligns what lies between them.
func (al *Aligner[T]) between(s stretch[T], found [][2]int, anchors Anchors) {
	i, j := 0, 0
	for _, p := range found {
		al.align(s.part(i, p[0], j, p[1]), anchors)
		s.pair(p[0], p[1])
		i, j = p[0]+1, p[1]+1
	}
	al.align(s.part(i, len(s.a), j, len(s.b)), anchors)
}

// search pairs the elements of one longest common subsequence, or of none where
// finding it costs too much. It answers false where cutting the stretch may help.
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

// pair makes elements partners.
func (s stretch[T]) pair(i, j int) { s.partner[j] = s.from + i }

// part is the stretch of a[i:iEnd] and b[j:jEnd].
func (s stretch[T]) part(i, iEnd, j, jEnd int) stretch[T] {
	return stretch[T]{s.a[i:iEnd], s.b[j:jEnd], s.from + i, s.partner[j:jEnd]}
}

// trimmed pairs what both sides begin and end with, and returns what lies between.
func (s stretch[T]) trimmed() stretch[T] {
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
