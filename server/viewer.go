package server

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// viewer answers which nodes one caller may read. What it finds out about a parent it remembers: in an
// organization of 100,000 spaces nearly all decisions are the same few. It lives as long as one look at the shape.
type viewer struct {
	shape   *shape
	caller  *Caller
	parents map[string]parentView
}

// parentView is what holds for the plain spaces of a parent.
type parentView struct {
	alive bool
	// uniform is false where plain spaces differ: without a level their creators keep access.
	uniform bool
	role    api.Role
}

func newViewer(s *shape, c *Caller) *viewer {
	return &viewer{shape: s, caller: c, parents: map[string]parentView{}}
}

func (v *viewer) parent(id string) parentView {
	if seen, ok := v.parents[id]; ok {
		return seen
	}
	seen := parentView{alive: true, uniform: true, role: v.caller.Role}
	if id != "" {
		_, seen.alive = v.shape.alive(id)
		seen.role = v.shape.role(v.caller, id)
		level, decided := v.shape.level(id)
		seen.uniform = !decided || level != api.RoleGuest
	}
	v.parents[id] = seen
	return seen
}

// role is the caller's effective role in a node.
func (v *viewer) role(id string) api.Role {
	n := v.shape.node(id)
	_, granted := v.caller.Grants[id]
	if n == nil || granted || !isSpace(id) || !n.plainSpace() {
		return v.shape.role(v.caller, id)
	}
	if p := v.parent(n.Parent); p.uniform {
		return p.role
	}
	return v.shape.role(v.caller, id)
}

// sees reports whether a node is alive and the caller may read it.
func (v *viewer) sees(id string) bool { return v.has(id, api.RoleRead) }

// has reports whether a node is alive and the caller has a role in it.
func (v *viewer) has(id string, role api.Role) bool {
	n := v.shape.node(id)
	return n != nil && n.Deleted == 0 && v.parent(n.Parent).alive && v.role(id).AtLeast(role)
}

// split separates the ids of nodes in which the caller has a role from the others.
func (v *viewer) split(ids []string, role api.Role) (with, without []string) {
	for _, id := range ids {
		if v.has(id, role) {
			with = append(with, id)
		} else {
			without = append(without, id)
		}
	}
	return with, without
}

// visible keeps those of ids that the caller sees.
func (v *viewer) visible(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !v.sees(id) })
}

// countSpaces is how many spaces the caller sees in the whole organization.
func (v *viewer) countSpaces() int {
	count := 0
	for parent, n := range v.shape.plain {
		count += v.countPlain(parent, n)
	}
	for id := range v.shape.special {
		if v.sees(id) {
			count++
		}
	}
	return count + v.grantedByName()
}

// countPlain counts the plain spaces of a parent, as if nobody had a grant on one by name.
func (v *viewer) countPlain(parent string, n int) int {
	p := v.parent(parent)
	switch {
	case !p.alive:
		return 0
	case p.uniform && p.role.AtLeast(api.RoleRead):
		return n
	case p.uniform:
		return 0
	}
	count := 0
	for _, id := range v.shape.kids(parent) {
		if isSpace(id) && v.shape.nodes[id].plainSpace() && v.sees(id) {
			count++
		}
	}
	return count
}

// grantedByName corrects the count by the plain spaces that the caller has a grant on: it decides alone.
func (v *viewer) grantedByName() int {
	more := 0
	for id := range v.caller.Grants {
		n := v.shape.node(id)
		if n == nil || !isSpace(id) || !n.plainSpace() {
			continue
		}
		p := v.parent(n.Parent)
		if !p.alive || !p.uniform {
			continue
		}
		counted, seen := p.role.AtLeast(api.RoleRead), v.sees(id)
		switch {
		case seen && !counted:
			more++
		case counted && !seen:
			more--
		}
	}
	return more
}

// after returns up to limit of the ids behind one that the caller sees. ids are sorted by compare; the one need not
// be there any more.
func (v *viewer) after(ids []string, one string, limit int, compare func(a, b string) int) []string {
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
		if v.sees(id) {
			page = append(page, id)
		}
	}
	return page
}
