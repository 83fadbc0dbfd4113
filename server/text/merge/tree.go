package merge

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// lookup returns a page of the result: as merged or, if it is not among the merged ones, that of Ours. It returns false if the
// result does not have the page.
func (m *treeMerge) lookup(id string) (*Page, bool) {
	if page, ok := m.pages[id]; ok {
		return page, page != nil
	}
	page, ok := m.in.Ours.Page(id)
	return &page, ok
}

// editablePage returns a page of the result for modification and records it as changed.
func (m *treeMerge) editablePage(id string) *Page {
	page, _ := m.lookup(id)
	if _, ok := m.pages[id]; !ok {
		m.pages[id] = page
	}
	return page
}

// adoptOrphans handles pages whose parent one side deleted while the other side added or moved them below it. The
// parent is in conflict, and the proposal keeps it; if it is deleted, its children move to the nearest surviving
// ancestor.
func (m *treeMerge) adoptOrphans() {
	queue := slices.Clone(m.changed)
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		page, ok := m.lookup(id)
		if !ok || page.Parent == "" {
			continue
		}
		parent := page.Parent
		if _, ok := m.lookup(parent); ok {
			continue
		}
		if !m.deletionConflicts[parent] && m.reviveParent(parent) {
			queue = append(queue, parent)
			continue
		}
		m.editablePage(id).Parent = m.grandparent(parent)
		queue = append(queue, id)
	}
}

// reviveParent restores a page that one side deleted, if its conflict is resolved so. It reports whether the page was restored.
func (m *treeMerge) reviveParent(id string) bool {
	base, ours, theirs := m.versions(id)
	if (ours == nil) == (theirs == nil) {
		return false
	}
	if page := m.deleteOrKeep(id, base, ours, theirs); page != nil {
		m.pages[id] = page
		return true
	}
	return false
}

// grandparent returns the parent of a deleted page, on the side that still has the page or else in base.
func (m *treeMerge) grandparent(id string) string {
	base, ours, theirs := m.versions(id)
	if page := firstNonNil(ours, theirs, base); page != nil {
		return page.Parent
	}
	return ""
}

// breakCycles resolves the cycles that the moves of both sides form, one by one until none is left.
func (m *treeMerge) breakCycles() {
	reported := map[string]bool{}
	for _, id := range m.changed {
		for cycle := m.findCycle(id); len(cycle) > 0; cycle = m.findCycle(id) {
			m.breakCycle(slices.Sorted(slices.Values(cycle)), reported)
		}
	}
}

// findCycle returns the pages of the cycle among a page's ancestors, or nil if there is none.
func (m *treeMerge) findCycle(id string) []string {
	var path []string
	seen := map[string]int{}
	for id != "" {
		if at, ok := seen[id]; ok {
			return path[at:]
		}
		seen[id] = len(path)
		path = append(path, id)
		page, ok := m.lookup(id)
		if !ok {
			return nil
		}
		id = page.Parent
	}
	return nil
}

// breakCycle resolves one cycle. The proposal moves back the page with the least id that moved and is not yet in
// conflict. Choosing a side's value takes that side's positions for the whole cycle.
func (m *treeMerge) breakCycle(cycle []string, reported map[string]bool) {
	for _, id := range cycle {
		base, ours, theirs := m.versions(id)
		if reported[id] || base == nil || ours == nil || theirs == nil || ours.Parent == theirs.Parent {
			continue
		}
		reported[id] = true
		chosen := text(m.ledger.resolve(Conflict{
			Kind: KindCycle, Page: id, Base: &base.Parent, Ours: &ours.Parent, Theirs: &theirs.Parent, Proposed: &base.Parent,
		}))
		switch chosen {
		case base.Parent:
			page := m.editablePage(id)
			page.Parent, page.Order = m.nearestAncestor(chosen), base.Order
			for _, side := range []*Page{ours, theirs} {
				if side.Parent == chosen {
					page.Order = side.Order
				}
			}
		case ours.Parent:
			m.applyPositions(m.in.Ours, cycle)
		case theirs.Parent:
			m.applyPositions(m.in.Theirs, cycle)
		}
		return
	}
	m.editablePage(cycle[0]).Parent = ""
}

// applyPositions moves pages to the positions that they have on a side, below the nearest ancestor that the result has.
func (m *treeMerge) applyPositions(side View, pages []string) {
	for _, id := range pages {
		if theirs, ok := side.Page(id); ok {
			page := m.editablePage(id)
			page.Parent, page.Order = m.nearestAncestor(theirs.Parent), theirs.Order
		}
	}
}

