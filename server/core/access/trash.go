package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// TrashedRoot returns the entry whose deletion put id into the trash: id itself or the nearest deleted collection above
// it. It returns "" if there is none.
func (m *Model) TrashedRoot(id string) (root string) {
	for _, at := range m.path(id) {
		if m.Entry(at).Deleted != 0 {
			return at
		}
	}
	return ""
}

// Trash returns the sorted ids of the spaces and collections that were deleted themselves.
func (m *Model) Trash() []string {
	var ids []string
	for id, n := range m.entries {
		if n.Deleted != 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Descendants returns the ids of the entries below a collection, parents before children, without those that were deleted
// themselves.
func (m *Model) Descendants(collection string) (ids []string) {
	for level := []string{collection}; len(level) > 0; {
		var next []string
		for _, parent := range level {
			for _, child := range m.Children(parent) {
				if m.Entry(child).Deleted == 0 {
					next = append(next, child)
				}
			}
		}
		ids, level = append(ids, next...), next
	}
	return ids
}

// EffectiveLevel returns the default level of an entry, which it may inherit. It returns LevelInherit if the role in the
// organization applies, and "" for no access.
func (m *Model) EffectiveLevel(id string) api.Level {
	level, ok := m.DefaultLevel(id)
	switch {
	case !ok:
		return api.LevelInherit
	case level == nil:
		return ""
	}
	return *level
}

// Widens reports whether level now gives a user more access than level was. LevelInherit gives at least read access
// to anyone who has access by another level.
func Widens(now, was api.Level) bool {
	switch {
	case now == was, now == "", was == api.Level(api.RoleAdmin):
		return false
	case was == "", now == api.LevelInherit:
		return true
	case was == api.LevelInherit:
		return now != api.Level(api.RoleRead)
	}
	return !api.Role(was).AtLeast(api.Role(now))
}

// LevelAfterRestore returns the level for a restored entry whose effective level would otherwise change. It gives no more
// access than was.
func LevelAfterRestore(was api.Level) *api.Level {
	switch was {
	case "":
		return nil
	case api.LevelInherit:
		read := api.Level(api.RoleRead)
		return &read
	}
	return &was
}

// GrantedToTeam returns the sorted ids of the spaces, collections and sites in which a team was granted a role.
func (m *Model) GrantedToTeam(team string) (ids []string) {
	for id, n := range m.entries {
		if _, granted := n.Teams[team]; granted {
			ids = append(ids, id)
		}
	}
	for id, n := range m.sites {
		if _, granted := n.Teams[team]; granted {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
