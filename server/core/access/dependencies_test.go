package access

import (
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// dependencyIDs returns the sorted ids of dependencies. It fails the test unless each dependency has the stored form of its
// entry.
func dependencyIDs(t *testing.T, dependencies []Dependency, stored map[string]string) (ids []string) {
	t.Helper()
	for _, on := range dependencies {
		ids = append(ids, on.ID)
		if on.Entry != stored[on.ID] {
			t.Errorf("dependency %s on %q, want %q", on.ID, on.Entry, stored[on.ID])
		}
	}
	slices.Sort(ids)
	return ids
}

// TestDecisionDependsOnEveryGrant checks that a decision depends on all entries from the content to the top level, and on the
// teams by which the caller has a role there. Otherwise a transaction would not detect that the permission was withdrawn.
func TestDecisionDependsOnEveryGrant(t *testing.T) {
	t.Parallel()
	const space, collection, site = txn.SpacePrefix + "x", txn.CollectionPrefix + "x", txn.SitePrefix + "x"
	const (
		mine, gone  = store.TeamPrefix + "mine", store.TeamPrefix + "gone"
		other, away = store.TeamPrefix + "other", store.TeamPrefix + "away"
	)
	inherit, granted := api.LevelInherit, map[string]api.Role{mine: api.RoleEdit, gone: api.RoleEdit, other: api.RoleEdit}
	m, _ := NewModel("").(*Model)
	stored := map[string]string{}
	for id, entry := range map[string]any{
		space:      store.Entry{Parent: collection, Order: "a0", Level: &inherit},
		collection: store.Entry{Order: "a0", Level: &inherit, Teams: granted},
		site:       store.SiteEntry{Visibility: api.SitePublic, Teams: granted},
		mine:       api.TeamFields{ID: mine}, other: api.TeamFields{ID: other}, away: api.TeamFields{ID: away},
	} {
		stored[id] = string(storedJSON(t, entry))
		m.Apply(id, []byte(stored[id]))
	}
	c := &Caller{
		User: "u_x", Role: api.RoleGuest, Teams: map[string]api.TeamRole{
			mine: api.TeamOwner, gone: api.TeamOwner, away: api.TeamOwner,
		},
	}
	for name, check := range map[string]struct {
		got  []Dependency
		want []string
	}{
		"path":       {m.PathDependencies(space), []string{space, collection}},
		"space":      {m.Dependencies(c, space), []string{space, collection, mine}},
		"collection": {m.Dependencies(c, collection), []string{collection, mine}},
		"site":       {m.SiteDependencies(c, site), []string{site, mine}},
	} {
		slices.Sort(check.want)
		if got := dependencyIDs(t, check.got, stored); !slices.Equal(got, check.want) {
			t.Errorf("%s: depends on %v, want %v", name, got, check.want)
		}
	}
}

// TestBoundTokenEndsWithMembership checks that a token that is bound to an organization is invalid after the membership under
// which it was created, also if its user has become a member again.
func TestBoundTokenEndsWithMembership(t *testing.T) {
	t.Parallel()
	day := func(n int) api.Time { return api.At(time.UnixMilli(int64(n) * 24 * 3600 * 1000)) }
	for name, check := range map[string]struct {
		organization string
		since        int
		want         bool
	}{
		"token that is not bound":                    {"", 1, true},
		"created during the membership":              {"o_x", 3, true},
		"created at the beginning of the membership": {"o_x", 2, true},
		"created during an earlier membership":       {"o_x", 1, false},
		"bound to another organization":              {"o_y", 3, false},
	} {
		c := &Caller{Organization: check.organization, BoundSince: day(check.since)}
		if got := c.ValidForMembership("o_x", day(2)); got != check.want {
			t.Errorf("%s: valid %t", name, got)
		}
	}
}

// TestTransferredEntryIsHiddenUntilReturned checks that an entry that was transferred is hidden and names its organization
// until it is returned or removed.
func TestTransferredEntryIsHiddenUntilReturned(t *testing.T) {
	t.Parallel()
	const space = txn.SpacePrefix + "x"
	inherit := api.LevelInherit
	here, moved := storedJSON(t, store.Entry{Order: "a0", Level: &inherit}), storedJSON(t, store.Entry{Moved: "o_y"})
	m, _ := NewModel("").(*Model)
	for i, step := range []struct {
		entry  []byte
		moved  string
		active bool
	}{{here, "", true}, {moved, "o_y", false}, {here, "", true}, {moved, "o_y", false}, {nil, "", false}} {
		m.Apply(space, step.entry)
		if _, active := m.Active(space); active != step.active || m.MovedTo(space) != step.moved ||
			len(m.SpaceIDs()) != map[bool]int{true: 1}[step.active] {
			t.Errorf("step %d: active %t, moved to %q, spaces %v", i, active, m.MovedTo(space), m.SpaceIDs())
		}
		if size := m.Size(); (size == 0) != (step.entry == nil) {
			t.Errorf("step %d: size %d", i, size)
		}
	}
}
