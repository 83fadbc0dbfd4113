package store

import (
	"cmp"
	"slices"

	"docspace.dev/wsd/store/txn"
)

// Section returns a mutable pointer to the section with an id, or nil.
func (p *SitePrivate) Section(id string) *SiteSection {
	return findFunc(p.Sections, func(s *SiteSection) bool { return s.Fields.ID == id })
}

// Group returns a mutable pointer to the group with an id, or nil.
func (p *SitePrivate) Group(id string) *SiteGroup {
	return findFunc(p.Groups, func(g *SiteGroup) bool { return g.Fields.ID == id })
}

// Space returns a mutable pointer to the site space with an id, or nil.
func (p *SitePrivate) Space(id string) *SiteSpace {
	return findFunc(p.Spaces, func(s *SiteSpace) bool { return s.ID == id })
}

func findFunc[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// SectionsOf returns the order members of the sections in a group, or for "" those of the groups and of the sections
// outside groups, in order.
func (p *SitePrivate) SectionsOf(group string) []string {
	var members []string
	for _, s := range p.Sections {
		if s.Fields.SectionGroup == group {
			members = append(members, txn.OrderMember(s.Order, s.Fields.ID))
		}
	}
	if group == "" {
		for _, g := range p.Groups {
			members = append(members, txn.OrderMember(g.Order, g.Fields.ID))
		}
	}
	slices.Sort(members)
	return members
}

// SpacesOf returns the order members of the site spaces in a section, or at the root for "", in order.
func (p *SitePrivate) SpacesOf(section string) []string {
	var members []string
	for _, s := range p.Spaces {
		if s.Section == section {
			members = append(members, txn.OrderMember(s.Order, s.ID))
		}
	}
	slices.Sort(members)
	return members
}

// Sort sorts the parts in display order: sections by group, site spaces by section.
func (p *SitePrivate) Sort() {
	slices.SortFunc(p.Groups, func(a, b SiteGroup) int { return cmp.Compare(a.sortKey(), b.sortKey()) })
	slices.SortFunc(p.Sections, func(a, b SiteSection) int { return cmp.Compare(p.SectionSortKey(a), p.SectionSortKey(b)) })
	slices.SortFunc(p.Spaces, func(a, b SiteSpace) int { return cmp.Compare(p.SpaceSortKey(a), p.SpaceSortKey(b)) })
}

func (g SiteGroup) sortKey() string { return txn.OrderMember(g.Order, g.Fields.ID) }

// SectionSortKey returns a key that sorts sections in display order and changes only if the section is moved.
func (p *SitePrivate) SectionSortKey(s SiteSection) string {
	member := txn.OrderMember(s.Order, s.Fields.ID)
	if group := p.Group(s.Fields.SectionGroup); group != nil {
		return group.sortKey() + "!" + member
	}
	return member
}

// SpaceSortKey returns a key that sorts site spaces in display order and changes only if the site space or its section
// is moved.
func (p *SitePrivate) SpaceSortKey(s SiteSpace) string {
	member := txn.OrderMember(s.Order, s.ID)
	if section := p.Section(s.Section); section != nil {
		return p.SectionSortKey(*section) + "!" + member
	}
	return member
}

// OrderKeyAmong is Tx.Place for an order in memory; siblings are its sorted members.
func OrderKeyAmong(siblings []string, pos txn.Position) (order string, err error) {
	others := slices.DeleteFunc(slices.Clone(siblings), func(m string) bool { return m == pos.Self })
	for _, wanted := range []string{pos.Before, pos.After} {
		if wanted != "" && !slices.Contains(others, wanted) {
			return "", txn.ErrNoSibling
		}
	}
	i := len(others)
	switch {
	case pos.Before != "":
		i = slices.Index(others, pos.Before)
	case pos.After != "":
		i = slices.Index(others, pos.After) + 1
	}
	var left, right string
	if i > 0 {
		left = others[i-1]
	}
	if i < len(others) {
		right = others[i]
	}
	if pos.Before != "" && pos.After != "" && left != pos.After {
		return "", txn.ErrNotAdjacent
	}
	low, _, _ := txn.SplitOrderMember(left)
	high, _, _ := txn.SplitOrderMember(right)
	return txn.KeyBetween(low, high)
}

// MakeDefaultSpace makes a site space the default of its section and reports whether that is a change.
func (p *SitePrivate) MakeDefaultSpace(space *SiteSpace) (changed bool) {
	changed = !space.Default
	for i := range p.Spaces {
		if p.Spaces[i].Section == space.Section {
			p.Spaces[i].Default = p.Spaces[i].ID == space.ID
		}
	}
	return changed
}

// MakeDefaultSection makes a section the default of the site and reports whether that is a change.
func (p *SitePrivate) MakeDefaultSection(section *SiteSection) (changed bool) {
	changed = !section.Fields.Default
	for i := range p.Sections {
		p.Sections[i].Fields.Default = p.Sections[i].Fields.ID == section.Fields.ID
	}
	return changed
}

// DefaultSection returns the id of the default section, or "".
func (p *SitePrivate) DefaultSection() string {
	if section := findFunc(p.Sections, func(s *SiteSection) bool { return s.Fields.Default }); section != nil {
		return section.Fields.ID
	}
	return ""
}

// DefaultSpace returns the default site space of the site, or of the section with the path, or nil.
func (p *SitePrivate) DefaultSpace(path string) *SiteSpace {
	section := p.DefaultSection()
	if path != "" {
		s := p.SectionAt(path)
		if s == nil {
			return nil
		}
		section = s.Fields.ID
	}
	return findFunc(p.Spaces, func(s *SiteSpace) bool { return s.Section == section && s.Default })
}

// SectionAt returns the section with a path, or nil.
func (p *SitePrivate) SectionAt(path string) *SiteSection {
	return findFunc(p.Sections, func(s *SiteSection) bool { return s.Fields.Path == path })
}

// SpaceAt returns the site space of a section with a path, or nil.
func (p *SitePrivate) SpaceAt(section, path string) *SiteSpace {
	return findFunc(p.Spaces, func(s *SiteSpace) bool { return s.Section == section && s.Path == path })
}

// PublishedPath returns the path of a site space below the address of the site.
func (p *SitePrivate) PublishedPath(s SiteSpace) string {
	section := p.Section(s.Section)
	if section == nil || section.Root {
		return s.Path
	}
	return section.Fields.Path + "/" + s.Path
}

// SectionPathTaken reports whether a path is used by a section other than but, or by a site space at the same level.
func (p *SitePrivate) SectionPathTaken(path string, but *SiteSection) bool {
	if other := p.SectionAt(path); other != nil && other != but {
		return true
	}
	root := findFunc(p.Sections, func(s *SiteSection) bool { return s.Root })
	return root != nil && root != but && p.SpaceAt(root.Fields.ID, path) != nil
}

// SpacePathTaken reports whether a path is used by a site space of the section other than but, or, for site spaces at
// the level of the sections, by a section.
func (p *SitePrivate) SpacePathTaken(section, path string, but *SiteSpace) bool {
	if other := p.SpaceAt(section, path); other != nil && other != but {
		return true
	}
	parent := p.Section(section)
	if parent == nil || !parent.Root {
		return false
	}
	other := p.SectionAt(path)
	return other != nil && other != parent
}

// SpaceIn returns the site space that shows a space in a section, or nil.
func (p *SitePrivate) SpaceIn(section, space string) *SiteSpace {
	return findFunc(p.Spaces, func(s *SiteSpace) bool { return s.Section == section && s.Space == space })
}

// RemoveSection removes a section with its site spaces. If it was the default, the next one becomes the default.
func (p *SitePrivate) RemoveSection(removed SiteSection) {
	p.Sort()
	i := slices.IndexFunc(p.Sections, func(s SiteSection) bool { return s.Fields.ID == removed.Fields.ID })
	p.Sections = slices.Delete(p.Sections, i, i+1)
	p.Spaces = slices.DeleteFunc(p.Spaces, func(s SiteSpace) bool { return s.Section == removed.Fields.ID })
	if removed.Fields.Default && len(p.Sections) > 0 {
		p.MakeDefaultSection(&p.Sections[min(i, len(p.Sections)-1)])
	}
}

// RemoveSpace removes a site space. If it was the default of its section, the next one becomes the default.
func (p *SitePrivate) RemoveSpace(removed SiteSpace) {
	siblings := p.SpacesOf(removed.Section)
	i := slices.Index(siblings, txn.OrderMember(removed.Order, removed.ID))
	siblings = slices.Delete(siblings, i, i+1)
	p.Spaces = slices.DeleteFunc(p.Spaces, func(s SiteSpace) bool { return s.ID == removed.ID })
	if removed.Default && len(siblings) > 0 {
		_, next, _ := txn.SplitOrderMember(siblings[min(i, len(siblings)-1)])
		p.MakeDefaultSpace(p.Space(next))
	}
}
