package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// Trashed is what of a path was deleted: the entry itself, or else the nearest collection above it that is in the
// trash and took it along; "" where nothing was.
func (s *Model) Trashed(id string) (root string) {
	for _, at := range s.path(id) {
		if s.Entry(at).Deleted != 0 {
			return at
		}
	}
	return ""
}

// Trash lists what was deleted by a delete of its own and is in the trash, by id: spaces and collections.
func (s *Model) Trash() []string {
	var ids []string
	for id, n := range s.entries {
		if n.Deleted != 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Below lists what lies in a collection, parents before what is in them, and comes and goes with it: what was deleted
// before is not of it.
func (s *Model) Below(collection string) (ids []string) {
	for level := []string{collection}; len(level) > 0; {
		var next []string
		for _, parent := range level {
			for _, child := range s.Children(parent) {
				if s.Entry(child).Deleted == 0 {
					next = append(next, child)
				}
			}
		}
		ids, level = append(ids, next...), next
	}
	return ids
}

// LevelHere is the level that an entry has, be it its own or that of a collection above it: inherit where the
// organization decides, "" for nobody.
func (s *Model) LevelHere(id string) api.Level {
	level, ok := s.OwnLevel(id)
	switch {
	case !ok:
		return api.LevelInherit
	case level == nil:
		return ""
	}
	return *level
}

// Widens reports whether a level lets somebody do more than another did. Where the organization decides, everybody who
// is let in by a level may read at least.
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

// AsClosed is the level to give what comes back where it would have another: the one that it had, which never lets
// anybody in who was kept out. Inheriting from elsewhere would.
func AsClosed(was api.Level) *api.Level {
	switch was {
	case "":
		return nil
	case api.LevelInherit:
		read := api.Level(api.RoleRead)
		return &read
	}
	return &was
}

// GrantedToTeam lists the spaces, collections and sites in which a team was given a role, by id.
func (s *Model) GrantedToTeam(team string) (ids []string) {
	for id, n := range s.entries {
		if _, granted := n.Teams[team]; granted {
			ids = append(ids, id)
		}
	}
	for id, n := range s.sites {
		if _, granted := n.Teams[team]; granted {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
