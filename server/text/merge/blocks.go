package merge

import (
	"slices"

	"docspace.dev/wsd/server/text/align"
)

// assemble puts the blocks of the result in order: base's blocks where they
// stayed, and the changes of both sides where they belong.
func (m *textMerge) assemble() []element {
	found := regions(adding(m.versions[inOurs].hunks), adding(m.versions[inTheirs].hunks), clashing)
	m.settleMoves(found)
	next := 0
	for b := 0; b <= len(m.versions[inBase].bodies) && m.ctx.Err() == nil; b++ {
		for next < len(found) && found[next].lo <= b {
			m.change(&found[next])
			next++
		}
		if b < len(m.versions[inBase].bodies) {
			m.keep(m.versions[inBase].id(b))
		}
	}
	return m.covered()
}

// adding returns the changes that bring blocks; deletions are decided block by block.
func adding(hunks []align.Hunk) []align.Hunk {
	var list []align.Hunk
	for _, h := range hunks {
		if h.Added() > 0 {
			list = append(list, h)
		}
	}
	return list
}

// clashing is the rule for blocks: replacements of neighbours do not clash, all
// other changes at one place do.
func clashing(a, b align.Hunk) bool {
	return overlapping(a, b) || touching(a, b) && (a.Removed() == 0 || b.Removed() == 0)
}

// keep writes a base block in its place, unless a side deleted or moved it.
func (m *textMerge) keep(id string) {
	ours, theirs := &m.versions[inOurs], &m.versions[inTheirs]
	if ours.moved[id] || theirs.moved[id] {
		return
	}
	m.write(id)
}

// write writes a base block with what the sides made of it.
func (m *textMerge) write(id string) {
	if body, ok := m.survivor(id); ok {
		m.out = append(m.out, element{id: id, text: body, at: m.place(id)})
	}
}

// survivor returns the merged body of a base block, or false if it is deleted. A
// deletion stands where the other side left the block alone.
func (m *textMerge) survivor(id string) (string, bool) {
	if body, ok := m.bodies[id]; ok {
		return body, true
	}
	base, _ := m.versions[inBase].body(id)
	ours, inO := m.versions[inOurs].body(id)
	theirs, inT := m.versions[inTheirs].body(id)
	switch {
	case inO && inT:
		return m.mergedBody(id), true
	case !inO && !inT:
		return "", false
	case inO && ours == base && !m.versions[inOurs].moved[id]:
		return "", false
	case inT && theirs == base && !m.versions[inTheirs].moved[id]:
		return "", false
	}
	c := Conflict{Kind: KindDeleted, Page: m.page, Block: id, Base: &base}
	if inO {
		c.Ours, c.Proposed = &ours, &ours
	} else {
		c.Theirs, c.Proposed = &theirs, &theirs
	}
	chosen := m.settle(m.versions[inBase].index[id], c)
	if chosen == nil {
		return "", false
	}
	m.bodies[id] = *chosen
	return *chosen, true
}

// change writes the blocks that a region brings.
func (m *textMerge) change(r *region) {
	switch {
	case len(r.theirs) == 0:
		m.out = append(m.out, m.unskipped(m.elements(r.ours, inOurs), inOurs)...)
	case len(r.ours) == 0:
		m.out = append(m.out, m.unskipped(m.elements(r.theirs, inTheirs), inTheirs)...)
	case m.same(r):
		m.out = append(m.out, m.shared(r)...)
	default:
		m.both(r)
	}
}

// elements returns the blocks that a side's changes bring: new ones as they are,
// moved ones with the edits of both sides.
func (m *textMerge) elements(hunks []align.Hunk, side int) []element {
	v := &m.versions[side]
	var list []element
	for _, h := range hunks {
		for i := h.B; i < h.BEnd; i++ {
			id := v.id(i)
			if !v.moved[id] {
				e := element{id: id, text: v.bodies[i], at: nowhere}
				e.at[side] = i
				list = append(list, e)
				continue
			}
			if body, ok := m.survivor(id); ok {
				list = append(list, element{id: id, text: body, at: m.place(id)})
			}
		}
	}
	return list
}

// asBrought returns the blocks of a side's changes as that side has them: the
// values of a conflict do not depend on the answers to others.
func (m *textMerge) asBrought(hunks []align.Hunk, side int) []element {
	var list []element
	for _, h := range hunks {
		for i := h.B; i < h.BEnd; i++ {
			e := element{text: m.versions[side].bodies[i], at: nowhere}
			e.at[side] = i
			list = append(list, e)
		}
	}
	return list
}

// unskipped leaves out the moved blocks that the other side's move places.
func (m *textMerge) unskipped(list []element, side int) []element {
	return slices.DeleteFunc(slices.Clone(list), func(e element) bool { return m.skip[side][e.id] })
}

