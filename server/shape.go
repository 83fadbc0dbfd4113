package server

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// node is a shape entry with its stored form: the transaction checks that the entry still is what a decision
// rested on.
type node struct {
	store.Node
	entry string
}

// shape is the model of one organization that the store keeps up to date from the organization's stream. The
// store calls Apply and Reset under its lock and lets handlers read under the same lock.
type shape struct {
	org      string
	nodes    map[string]*node
	children map[string][]string // by parent, "" is the top; sorted by order
	spaces   []string            // sorted by id
	folders  []string            // collections, sorted by id
	people   map[string][]byte   // public JSON of everybody who ever was a member, by user id

	over map[string]*node // see with
}

// NewShape returns an empty model of an organization, for store.Config.
func NewShape(org string) store.Model {
	s := &shape{org: org}
	s.Reset()
	return s
}

// Reset forgets everything.
func (s *shape) Reset() {
	*s = shape{org: s.org, nodes: map[string]*node{}, children: map[string][]string{}, people: map[string][]byte{}}
}

// Apply takes in one piece of news; nil means that the thing is gone for good.
func (s *shape) Apply(id string, entry []byte) {
	if strings.HasPrefix(id, store.UserPrefix) {
		s.people[id] = entry
		return
	}
	if old := s.nodes[id]; old != nil {
		s.unlink(id, old)
	}
	if entry == nil {
		return
	}
	n := &node{entry: string(entry)}
	if json.Unmarshal(entry, &n.Node) != nil {
		return // fsck reports it; without a node the thing is invisible, never too visible
	}
	s.link(id, n)
}

func (s *shape) link(id string, n *node) {
	s.nodes[id] = n
	siblings := s.children[n.Parent]
	at, _ := slices.BinarySearchFunc(siblings, id, func(a, b string) int {
		return s.compareSiblings(a, b)
	})
	s.children[n.Parent] = slices.Insert(siblings, at, id)
	all := s.index(id)
	at, _ = slices.BinarySearch(*all, id)
	*all = slices.Insert(*all, at, id)
}

func (s *shape) unlink(id string, n *node) {
	same := func(other string) bool { return other == id }
	s.children[n.Parent] = slices.DeleteFunc(s.children[n.Parent], same)
	all := s.index(id)
	if at, found := slices.BinarySearch(*all, id); found {
		*all = slices.Delete(*all, at, at+1)
	}
	delete(s.nodes, id)
}

func (s *shape) index(id string) *[]string {
	if isSpace(id) {
		return &s.spaces
	}
	return &s.folders
}

func (s *shape) compareSiblings(a, b string) int {
	return cmp.Or(cmp.Compare(s.nodes[a].Order, s.nodes[b].Order), cmp.Compare(a, b))
}

func isSpace(id string) bool { return strings.HasPrefix(id, store.SpacePrefix) }

// with returns the shape as it will be when the node is as given: what a write answers is judged by the state that
// it makes.
func (s *shape) with(id string, n store.Node) *shape {
	next := *s
	next.over = map[string]*node{id: {Node: n}}
	return &next
}

// node returns the node with that id, or nil.
func (s *shape) node(id string) *node {
	if n, ok := s.over[id]; ok {
		return n
	}
	return s.nodes[id]
}

// alive returns the node if it and everything above it exist and are not deleted.
func (s *shape) alive(id string) (*node, bool) {
	n := s.node(id)
	for at := n; at != nil; at = s.node(at.Parent) {
		if at.Deleted != 0 {
			return nil, false
		}
		if at.Parent == "" {
			return n, true
		}
	}
	return nil, false
}

// path returns the ids from the node up to the top, itself first. A cycle, which no transaction makes, ends it.
func (s *shape) path(id string) []string {
	var ids []string
	for id != "" && s.node(id) != nil && !slices.Contains(ids, id) {
		ids = append(ids, id)
		id = s.node(id).Parent
	}
	return ids
}

// inside reports whether id is the collection above or lies in it.
func (s *shape) inside(id, above string) bool { return slices.Contains(s.path(id), above) }

// level resolves the default level of a node by walking up through inherit. ok is false where the member's role
// in the organization decides.
func (s *shape) level(id string) (role api.Role, ok bool) {
	for _, at := range s.path(id) {
		switch level := s.node(at).Level; {
		case level == nil:
			return api.RoleGuest, true
		case *level != api.LevelInherit:
			return api.Role(*level), true
		}
	}
	return api.RoleGuest, false
}

// role computes the effective role of a caller (design section 5): a direct grant decides alone; else the best of
// the team grants and of the level, where levels never apply to guests. Admins are never lowered.
func (s *shape) role(c *Caller, id string) api.Role {
	if c.Role == api.RoleAdmin {
		return api.RoleAdmin
	}
	if granted, ok := s.direct(c, id); ok {
		return granted
	}
	best := api.RoleGuest
	for _, at := range s.path(id) {
		n := s.node(at)
		for team, granted := range n.Teams {
			if c.Teams[team] {
				best = api.Highest(best, granted)
			}
		}
		if n.Level == nil || *n.Level != api.LevelInherit {
			break
		}
	}
	if c.Role == api.RoleGuest {
		return best
	}
	level, ok := s.level(id)
	if !ok {
		level = c.Role
	}
	if s.node(id) != nil && s.node(id).Creator == c.User && level == api.RoleGuest {
		level = c.Role // the creator keeps what nobody else gets by default
	}
	return api.Highest(best, level)
}

// direct finds the nearest grant by name, on the thing itself or on a collection that it inherits from.
func (s *shape) direct(c *Caller, id string) (api.Role, bool) {
	for _, at := range s.path(id) {
		if granted, ok := c.Grants[at]; ok {
			return granted, true
		}
		if level := s.node(at).Level; level == nil || *level != api.LevelInherit {
			break
		}
	}
	return api.RoleGuest, false
}

// top returns the collections that are in no other, sorted by id.
func (s *shape) top() []string {
	var ids []string
	for _, id := range s.folders {
		if s.nodes[id].Parent == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// spacesIn returns the spaces directly in a collection, in their order.
func (s *shape) spacesIn(collection string) []string {
	var ids []string
	for _, id := range s.children[collection] {
		if isSpace(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// visible returns those of ids that the caller may read and that are alive, in order.
func (s *shape) visible(c *Caller, ids []string) []string {
	var seen []string
	for _, id := range ids {
		if _, ok := s.alive(id); ok && s.role(c, id).AtLeast(api.RoleRead) {
			seen = append(seen, id)
		}
	}
	return seen
}

// visibility of a space is derived: no operation sets it. Sites widen it.
func (s *shape) visibility(id string) api.Visibility {
	if n := s.node(id); n != nil && n.Parent != "" {
		return api.VisibilityInCollection
	}
	return api.VisibilityPrivate
}
