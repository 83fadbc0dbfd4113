package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
)

// membership names somebody's membership in the organization.
func membership(w *world, who string) api.MemberRef {
	return api.MemberRef{Organization: w.org, User: w.users[who].ID}
}

// setRole changes a role through the interface; "" makes a guest.
func setRole(w *world, who string, role api.Role) api.Member {
	w.t.Helper()
	body := api.MemberPatch{Role: api.Some(role)}
	if role == api.RoleGuest {
		body.Role = api.Null[api.Role]()
	}
	return do(w, "admin", api.UpdateMember, api.UpdateMemberInput{MemberRef: membership(w, who), Body: body})
}

// names are the names of listed members.
func memberNames(page api.Page[api.Member]) (names []string) {
	for _, m := range page.Items {
		names = append(names, m.User.DisplayName)
	}
	return names
}

// A new role holds from the next request on, upwards and downwards; a body without a role changes nothing.
func TestRoleChanges(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		equal(t, "role of the editor", api.RoleEdit, shownRole(w, "editor", space))
		setRole(w, "editor", api.RoleReview)
		equal(t, "role of the editor who reviews now", api.RoleReview, shownRole(w, "editor", space))
		made := setRole(w, "editor", api.RoleGuest)
		if made.Role != nil || made.Spaces != 0 {
			t.Errorf("the guest is %+v", made)
		}
		equal(t, "role of the guest", api.RoleGuest, shownRole(w, "editor", space))
		before := try(w, "admin", api.GetMember, membership(w, "editor"))
		same := try(w, "admin", api.UpdateMember, api.UpdateMemberInput{MemberRef: membership(w, "editor")})
		equal(t, "ETag after no change", before.Header.Get("Etag"), same.Header.Get("Etag"))
		refused(w, "admin", api.UpdateMember, api.UpdateMemberInput{MemberRef: membership(w, "stranger")}, http.StatusNotFound, api.ReasonNotFound)
		refused(w, "admin", api.UpdateMember, api.UpdateMemberInput{
			MemberRef: membership(w, "editor"), Body: api.MemberPatch{Role: api.Some(api.Role("owner"))},
		}, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}

// One admin stays: the last can neither leave nor step down, and two who try at the same time do not both succeed.
func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		alone := api.UpdateMemberInput{MemberRef: membership(w, "admin"), Body: api.MemberPatch{Role: api.Some(api.RoleCreate)}}
		refused(w, "admin", api.UpdateMember, alone, http.StatusConflict, api.ReasonState)
		refused(w, "admin", api.DeleteMember, membership(w, "admin"), http.StatusConflict, api.ReasonState)
		if err := (orgs.Accounts{Store: w.store}).Member(t.Context(), w.org, w.users["admin"], api.RoleRead); !api.IsReason(err, api.ReasonState) {
			t.Errorf("lowered on the machine itself: %v", err)
		}
		setRole(w, "creator", api.RoleAdmin)
		both := []string{"admin", "creator"}
		answers := make([]answer, 2)
		together(2, func(i int) { answers[i] = try(w, both[i], api.DeleteMember, membership(w, both[i])) })
		left := 0
		for _, a := range answers {
			if a.Status == http.StatusNoContent {
				left++
			} else if a.Status != http.StatusConflict {
				t.Errorf("leaving: %d %s", a.Status, a.Body)
			}
		}
		equal(t, "admins who left", 1, left)
	})
}

// Who is removed is out with the next request: roles, grants, teams and tokens for the organization. Who comes back
// has nothing of that, but what they wrote has kept their name.
func TestRemovedMember(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		grant(w, "reader", space, api.RoleReview)
		team := w.newTeam("reader")
		bound := do(w, "reader", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.org)}})
		w.tokens["bound"] = bound.Token
		comment := do(w, "bound", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Body: says("Mine.")}})

		refused(w, "creator", api.DeleteMember, membership(w, "reader"), http.StatusForbidden, api.ReasonForbidden)
		do(w, "admin", api.DeleteMember, membership(w, "reader"))
		for _, as := range []string{"reader", "bound"} {
			refused(w, as, api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
			refused(w, as, api.GetOrganization, api.OrganizationRef{Organization: w.org}, http.StatusNotFound, api.ReasonNotFound)
			equal(t, "organizations", 0, do(w, as, api.ListOrganizations, api.ListOrganizationsInput{}).Count)
		}
		refused(w, "admin", api.DeleteMember, membership(w, "reader"), http.StatusNotFound, api.ReasonNotFound)
		refused(w, "admin", api.GetMember, membership(w, "reader"), http.StatusNotFound, api.ReasonNotFound)
		shown := do(w, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}})
		equal(t, "author", "The reader", shown.PostedBy.DisplayName)

		w.clock.Advance(time.Second)
		w.member("reader", api.RoleRead)
		equal(t, "role after coming back", api.RoleRead, shownRole(w, "reader", space))
		equal(t, "members of the team", 0, do(w, "admin", api.GetTeam, api.TeamRef{Organization: w.org, Team: team.ID}).Members)
		refused(w, "bound", api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
	})
}

