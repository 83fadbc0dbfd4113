package access

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Entry is the entry of a space or collection with its stored form, by which a transaction checks that it is
// unchanged.
type Entry struct {
	store.Entry
	Stored string
}

// Model is the access model of one organization. The store keeps it current by calling Apply and Reset under its
// lock; handlers read it under the same lock.
type Model struct {
	Org         string
	entries     map[string]*Entry
	children    map[string]*idList // by parent, "" is the top level; in their order
	spaces      *idList            // sorted by id
	collections *idList            // sorted by id
	persons     map[string]*Person // current and former members by user id
	teams       map[string]*Team   // by id
	teamMembers map[string]*idList // members by team, including deleted teams

	// Most spaces are plain: they have the access of their parent. Plain spaces are only counted.
	plainSpaces   map[string]int // number of plain spaces by parent
	specialSpaces map[string]bool

	inTrash bool // the organization is in the trash

	tokenMaxAge time.Duration   // see TokenMaxAge
	requiresSSO bool            // see RequiresSSO
	providers   map[string]bool // see HasProvider

	movedTo map[string]string // organization of transferred spaces and collections by id

	sites        map[string]*Site
	sitesBySpace map[string][]string // site ids by space
	links        map[string]store.ShareLinkEntry
	sitesByKey   map[string]string // site ids by the key digests of active share links

	titles titleIndex // of entries, teams and current members

	size int // see Size

	override     map[string]*Entry // see With
	siteOverride map[string]*Site  // see WithSite
}

// NewModel returns an empty model of an organization, for store.Config.
func NewModel(org string) txn.Model {
	m := &Model{Org: org}
	m.Reset()
	return m
}

// View calls fn with the model of an organization under its read lock. fn must neither retain the model nor call the
// store. The model of an organization in the trash is empty except for transferred entries.
func View(of *txn.Feed, fn func(*Model)) {
	ViewIncludingTrash(of, func(model *Model) { fn(model.visibleModel()) })
}

// ViewIncludingTrash is View for restoring and purging organizations: it also shows the contents of one in the trash.
func ViewIncludingTrash(of *txn.Feed, fn func(*Model)) {
	of.View(func(m txn.Model) {
		if model, ok := m.(*Model); ok {
			fn(model)
		}
	})
}

// InTrash reports whether the organization is in the trash.
func (m *Model) InTrash() bool { return m.inTrash }

// visibleModel returns m, or a model that has only the transferred entries if the organization is in the trash.
func (m *Model) visibleModel() *Model {
	if !m.inTrash {
		return m
	}
	seen := &Model{Org: m.Org}
	seen.Reset()
	seen.movedTo, seen.inTrash = m.movedTo, true
	return seen
}

// Reset removes all entries.
func (m *Model) Reset() {
	*m = Model{
		Org: m.Org, entries: map[string]*Entry{}, children: map[string]*idList{}, persons: map[string]*Person{},
		teams: map[string]*Team{}, teamMembers: map[string]*idList{}, providers: map[string]bool{},
		spaces: newIDList(strings.Compare), collections: newIDList(strings.Compare),
		movedTo: map[string]string{}, plainSpaces: map[string]int{}, specialSpaces: map[string]bool{},
		sites: map[string]*Site{}, sitesBySpace: map[string][]string{}, links: map[string]store.ShareLinkEntry{},
		sitesByKey: map[string]string{}, titles: newTitleIndex(),
	}
}

// Estimated memory of an object: a multiple of its stored entry, and a constant for indexes.
const (
	entryFactor   = 3
	entryOverhead = 512
)

// Size returns the approximate size of the model in bytes, for the memory budget of all models.
func (m *Model) Size() int { return m.size }

// entrySize returns the approximate size of an object in bytes, or 0 if it does not exist.
func (m *Model) entrySize(id string) int {
	entry := ""
	if n := m.entries[id]; n != nil {
		entry = n.Stored
	} else if p := m.persons[id]; p != nil {
		entry = p.Entry
	} else if t := m.teams[id]; t != nil {
		entry = t.entry
	} else if site := m.sites[id]; site != nil {
		entry = site.entry
	} else if _, link := m.links[id]; !link && m.movedTo[id] == "" {
		return 0
	}
	return entryFactor*(len(id)+len(entry)) + entryOverhead
}

// Apply sets the entry of an object, or removes it if entry is nil.
func (m *Model) Apply(id string, entry []byte) {
	m.size -= m.entrySize(id)
	defer func() { m.size += m.entrySize(id) }()
	switch {
	case id == m.Org:
		m.inTrash = entry != nil
	case id == store.SettingsEntry:
		m.applySettings(entry)
	case store.IsProvider(id):
		m.applyProvider(id, entry)
	case strings.HasPrefix(id, txn.UserPrefix):
		m.applyPerson(id, entry)
	case strings.HasPrefix(id, txn.SitePrefix):
		m.applySite(id, entry)
	case strings.HasPrefix(id, txn.ShareLinkPrefix):
		m.applyLink(id, entry)
	case strings.HasPrefix(id, store.TeamPrefix):
		m.applyTeam(id, entry)
	default:
		m.applyEntry(id, entry)
	}
}

