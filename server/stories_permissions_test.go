package server_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
)

// permissions are the roles in a space by name of the member.
func permissions(w *world, space string, role api.Role) map[string]api.Role {
	w.t.Helper()
	names := map[string]string{}
	for name, u := range w.users {
		names[u.ID] = name
	}
	page := do(w, "admin", api.ListSpacePermissions, api.ListSpacePermissionsInput{SpaceRef: api.SpaceRef{Space: space}, Role: role})
	found := map[string]api.Role{}
	for _, p := range page.Items {
		found[names[p.User.ID]] = p.Permission
	}
	equal(w.t, "members counted", len(page.Items), page.Count)
	return found
}

// Who is given a role by name has it, be it less than before; who is taken off has what everybody has. A guest sees
// what they were given, and nothing else.
func TestPermissionsOfMembers(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		books := w.newCollection("Books", "").ID
		space, other := w.newSpaceIn("Docs", books).ID, w.newSpaceIn("Other", books).ID
		id := func(who string) string { return w.users[who].ID }
		at := func(who string) api.SpaceUserRef {
			return api.SpaceUserRef{SpaceRef: api.SpaceRef{Space: space}, User: id(who)}
		}
		give(w, space, api.PermissionCreate{Role: new(api.RoleEdit), Users: []string{id("guest"), id("reader"), id("creator")}})
		for who, want := range map[string]api.Role{"guest": api.RoleEdit, "reader": api.RoleEdit, "creator": api.RoleEdit, "commenter": api.RoleComment} {
			equal(t, "role of the "+who, want, shownRole(w, who, space))
		}
		equal(t, "what else the guest sees", api.RoleGuest, shownRole(w, "guest", other))
		equal(t, "in all", map[string]api.Role{
			"admin": api.RoleAdmin, "creator": api.RoleEdit, "reviewer": api.RoleReview, "editor": api.RoleEdit, "commenter": api.RoleComment,
			"reader": api.RoleEdit, "guest": api.RoleEdit,
		}, permissions(w, space, ""))
		equal(t, "reviewers", map[string]api.Role{"reviewer": api.RoleReview}, permissions(w, space, api.RoleReview))

		do(w, "admin", api.UpdateSpacePermissionUser, api.UpdateSpaceUserInput{SpaceUserRef: at("guest"), Body: api.PermissionPatch{Role: api.Some(api.RoleRead)}})
		equal(t, "a guest who may only read", api.RoleRead, shownRole(w, "guest", space))
		do(w, "admin", api.DeleteSpacePermissionUser, at("guest"))
		equal(t, "a guest without anything", api.RoleGuest, shownRole(w, "guest", space))
		refused(w, "admin", api.DeleteSpacePermissionUser, at("guest"), http.StatusNotFound, api.ReasonNotFound)
		do(w, "admin", api.UpdateSpacePermissionUser, api.UpdateSpaceUserInput{SpaceUserRef: at("creator"), Body: api.PermissionPatch{Role: api.Null[api.Role]()}})
		equal(t, "a creator who has what everybody has", api.RoleCreate, shownRole(w, "creator", space))
		listed := do(w, "admin", api.ListSpacePermissionUsers, api.ListSpaceGrantsInput{SpaceRef: api.SpaceRef{Space: space}})
		if listed.Count != 1 || listed.Items[0].User.ID != id("reader") || listed.Items[0].Permission != api.RoleEdit {
			t.Errorf("by name: %+v", listed)
		}

		give(w, books, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{id("guest")}})
		equal(t, "a guest of the collection", api.RoleComment, shownRole(w, "guest", other))
		do(w, "admin", api.DeleteCollectionPermissionUser, api.CollectionUserRef{CollectionRef: api.CollectionRef{Collection: books}, User: id("guest")})
		equal(t, "a guest of nothing", api.RoleGuest, shownRole(w, "guest", other))
	})
}

