package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// Viewer determines the spaces and collections that one caller may read. It caches results by parent, because nearly
// all decisions in a large organization are equal. It is valid while the lock of the model is held.
type Viewer struct {
	model   *Model
	caller  *Caller
	parents map[string]parentView
}

// parentView is the caller's access to the plain spaces of a parent.
type parentView struct {
	active bool
	// uniform is false if plain spaces differ: without a default level their creators keep access.
	uniform bool
	role    api.Role
}

// NewViewer returns the viewer of a caller. It is valid while the model's read lock is held.
func NewViewer(m *Model, c *Caller) *Viewer {
	return &Viewer{model: m, caller: c, parents: map[string]parentView{}}
}

func (v *Viewer) parent(id string) parentView {
	if seen, ok := v.parents[id]; ok {
		return seen
	}
	selected := v.caller.hasSelection() // which is checked for each space
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

// Role returns the caller's effective role in a space or collection.
func (v *Viewer) Role(id string) api.Role {
	n := v.model.Entry(id)
	_, granted := v.caller.Grants[id]
	if n == nil || granted || !IsSpace(id) || !n.isPlainSpace() {
		return v.model.Role(v.caller, id)
	}
	if p := v.parent(n.Parent); p.uniform {
		return p.role
	}
	return v.model.Role(v.caller, id)
}

// CanRead reports whether a space or collection is active and the caller may read it.
func (v *Viewer) CanRead(id string) bool { return v.HasRole(id, api.RoleRead) }

// HasRole reports whether a space or collection is active and the caller has at least the role in it.
func (v *Viewer) HasRole(id string, role api.Role) bool {
	n := v.model.Entry(id)
	return n != nil && n.Deleted == 0 && v.parent(n.Parent).active && v.Role(id).AtLeast(role)
}

// Split returns the ids of spaces and collections in which the caller has the role, and the others.
func (v *Viewer) Split(ids []string, role api.Role) (with, without []string) {
	for _, id := range ids {
		if v.HasRole(id, role) {
			with = append(with, id)
		} else {
			without = append(without, id)
		}
	}
	return with, without
}

// Visible returns the ids that the caller may read.
func (v *Viewer) Visible(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !v.CanRead(id) })
}

// CountSpaces returns the number of spaces in the organization that the caller may read.
func (v *Viewer) CountSpaces() int {
	count := 0
	for parent, n := range v.model.plainSpaces {
		count += v.countPlain(parent, n)
	}
	for id := range v.model.specialSpaces {
		if v.CanRead(id) {
			count++
		}
	}
	return count + v.countGrantedPlain()
}

// countPlain returns the number of readable plain spaces of a parent, without regard to direct grants on them.
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
		if IsSpace(id) && v.model.entries[id].isPlainSpace() && v.CanRead(id) {
			count++
		}
	}
	return count
}

// countGrantedPlain returns the number to add to the sum of countPlain for plain spaces with a direct grant, which
// replaces the role from the parent. It may be negative.
func (v *Viewer) countGrantedPlain() int {
	more := 0
	for id := range v.caller.Grants {
		n := v.model.Entry(id)
		if n == nil || !IsSpace(id) || !n.isPlainSpace() {
			continue
		}
		p := v.parent(n.Parent)
		if !p.active || !p.uniform {
			continue
		}
		counted, seen := p.role.AtLeast(api.RoleRead), v.CanRead(id)
		switch {
		case seen && !counted:
			more++
		case counted && !seen:
			more--
		}
	}
	return more
}

// After returns up to limit of the visible ids that follow the cursor one. ids must be sorted by compare. The cursor
// may name an id that was deleted.
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
		if v.CanRead(id) {
			page = append(page, id)
		}
	}
	return page
}
