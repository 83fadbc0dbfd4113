package server_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// inTeam names somebody in a team.
func inTeam(w *world, team api.Team, who string) api.TeamMemberRef {
	return api.TeamMemberRef{TeamRef: ofTeam(w, team), User: w.users[who].ID}
}

// roster lists who is in a team and what.
func roster(w *world, as string, team api.Team) map[string]api.TeamRole {
	w.t.Helper()
	found := map[string]api.TeamRole{}
	for _, item := range do(w, as, api.ListTeamMembers, api.ListTeamMembersInput{TeamRef: ofTeam(w, team)}).Items {
		found[item.Organization.User.DisplayName[len("The "):]] = item.Team.Role
	}
	return found
}

// What a team is given, its members have, guests among them, from the next request on and as long as they are in it
// and it is there.
func TestTeamsGiveAccess(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		team, other := w.newTeam("guest"), w.newTeam("guest")
		giveTeam(w, team, space, api.RoleReview)
		equal(t, "role of the guest", api.RoleReview, shownRole(w, "guest", space))
		equal(t, "role of the reader", api.RoleRead, shownRole(w, "reader", space))
		equal(t, "spaces of the team", 1, do(w, "reader", api.GetTeam, ofTeam(w, team)).Spaces)
		equal(t, "spaces of the other team", 0, do(w, "reader", api.GetTeam, ofTeam(w, other)).Spaces)

		do(w, "admin", api.AddTeamMember, api.AddTeamMemberInput{TeamMemberRef: inTeam(w, team, "reader")})
		equal(t, "role of the reader in the team", api.RoleReview, shownRole(w, "reader", space))
		do(w, "admin", api.RemoveTeamMember, inTeam(w, team, "reader"))
		equal(t, "role of the reader who is out", api.RoleRead, shownRole(w, "reader", space))
		refused(w, "admin", api.RemoveTeamMember, inTeam(w, team, "reader"), http.StatusNotFound, api.ReasonNotFound)

		do(w, "admin", api.DeleteTeam, ofTeam(w, team))
		equal(t, "role of the guest without the team", api.RoleGuest, shownRole(w, "guest", space))
		equal(t, "teams of the guest", 1, do(w, "guest", api.GetMember, membership(w, "guest")).Teams)
		equal(t, "listed teams of the guest", 1, do(w, "guest", api.ListMemberTeams, api.ListMemberTeamsInput{MemberRef: membership(w, "guest")}).Count)
		refused(w, "admin", api.AddTeamMember, api.AddTeamMemberInput{TeamMemberRef: inTeam(w, team, "reader")}, http.StatusNotFound, api.ReasonNotFound)
		refused(w, "admin", api.DeleteTeam, ofTeam(w, team), http.StatusNotFound, api.ReasonNotFound)
		do(w, "admin", api.AddTeamMember, api.AddTeamMemberInput{TeamMemberRef: inTeam(w, other, "guest"), Body: api.TeamMemberPut{Role: api.TeamOwner}})
		w.must(w.store.Update(t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(w.org, w.users["guest"].ID)
			equal(t, "teams that the membership names once it was written", map[string]api.TeamRole{other.ID: api.TeamOwner}, m.Private.Teams)
			return err
		}))
	})
}

