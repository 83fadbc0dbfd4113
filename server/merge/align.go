package merge

import (
	"slices"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"docspace.dev/wsd/server/content"
)

// maxDiffCells bounds the exact diff of a stretch without unique anchors, in
// pairs of units; beyond, the stretch counts as rewritten.
const maxDiffCells = 1 << 16

// align pairs the equal units of two sequences in order: the result has for each
// unit of side the index of its partner in base, or -1.
func align(base, side []string) []int {
	a := aligner{base: base, side: side, partner: make([]int, len(side))}
	for i := range a.partner {
		a.partner[i] = -1
	}
	a.stretch(0, len(base), 0, len(side))
	a.slideInsertions()
	a.slideDeletions()
	return a.partner
}

// alignUp is align read from the end: where several readings of a change are
// possible it takes the opposite one.
func alignUp(base, side []string) []int {
	base, side = reversed(base), reversed(side)
	partner := align(base, side)
	slices.Reverse(partner)
	for i, b := range partner {
		if b >= 0 {
			partner[i] = len(base) - 1 - b
		}
	}
	return partner
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

type aligner struct {
	base, side []string
	partner    []int
}

// stretch aligns base[b:bEnd] with side[s:sEnd]: common ends, then units that
// occur once on each side as anchors, then an exact diff between those.
func (a *aligner) stretch(b, bEnd, s, sEnd int) {
	b, bEnd, s, sEnd = a.ends(b, bEnd, s, sEnd)
	for _, anchor := range a.anchors(b, bEnd, s, sEnd) {
		a.gap(b, anchor[0], s, anchor[1])
		a.partner[anchor[1]] = anchor[0]
		b, s = anchor[0]+1, anchor[1]+1
	}
	a.gap(b, bEnd, s, sEnd)
}

// ends pairs the common prefix and suffix and returns what lies between.
func (a *aligner) ends(b, bEnd, s, sEnd int) (int, int, int, int) {
	for b < bEnd && s < sEnd && a.base[b] == a.side[s] {
		a.partner[s] = b
		b, s = b+1, s+1
	}
	for b < bEnd && s < sEnd && a.base[bEnd-1] == a.side[sEnd-1] {
		bEnd, sEnd = bEnd-1, sEnd-1
		a.partner[sEnd] = bEnd
	}
	return b, bEnd, s, sEnd
}

// anchors returns pairs (base, side) of units that occur once in each stretch
// and kept their order.
func (a *aligner) anchors(b, bEnd, s, sEnd int) [][2]int {
	type count struct{ base, side, at int }
	counts := map[string]*count{}
	for i := b; i < bEnd; i++ {
		if c := counts[a.base[i]]; c != nil {
			c.base++
		} else {
			counts[a.base[i]] = &count{base: 1, at: i}
		}
	}
	for i := s; i < sEnd; i++ {
		if c := counts[a.side[i]]; c != nil {
			c.side++
		}
	}
	var order []int
	var pairs [][2]int
	for i := s; i < sEnd; i++ {
		if c := counts[a.side[i]]; c != nil && c.base == 1 && c.side == 1 {
			order = append(order, c.at)
			pairs = append(pairs, [2]int{c.at, i})
		}
	}
	kept := pairs[:0]
	for i, ok := range content.InOrder(order) {
		if ok {
			kept = append(kept, pairs[i])
		}
	}
	return kept
}

// gap aligns a stretch without anchors by an exact diff.
func (a *aligner) gap(b, bEnd, s, sEnd int) {
	b, bEnd, s, sEnd = a.ends(b, bEnd, s, sEnd)
	if b == bEnd || s == sEnd || (bEnd-b)*(sEnd-s) > maxDiffCells {
		return
	}
	runes := map[string]rune{}
	baseRunes, sideRunes := toRunes(a.base[b:bEnd], runes), toRunes(a.side[s:sEnd], runes)
	diff := diffmatchpatch.New()
	diff.DiffTimeout = 0 // exact, and the same on every machine
	for _, piece := range diff.DiffMainRunes(baseRunes, sideRunes, false) {
		n := utf8.RuneCountInString(piece.Text)
		switch piece.Type {
		case diffmatchpatch.DiffDelete:
			b += n
		case diffmatchpatch.DiffInsert:
			s += n
		case diffmatchpatch.DiffEqual:
			for range n {
				a.partner[s] = b
				b, s = b+1, s+1
			}
		}
	}
}

// toRunes maps each distinct unit to a rune of its own, surrogates excluded:
// they do not survive the way through a string.
func toRunes(units []string, runes map[string]rune) []rune {
	const surrogates, surrogateCount = 0xd800, 0x800
	out := make([]rune, len(units))
	for i, unit := range units {
		r, ok := runes[unit]
		if !ok {
			r = rune(len(runes) + 1) //nolint:gosec // far fewer than there are runes, by maxDiffCells
			if r >= surrogates {
				r += surrogateCount
			}
			runes[unit] = r
		}
		out[i] = r
	}
	return out
}

// slideInsertions moves each insertion as far down as equal units let it: where
// several readings of a change are possible, all merges must take the same one,
// and this is the one that version control takes.
func (a *aligner) slideInsertions() {
	for s := 0; s < len(a.side); s++ {
		if a.partner[s] >= 0 {
			continue
		}
		end := s + 1
		for end < len(a.side) && a.partner[end] < 0 {
			end++
		}
		b := 0
		if s > 0 {
			b = a.partner[s-1] + 1
		}
		if end < len(a.side) && a.partner[end] == b && a.side[s] == a.side[end] {
			a.partner[s], a.partner[end] = b, -1
			continue
		}
		s = end
	}
}

// slideDeletions does the same for deletions.
func (a *aligner) slideDeletions() {
	at := places(len(a.base), a.partner)
	for b := 0; b < len(a.base); b++ {
		if at[b] >= 0 {
			continue
		}
		end := b + 1
		for end < len(a.base) && at[end] < 0 {
			end++
		}
		s := 0
		if b > 0 {
			s = at[b-1] + 1
		}
		if end < len(a.base) && at[end] == s && a.base[b] == a.base[end] {
			at[b], at[end] = s, -1
			a.partner[s] = b
			continue
		}
		b = end
	}
}
