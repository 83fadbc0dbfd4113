package access

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Entry is that of a space or collection with its stored form: the transaction checks that the entry still is what a
// decision rested on.
type Entry struct {
	store.Entry
	Stored string
}

// Model is the model of one organization that the store keeps up to date from the organization's stream. The
// store calls Apply and Reset under its lock and lets handlers read under the same lock.
type Model struct {
	Org         string
	entries     map[string]*Entry
	children    map[string]*idList // by parent, "" is the top; in their order
	spaces      *idList            // by id
	collections *idList            // collections, by id
	people      map[string]*Person // everybody who ever was a member, by user id
	teams       map[string]*Team   // by id
	teamMembers map[string]*idList // members by team; teams that are deleted are there, too

	// Most spaces are plain: what holds for their parent holds for them. They are counted, the others looked at.
	plain   map[string]int // plain spaces by parent
	special map[string]bool

	closed bool // the organization is in the trash

	moved map[string]string // what was made here and is elsewhere: id -> organization

	sites map[string]*Site
	shown map[string][]string // sites by the spaces that they show
	links map[string]store.ShareLinkEntry
	keys  map[string]string // sites by the digests of the keys of their active share links

	size int // see Size

	over     map[string]*Entry // see with
	overSite map[string]*Site  // see WithSite
}

// New returns an empty model of an organization, for store.Config.
func New(org string) txn.Model {
	s := &Model{Org: org}
	s.Reset()
	return s
}

// Look lets fn read the model of an organization under its lock. fn must not keep it, nor call the store.
func Look(of *txn.Feed, fn func(*Model)) {
	LookInside(of, func(model *Model) { fn(model.asSeen()) })
}

// LookInside is Look for whoever restores or removes an organization: it shows one that is in the trash as it was.
func LookInside(of *txn.Feed, fn func(*Model)) {
	of.View(func(m txn.Model) {
		if model, ok := m.(*Model); ok {
			fn(model)
		}
	})
}

// Closed reports whether the organization is in the trash. Then there is nothing in it for anybody.
func (s *Model) Closed() bool { return s.closed }

// asSeen is the model as everybody sees it: of an organization in the trash nothing is left but where things are that
// others have.
func (s *Model) asSeen() *Model {
	if !s.closed {
		return s
	}
	seen := &Model{Org: s.Org}
	seen.Reset()
	seen.moved, seen.closed = s.moved, true
	return seen
}

// Reset forgets everything.
func (s *Model) Reset() {
	*s = Model{
		Org: s.Org, entries: map[string]*Entry{}, children: map[string]*idList{}, people: map[string]*Person{},
		teams: map[string]*Team{}, teamMembers: map[string]*idList{},
		spaces: newIDList(strings.Compare), collections: newIDList(strings.Compare),
		moved: map[string]string{}, plain: map[string]int{}, special: map[string]bool{},
		sites: map[string]*Site{}, shown: map[string][]string{}, links: map[string]store.ShareLinkEntry{}, keys: map[string]string{},
	}
}

// What a thing costs in memory, roughly: its entry as it is stored and as it is read, and its place in the indexes.
const (
	entryCopies = 3
	thingBytes  = 512
)

// Size is how many bytes the model holds, roughly. It is for the budget of all models.
func (s *Model) Size() int { return s.size }

// weight is what a thing costs; 0 for none.
func (s *Model) weight(id string) int {
	entry := ""
	if n := s.entries[id]; n != nil {
		entry = n.Stored
	} else if p := s.people[id]; p != nil {
		entry = p.Entry
	} else if t := s.teams[id]; t != nil {
		entry = t.entry
	} else if site := s.sites[id]; site != nil {
		entry = site.entry
	} else if _, link := s.links[id]; !link && s.moved[id] == "" {
		return 0
	}
	return entryCopies*(len(id)+len(entry)) + thingBytes
}

// Apply takes in one piece of news; nil means that the thing is gone for good.
func (s *Model) Apply(id string, entry []byte) {
	s.size -= s.weight(id)
	defer func() { s.size += s.weight(id) }()
	switch {
	case id == s.Org:
		s.closed = entry != nil
	case strings.HasPrefix(id, txn.UserPrefix):
		s.applyPerson(id, entry)
	case strings.HasPrefix(id, txn.SitePrefix):
		s.applySite(id, entry)
	case strings.HasPrefix(id, txn.ShareLinkPrefix):
		s.applyLink(id, entry)
	case strings.HasPrefix(id, store.TeamPrefix):
		s.applyTeam(id, entry)
	default:
		s.applyEntry(id, entry)
	}
}