// What a team is given its members have as long as they are in it and it exists.
func TestPermissionsOfTeams(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, team := w.newSpace().ID, w.newTeam("guest", "reader")
		at := api.SpaceTeamRef{SpaceRef: api.SpaceRef{Space: space}, Team: team.ID}
		roles := func() [2]api.Role { return [2]api.Role{shownRole(w, "guest", space), shownRole(w, "reader", space)} }
		give(w, space, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{team.ID}})
		equal(t, "roles by the team", [2]api.Role{api.RoleEdit, api.RoleEdit}, roles())
		listed := do(w, "admin", api.ListSpacePermissionTeams, api.ListSpaceGrantsInput{SpaceRef: at.SpaceRef})
		if listed.Count != 1 || listed.Items[0].Team.ID != team.ID || listed.Items[0].Team.Members != 2 || listed.Items[0].Permission != api.RoleEdit {
			t.Errorf("teams: %+v", listed)
		}
		do(w, "admin", api.UpdateSpacePermissionTeam, api.UpdateSpaceTeamInput{SpaceTeamRef: at, Body: api.PermissionPatch{Role: api.Some(api.RoleComment)}})
		equal(t, "roles by the changed team", [2]api.Role{api.RoleComment, api.RoleComment}, roles())
		do(w, "admin", api.DeleteSpacePermissionTeam, at)
		equal(t, "roles without the team", [2]api.Role{api.RoleGuest, api.RoleRead}, roles())
		refused(w, "admin", api.DeleteSpacePermissionTeam, at, http.StatusNotFound, api.ReasonNotFound)

		give(w, space, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{team.ID}})
		do(w, "admin", api.DeleteTeam, ofTeam(w, team))
		equal(t, "roles by a deleted team", [2]api.Role{api.RoleGuest, api.RoleRead}, roles())
		equal(t, "teams left", 0, do(w, "admin", api.ListSpacePermissionTeams, api.ListSpaceGrantsInput{SpaceRef: at.SpaceRef}).Count)
	})
}

// Nobody gives or takes away more than they have, and what is wrong with a request keeps all of it from happening.
func TestPermissionsAreChecked(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, team := api.SpaceRef{Space: w.newSpace().ID}, w.newTeam("reader").ID
		id := func(who string) string { return w.users[who].ID }
		give := func(role api.Role, teams []string, users ...string) api.CreateSpacePermissionInput {
			return api.CreateSpacePermissionInput{SpaceRef: space, Body: api.PermissionCreate{Role: &role, Users: users, Teams: teams}}
		}
		wrong := w.untouched(func() api.Error {
			return refused(w, "admin", api.CreateSpacePermission, give(api.RoleEdit, []string{team, "tm_none"}, id("reader"), id("stranger")), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		equal(t, "what is wrong", []string{"users[1]", "teams[1]"}, []string{wrong.Fields[0].Path, wrong.Fields[1].Path})
		refused(w, "admin", api.CreateSpacePermission, give(api.RoleEdit, nil), http.StatusUnprocessableEntity, api.ReasonInvalid)

		w.untouched(func() api.Error {
			return refused(w, "creator", api.CreateSpacePermission, give(api.RoleAdmin, []string{team}, id("reader")), http.StatusForbidden, api.ReasonForbidden)
		})
		do(w, "creator", api.CreateSpacePermission, give(api.RoleCreate, nil, id("guest")))
		do(w, "guest", api.CreateSpacePermission, give(api.RoleEdit, nil, id("commenter")))
		equal(t, "role that a guest gave", api.RoleEdit, shownRole(w, "commenter", space.Space))
		do(w, "admin", api.CreateSpacePermission, give(api.RoleAdmin, nil, id("editor")))
		refused(w, "creator", api.DeleteSpacePermissionUser, api.SpaceUserRef{SpaceRef: space, User: id("editor")}, http.StatusForbidden, api.ReasonForbidden)
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: id("guest")})
		if _, still := permissions(w, space.Space, "")["guest"]; still {
			t.Error("who has left still has a role")
		}
	})
}
