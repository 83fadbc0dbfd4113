package merge

import (
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/align"
)

// mergePassage merges three versions of one block's text, without trailing white space, by lines or by sentences.
// Collisions are passed to resolve.
func mergePassage(base, ours, theirs string, lines bool, resolve resolver) string {
	if text, ok := threeWay(base, ours, theirs); ok {
		return text
	}
	if lines {
		p := passageMerge{cutLines(base), cutLines(ours), cutLines(theirs)}
		merged, _ := p.merge(alignDown, touches, false, resolve)
		return merged
	}
	p := passageMerge{cutSentences(base), cutSentences(ours), cutSentences(theirs)}
	merged, _ := p.merge(alignDown, sentencesClash, true, resolve)
	return merged
}

// resolver chooses the text of a collision. A nil value means that the version has no units there; proposed has the
// words of both sides.
type resolver func(base, ours, theirs, proposed *string) *string

// acceptProposal is a resolver that accepts each proposal, used to test whether a merge is clean.
func acceptProposal(_, _, _, proposed *string) *string { return proposed }

// passageMerge holds the units of the three versions of one passage, indexed by inBase, inOurs and inTheirs.
type passageMerge [3]sequence

// merge joins the versions and reports whether it was free of collisions. alignUnits aligns a side's units with those of
// base, clash reports which hunks form one region, and split makes hunks of single units where possible.
func (p *passageMerge) merge(
	alignUnits aligner, clash func(a, b align.Hunk) bool, split bool, resolve resolver,
) (string, bool) {
	size := len(p[inBase].units)
	out := passageWriter{p: p, align: alignUnits, clean: true, resolve: resolve}
	var changes [3][]align.Hunk
	for _, side := range []int{inOurs, inTheirs} {
		partner := alignUnits(p[inBase].units, p[side].units)
		out.position[side], changes[side] = align.Invert(partner, size), align.Hunks(partner, size)
		if split {
			changes[side] = splitHunks(changes[side])
		}
	}
	found := regions(changes[inOurs], changes[inTheirs], clash)
	next := 0
	for i := range found {
		out.keep(next, found[i].lo)
		out.writeRegion(&found[i])
		next = max(next, found[i].hi)
	}
	out.keep(next, size)
	return out.text(out.elements), out.clean
}

// passageWriter collects the units of a merged passage.
type passageWriter struct {
	p        *passageMerge
	align    aligner
	position [3][]int // position[side][base index] = side index or -1
	elements []element
	clean    bool
	resolve  resolver
}

// keep writes the base units that neither side changed.
func (w *passageWriter) keep(from, to int) {
	for b := from; b < to; b++ {
		at := [3]int{b, w.position[inOurs][b], w.position[inTheirs][b]}
		w.elements = append(w.elements, element{text: w.p[inBase].units[b], pos: at})
	}
}

// writeRegion writes a region: the change of one side, the same change of both, or a collision.
func (w *passageWriter) writeRegion(r *region) {
	switch {
	case len(r.theirs) == 0 || w.sameChanges(r):
		w.write(r.ours, inOurs, len(r.theirs) > 0, r)
	case len(r.ours) == 0:
		w.write(r.theirs, inTheirs, false, r)
	default:
		w.clean = false
		w.writeCollision(r)
	}
}

// writeCollision writes the chosen text of a region that both sides changed: the units of a version, or another text as one
// unit. The version of a side that includes the changes of the other is chosen without a conflict.
func (w *passageWriter) writeCollision(r *region) {
	kept := len(w.elements)
	w.write(r.ours, inOurs, false, nil)
	w.write(r.theirs, inTheirs, false, nil)
	both := slices.Clone(w.elements[kept:])
	w.elements = w.elements[:kept]
	var versions [3][]element
	versions[inBase] = w.units(inBase, r.lo, r.hi)
	for side, hunks := range map[int][]align.Hunk{inOurs: r.ours, inTheirs: r.theirs} {
		first, last := hunks[0], hunks[len(hunks)-1]
		versions[side] = w.units(side, first.B-(first.A-r.lo), last.BEnd+(r.hi-last.AEnd))
	}
	var values [3]*string
	for v, list := range versions {
		if len(list) > 0 {
			values[v] = new(w.text(list))
		}
	}
	if side := includingSide(w.align, values[inBase], values[inOurs], values[inTheirs]); side != noSide {
		w.elements = append(w.elements, versions[side]...)
		return
	}
	proposed := w.text(both)
	chosen := w.resolve(values[inBase], values[inOurs], values[inTheirs], &proposed)
	w.elements = append(w.elements, w.chosenUnits(text(chosen), proposed, both, versions)...)
}

// chosenUnits returns the units of a chosen text: those of the proposal or of the version that has this text, else the text as
// one unit.
func (w *passageWriter) chosenUnits(chosen, proposed string, both []element, versions [3][]element) []element {
	if chosen == "" {
		return nil
	}
	if chosen == proposed {
		return both
	}
	for _, v := range []int{inOurs, inTheirs, inBase} {
		if w.text(versions[v]) == chosen {
			return versions[v]
		}
	}
	own := element{text: chosen, pos: noPositions}
	for v, list := range versions {
		if len(list) == 1 {
			own.pos[v] = list[0].pos[v]
		}
	}
	return []element{own}
}

// units returns a range of a version's units.
func (w *passageWriter) units(version, from, to int) []element {
	var list []element
	for i := from; i < to; i++ {
		e := element{text: w.p[version].units[i], pos: noPositions}
		e.pos[version] = i
		list = append(list, e)
	}
	return list
}

// sameChanges reports whether both sides made the same changes.
func (w *passageWriter) sameChanges(r *region) bool {
	if len(r.ours) != len(r.theirs) {
		return false
	}
	for i, ours := range r.ours {
		theirs := r.theirs[i]
		if ours.A != theirs.A || ours.AEnd != theirs.AEnd || ours.Added() != theirs.Added() {
			return false
		}
		if !slices.Equal(w.p[inOurs].units[ours.B:ours.BEnd], w.p[inTheirs].units[theirs.B:theirs.BEnd]) {
			return false
		}
	}
	return true
}

// write appends the new units of a side's hunks to the result. If both is set, the other side has the same units. A unit that
// replaces one base unit takes its position.
func (w *passageWriter) write(hunks []align.Hunk, side int, both bool, r *region) {
	for i, h := range hunks {
		for k := range h.Added() {
			s := h.B + k
			e := element{text: w.p[side].units[s], pos: noPositions}
			e.pos[side] = s
			if r != nil && h.Added() == h.Removed() {
				e.pos[inBase] = h.A + k
				e.pos[otherSide(side)] = w.position[otherSide(side)][h.A+k]
			}
			if both {
				e.pos[inTheirs] = r.theirs[i].B + k
			}
			w.elements = append(w.elements, e)
		}
	}
}

func otherSide(side int) int { return inOurs + inTheirs - side }

// text joins units.
func (w *passageWriter) text(list []element) string {
	j := joiner{fallback: func(element, element) string { return "" }}
	for v := range w.p {
		j.separators[v] = w.p[v].separators
	}
	j.fallback = func(x, _ element) string { return firstNonEmpty(j.candidates(x), fallbackSeparator(w.p)) }
	var out strings.Builder
	for i, e := range list {
		if i > 0 {
			out.WriteString(j.separator(list[i-1], e))
		}
		out.WriteString(e.text)
	}
	return out.String()
}

// fallbackSeparator returns the first non-empty separator of the passage.
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