func (m *Model) applySettings(entry []byte) {
	var s store.OrganizationSettings
	if entry != nil && json.Unmarshal(entry, &s) != nil {
		s = store.OrganizationSettings{TokenMaxAgeDays: 1, SSO: true} // the strictest; fsck reports it
	}
	m.tokenMaxAge, m.requiresSSO = s.TokenMaxAge(), s.SSO
}

// RequiresSSO reports whether members have to sign in by a provider.
func (m *Model) RequiresSSO() bool { return m.requiresSSO }

// applyProvider notes whether people can sign in by a provider.
func (m *Model) applyProvider(id string, entry []byte) {
	if entry == nil {
		delete(m.providers, id)
		return
	}
	m.providers[id] = true
}

// HasProvider reports whether people can sign in by a provider.
func (m *Model) HasProvider(id string) bool { return m.providers[id] }

// Providers returns the sorted ids of the providers by which people can sign in.
func (m *Model) Providers() []string { return slices.Sorted(maps.Keys(m.providers)) }

// TokenMaxAge returns the maximum age of tokens of people in the organization; 0 = none.
func (m *Model) TokenMaxAge() time.Duration { return m.tokenMaxAge }

func (m *Model) applyEntry(id string, entry []byte) {
	n := &Entry{Stored: string(entry)}
	if entry != nil && json.Unmarshal(entry, &n.Entry) != nil {
		entry = nil // fsck reports it; an object without an entry is hidden
	}
	delete(m.movedTo, id)
	if n.Moved != "" {
		m.movedTo[id], entry = n.Moved, nil
	}
	old := m.entries[id]
	if old != nil {
		m.uncountSpace(id, old)
	}
	if old != nil && (entry == nil || old.Parent != n.Parent || old.Order != n.Order) {
		m.childList(old.Parent).remove(id)
		m.idIndex(id).remove(id)
		delete(m.entries, id)
		old = nil
	}
	if entry == nil {
		m.titles.remove(id)
		return
	}
	m.titles.set(id, n.Title)
	m.entries[id] = n
	m.countSpace(id, n)
	if old == nil {
		m.childList(n.Parent).add(id)
		m.idIndex(id).add(id)
	}
}

// childList returns the list of children of a parent and creates it if necessary.
func (m *Model) childList(parent string) *idList {
	list, ok := m.children[parent]
	if !ok {
		list = newIDList(m.compareSiblings)
		m.children[parent] = list
	}
	return list
}

// Children returns the ids of the children of a parent in their order.
func (m *Model) Children(parent string) []string {
	if list, ok := m.children[parent]; ok {
		return list.sorted()
	}
	return nil
}

func (m *Model) idIndex(id string) *idList {
	if IsSpace(id) {
		return m.spaces
	}
	return m.collections
}

// isPlainSpace reports whether the access to a space depends only on its parent.
func (e *Entry) isPlainSpace() bool {
	return e.Deleted == 0 && e.Level != nil && *e.Level == api.LevelInherit && len(e.Teams) == 0
}

func (m *Model) countSpace(id string, n *Entry) {
	switch {
	case !IsSpace(id) || n.Deleted != 0:
	case n.isPlainSpace():
		m.plainSpaces[n.Parent]++
	default:
		m.specialSpaces[id] = true
	}
}

func (m *Model) uncountSpace(id string, n *Entry) {
	delete(m.specialSpaces, id)
	if !IsSpace(id) || !n.isPlainSpace() {
		return
	}
	if m.plainSpaces[n.Parent]--; m.plainSpaces[n.Parent] == 0 {
		delete(m.plainSpaces, n.Parent)
	}
}

func (m *Model) compareSiblings(a, b string) int {
	return cmp.Or(cmp.Compare(m.entries[a].Order, m.entries[b].Order), cmp.Compare(a, b))
}

// IsSpace reports whether an id is that of a space rather than a collection.
func IsSpace(id string) bool { return strings.HasPrefix(id, txn.SpacePrefix) }

// With returns a model in which the entry of id is n. The response to a write is evaluated with the state that it
// stores.
func (m *Model) With(id string, n store.Entry) *Model {
	next := *m
	next.override = map[string]*Entry{id: {Entry: n}}
	return &next
}

// Entry returns the entry of a space or collection, or nil if there is none.
func (m *Model) Entry(id string) *Entry {
	if n, ok := m.override[id]; ok {
		return n
	}
	return m.entries[id]
}

// Active returns the entry of a space or collection. ok is false if it or a collection above it is deleted.
func (m *Model) Active(id string) (*Entry, bool) {
	path := m.path(id)
	for _, at := range path {
		if m.Entry(at).Deleted != 0 {
			return nil, false
		}
	}
	if len(path) == 0 || m.Entry(path[len(path)-1]).Parent != "" {
		return nil, false
	}
	return m.Entry(id), true
}