func (s *Model) applyEntry(id string, entry []byte) {
	n := &Entry{Stored: string(entry)}
	if entry != nil && json.Unmarshal(entry, &n.Entry) != nil {
		entry = nil // fsck reports it; without an entry the thing is invisible, never too visible
	}
	delete(s.moved, id)
	if n.Moved != "" {
		s.moved[id], entry = n.Moved, nil
	}
	old := s.entries[id]
	if old != nil {
		s.uncount(id, old)
	}
	if old != nil && (entry == nil || old.Parent != n.Parent || old.Order != n.Order) {
		s.siblings(old.Parent).remove(id)
		s.index(id).remove(id)
		delete(s.entries, id)
		old = nil
	}
	if entry == nil {
		return
	}
	s.entries[id] = n
	s.count(id, n)
	if old == nil {
		s.siblings(n.Parent).add(id)
		s.index(id).add(id)
	}
}

// siblings are the children of a parent.
func (s *Model) siblings(parent string) *idList {
	list, ok := s.children[parent]
	if !ok {
		list = newIDList(s.compareSiblings)
		s.children[parent] = list
	}
	return list
}

// Children are the ids of the children of a parent, in their order.
func (s *Model) Children(parent string) []string {
	if list, ok := s.children[parent]; ok {
		return list.sorted()
	}
	return nil
}

func (s *Model) index(id string) *idList {
	if IsSpace(id) {
		return s.spaces
	}
	return s.collections
}

// plainSpace reports whether nothing but its parent says who may see a space.
func (n *Entry) plainSpace() bool {
	return n.Deleted == 0 && n.Level != nil && *n.Level == api.LevelInherit && len(n.Teams) == 0
}

func (s *Model) count(id string, n *Entry) {
	switch {
	case !IsSpace(id) || n.Deleted != 0:
	case n.plainSpace():
		s.plain[n.Parent]++
	default:
		s.special[id] = true
	}
}

func (s *Model) uncount(id string, n *Entry) {
	delete(s.special, id)
	if !IsSpace(id) || !n.plainSpace() {
		return
	}
	if s.plain[n.Parent]--; s.plain[n.Parent] == 0 {
		delete(s.plain, n.Parent)
	}
}

func (s *Model) compareSiblings(a, b string) int {
	return cmp.Or(cmp.Compare(s.entries[a].Order, s.entries[b].Order), cmp.Compare(a, b))
}

// IsSpace reports whether an id is that of a space; else it is that of a collection.
func IsSpace(id string) bool { return strings.HasPrefix(id, txn.SpacePrefix) }

// With returns the model as it will be when the entry is as given: what a write answers is judged by the state that
// it makes.
func (s *Model) With(id string, n store.Entry) *Model {
	next := *s
	next.over = map[string]*Entry{id: {Entry: n}}
	return &next
}

// Entry returns the entry with that id, or nil.
func (s *Model) Entry(id string) *Entry {
	if n, ok := s.over[id]; ok {
		return n
	}
	return s.entries[id]
}

// Active returns the entry if it and everything above it, up to the top, exist and are not deleted.
func (s *Model) Active(id string) (*Entry, bool) {
	path := s.path(id)
	for _, at := range path {
		if s.Entry(at).Deleted != 0 {
			return nil, false
		}
	}
	if len(path) == 0 || s.Entry(path[len(path)-1]).Parent != "" {
		return nil, false
	}
	return s.Entry(id), true
}

// path returns the ids from the entry up to the top, itself first. A cycle, which no transaction makes, ends it.
func (s *Model) path(id string) []string {
	var ids []string
	for id != "" && s.Entry(id) != nil && !slices.Contains(ids, id) {
		ids = append(ids, id)
		id = s.Entry(id).Parent
	}
	return ids
}

// Dependency is one entry of a path as it is stored.
type Dependency struct{ ID, Entry string }

// PathDependencies are the entries of a path, for the read set of a transaction.
func (s *Model) PathDependencies(id string) []Dependency {
	var path []Dependency
	for _, at := range s.path(id) {
		path = append(path, Dependency{at, s.Entry(at).Stored})
	}
	return path
}

