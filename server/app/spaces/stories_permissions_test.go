package spaces_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// effectiveRoles returns the roles in a space by name of the member.
func effectiveRoles(w *servertest.World, space string, role api.Role) map[string]api.Role {
	w.T.Helper()
	names := map[string]string{}
	for name, u := range w.Users {
		names[u.ID] = name
	}
	page := servertest.Do(w, "admin", api.ListSpacePermissions, api.ListSpacePermissionsInput{
		SpaceRef: api.SpaceRef{Space: space}, Role: role,
	})
	found := map[string]api.Role{}
	for _, p := range page.Items {
		found[names[p.User.ID]] = p.Permission
	}
	servertest.Equal(w.T, "members counted", len(page.Items), page.Count)
	return found
}

// TestUserGrantOverridesDefaultRole checks that a role granted to a user replaces the default role, even if it is
// lower, until it is revoked. A guest sees only granted content.
func TestUserGrantOverridesDefaultRole(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		books := w.NewCollection("Books", "").ID
		space, other := w.NewSpaceIn("Docs", books).ID, w.NewSpaceIn("Other", books).ID
		id := func(user string) string { return w.Users[user].ID }
		userRef := func(user string) api.SpaceUserRef {
			return api.SpaceUserRef{SpaceRef: api.SpaceRef{Space: space}, User: id(user)}
		}
		servertest.GrantAccess(w, space, api.PermissionCreate{
			Role: new(api.RoleEdit), Users: []string{id("guest"), id("reader"), id("creator")},
		})
		for who, want := range map[string]api.Role{
			"guest": api.RoleEdit, "reader": api.RoleEdit, "creator": api.RoleEdit, "commenter": api.RoleComment,
		} {
			servertest.Equal(t, "role of the "+who, want, servertest.ShownRole(w, who, space))
		}
		servertest.Equal(t, "what else the guest sees", api.RoleGuest, servertest.ShownRole(w, "guest", other))
		servertest.Equal(t, "in all", map[string]api.Role{
			"admin": api.RoleAdmin, "creator": api.RoleEdit, "reviewer": api.RoleReview, "editor": api.RoleEdit,
			"commenter": api.RoleComment,
			"reader":    api.RoleEdit, "guest": api.RoleEdit,
		}, effectiveRoles(w, space, ""))
		servertest.Equal(t, "reviewers", map[string]api.Role{"reviewer": api.RoleReview}, effectiveRoles(w, space, api.RoleReview))

		servertest.Do(w, "admin", api.UpdateSpacePermissionUser, api.UpdateSpaceUserInput{
			SpaceUserRef: userRef("guest"), Body: api.PermissionPatch{Role: api.Some(api.RoleRead)},
		})
		servertest.Equal(t, "a guest who may only read", api.RoleRead, servertest.ShownRole(w, "guest", space))
		servertest.Do(w, "admin", api.DeleteSpacePermissionUser, userRef("guest"))
		servertest.Equal(t, "a guest without anything", api.RoleGuest, servertest.ShownRole(w, "guest", space))
		servertest.DeleteAbsent(w, "admin", api.DeleteSpacePermissionUser, userRef("guest"))
		servertest.Do(w, "admin", api.UpdateSpacePermissionUser, api.UpdateSpaceUserInput{
			SpaceUserRef: userRef("creator"), Body: api.PermissionPatch{Role: api.Null[api.Role]()},
		})
		servertest.Equal(t, "a creator who has what everybody has", api.RoleCreate, servertest.ShownRole(w, "creator", space))
		listed := servertest.Do(w, "admin", api.ListSpacePermissionUsers, api.ListSpaceGrantsInput{SpaceRef: api.SpaceRef{Space: space}})
		if listed.Count != 1 || listed.Items[0].User.ID != id("reader") || listed.Items[0].Permission != api.RoleEdit {
			t.Errorf("by name: %+v", listed)
		}

		servertest.GrantAccess(w, books, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{id("guest")}})
		servertest.Equal(t, "a guest of the collection", api.RoleComment, servertest.ShownRole(w, "guest", other))
		servertest.Do(w, "admin", api.DeleteCollectionPermissionUser, api.CollectionUserRef{
			CollectionRef: api.CollectionRef{Collection: books}, User: id("guest"),
		})
		servertest.Equal(t, "a guest of nothing", api.RoleGuest, servertest.ShownRole(w, "guest", other))
	})
}

