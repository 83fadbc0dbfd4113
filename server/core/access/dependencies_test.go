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
		if got := c.ValidForMembership("o_x", store.Person{JoinedAt: day(2)}); got != check.want {
			t.Errorf("%s: valid %t", name, got)
		}
	}
}

// TestSignInEndsWithIdentity checks that the tokens of a sign-in by a provider work while the member signs in by that identity, and not
// those of a sign-in before it was linked again.
func TestSignInEndsWithIdentity(t *testing.T) {
	t.Parallel()
	at := func(n int) api.Time { return api.At(time.UnixMilli(int64(n) * 1000)) }
	c := &Caller{Organization: "o_x", BoundSince: at(5), SignIn: &store.TokenSignIn{Provider: "idp_1", Identity: "ident_1", At: at(5)}}
	for name, check := range map[string]struct {
		member *store.Membership
		want   bool
	}{
		"the identity":                    {&store.Membership{Identities: map[string]api.Time{"ident_1": at(4)}}, true},
		"linked at the same time":         {&store.Membership{Identities: map[string]api.Time{"ident_1": at(5)}}, true},
		"linked again after the sign-in":  {&store.Membership{Identities: map[string]api.Time{"ident_1": at(6)}}, false},
		"another identity":                {&store.Membership{Identities: map[string]api.Time{"ident_2": at(4)}}, false},
		"no identity":                     {&store.Membership{}, false},
		"membership that was ended since": {nil, false},
	} {
		if got := c.ValidForMembership("o_x", store.Person{JoinedAt: at(1), Member: check.member}); got != check.want {
			t.Errorf("%s: valid %t", name, got)
		}
	}
}

// TestNeedsSignIn checks whose tokens do not work without a sign-in by a provider.
func TestNeedsSignIn(t *testing.T) {
	t.Parallel()
	reader, guest := &store.Membership{Role: api.RoleRead}, &store.Membership{}
	linked := &store.Membership{Role: api.RoleRead, Identities: map[string]api.Time{"ident_1": {}}}
	for name, check := range map[string]struct {
		caller   Caller
		required bool
		person   store.Person
		want     bool
	}{
		"member":                      {Caller{Token: "t_1"}, true, store.Person{Member: reader}, true},
		"member, nothing required":    {Caller{Token: "t_1"}, false, store.Person{Member: linked}, false},
		"member who has signed in":    {Caller{Token: "t_1"}, false, store.Person{Member: linked, SSO: true}, true},
		"member who never signed in":  {Caller{Token: "t_1"}, false, store.Person{Member: reader, SSO: true}, false},
		"guest":                       {Caller{Token: "t_1"}, true, store.Person{Member: guest}, false},
		"token of a sign-in":          {Caller{Token: "t_1", SignIn: &store.TokenSignIn{}}, true, store.Person{Member: reader}, false},
		"token of the operator":       {Caller{Token: "t_1", MaySkip: true}, true, store.Person{Member: reader}, false},
		"service account":             {Caller{Token: "t_1", IsService: true}, true, store.Person{Member: reader}, false},
		"installation":                {Caller{Token: "t_1", Installation: &Installation{}}, true, store.Person{Member: reader}, false},
		"somebody who is no member":   {Caller{Token: "t_1"}, true, store.Person{}, false},
		"work of the server for them": {Caller{}, true, store.Person{Member: reader}, false},
	} {
		if got := check.caller.NeedsSignIn(check.required, check.person); got != check.want {
			t.Errorf("%s: %t", name, got)
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
