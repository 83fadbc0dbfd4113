package merge

import (
	"slices"

	"docspace.dev/wsd/server/text/align"
)

// Indexes of the three versions.
const (
	inBase = iota
	inOurs
	inTheirs
)

// element is one unit of a result, with its index in each of the three versions, -1 where it is absent.
type element struct {
	id   string
	text string
	pos  [3]int
}

// noPositions is the position of an element that no version has.
var noPositions = [3]int{-1, -1, -1}

// region is a range of base that at least one side changed.
type region struct {
	lo, hi       int
	ours, theirs []align.Hunk
}

func (r *region) add(h align.Hunk, ours bool) {
	if len(r.ours)+len(r.theirs) == 0 {
		r.lo, r.hi = h.A, h.AEnd
	}
	r.lo, r.hi = min(r.lo, h.A), max(r.hi, h.AEnd)
	if ours {
		r.ours = append(r.ours, h)
	} else {
		r.theirs = append(r.theirs, h)
	}
}

// regions groups the hunks of both sides, each in order: clashing hunks form one region.
func regions(ours, theirs []align.Hunk, clash func(a, b align.Hunk) bool) []region {
	var found []region
	for len(ours)+len(theirs) > 0 {
		var r region
		oursFirst := len(theirs) == 0 || len(ours) > 0 && !precedes(theirs[0], ours[0])
		if oursFirst {
			r.add(ours[0], true)
			ours = ours[1:]
		} else {
			r.add(theirs[0], false)
			theirs = theirs[1:]
		}
		for grown := true; grown; {
			grown = false
			if n := len(r.theirs); n > 0 && len(ours) > 0 && clash(ours[0], r.theirs[n-1]) {
				r.add(ours[0], true)
				ours, grown = ours[1:], true
			}
			if n := len(r.ours); n > 0 && len(theirs) > 0 && clash(theirs[0], r.ours[n-1]) {
				r.add(theirs[0], false)
				theirs, grown = theirs[1:], true
			}
		}
		found = append(found, r)
	}
	return found
}

func precedes(a, b align.Hunk) bool { return a.A < b.A || a.A == b.A && a.AEnd < b.AEnd }

// touches reports whether two changes overlap or meet.
func touches(a, b align.Hunk) bool { return a.A <= b.AEnd && b.A <= a.AEnd }

// overlaps reports whether two changes have a base unit in common, or one inserts within the range that the other
// replaces.
func overlaps(a, b align.Hunk) bool { return a.A < b.AEnd && b.A < a.AEnd }

// sentencesClash is the clash rule for sentences: changes of adjacent sentences do not collide, nor does an insertion next to
// an edited or deleted sentence. Two insertions at one position do, because their order is undetermined.
func sentencesClash(a, b align.Hunk) bool {
	if overlaps(a, b) {
		return true
	}
	if !touches(a, b) || a.Removed() > 0 && b.Removed() > 0 {
		return false
	}
	return grows(a) && grows(b)
}

// grows reports whether the change has more units than it replaces.
func grows(h align.Hunk) bool { return h.Added() > h.Removed() }

// splitHunks splits deletions, and hunks that keep the number of units, into hunks of one unit.
func splitHunks(hunks []align.Hunk) []align.Hunk {
	parts := make([]align.Hunk, 0, len(hunks))
	for _, h := range hunks {
		if h.Removed() < 2 || h.Added() != 0 && h.Added() != h.Removed() {
			parts = append(parts, h)
			continue
		}
		each := min(h.Added(), 1)
		for i := range h.Removed() {
			b := h.B + i*each
			parts = append(parts, align.Hunk{A: h.A + i, AEnd: h.A + i + 1, B: b, BEnd: b + each})
		}
	}
	return parts
}

// joiner joins elements with the separators of the version in which they are adjacent.
type joiner struct {
	separators [3][]string
	fallback   func(x, y element) string // used if the elements are adjacent in no version
}

// separator returns the separator between x and y.
func (j joiner) separator(x, y element) string {
	var have [3]bool
	var sep [3]string
	for v := range sep {
		at := x.pos[v]
		if at >= 0 && y.pos[v] == at+1 && at < len(j.separators[v]) {
			have[v], sep[v] = true, j.separators[v][at]
		}
	}
	switch {
	case have[inOurs] && have[inTheirs]:
		if have[inBase] {
			if s, ok := threeWay(sep[inBase], sep[inOurs], sep[inTheirs]); ok {
				return s
			}
		}
		return longer(sep[inOurs], sep[inTheirs])
	case have[inOurs]:
		return sep[inOurs]
	case have[inTheirs]:
		return sep[inTheirs]
	}
	return j.fallback(x, y)
}

// candidates returns the separators after x in the versions that have it.
func (j joiner) candidates(x element) []string {
	var list []string
	for _, v := range []int{inOurs, inTheirs, inBase} {
		if at := x.pos[v]; at >= 0 && at < len(j.separators[v]) {
			list = append(list, j.separators[v][at])
		}
	}
	return list
}

// longer returns the longer of two separators, independent of their order.
func longer(a, b string) string {
	return slices.MaxFunc([]string{a, b}, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		if a < b {
			return -1
		}
		return 1
	})
}