// Members leave by themselves, guests too.
func TestLeaving(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		do(w, "guest", api.DeleteMember, membership(w, "guest"))
		refused(w, "guest", api.GetOrganization, api.OrganizationRef{Organization: w.org}, http.StatusNotFound, api.ReasonNotFound)
	})
}

// Guests know nobody but themselves.
func TestGuestsSeeThemselves(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		if me := do(w, "guest", api.GetMember, membership(w, "guest")); me.Role != nil || me.User.Email != "guest@example.com" {
			t.Errorf("the guest is %+v", me)
		}
		theirs := refused(w, "guest", api.GetMember, membership(w, "reader"), http.StatusForbidden, api.ReasonForbidden)
		nobodys := refused(w, "guest", api.GetMember, membership(w, "stranger"), http.StatusForbidden, api.ReasonForbidden)
		equal(t, "what a guest is told", theirs.Message, nobodys.Message)
		equal(t, "spaces of the guest", 0, do(w, "guest", api.ListMemberSpaces, api.ListMemberSpacesInput{MemberRef: membership(w, "guest")}).Count)
	})
}

// A list of members is filtered by role and text and sorted by when they joined or were last seen.
func TestListMembers(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		in := api.ListMembersInput{Organization: w.org}
		equal(t, "members", len(people), do(w, "reader", api.ListMembers, in).Count)
		in.Role = api.FilterGuest
		equal(t, "guests", []string{"The guest"}, memberNames(do(w, "reader", api.ListMembers, in)))
		in.Role = "edit"
		equal(t, "editors", []string{"The editor"}, memberNames(do(w, "reader", api.ListMembers, in)))
		in.Role, in.Search = "", "READER@example"
		equal(t, "found", []string{"The reader"}, memberNames(do(w, "reader", api.ListMembers, in)))

		seen := api.ListMembersInput{Organization: w.org, Sort: api.SortLastSeen}
		equal(t, "seen members", 0, do(w, "reader", api.ListMembers, seen).Count)
		for _, who := range []string{"reader", "guest", "editor"} {
			w.clock.Advance(time.Minute)
			do(w, who, api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: w.org}})
		}
		equal(t, "seen, latest first", []string{"The editor", "The guest", "The reader"}, memberNames(do(w, "reader", api.ListMembers, seen)))
		seen.Order, seen.Limit = api.Ascending, api.Some(2)
		first := do(w, "reader", api.ListMembers, seen)
		equal(t, "seen, first page", []string{"The reader", "The guest"}, memberNames(first))
		seen.Page = first.Next.Page
		equal(t, "seen, second page", []string{"The editor"}, memberNames(do(w, "reader", api.ListMembers, seen)))
		if me := do(w, "editor", api.GetMember, membership(w, "editor")); me.LastSeenAt.Time != w.clock.Now() {
			t.Errorf("seen at %v", me.LastSeenAt)
		}
		do(w, "admin", api.DeleteMember, membership(w, "editor"))
		w.member("editor", api.RoleEdit)
		if me := do(w, "editor", api.GetMember, membership(w, "editor")); !me.LastSeenAt.IsZero() {
			t.Errorf("whoever came back was seen at %v", me.LastSeenAt)
		}
	})
}

// What a member may read is listed with their role in each space, to admins and to themselves.
func TestMemberSpaces(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		open, other, closed := w.newSpace().ID, w.newSpace().ID, w.newSpace().ID
		do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: closed, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
		grant(w, "reader", other, api.RoleReview)
		for _, as := range []string{"admin", "reader"} {
			got := do(w, as, api.ListMemberSpaces, api.ListMemberSpacesInput{MemberRef: membership(w, "reader")})
			var lines []string
			for _, item := range got.Items {
				lines = append(lines, fmt.Sprint(item.Space.ID, " ", item.Permission))
			}
			equal(t, "spaces of the reader, newest first", []string{other + " review", open + " read"}, lines)
			equal(t, "count", 2, got.Count)
		}
		equal(t, "spaces counted", 2, do(w, "commenter", api.GetMember, membership(w, "reader")).Spaces)
		first := do(w, "reader", api.ListMemberSpaces, api.ListMemberSpacesInput{
			MemberRef: membership(w, "reader"), Order: api.Ascending, ListOptions: api.ListOptions{Limit: api.Some(1)},
		})
		equal(t, "first space, oldest first", open, first.Items[0].Space.ID)
		equal(t, "spaces of an admin", 3, do(w, "admin", api.GetMember, membership(w, "admin")).Spaces)
		refused(w, "admin", api.ListMemberSpaces, api.ListMemberSpacesInput{MemberRef: membership(w, "stranger")}, http.StatusNotFound, api.ReasonNotFound)
	})
}