// nearestAncestor returns the page, or its nearest ancestor that the result has.
func (m *treeMerge) nearestAncestor(id string) string {
	for id != "" {
		if _, ok := m.lookup(id); ok {
			break
		}
		id = m.grandparent(id)
	}
	return id
}

// separateSlugs resolves clashes of sibling slugs that the merge introduced; the proposal gives a newcomer another
// slug.
func (m *treeMerge) separateSlugs() {
	claims := map[string]map[string][]string{} // parent -> slug -> ids, sorted
	children := m.changedChildren()
	for _, id := range m.changed {
		page, ok := m.lookup(id)
		if !ok || page.Attributes[SlugAttribute] == "" || !m.slugChanged(id, page) {
			continue
		}
		if claims[page.Parent] == nil {
			claims[page.Parent] = m.childrenBySlug(page.Parent, children[page.Parent])
		}
		slugs := claims[page.Parent]
		slug := page.Attributes[SlugAttribute]
		for len(slugs[slug]) > 1 {
			index := m.newcomer(slugs[slug], page.Parent, slug)
			newcomer := slugs[slug][index]
			slugs[slug] = slices.Delete(slugs[slug], index, index+1)
			renamed := m.renameSlug(newcomer, slug, slugs)
			slugs[renamed] = append(slugs[renamed], newcomer)
		}
	}
}

// newcomer returns the index of the page that gets another slug: the last one that does not have the slug in ours, where
// readers already use it.
func (m *treeMerge) newcomer(ids []string, parent, slug string) int {
	for index, id := range slices.Backward(ids) {
		if _, ours, _ := m.versions(id); ours == nil || ours.Parent != parent || ours.slug() != slug {
			return index
		}
	}
	return len(ids) - 1
}

// slugChanged reports whether the page's slug or parent differs from either side.
func (m *treeMerge) slugChanged(id string, page *Page) bool {
	_, ours, theirs := m.versions(id)
	for _, side := range []*Page{ours, theirs} {
		if side == nil || side.Parent != page.Parent || side.Attributes[SlugAttribute] != page.Attributes[SlugAttribute] {
			return true
		}
	}
	return false
}

// changedChildren returns the changed pages of the result by their parent.
func (m *treeMerge) changedChildren() map[string][]string {
	children := map[string][]string{}
	for id, page := range m.pages {
		if page != nil {
			children[page.Parent] = append(children[page.Parent], id)
		}
	}
	return children
}

// childrenBySlug returns the ids of a page's children in the result by slug.
func (m *treeMerge) childrenBySlug(parent string, changed []string) map[string][]string {
	ids := slices.Concat(m.in.Ours.Children(parent), changed)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slugs := make(map[string][]string, len(ids))
	for _, id := range ids {
		slug := ""
		if page, ok := m.pages[id]; !ok {
			slug = m.in.Ours.Slug(id)
		} else if page != nil && page.Parent == parent {
			slug = page.slug()
		}
		if slug != "" {
			slugs[slug] = append(slugs[slug], id)
		}
	}
	return slugs
}

func (p *Page) slug() string {
	if p == nil {
		return ""
	}
	return p.Attributes[SlugAttribute]
}

// renameSlug resolves a slug clash and returns the page's new slug, which is free.
func (m *treeMerge) renameSlug(id, slug string, taken map[string][]string) string {
	base, ours, theirs := m.versions(id)
	value := func(page *Page) *string { return nonEmpty(page.slug()) }
	proposed := freeSlug(slug, taken)
	c := Conflict{
		Kind: KindSlug, Page: id, Attribute: SlugAttribute,
		Base: value(base), Ours: value(ours), Theirs: value(theirs), Proposed: &proposed,
	}
	chosen := text(m.ledger.resolve(c))
	for chosen == "" || len(taken[chosen]) > 0 {
		chosen = text(m.ledger.resolve(c)) // the chosen slug is taken, too: report a further conflict
	}
	page := m.editablePage(id)
	page.Attributes = maps.Clone(page.Attributes)
	page.Attributes[SlugAttribute] = chosen
	return chosen
}

// freeSlug appends the first free number to a slug, both as JSON.
func freeSlug(slug string, taken map[string][]string) string {
	var plain string
	if err := json.Unmarshal([]byte(slug), &plain); err != nil {
		plain = slug
	}
	for n := 2; ; n++ {
		encoded, _ := json.Marshal(plain + "-" + strconv.Itoa(n)) // strings always encode
		if len(taken[string(encoded)]) == 0 {
			return string(encoded)
		}
	}
}
