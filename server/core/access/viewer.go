package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// Viewer answers which spaces and collections one caller may read. What it finds out about a parent it remembers: in an
// organization of 100,000 spaces nearly all decisions are the same few. It lives as long as one look at the model.
type Viewer struct {
	model   *Model
	caller  *Caller
	parents map[string]parentView
}

// parentView is what holds for the plain spaces of a parent.
type parentView struct {
	active bool
	// uniform is false where plain spaces differ: without a level their creators keep access.
	uniform bool
	role    api.Role
}

// NewViewer returns what answers for a caller until the lock of the model is given back.
func NewViewer(s *Model, c *Caller) *Viewer {
	return &Viewer{model: s, caller: c, parents: map[string]parentView{}}
}

func (v *Viewer) parent(id string) parentView {
	if seen, ok := v.parents[id]; ok {
		return seen
	}
	selected := v.caller.Installation != nil // one by one
	seen := parentView{active: true, uniform: !selected, role: v.caller.Role}
	if id != "" {
		_, seen.active = v.model.Active(id)
		seen.role = v.model.Role(v.caller, id)
		level, decided := v.model.level(id)
		seen.uniform = !selected && (!decided || level != api.RoleGuest)
	}
	v.parents[id] = seen
	return seen
}

// Role is the caller's effective role in a space or collection.
func (v *Viewer) Role(id string) api.Role {
	n := v.model.Entry(id)
	_, granted := v.caller.Grants[id]
	if n == nil || granted || !IsSpace(id) || !n.plainSpace() {
		return v.model.Role(v.caller, id)
	}
	if p := v.parent(n.Parent); p.uniform {
		return p.role
	}
	return v.model.Role(v.caller, id)
}

// Sees reports whether a space or collection is active and the caller may read it.
func (v *Viewer) Sees(id string) bool { return v.Has(id, api.RoleRead) }

// Has reports whether a space or collection is active and the caller has a role in it.
func (v *Viewer) Has(id string, role api.Role) bool {
	n := v.model.Entry(id)
	return n != nil && n.Deleted == 0 && v.parent(n.Parent).active && v.Role(id).AtLeast(role)
}

// Split separates the ids of spaces and collections in which the caller has a role from the others.
func (v *Viewer) Split(ids []string, role api.Role) (with, without []string) {
	for _, id := range ids {
		if v.Has(id, role) {
			with = append(with, id)
		} else {
			without = append(without, id)
		}
	}
	return with, without
}

// Visible keeps those of ids that the caller sees.
func (v *Viewer) Visible(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !v.Sees(id) })
}

// CountSpaces is how many spaces the caller sees in the whole organization.
func (v *Viewer) CountSpaces() int {
	count := 0
	for parent, n := range v.model.plain {
		count += v.countPlain(parent, n)
	}
	for id := range v.model.special {
		if v.Sees(id) {
			count++
		}
	}
	return count + v.grantedByName()
}

// countPlain counts the plain spaces of a parent, as if nobody had a grant on one by name.
func (v *Viewer) countPlain(parent string, n int) int {
	p := v.parent(parent)
	switch {
	case !p.active:
		return 0
	case p.uniform && p.role.AtLeast(api.RoleRead):
		return n
	case p.uniform:
		return 0
	}
	count := 0
	for _, id := range v.model.Children(parent) {
		if IsSpace(id) && v.model.entries[id].plainSpace() && v.Sees(id) {
			count++
		}
	}
	return count
}

// grantedByName corrects the count by the plain spaces that the caller has a grant on: it decides alone.
func (v *Viewer) grantedByName() int {
	more := 0
	for id := range v.caller.Grants {
		n := v.model.Entry(id)
		if n == nil || !IsSpace(id) || !n.plainSpace() {
			continue
		}
		p := v.parent(n.Parent)
		if !p.active || !p.uniform {
			continue
		}
		counted, seen := p.role.AtLeast(api.RoleRead), v.Sees(id)
		switch {
		case seen && !counted:
			more++
		case counted && !seen:
			more--
		}
	}
	return more
}

// After returns up to limit of the ids behind one that the caller sees. ids are sorted by compare; the one need not
// be there any more.
func (v *Viewer) After(ids []string, one string, limit int, compare func(a, b string) int) []string {
	start := 0
	if one != "" {
		at, found := slices.BinarySearchFunc(ids, one, compare)
		if start = at; found {
			start++
		}
	}
	var page []string
	for _, id := range ids[start:] {
		if len(page) == limit {
			break
		}
		if v.Sees(id) {
			page = append(page, id)
		}
	}
	return page
}
