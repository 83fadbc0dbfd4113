package merge

import (
	"slices"

	"docspace.dev/wsd/server/text/align"
)

// assemble returns the blocks of the result in order: unmoved base blocks, with the insertions and moves of both
// sides in between.
func (m *textMerge) assemble() []element {
	found := regions(additions(m.versions[inOurs].hunks), additions(m.versions[inTheirs].hunks), blocksClash)
	m.resolveMoves(found)
	next := 0
	for b := 0; b <= len(m.versions[inBase].bodies) && m.ctx.Err() == nil; b++ {
		for next < len(found) && found[next].lo <= b {
			m.writeRegion(&found[next])
			next++
		}
		if b < len(m.versions[inBase].bodies) {
			m.keep(m.versions[inBase].id(b))
		}
	}
	return m.resolveUncertain()
}

// additions returns the hunks that add blocks; deletions are decided block by block.
func additions(hunks []align.Hunk) []align.Hunk {
	var list []align.Hunk
	for _, h := range hunks {
		if h.Added() > 0 {
			list = append(list, h)
		}
	}
	return list
}

// blocksClash is the clash rule for blocks: replacements of neighbouring blocks do not clash, all other changes at one
// position do.
func blocksClash(a, b align.Hunk) bool {
	return overlaps(a, b) || touches(a, b) && (a.Removed() == 0 || b.Removed() == 0)
}

// keep writes a base block at its position unless a side deleted or moved it.
func (m *textMerge) keep(id string) {
	ours, theirs := &m.versions[inOurs], &m.versions[inTheirs]
	if ours.moved[id] || theirs.moved[id] {
		return
	}
	m.write(id)
}

// write appends the merged body of a base block unless it is deleted.
func (m *textMerge) write(id string) {
	if body, ok := m.survivingBody(id); ok {
		m.out = append(m.out, element{id: id, text: body, pos: m.positions(id)})
	}
}

// survivingBody returns the merged body of a base block, or false if it is deleted. A deletion applies if the other side
// did not change the block.
func (m *textMerge) survivingBody(id string) (string, bool) {
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
	chosen := m.resolve(m.versions[inBase].index[id], c)
	if chosen == nil {
		return "", false
	}
	m.bodies[id] = *chosen
	return *chosen, true
}

// writeRegion writes the blocks that the hunks of a region add.
func (m *textMerge) writeRegion(r *region) {
	switch {
	case len(r.theirs) == 0:
		m.out = append(m.out, m.dropSkipped(m.elements(r.ours, inOurs), inOurs)...)
	case len(r.ours) == 0:
		m.out = append(m.out, m.dropSkipped(m.elements(r.theirs, inTheirs), inTheirs)...)
	case m.sameAdditions(r):
		m.out = append(m.out, m.sharedElements(r)...)
	default:
		switch m.includingAdditions(r) {
		case inOurs:
			m.out = append(m.out, m.sharedIDs(m.elements(r.ours, inOurs), inTheirs, r.theirs[0])...)
		case inTheirs:
			m.out = append(m.out, m.sharedIDs(m.elements(r.theirs, inTheirs), inOurs, r.ours[0])...)
		default:
			m.writeBoth(r)
		}
	}
}

// elements returns the blocks that a side's hunks add: new ones unchanged, moved ones with the edits of both sides.
func (m *textMerge) elements(hunks []align.Hunk, side int) []element {
	v := &m.versions[side]
	var list []element
	for _, h := range hunks {
		for i := h.B; i < h.BEnd; i++ {
			id := v.id(i)
			if !v.moved[id] {
				e := element{id: id, text: v.bodies[i], pos: noPositions}
				e.pos[side] = i
				list = append(list, e)
				continue
			}
			if body, ok := m.survivingBody(id); ok {
				list = append(list, element{id: id, text: body, pos: m.positions(id)})
			}
		}
	}
	return list
}

// unmergedElements returns the blocks of a side's hunks in that side's version. The values of a conflict are built from them
// because they must not depend on the resolutions of other conflicts.
func (m *textMerge) unmergedElements(hunks []align.Hunk, side int) []element {
	var list []element
	for _, h := range hunks {
		for i := h.B; i < h.BEnd; i++ {
			e := element{text: m.versions[side].bodies[i], pos: noPositions}
			e.pos[side] = i
			list = append(list, e)
		}
	}
	return list
}

// dropSkipped drops the moved blocks whose position the other side's move determines.
func (m *textMerge) dropSkipped(list []element, side int) []element {
	return slices.DeleteFunc(slices.Clone(list), func(e element) bool { return m.skipped[side][e.id] })
}

// sameAdditions reports whether both sides added the same blocks at the same position.
func (m *textMerge) sameAdditions(r *region) bool {
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

// sharedElements returns the blocks that both sides added.
func (m *textMerge) sharedElements(r *region) []element {
	list := m.elements(r.ours, inOurs)
	ours, theirs := r.ours[0], r.theirs[0]
	if len(list) != ours.Added() {
		return list
	}
	for k := range list {
		list[k].id = min(m.versions[inOurs].id(ours.B+k), m.versions[inTheirs].id(theirs.B+k))
		list[k].pos[inTheirs] = theirs.B + k
	}
	return list
}

// writeBoth writes a region to which the sides added different blocks: a conflict whose proposal has the blocks of both.
func (m *textMerge) writeBoth(r *region) {
	base := m.render(m.baseElements(r.lo, r.hi))
	oursList := m.dropSkipped(m.elements(r.ours, inOurs), inOurs)
	theirsList := m.dropSkipped(m.elements(r.theirs, inTheirs), inTheirs)
	ours, theirs := m.render(m.unmergedElements(r.ours, inOurs)), m.render(m.unmergedElements(r.theirs, inTheirs))
	proposed := m.render(append(oursList, theirsList...))
	c := Conflict{Kind: KindInserted, Page: m.page, Ours: &ours, Theirs: &theirs, Proposed: &proposed}
	if r.lo > 0 {
		c.Block = m.versions[inBase].id(r.lo - 1)
	}
	if r.hi > r.lo {
		c.Base = &base
	}
	chosen := m.resolve(r.lo, c)
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
		m.out = append(m.out, element{text: *chosen, pos: noPositions})
	}
}

func (m *textMerge) baseElements(lo, hi int) []element {
	var list []element
	for b := lo; b < hi; b++ {
		list = append(list, element{text: m.versions[inBase].bodies[b], pos: [3]int{b, -1, -1}})
	}
	return list
}

// resolveMoves decides, for each block that the sides moved to different positions, which side's position applies.
func (m *textMerge) resolveMoves(found []region) {
	agreed := map[string]bool{}
	for i := range found {
		if r := &found[i]; len(r.ours) > 0 && len(r.theirs) > 0 && m.sameAdditions(r) {
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
		if o, t := ours.previousID(id), theirs.previousID(id); o != t {
			b := m.versions[inBase].previousID(id)
			chosen := m.resolve(m.versions[inBase].index[id], Conflict{
				Kind: KindMoved, Page: m.page, Block: id, Base: &b, Ours: &o, Theirs: &t, Proposed: &o,
			})
			loser = inTheirs
			if chosen != nil && *chosen == t {
				loser = inOurs
			}
		}
		m.skipped[loser][id] = true
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

// previousID returns the id of the block before the given one, or "" for the first.
func (v *version) previousID(id string) string {
	if i := v.index[id]; i > 0 {
		return v.id(i - 1)
	}
	return ""
}