// path returns the ids from id to the top level. It ends at a cycle, which no transaction creates.
func (m *Model) path(id string) []string {
	var ids []string
	for id != "" && m.Entry(id) != nil && !slices.Contains(ids, id) {
		ids = append(ids, id)
		id = m.Entry(id).Parent
	}
	return ids
}

// Dependency is an entry, in its stored form, on which a decision depended.
type Dependency struct{ ID, Entry string }

// PathDependencies returns the entries from id to the top level.
func (m *Model) PathDependencies(id string) []Dependency {
	var path []Dependency
	for _, at := range m.path(id) {
		path = append(path, Dependency{at, m.Entry(at).Stored})
	}
	return path
}

// Dependencies returns the entries on which the role of c in a space or collection depends: those of the path, and of
// the caller's teams with a role there.
func (m *Model) Dependencies(c *Caller, id string) []Dependency {
	path := m.PathDependencies(id)
	for _, at := range path {
		path = append(path, m.teamDependencies(c, m.Entry(at.ID).Teams)...)
	}
	return path
}

// teamDependencies returns the entries of the caller's teams that are in granted.
func (m *Model) teamDependencies(c *Caller, granted map[string]api.Role) (entries []Dependency) {
	for name := range granted {
		if t := m.teams[name]; t != nil && c.Teams[name] != "" {
			entries = append(entries, Dependency{name, t.entry})
		}
	}
	return entries
}

// IsWithin reports whether id is the collection above or is below it.
func (m *Model) IsWithin(id, above string) bool { return slices.Contains(m.path(id), above) }

// level returns the default level of an entry, which it may inherit. ok is false if the member's role in the
// organization applies.
func (m *Model) level(id string) (role api.Role, ok bool) {
	for _, at := range m.path(id) {
		switch level := m.Entry(at).Level; {
		case level == nil:
			return api.RoleGuest, true
		case *level != api.LevelInherit:
			return api.Role(*level), true
		}
	}
	return api.RoleGuest, false
}

// DefaultLevel returns the default level of an entry, which it may inherit; nil gives no access. ok is false if the role
// in the organization applies.
func (m *Model) DefaultLevel(id string) (level *api.Level, ok bool) {
	for _, at := range m.path(id) {
		if level := m.Entry(at).Level; level == nil || *level != api.LevelInherit {
			return level, true
		}
	}
	return nil, false
}

// Role returns the effective role of a caller in a space or collection. A direct grant replaces all others; otherwise the role
// is the best of the team grants and the level, which does not apply to guests. Admins keep their role. It is guest outside of
// the selection of a token. docs/decisions.md#roles gives the reasons.
func (m *Model) Role(c *Caller, id string) api.Role {
	if !c.isSelected(id) {
		return api.RoleGuest
	}
	if c.Role == api.RoleAdmin {
		return api.RoleAdmin
	}
	if granted, ok := m.directGrant(c, id); ok {
		return granted
	}
	best := api.RoleGuest
	for _, at := range m.path(id) {
		n := m.Entry(at)
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
	level, ok := m.level(id)
	if !ok {
		level = c.Role
	}
	if m.Entry(id) != nil && m.Entry(id).Creator == c.User && level == api.RoleGuest {
		level = c.Role // without a default level the creator keeps access
	}
	return api.Highest(best, level)
}

// directGrant returns the nearest direct grant of the caller on the entry or a collection from which it inherits.
func (m *Model) directGrant(c *Caller, id string) (api.Role, bool) {
	for _, at := range m.path(id) {
		if granted, ok := c.Grants[at]; ok {
			return granted, true
		}
		if level := m.Entry(at).Level; level == nil || *level != api.LevelInherit {
			break
		}
	}
	return api.RoleGuest, false
}

// SpaceIDs returns the sorted ids of all spaces.
func (m *Model) SpaceIDs() []string { return m.spaces.sorted() }

// CollectionIDs returns the sorted ids of all collections.
func (m *Model) CollectionIDs() []string { return m.collections.sorted() }

// MovedTo returns the organization to which an entry was transferred, or "".
func (m *Model) MovedTo(id string) string { return m.movedTo[id] }

// TopCollections returns the sorted ids of the collections at the top level.
func (m *Model) TopCollections() []string {
	var ids []string
	for _, id := range m.collections.sorted() {
		if m.entries[id].Parent == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// SpacesIn returns the ids of the spaces directly in a collection, in their order.
func (m *Model) SpacesIn(collection string) []string {
	var ids []string
	for _, id := range m.Children(collection) {
		if IsSpace(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Visibility returns the visibility of a space, which is derived from the sites that show it and from its parent.
func (m *Model) Visibility(id string) api.Visibility {
	if site, _, ok := m.PublishingSite(id); ok {
		return api.Visibility(m.Site(site).Visibility)
	}
	if n := m.Entry(id); n != nil && n.Parent != "" {
		return api.VisibilityInCollection
	}
	return api.VisibilityPrivate
}
