package access

import (
	"encoding/json"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// storedJSON returns the stored form of an entry.
func storedJSON(t *testing.T, entry any) []byte {
	t.Helper()
	text, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// damagedEncodings returns encodings of an entry that cannot be decoded, by the kind of damage.
func damagedEncodings(stored []byte) map[string][]byte {
	return map[string][]byte{
		"truncated":      stored[:len(stored)-1],
		"damaged member": append(stored[:len(stored)-1:len(stored)-1], `,"parent":0,"user":0,"title":0,"proxy":0,"site":0}`...),
		"empty":          {},
	}
}

// TestDamagedUserIsNotMember checks that a user whose entry is damaged is no member, has no role and is in no team, however
// much of the entry can be decoded.
func TestDamagedUserIsNotMember(t *testing.T) {
	t.Parallel()
	const user, team, space = "u_x", store.TeamPrefix + "x", txn.SpacePrefix + "x"
	stored := storedJSON(t, store.Person{Member: &store.Membership{
		Role: api.RoleAdmin, Grants: map[string]api.Role{space: api.RoleEdit}, Teams: map[string]api.TeamRole{team: api.TeamRole("member")},
	}})
	for name, damaged := range damagedEncodings(stored) {
		for _, before := range [][]byte{nil, stored} {
			m := newTestModel(t, map[string]string{space: ""})
			m.Apply(team, storedJSON(t, api.TeamFields{}))
			m.Apply(user, before)
			m.Apply(user, damaged)
			role, _, member := m.MemberRole(user, space)
			if member || role != api.RoleGuest || m.Member(user) != nil || m.Person(user) != nil {
				t.Errorf("%s: member %t, role %s", name, member, role)
			}
			if in, granted := m.TeamMembers(team), m.GrantedMembers(space); len(in)+len(granted) > 0 {
				t.Errorf("%s: in the team: %v, granted: %v", name, in, granted)
			}
		}
	}
}

// TestDamagedEntryIsHidden checks that a space whose entry is damaged is hidden: it is in no list, and its damaged entry gives
// no access.
func TestDamagedEntryIsHidden(t *testing.T) {
	t.Parallel()
	const space, collection, inside = txn.SpacePrefix + "x", txn.CollectionPrefix + "x", txn.SpacePrefix + "y"
	inherit := api.LevelInherit
	for _, id := range []string{space, collection} {
		for name, damaged := range damagedEncodings(storedJSON(t, store.Entry{Order: "a0", Level: &inherit})) {
			for _, before := range [][]byte{nil, storedJSON(t, store.Entry{Order: "a0", Level: &inherit})} {
				m := newTestModel(t, map[string]string{inside: collection})
				m.Apply(id, before)
				m.Apply(id, damaged)
				caller := &Caller{User: "u_x", IsMember: true, Role: api.RoleEdit}
				if _, active := m.Active(id); active || m.Entry(id) != nil {
					t.Errorf("%s %s: the entry is visible", id, name)
				}
				if _, active := m.Active(inside); active {
					t.Errorf("%s %s: the space inside the collection is visible", id, name)
				}
				if n := NewViewer(m, caller).CountSpaces(); n != 0 {
					t.Errorf("%s %s: %d spaces are counted", id, name, n)
				}
				if ids := append(m.Children(""), m.TopCollections()...); len(ids) > 0 {
					t.Errorf("%s %s: %v are listed", id, name, ids)
				}
			}
		}
	}
}

// TestDamagedTeamGrantsNothing checks that a damaged entry of a team grants nothing to its members.
func TestDamagedTeamGrantsNothing(t *testing.T) {
	t.Parallel()
	const user, team, space = "u_x", store.TeamPrefix + "x", txn.SpacePrefix + "x"
	stored := storedJSON(t, api.TeamFields{ID: team, Title: "Team"})
	for name, damaged := range damagedEncodings(stored) {
		m, _ := NewModel("").(*Model)
		m.Apply(space, storedJSON(t, store.Entry{Order: "a0", Teams: map[string]api.Role{team: api.RoleEdit}}))
		m.Apply(user, storedJSON(t, store.Person{
			Member: &store.Membership{Role: api.RoleGuest, Teams: map[string]api.TeamRole{team: api.TeamOwner}},
		}))
		m.Apply(team, stored)
		if role, _, _ := m.MemberRole(user, space); role != api.RoleEdit {
			t.Fatalf("role %s by an undamaged team", role)
		}
		m.Apply(team, damaged)
		if role, _, _ := m.MemberRole(user, space); role != api.RoleGuest || m.Team(team) != nil {
			t.Errorf("%s: role %s", name, role)
		}
	}
}

// TestDamagedSiteAndShareLinkShowNothing checks that a site whose entry is damaged shows nothing to visitors and has no key,
// and a damaged share link opens no site.
func TestDamagedSiteAndShareLinkShowNothing(t *testing.T) {
	t.Parallel()
	const site, link, space = txn.SitePrefix + "x", txn.ShareLinkPrefix + "x", txn.SpacePrefix + "x"
	linked := storedJSON(t, store.SiteEntry{
		Visibility: api.SiteShareLink, Published: true, Spaces: []store.SiteEntrySpace{{Space: space}}, VisitorKey: "key",
	})
	key := storedJSON(t, store.ShareLinkEntry{Site: site, Digests: store.Digests{Digest: "digest"}})
	visitor := Visitor{Digest: "digest"}
	load := func() *Model {
		m := newTestModel(t, map[string]string{space: ""})
		m.Apply(site, linked)
		m.Apply(link, key)
		if !m.SpacePublishedTo(space, visitor) {
			t.Fatal("the undamaged site is not published")
		}
		return m
	}
	for name, damaged := range damagedEncodings(linked) {
		m := load()
		m.Apply(site, damaged)
		if m.SpacePublishedTo(space, visitor) || m.Site(site) != nil || len(m.SitesOf(space)) > 0 ||
			m.Visibility(space) != api.VisibilityPrivate {
			t.Errorf("%s: the site is shown", name)
		}
	}
	for name, damaged := range damagedEncodings(key) {
		m := load()
		m.Apply(link, damaged)
		if m.SpacePublishedTo(space, visitor) || m.SiteByShareKey(visitor) != "" || m.ShareLinkOf(site) != "" {
			t.Errorf("%s: the share link opens the site", name)
		}
	}
}
