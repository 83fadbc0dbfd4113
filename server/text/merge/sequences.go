package merge

import (
	"slices"

	"docspace.dev/wsd/server/text/align"
)

// The three versions, as indexes.
const (
	inBase = iota
	inOurs
	inTheirs
)

// element is one unit of a result: its text and where it stands in the three
// versions, -1 where it does not.
type element struct {
	id   string
	text string
	at   [3]int
}

// nowhere is the place of an element that no version has.
var nowhere = [3]int{-1, -1, -1}

// region is a stretch of base that at least one side changed.
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

// regions groups the changes of both sides, each in order: changes that clash
// are in one region.
func regions(ours, theirs []align.Hunk, clash func(a, b align.Hunk) bool) []region {
	var found []region
	for len(ours)+len(theirs) > 0 {
		var r region
		oursFirst := len(theirs) == 0 || len(ours) > 0 && !before(theirs[0], ours[0])
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

func before(a, b align.Hunk) bool { return a.A < b.A || a.A == b.A && a.AEnd < b.AEnd }

// touching reports whether two changes overlap or meet.
func touching(a, b align.Hunk) bool { return a.A <= b.AEnd && b.A <= a.AEnd }

// overlapping reports whether two changes have a base unit in common, or one
// inserts inside what the other replaces.
func overlapping(a, b align.Hunk) bool { return a.A < b.AEnd && b.A < a.AEnd }

// colliding is the rule for sentences: changes of neighbours do not collide, and
// neither does an insertion beside a sentence that was edited or deleted; where
// both may have added something at one place, the order is anyone's guess.
func colliding(a, b align.Hunk) bool {
	if overlapping(a, b) {
		return true
	}
	if !touching(a, b) || a.Removed() > 0 && b.Removed() > 0 {
		return false
	}
	return adds(a) && adds(b)
}

// adds reports whether the change has more units than it replaces.
func adds(h align.Hunk) bool { return h.Added() > h.Removed() }

// apart takes changes that keep the number of units, and deletions, apart into
// changes of one unit.
func apart(hunks []align.Hunk) []align.Hunk {
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

// joiner writes elements with the separators of the version in which the two
// neighbours are neighbours.
type joiner struct {
	separators [3][]string
	between    func(x, y element) string // where no version has them side by side
}

// separator returns what stands between x and y.
func (j joiner) separator(x, y element) string {
	var have [3]bool
	var sep [3]string
	for v := range sep {
		at := x.at[v]
		if at >= 0 && y.at[v] == at+1 && at < len(j.separators[v]) {
			have[v], sep[v] = true, j.separators[v][at]
		}
	}
	switch {
	case have[inOurs] && have[inTheirs]:
		if have[inBase] {
			if s, ok := three(sep[inBase], sep[inOurs], sep[inTheirs]); ok {
				return s
			}
		}
		return longer(sep[inOurs], sep[inTheirs])
	case have[inOurs]:
		return sep[inOurs]
	case have[inTheirs]:
		return sep[inTheirs]
	}
	return j.between(x, y)
}

// candidates returns the separators behind x in the versions that have it.
func (j joiner) candidates(x element) []string {
	var list []string
	for _, v := range []int{inOurs, inTheirs, inBase} {
		if at := x.at[v]; at >= 0 && at < len(j.separators[v]) {
			list = append(list, j.separators[v][at])
		}
	}
	return list
}

// longer chooses between two separators without regard to their sides.
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