// Dependencies are what somebody's role in a space or collection rests on: the entries of the path and, of the teams
// that are given a role there, those that they are in.
func (s *Model) Dependencies(c *Caller, id string) []Dependency {
	path := s.PathDependencies(id)
	for _, at := range path {
		path = append(path, s.teamDependencies(c, s.Entry(at.ID).Teams)...)
	}
	return path
}

// teamDependencies are those of the teams with a role that the caller is in.
func (s *Model) teamDependencies(c *Caller, granted map[string]api.Role) (entries []Dependency) {
	for name := range granted {
		if t := s.teams[name]; t != nil && c.Teams[name] != "" {
			entries = append(entries, Dependency{name, t.entry})
		}
	}
	return entries
}

// Inside reports whether id is the collection above or lies in it.
func (s *Model) Inside(id, above string) bool { return slices.Contains(s.path(id), above) }

// level resolves the default level of an entry by walking up through inherit. ok is false where the member's role
// in the organization decides.
func (s *Model) level(id string) (role api.Role, ok bool) {
	for _, at := range s.path(id) {
		switch level := s.Entry(at).Level; {
		case level == nil:
			return api.RoleGuest, true
		case *level != api.LevelInherit:
			return api.Role(*level), true
		}
	}
	return api.RoleGuest, false
}

// OwnLevel is the level that an entry has, be it its own or that of a collection above it; ok is false where the
// organization decides.
func (s *Model) OwnLevel(id string) (level *api.Level, ok bool) {
	for _, at := range s.path(id) {
		if level := s.Entry(at).Level; level == nil || *level != api.LevelInherit {
			return level, true
		}
	}
	return nil, false
}

// Role computes the effective role of a caller in a space or collection: a direct grant decides alone; else the best
// of the team grants and of the level, where levels never apply to guests. Admins are never lowered. The reason is in
// docs/decisions.md#roles. The token of an installation has none where that is not selected.
func (s *Model) Role(c *Caller, id string) api.Role {
	if !c.installedOn(id) {
		return api.RoleGuest
	}
	if c.Role == api.RoleAdmin {
		return api.RoleAdmin
	}
	if granted, ok := s.direct(c, id); ok {
		return granted
	}
	best := api.RoleGuest
	for _, at := range s.path(id) {
		n := s.Entry(at)
		for team, granted := range n.Teams {
			if _, in := c.Teams[team]; in {
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
	if s.Entry(id) != nil && s.Entry(id).Creator == c.User && level == api.RoleGuest {
		level = c.Role // the creator keeps what nobody else gets by default
	}
	return api.Highest(best, level)
}

// direct finds the nearest grant by name, on the thing itself or on a collection that it inherits from.
func (s *Model) direct(c *Caller, id string) (api.Role, bool) {
	for _, at := range s.path(id) {
		if granted, ok := c.Grants[at]; ok {
			return granted, true
		}
		if level := s.Entry(at).Level; level == nil || *level != api.LevelInherit {
			break
		}
	}
	return api.RoleGuest, false
}

// SpaceIDs are all spaces, by id.
func (s *Model) SpaceIDs() []string { return s.spaces.sorted() }

// CollectionIDs are all collections, by id.
func (s *Model) CollectionIDs() []string { return s.collections.sorted() }

// MovedTo is the organization that has what was made here, "" where it is still here.
func (s *Model) MovedTo(id string) string { return s.moved[id] }

// Top returns the collections that are in no other, sorted by id.
func (s *Model) Top() []string {
	var ids []string
	for _, id := range s.collections.sorted() {
		if s.entries[id].Parent == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// SpacesIn returns the spaces directly in a collection, in their order.
func (s *Model) SpacesIn(collection string) []string {
	var ids []string
	for _, id := range s.Children(collection) {
		if IsSpace(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Visibility of a space is derived: no operation sets it. Sites widen it.
func (s *Model) Visibility(id string) api.Visibility {
	if site, _, ok := s.PublishedBy(id); ok {
		return api.Visibility(s.Site(site).Visibility)
	}
	if n := s.Entry(id); n != nil && n.Parent != "" {
		return api.VisibilityInCollection
	}
	return api.VisibilityPrivate
}
