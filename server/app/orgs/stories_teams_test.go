package orgs_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// teamMemberRef returns the reference to a user's membership in a team.
func teamMemberRef(w *servertest.World, team api.Team, user string) api.TeamMemberRef {
	return api.TeamMemberRef{TeamRef: servertest.TeamRef(w, team), User: w.Users[user].ID}
}

// teamRoles returns the roles of the members of a team by name.
func teamRoles(w *servertest.World, as string, team api.Team) map[string]api.TeamRole {
	w.T.Helper()
	found := map[string]api.TeamRole{}
	for _, item := range servertest.Do(w, as, api.ListTeamMembers, api.ListTeamMembersInput{TeamRef: servertest.TeamRef(w, team)}).Items {
		found[item.Organization.User.DisplayName[len("The "):]] = item.Team.Role
	}
	return found
}

// TestTeamMembershipGivesAccess checks that members of a team, guests included, have its grants from the next
// request, until they leave the team or it is deleted.
func TestTeamMembershipGivesAccess(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		team, other := w.NewTeam("guest"), w.NewTeam("guest")
		servertest.GrantTeam(w, team, space, api.RoleReview)
		servertest.Equal(t, "role of the guest", api.RoleReview, servertest.ShownRole(w, "guest", space))
		servertest.Equal(t, "role of the reader", api.RoleRead, servertest.ShownRole(w, "reader", space))
		servertest.Equal(t, "spaces of the team", 1, servertest.Do(w, "reader", api.GetTeam, servertest.TeamRef(w, team)).Spaces)
		servertest.Equal(t, "spaces of the other team", 0, servertest.Do(w, "reader", api.GetTeam, servertest.TeamRef(w, other)).Spaces)

		servertest.Do(w, "admin", api.AddTeamMember, api.AddTeamMemberInput{TeamMemberRef: teamMemberRef(w, team, "reader")})
		servertest.Equal(t, "role of the reader in the team", api.RoleReview, servertest.ShownRole(w, "reader", space))
		servertest.Do(w, "admin", api.RemoveTeamMember, teamMemberRef(w, team, "reader"))
		servertest.Equal(t, "role of the reader who is out", api.RoleRead, servertest.ShownRole(w, "reader", space))
		servertest.DeleteAbsent(w, "admin", api.RemoveTeamMember, teamMemberRef(w, team, "reader"))

		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team))
		servertest.Equal(t, "role of the guest without the team", api.RoleGuest, servertest.ShownRole(w, "guest", space))
		servertest.Equal(t, "teams of the guest", 1, servertest.Do(w, "guest", api.GetMember, memberRef(w, "guest")).Teams)
		servertest.Equal(t, "listed teams of the guest", 1, servertest.Do(w, "guest", api.ListMemberTeams, api.ListMemberTeamsInput{
			MemberRef: memberRef(w, "guest"),
		}).Count)
		servertest.Refused(w, "admin", api.AddTeamMember, api.AddTeamMemberInput{TeamMemberRef: teamMemberRef(w, team, "reader")},
			http.StatusNotFound, api.ReasonNotFound)
		servertest.DeleteAbsent(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team))
		servertest.Do(w, "admin", api.AddTeamMember, api.AddTeamMemberInput{
			TeamMemberRef: teamMemberRef(w, other, "guest"), Body: api.TeamMemberPut{Role: api.TeamOwner},
		})
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(w.Org, w.Users["guest"].ID)
			servertest.Equal(t, "teams that the membership names once it was written", map[string]api.TeamRole{other.ID: api.TeamOwner},
				m.Private.Teams)
			return err
		}))
	})
}

// TestTeamOwnersManageMembers checks that team owners can only change the members of their team; admins set the
// owners.
func TestTeamOwnersManageMembers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		team, other := w.NewTeam("commenter", "editor"), w.NewTeam()
		as := func(user string, role api.TeamRole) api.AddTeamMemberInput {
			return api.AddTeamMemberInput{TeamMemberRef: teamMemberRef(w, team, user), Body: api.TeamMemberPut{Role: role}}
		}
		servertest.Refused(w, "commenter", api.AddTeamMember, as("reader", ""), http.StatusForbidden, api.ReasonForbidden)
		servertest.Do(w, "admin", api.AddTeamMember, as("commenter", api.TeamOwner))
		servertest.Do(w, "admin", api.AddTeamMember, as("commenter", "")) // keeps their role
		for who, want := range map[string]bool{"commenter": true, "editor": false} {
			servertest.Equal(t, who+" owns a team", want,
				servertest.Do(w, who, api.GetOrganization, api.OrganizationRef{Organization: w.Org}).Permissions.OwnTeam)
			servertest.Equal(t, who+" owns a team, in the list", want,
				servertest.Do(w, who, api.ListOrganizations, api.ListOrganizationsInput{}).Items[0].Permissions.OwnTeam)
			servertest.Equal(t, who+" manages it", want, servertest.Do(w, who, api.GetTeam, servertest.TeamRef(w, team)).Permissions.Admin)
		}

		servertest.Do(w, "commenter", api.AddTeamMember, as("reader", ""))
		servertest.Do(w, "commenter", api.RemoveTeamMember, teamMemberRef(w, team, "editor"))
		servertest.Equal(t, "roster", map[string]api.TeamRole{"commenter": api.TeamOwner, "reader": api.TeamMember},
			teamRoles(w, "reader", team))
		servertest.Refused(w, "commenter", api.AddTeamMember, as("reader", api.TeamOwner), http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "commenter", api.AddTeamMember, api.AddTeamMemberInput{TeamMemberRef: teamMemberRef(w, other, "commenter")},
			http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "commenter", api.UpdateTeam, api.UpdateTeamInput{
			TeamRef: servertest.TeamRef(w, team), Body: api.TeamPatch{Title: "Mine"},
		}, http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "commenter", api.DeleteTeam, servertest.TeamRef(w, team), http.StatusForbidden, api.ReasonForbidden)
		servertest.Do(w, "admin", api.AddTeamMember, as("editor", api.TeamOwner))
		servertest.Refused(w, "commenter", api.RemoveTeamMember, teamMemberRef(w, team, "editor"), http.StatusForbidden,
			api.ReasonForbidden)
		servertest.Do(w, "editor", api.AddTeamMember, as("editor", api.TeamMember)) // gives up ownership

		list := func(owner string) int {
			return servertest.Do(w, "reader", api.ListTeams, api.ListTeamsInput{Organization: w.Org, Owner: w.Users[owner].ID}).Count
		}
		servertest.Equal(t, "teams managed by the commenter, the admin, the editor, a stranger", []int{1, 2, 0, 0},
			[]int{list("commenter"), list("admin"), list("editor"), list("stranger")})
		servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team))
		servertest.Equal(t, "an owner of a deleted team owns a team", false, servertest.Do(w, "commenter", api.ListOrganizations,
			api.ListOrganizationsInput{}).Items[0].Permissions.OwnTeam)
	})
}