// TestTeamGrantAppliesToMembers checks that members of a team have its roles while they are in the team and it
// exists.
func TestTeamGrantAppliesToMembers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, team := w.NewSpace().ID, w.NewTeam("guest", "reader")
		teamRef := api.SpaceTeamRef{SpaceRef: api.SpaceRef{Space: space}, Team: team.ID}
		roles := func() [2]api.Role {
			return [2]api.Role{servertest.ShownRole(w, "guest", space), servertest.ShownRole(w, "reader", space)}
		}
		servertest.GrantAccess(w, space, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{team.ID}})
		servertest.Equal(t, "roles by the team", [2]api.Role{api.RoleEdit, api.RoleEdit}, roles())
		listed := servertest.Do(w, "admin", api.ListSpacePermissionTeams, api.ListSpaceGrantsInput{SpaceRef: teamRef.SpaceRef})
		if listed.Count != 1 || listed.Items[0].Team.ID != team.ID || listed.Items[0].Team.Members != 2 ||
			listed.Items[0].Permission != api.RoleEdit {
			t.Errorf("teams: %+v", listed)
		}
		servertest.Do(w, "admin", api.UpdateSpacePermissionTeam, api.UpdateSpaceTeamInput{
			SpaceTeamRef: teamRef, Body: api.PermissionPatch{Role: api.Some(api.RoleComment)},
		})
		servertest.Equal(t, "roles by the changed team", [2]api.Role{api.RoleComment, api.RoleComment}, roles())
		servertest.Do(w, "admin", api.DeleteSpacePermissionTeam, teamRef)
		servertest.Equal(t, "roles without the team", [2]api.Role{api.RoleGuest, api.RoleRead}, roles())
		servertest.DeleteAbsent(w, "admin", api.DeleteSpacePermissionTeam, teamRef)

		servertest.GrantAccess(w, space, api.PermissionCreate{Role: new(api.RoleEdit), Teams: []string{team.ID}})
		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team))
		servertest.Equal(t, "roles by a deleted team", [2]api.Role{api.RoleGuest, api.RoleRead}, roles())
		servertest.Equal(t, "teams left", 0, servertest.Do(w, "admin", api.ListSpacePermissionTeams,
			api.ListSpaceGrantsInput{SpaceRef: teamRef.SpaceRef}).Count)
	})
}

// TestGrantsAreLimitedToOwnRole checks that users cannot grant or revoke roles above their own, and a request with an
// invalid entry changes nothing.
func TestGrantsAreLimitedToOwnRole(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, team := api.SpaceRef{Space: w.NewSpace().ID}, w.NewTeam("reader").ID
		id := func(user string) string { return w.Users[user].ID }
		give := func(role api.Role, teams []string, users ...string) api.CreateSpacePermissionInput {
			return api.CreateSpacePermissionInput{SpaceRef: space, Body: api.PermissionCreate{Role: &role, Users: users, Teams: teams}}
		}
		wrong := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.CreateSpacePermission, give(api.RoleEdit, []string{team, "tm_none"}, id("reader"),
				id("stranger")), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		servertest.Equal(t, "what is wrong", []string{"users[1]", "teams[1]"}, []string{wrong.Fields[0].Path, wrong.Fields[1].Path})
		servertest.Refused(w, "admin", api.CreateSpacePermission, give(api.RoleEdit, nil), http.StatusUnprocessableEntity,
			api.ReasonInvalid)

		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "creator", api.CreateSpacePermission, give(api.RoleAdmin, []string{team}, id("reader")),
				http.StatusForbidden, api.ReasonForbidden)
		})
		servertest.Do(w, "creator", api.CreateSpacePermission, give(api.RoleCreate, nil, id("guest")))
		servertest.Do(w, "guest", api.CreateSpacePermission, give(api.RoleEdit, nil, id("commenter")))
		servertest.Equal(t, "role that a guest gave", api.RoleEdit, servertest.ShownRole(w, "commenter", space.Space))
		servertest.Do(w, "admin", api.CreateSpacePermission, give(api.RoleAdmin, nil, id("editor")))
		servertest.Refused(w, "creator", api.DeleteSpacePermissionUser, api.SpaceUserRef{SpaceRef: space, User: id("editor")},
			http.StatusForbidden, api.ReasonForbidden)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: id("guest")})
		if _, still := effectiveRoles(w, space.Space, "")["guest"]; still {
			t.Error("who has left still has a role")
		}
	})
}