// Owners say who is in their team and nothing else; who owns it, admins say.
func TestTeamOwners(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		team, other := w.newTeam("commenter", "editor"), w.newTeam()
		as := func(who string, role api.TeamRole) api.AddTeamMemberInput {
			return api.AddTeamMemberInput{TeamMemberRef: inTeam(w, team, who), Body: api.TeamMemberPut{Role: role}}
		}
		refused(w, "commenter", api.AddTeamMember, as("reader", ""), http.StatusForbidden, api.ReasonForbidden)
		do(w, "admin", api.AddTeamMember, as("commenter", api.TeamOwner))
		do(w, "admin", api.AddTeamMember, as("commenter", "")) // keeps what they are
		for who, want := range map[string]bool{"commenter": true, "editor": false} {
			equal(t, who+" owns a team", want, do(w, who, api.GetOrganization, api.OrganizationRef{Organization: w.org}).Permissions.OwnTeam)
			equal(t, who+" owns a team, in the list", want, do(w, who, api.ListOrganizations, api.ListOrganizationsInput{}).Items[0].Permissions.OwnTeam)
			equal(t, who+" manages it", want, do(w, who, api.GetTeam, ofTeam(w, team)).Permissions.Admin)
		}

		do(w, "commenter", api.AddTeamMember, as("reader", ""))
		do(w, "commenter", api.RemoveTeamMember, inTeam(w, team, "editor"))
		equal(t, "roster", map[string]api.TeamRole{"commenter": api.TeamOwner, "reader": api.TeamMember}, roster(w, "reader", team))
		refused(w, "commenter", api.AddTeamMember, as("reader", api.TeamOwner), http.StatusForbidden, api.ReasonForbidden)
		refused(w, "commenter", api.AddTeamMember, api.AddTeamMemberInput{TeamMemberRef: inTeam(w, other, "commenter")}, http.StatusForbidden, api.ReasonForbidden)
		refused(w, "commenter", api.UpdateTeam, api.UpdateTeamInput{TeamRef: ofTeam(w, team), Body: api.TeamPatch{Title: "Mine"}}, http.StatusForbidden, api.ReasonForbidden)
		refused(w, "commenter", api.DeleteTeam, ofTeam(w, team), http.StatusForbidden, api.ReasonForbidden)
		do(w, "admin", api.AddTeamMember, as("editor", api.TeamOwner))
		refused(w, "commenter", api.RemoveTeamMember, inTeam(w, team, "editor"), http.StatusForbidden, api.ReasonForbidden)
		do(w, "editor", api.AddTeamMember, as("editor", api.TeamMember)) // steps down

		list := func(owner string) int {
			return do(w, "reader", api.ListTeams, api.ListTeamsInput{Organization: w.org, Owner: w.users[owner].ID}).Count
		}
		equal(t, "teams managed by the commenter, the admin, the editor, a stranger", []int{1, 2, 0, 0},
			[]int{list("commenter"), list("admin"), list("editor"), list("stranger")})
		do(w, "admin", api.DeleteTeam, ofTeam(w, team))
		equal(t, "an owner of a deleted team owns a team", false, do(w, "commenter", api.ListOrganizations, api.ListOrganizationsInput{}).Items[0].Permissions.OwnTeam)
	})
}

// Many members change at once or none: removing wins, and whoever is not a member is named.
func TestTeamMembersInBulk(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		team := w.newTeam("reader", "editor")
		id := func(who string) string { return w.users[who].ID }
		update := func(body api.TeamMembersUpdate) api.UpdateTeamMembersInput {
			return api.UpdateTeamMembersInput{TeamRef: ofTeam(w, team), Body: body}
		}
		do(w, "admin", api.UpdateTeamMembers, update(api.TeamMembersUpdate{
			Add: []string{id("guest"), "Commenter@Example.com", id("editor")}, Remove: []string{"editor@example.com"},
			Memberships: map[string]api.TeamMembership{id("reader"): {Role: api.TeamOwner}, id("creator"): {Role: api.TeamMember}},
		}))
		want := map[string]api.TeamRole{"reader": api.TeamOwner, "guest": api.TeamMember, "commenter": api.TeamMember, "creator": api.TeamMember}
		equal(t, "roster", want, roster(w, "reader", team))
		equal(t, "members counted", 4, do(w, "reader", api.GetTeam, ofTeam(w, team)).Members)

		wrong := w.untouched(func() api.Error {
			return refused(w, "admin", api.UpdateTeamMembers, update(api.TeamMembersUpdate{
				Add: []string{id("editor"), id("stranger"), "nobody@example.com"}, Remove: []string{"u_nobody", id("editor")},
				Memberships: map[string]api.TeamMembership{"u_x": {Role: api.TeamMember}},
			}), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		var fields []string
		for _, f := range wrong.Fields {
			fields = append(fields, f.Path)
		}
		equal(t, "what is wrong", []string{"add[1]", "add[2]", "memberships.u_x", "remove[0]"}, fields)
		w.untouched(func() api.Error {
			return refused(w, "admin", api.CreateTeam, api.CreateTeamInput{
				Organization: w.org, Body: api.TeamCreate{Title: "x", Members: []string{id("reader"), id("stranger")}},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		equal(t, "teams found by title", 1, do(w, "reader", api.ListTeams, api.ListTeamsInput{Organization: w.org, Title: "oURs"}).Count)
	})
}

// A request whose role rests on a team is decided anew when the team goes meanwhile.
func TestTeamIsPartOfThePermission(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		team := w.newTeam("guest")
		giveTeam(w, team, space, api.RoleComment)
		const n = 6
		statuses := make([]int, n)
		together(n+1, func(i int) {
			if i == n {
				do(w, "admin", api.DeleteTeam, ofTeam(w, team))
				return
			}
			statuses[i] = try(w, "guest", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Body: says("x")}}).Status
		})
		made := 0
		for _, status := range statuses {
			if status == http.StatusOK {
				made++
			} else if status != http.StatusNotFound {
				t.Errorf("a comment: %d", status)
			}
		}
		equal(t, "comments", made, do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Comments)
		refused(w, "guest", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Body: says("x")}}, http.StatusNotFound, api.ReasonNotFound)
	})
}
