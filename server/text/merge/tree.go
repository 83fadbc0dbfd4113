package merge

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// lookup returns a page of the assembled result.
func (m *treeMerge) lookup(id string) (*Page, bool) {
	if page, ok := m.pages[id]; ok {
		return page, page != nil
	}
	page, ok := m.in.Ours.Page(id)
	return &page, ok
}

// editable returns a page of the result for modification.
func (m *treeMerge) editable(id string) *Page {
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
		if !m.decided[parent] && m.reviveParent(parent) {
			queue = append(queue, parent)
			continue
		}
		m.editable(id).Parent = m.grandparent(parent)
		queue = append(queue, id)
	}
}

// reviveParent decides whether a deleted page that still has children is restored.
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

// grandparent returns the parent that a deleted page last had.
func (m *treeMerge) grandparent(id string) string {
	base, ours, theirs := m.versions(id)
	if page := firstOf(ours, theirs, base); page != nil {
		return page.Parent
	}
	return ""
}

// breakCycles resolves the cycles that the moves of both sides form, one by one until none is left.
func (m *treeMerge) breakCycles() {
	reported := map[string]bool{}
	for _, id := range m.changed {
		for cycle := m.cycleOf(id); len(cycle) > 0; cycle = m.cycleOf(id) {
			m.breakCycle(slices.Sorted(slices.Values(cycle)), reported)
		}
	}
}

// cycleOf returns the pages of the cycle among a page's ancestors, nil without one.
func (m *treeMerge) cycleOf(id string) []string {
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
			page := m.editable(id)
			page.Parent, page.Order = m.nearest(chosen), base.Order
			for _, side := range []*Page{ours, theirs} {
				if side.Parent == chosen {
					page.Order = side.Order
				}
			}
		case ours.Parent:
			m.placeAsIn(m.in.Ours, cycle)
		case theirs.Parent:
			m.placeAsIn(m.in.Theirs, cycle)
		}
		return
	}
	m.editable(cycle[0]).Parent = ""
}

// placeAsIn moves pages to their positions in a side.
func (m *treeMerge) placeAsIn(side View, pages []string) {
	for _, id := range pages {
		if theirs, ok := side.Page(id); ok {
			page := m.editable(id)
			page.Parent, page.Order = m.nearest(theirs.Parent), theirs.Order
		}
	}
}

// nearest returns the page, or its nearest ancestor that the result has.
func (m *treeMerge) nearest(id string) string {
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
			claims[page.Parent] = m.claims(page.Parent, children[page.Parent])
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

// newcomer returns the index of the page that gives up a slug: the last one that does not have it in ours, where
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

// claims returns the ids of a page's children in the result by slug.
func (m *treeMerge) claims(parent string, changed []string) map[string][]string {
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
		chosen = text(m.ledger.resolve(c)) // the resolution clashes as well: report a further conflict
	}
	page := m.editable(id)
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