// TestUpdateTeamMembersIsAtomic checks that a bulk update changes all members or none: removal takes precedence, and
// unknown users are reported.
func TestUpdateTeamMembersIsAtomic(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		team := w.NewTeam("reader", "editor")
		id := func(user string) string { return w.Users[user].ID }
		update := func(body api.TeamMembersUpdate) api.UpdateTeamMembersInput {
			return api.UpdateTeamMembersInput{TeamRef: servertest.TeamRef(w, team), Body: body}
		}
		servertest.Do(w, "admin", api.UpdateTeamMembers, update(api.TeamMembersUpdate{
			Add: []string{id("guest"), "Commenter@Example.com", id("editor")}, Remove: []string{"editor@example.com"},
			Memberships: map[string]api.TeamMembership{id("reader"): {Role: api.TeamOwner}, id("creator"): {Role: api.TeamMember}},
		}))
		want := map[string]api.TeamRole{
			"reader": api.TeamOwner, "guest": api.TeamMember, "commenter": api.TeamMember, "creator": api.TeamMember,
		}
		servertest.Equal(t, "roster", want, teamRoles(w, "reader", team))
		servertest.Equal(t, "members counted", 4, servertest.Do(w, "reader", api.GetTeam, servertest.TeamRef(w, team)).Members)

		wrong := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.UpdateTeamMembers, update(api.TeamMembersUpdate{
				Add: []string{id("editor"), id("stranger"), "nobody@example.com"}, Remove: []string{"u_nobody", id("editor")},
				Memberships: map[string]api.TeamMembership{"u_x": {Role: api.TeamMember}},
			}), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		var fields []string
		for _, f := range wrong.Fields {
			fields = append(fields, f.Path)
		}
		servertest.Equal(t, "what is wrong", []string{"add[1]", "add[2]", "memberships.u_x", "remove[0]"}, fields)
		create := func(members ...string) api.CreateTeamInput {
			return api.CreateTeamInput{Organization: w.Org, Body: api.TeamCreate{Title: "Named", Members: members}}
		}
		wrong = w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.CreateTeam,
				create(id("reader"), id("stranger"), "editor@example.com", "nobody@example.com"),
				http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		servertest.Equal(t, "members of a new team that are wrong", []api.FieldError{
			{Path: "members[1]", Message: "is not a member of the organization"},
			{Path: "members[3]", Message: "is the e-mail address of no member of the organization"},
		}, wrong.Fields)
		named := servertest.Do(w, "admin", api.CreateTeam, create(id("reader"), "Editor@example.com"))
		servertest.Equal(t, "members of a new team", map[string]api.TeamRole{"reader": api.TeamMember, "editor": api.TeamMember},
			teamRoles(w, "reader", named))
		servertest.Equal(t, "teams found by title", 1, servertest.Do(w, "reader", api.ListTeams, api.ListTeamsInput{
			Organization: w.Org, Title: "oURs",
		}).Count)
	})
}

// TestTeamDeletionInvalidatesPendingWrite checks that a request whose role depends on a team is evaluated again if
// the team is deleted concurrently.
func TestTeamDeletionInvalidatesPendingWrite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		team := w.NewTeam("guest")
		servertest.GrantTeam(w, team, space, api.RoleComment)
		const n = 6
		statuses := make([]int, n)
		servertest.Concurrently(n+1, func(i int) {
			if i == n {
				servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team))
				return
			}
			statuses[i] = servertest.Try(w, "guest", api.CreateComment, api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{Body: servertest.CommentBody("x")},
			}).Status
		})
		made := 0
		for _, status := range statuses {
			if status == http.StatusOK {
				made++
			} else if status != http.StatusNotFound {
				t.Errorf("a comment: %d", status)
			}
		}
		servertest.Equal(t, "comments", made, servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Comments)
		servertest.Refused(w, "guest", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Body: servertest.CommentBody("x")},
		}, http.StatusNotFound, api.ReasonNotFound)
	})
}