// same reports whether both sides brought the same blocks in the same place.
func (m *textMerge) same(r *region) bool {
	if len(r.ours) != 1 || len(r.theirs) != 1 {
		return false
	}
	a, b := r.ours[0], r.theirs[0]
	if a.Added() != b.Added() {
		return false
	}
	ours, theirs := &m.versions[inOurs], &m.versions[inTheirs]
	for k := range a.Added() {
		oursID, theirsID := ours.id(a.B+k), theirs.id(b.B+k)
		if ours.moved[oursID] != theirs.moved[theirsID] {
			return false
		}
		if ours.moved[oursID] && oursID != theirsID {
			return false
		}
		if !ours.moved[oursID] && ours.bodies[a.B+k] != theirs.bodies[b.B+k] {
			return false
		}
	}
	return true
}

// shared returns the blocks that both sides brought.
func (m *textMerge) shared(r *region) []element {
	list := m.elements(r.ours, inOurs)
	ours, theirs := r.ours[0], r.theirs[0]
	if len(list) != ours.Added() {
		return list
	}
	for k := range list {
		list[k].id = min(m.versions[inOurs].id(ours.B+k), m.versions[inTheirs].id(theirs.B+k))
		list[k].at[inTheirs] = theirs.B + k
	}
	return list
}

// both writes a region to which both sides brought something else: a conflict
// whose proposal has the blocks of both.
func (m *textMerge) both(r *region) {
	base := m.render(m.baseElements(r.lo, r.hi))
	oursList := m.unskipped(m.elements(r.ours, inOurs), inOurs)
	theirsList := m.unskipped(m.elements(r.theirs, inTheirs), inTheirs)
	ours, theirs := m.render(m.asBrought(r.ours, inOurs)), m.render(m.asBrought(r.theirs, inTheirs))
	proposed := m.render(append(oursList, theirsList...))
	c := Conflict{Kind: KindInserted, Page: m.page, Ours: &ours, Theirs: &theirs, Proposed: &proposed}
	if r.lo > 0 {
		c.Block = m.versions[inBase].id(r.lo - 1)
	}
	if r.hi > r.lo {
		c.Base = &base
	}
	chosen := m.settle(r.lo, c)
	switch {
	case chosen == nil || *chosen == "":
	case *chosen == proposed:
		m.out = append(m.out, oursList...)
		m.out = append(m.out, theirsList...)
	case *chosen == ours:
		m.out = append(m.out, oursList...)
	case *chosen == theirs:
		m.out = append(m.out, theirsList...)
	default:
		m.out = append(m.out, element{text: *chosen, at: nowhere})
	}
}

func (m *textMerge) baseElements(lo, hi int) []element {
	var list []element
	for b := lo; b < hi; b++ {
		list = append(list, element{text: m.versions[inBase].bodies[b], at: [3]int{b, -1, -1}})
	}
	return list
}

// settleMoves decides for the blocks that both sides moved whose place counts.
func (m *textMerge) settleMoves(found []region) {
	agreed := map[string]bool{}
	for i := range found {
		if r := &found[i]; len(r.ours) > 0 && len(r.theirs) > 0 && m.same(r) {
			for s := r.ours[0].B; s < r.ours[0].BEnd; s++ {
				agreed[m.versions[inOurs].id(s)] = true
			}
		}
	}
	ours, theirs := &m.versions[inOurs], &m.versions[inTheirs]
	for _, block := range m.versions[inBase].text.Blocks {
		id := block.ID
		if !ours.moved[id] || !theirs.moved[id] || agreed[id] {
			continue
		}
		loser := inTheirs
		if theirs.target(id) < ours.target(id) {
			loser = inOurs
		}
		if o, t := ours.before(id), theirs.before(id); o != t {
			b := m.versions[inBase].before(id)
			chosen := m.settle(m.versions[inBase].index[id], Conflict{
				Kind: KindMoved, Page: m.page, Block: id, Base: &b, Ours: &o, Theirs: &t, Proposed: &o,
			})
			loser = inTheirs
			if chosen != nil && *chosen == t {
				loser = inOurs
			}
		}
		m.skip[loser][id] = true
	}
}

// target returns the base position that the version moved a block to.
func (v *version) target(id string) int {
	at := v.index[id]
	for _, h := range v.hunks {
		if h.B <= at && at < h.BEnd {
			return h.A
		}
	}
	return 0
}

// before returns the id of the block before the given one, "" for the first.
func (v *version) before(id string) string {
	if i := v.index[id]; i > 0 {
		return v.id(i - 1)
	}
	return ""
}
