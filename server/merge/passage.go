package merge

import "strings"

// passage merges three versions of one block's text, without trailing white
// space, by lines or by sentences. Where both sides changed the same unit it
// answers false and a proposal that keeps the words of both.
func passage(base, ours, theirs string, lines bool) (merged string, clean bool) {
	if text, ok := three(base, ours, theirs); ok {
		return text, true
	}
	if lines {
		p := passageMerge{cutLines(base), cutLines(ours), cutLines(theirs)}
		return p.merge(align, touching, false)
	}
	p := passageMerge{cutSentences(base), cutSentences(ours), cutSentences(theirs)}
	return p.merge(align, colliding, true)
}

// passageMerge holds the cut versions of one passage, by inBase and so on.
type passageMerge [3]sequence

func (p *passageMerge) merge(align func(base, side []string) []int, clash func(a, b hunk) bool, split bool) (string, bool) {
	oursAt := align(p[inBase].units, p[inOurs].units)
	theirsAt := align(p[inBase].units, p[inTheirs].units)
	size := len(p[inBase].units)
	out := passageWriter{p: p, clean: true}
	out.place[inOurs], out.place[inTheirs] = places(size, oursAt), places(size, theirsAt)
	found := regions(hunksOf(size, oursAt, split), hunksOf(size, theirsAt, split), clash)
	at := 0
	for i := range found {
		out.keep(at, found[i].lo)
		out.change(&found[i])
		at = max(at, found[i].hi)
	}
	out.keep(at, size)
	return out.text(), out.clean
}

// places inverts an alignment: for each base unit its index in the side, or -1.
func places(size int, partner []int) []int {
	at := make([]int, size)
	for i := range at {
		at[i] = -1
	}
	for s, b := range partner {
		if b >= 0 {
			at[b] = s
		}
	}
	return at
}

// passageWriter collects the units of a merged passage.
type passageWriter struct {
	p        *passageMerge
	place    [3][]int // place[side][base index] = side index or -1
	elements []element
	clean    bool
}

// keep writes the base units that neither side changed.
func (w *passageWriter) keep(from, to int) {
	for b := from; b < to; b++ {
		at := [3]int{b, w.place[inOurs][b], w.place[inTheirs][b]}
		w.elements = append(w.elements, element{text: w.p[inBase].units[b], at: at})
	}
}

// change writes a region: the change of one side, the same change of both, or,
// where they differ, both.
func (w *passageWriter) change(r *region) {
	switch {
	case len(r.theirs) == 0 || w.same(r):
		w.write(r.ours, inOurs, len(r.theirs) > 0, r)
	case len(r.ours) == 0:
		w.write(r.theirs, inTheirs, false, r)
	default:
		w.clean = false
		w.write(r.ours, inOurs, false, nil)
		w.write(r.theirs, inTheirs, false, nil)
	}
}

// same reports whether both sides made the same changes.
func (w *passageWriter) same(r *region) bool {
	if len(r.ours) != len(r.theirs) {
		return false
	}
	for i, ours := range r.ours {
		theirs := r.theirs[i]
		if ours.lo != theirs.lo || ours.hi != theirs.hi || len(ours.ins) != len(theirs.ins) {
			return false
		}
		for k := range ours.ins {
			if w.p[inOurs].units[ours.ins[k]] != w.p[inTheirs].units[theirs.ins[k]] {
				return false
			}
		}
	}
	return true
}

// write writes the new units of a side's changes. With both, the other side has
// the same units. A unit that replaces one base unit stands in its place.
func (w *passageWriter) write(hunks []hunk, side int, both bool, r *region) {
	for i, h := range hunks {
		for k, s := range h.ins {
			e := element{text: w.p[side].units[s], at: nowhere}
			e.at[side] = s
			if r != nil && len(h.ins) == h.hi-h.lo {
				e.at[inBase] = h.lo + k
				e.at[other(side)] = w.place[other(side)][h.lo+k]
			}
			if both {
				e.at[inTheirs] = r.theirs[i].ins[k]
			}
			w.elements = append(w.elements, e)
		}
	}
}

func other(side int) int { return inOurs + inTheirs - side }

// text joins the collected units.
func (w *passageWriter) text() string {
	j := joiner{between: func(element, element) string { return "" }}
	for v := range w.p {
		j.separators[v] = w.p[v].separators
	}
	j.between = func(x, _ element) string { return firstNonEmpty(j.candidates(x), fallbackSeparator(w.p)) }
	var out strings.Builder
	for i, e := range w.elements {
		if i > 0 {
			out.WriteString(j.separator(w.elements[i-1], e))
		}
		out.WriteString(e.text)
	}
	return out.String()
}

// fallbackSeparator is the first separator of the passage that is not empty.
func fallbackSeparator(p *passageMerge) string {
	for _, v := range p {
		if s := firstNonEmpty(v.separators, ""); s != "" {
			return s
		}
	}
	return " "
}

func firstNonEmpty(list []string, fallback string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return fallback
}
