package merge

import (
	"context"
	"slices"

	"docspace.dev/wsd/server/text/align"
)

// rules are the alignment rules of merges. Units that are unique in a version are matched first, and the bounded
// search keeps merges of repetitive texts cheap.
var rules = align.Rules{Anchors: align.AnchorsFirst, Search: align.Halving, Pairs: 1 << 16}

// aligner pairs the equal units of two sequences as alignDown does.
type aligner func(base, side []string) []int

// alignDown pairs the equal units of two sequences in order: the result has for each unit of side the index of its
// partner in base, or align.None. Ambiguous changes are moved as far down as equal units allow, as version control
// does, so that all merges choose the same alignment.
func alignDown(base, side []string) []int {
	al := align.New[string](context.Background(), rules)
	partner := al.Align(base, side)
	slideInsertions(side, partner)
	slideDeletions(base, partner)
	return partner
}

// alignUp is alignDown from the end: it resolves ambiguous changes the opposite way.
func alignUp(base, side []string) []int {
	partner := alignDown(reverse(base), reverse(side))
	slices.Reverse(partner)
	for i, b := range partner {
		if b != align.None {
			partner[i] = len(base) - 1 - b
		}
	}
	return partner
}

func reverse(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// slideInsertions moves each insertion as far down as equal units allow.
func slideInsertions(side []string, partner []int) {
	for s := 0; s < len(side); s++ {
		if partner[s] != align.None {
			continue
		}
		end := s + 1
		for end < len(side) && partner[end] == align.None {
			end++
		}
		b := 0
		if s > 0 {
			b = partner[s-1] + 1
		}
		if end < len(side) && partner[end] == b && side[s] == side[end] {
			partner[s], partner[end] = b, align.None
			continue
		}
		s = end
	}
}

// slideDeletions moves each deletion as far down as equal units allow.
func slideDeletions(base []string, partner []int) {
	at := align.Invert(partner, len(base))
	for b := 0; b < len(base); b++ {
		if at[b] != align.None {
			continue
		}
		end := b + 1
		for end < len(base) && at[end] == align.None {
			end++
		}
		s := 0
		if b > 0 {
			s = at[b-1] + 1
		}
		if end < len(base) && at[end] == s && base[b] == base[end] {
			at[b], at[end] = s, align.None
			partner[s] = b
			continue
		}
		b = end
	}
}
