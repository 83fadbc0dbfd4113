package orgs_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

// memberRef returns the reference to a user's membership in the organization.
func memberRef(w *servertest.World, user string) api.MemberRef {
	return api.MemberRef{Organization: w.Org, User: w.Users[user].ID}
}

// setRole changes a role through the API; "" makes a guest.
func setRole(w *servertest.World, user string, role api.Role) api.Member {
	w.T.Helper()
	body := api.MemberPatch{Role: api.Some(role)}
	if role == api.RoleGuest {
		body.Role = api.Null[api.Role]()
	}
	return servertest.Do(w, "admin", api.UpdateMember, api.UpdateMemberInput{MemberRef: memberRef(w, user), Body: body})
}

// memberNames returns the names of listed members.
func memberNames(page api.Page[api.Member]) (names []string) {
	for _, m := range page.Items {
		names = append(names, m.User.DisplayName)
	}
	return names
}

// TestRoleChangeTakesEffectImmediately checks that a higher or lower role applies from the next request; a body
// without a role changes nothing.
func TestRoleChangeTakesEffectImmediately(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		servertest.Equal(t, "role of the editor", api.RoleEdit, servertest.ShownRole(w, "editor", space))
		setRole(w, "editor", api.RoleReview)
		servertest.Equal(t, "role of the editor who reviews now", api.RoleReview, servertest.ShownRole(w, "editor", space))
		made := setRole(w, "editor", api.RoleGuest)
		if made.Role != nil || made.Spaces != 0 {
			t.Errorf("the guest is %+v", made)
		}
		servertest.Equal(t, "role of the guest", api.RoleGuest, servertest.ShownRole(w, "editor", space))
		before := servertest.Try(w, "admin", api.GetMember, memberRef(w, "editor"))
		same := servertest.Try(w, "admin", api.UpdateMember, api.UpdateMemberInput{MemberRef: memberRef(w, "editor")})
		servertest.Equal(t, "ETag after no change", before.Header.Get("Etag"), same.Header.Get("Etag"))
		servertest.Refused(w, "admin", api.UpdateMember, api.UpdateMemberInput{MemberRef: memberRef(w, "stranger")}, http.StatusNotFound,
			api.ReasonNotFound)
		servertest.Refused(w, "admin", api.UpdateMember, api.UpdateMemberInput{
			MemberRef: memberRef(w, "editor"), Body: api.MemberPatch{Role: api.Some(api.Role("owner"))},
		}, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}

// TestLastAdminCannotLeave checks that the last admin can neither leave nor change their role, and of two concurrent
// attempts one fails.
func TestLastAdminCannotLeave(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		alone := api.UpdateMemberInput{MemberRef: memberRef(w, "admin"), Body: api.MemberPatch{Role: api.Some(api.RoleCreate)}}
		servertest.Refused(w, "admin", api.UpdateMember, alone, http.StatusConflict, api.ReasonState)
		servertest.Refused(w, "admin", api.DeleteMember, memberRef(w, "admin"), http.StatusConflict, api.ReasonState)
		if err := (orgs.Accounts{Store: w.Store}).SetMember(t.Context(), w.Org, w.Users["admin"], api.RoleRead); !api.IsReason(err,
			api.ReasonState) {
			t.Errorf("lowered on the machine itself: %v", err)
		}
		setRole(w, "creator", api.RoleAdmin)
		both := []string{"admin", "creator"}
		responses := make([]servertest.Response, 2)
		servertest.Concurrently(2, func(i int) { responses[i] = servertest.Try(w, both[i], api.DeleteMember, memberRef(w, both[i])) })
		left := 0
		for _, a := range responses {
			if a.Status == http.StatusNoContent {
				left++
			} else if a.Status != http.StatusConflict {
				t.Errorf("leaving: %d %s", a.Status, a.Body)
			}
		}
		servertest.Equal(t, "admins who left", 1, left)
	})
}

// TestRemovedMemberLosesAccess checks that a removed member loses roles, grants, teams and tokens of the organization
// with the next request. A returning member has none of them; content keeps the member's name as author.
func TestRemovedMemberLosesAccess(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		servertest.Grant(w, "reader", space, api.RoleReview)
		team := w.NewTeam("reader")
		bound := servertest.Do(w, "reader", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.Org)},
		})
		w.Tokens["bound"] = bound.Token
		comment := servertest.Do(w, "bound", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Body: servertest.CommentBody("Mine.")},
		})

		servertest.Refused(w, "creator", api.DeleteMember, memberRef(w, "reader"), http.StatusForbidden, api.ReasonForbidden)
		servertest.Do(w, "admin", api.DeleteMember, memberRef(w, "reader"))
		for _, as := range []string{"reader", "bound"} {
			servertest.Refused(w, as, api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
			servertest.Refused(w, as, api.GetOrganization, api.OrganizationRef{Organization: w.Org}, http.StatusNotFound,
				api.ReasonNotFound)
			servertest.Equal(t, "organizations", 0, servertest.Do(w, as, api.ListOrganizations, api.ListOrganizationsInput{}).Count)
		}
		servertest.DeleteAbsent(w, "admin", api.DeleteMember, memberRef(w, "reader"))
		servertest.Refused(w, "admin", api.GetMember, memberRef(w, "reader"), http.StatusNotFound, api.ReasonNotFound)
		shown := servertest.Do(w, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}})
		servertest.Equal(t, "author", "The reader", shown.PostedBy.DisplayName)

		w.Clock.Advance(time.Second)
		w.SetMember("reader", api.RoleRead)
		servertest.Equal(t, "role after coming back", api.RoleRead, servertest.ShownRole(w, "reader", space))
		servertest.Equal(t, "members of the team", 0, servertest.Do(w, "admin", api.GetTeam, api.TeamRef{
			Organization: w.Org, Team: team.ID,
		}).Members)
		servertest.Refused(w, "bound", api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
	})
}

// TestMemberLeaves checks that members and guests can end their own membership.
func TestMemberLeaves(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.Do(w, "guest", api.DeleteMember, memberRef(w, "guest"))
		servertest.Refused(w, "guest", api.GetOrganization, api.OrganizationRef{Organization: w.Org}, http.StatusNotFound,
			api.ReasonNotFound)
	})
}

// TestGuestSeesOnlyOwnMembership checks that guests cannot see other members.
func TestGuestSeesOnlyOwnMembership(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		if me := servertest.Do(w, "guest", api.GetMember, memberRef(w, "guest")); me.Role != nil || me.User.Email != "guest@example.com" {
			t.Errorf("the guest is %+v", me)
		}
		theirs := servertest.Refused(w, "guest", api.GetMember, memberRef(w, "reader"), http.StatusForbidden, api.ReasonForbidden)
		nobodys := servertest.Refused(w, "guest", api.GetMember, memberRef(w, "stranger"), http.StatusForbidden, api.ReasonForbidden)
		servertest.Equal(t, "error for a guest", theirs.Message, nobodys.Message)
		servertest.Equal(t, "spaces of the guest", 0, servertest.Do(w, "guest", api.ListMemberSpaces, api.ListMemberSpacesInput{
			MemberRef: memberRef(w, "guest"),
		}).Count)
	})
}

// TestListMembers checks that members are filtered by role and text and sorted by the time they joined or were last
// seen.
func TestListMembers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		in := api.ListMembersInput{Organization: w.Org}
		servertest.Equal(t, "members", len(servertest.People), servertest.Do(w, "reader", api.ListMembers, in).Count)
		in.Role = api.FilterGuest
		servertest.Equal(t, "guests", []string{"The guest"}, memberNames(servertest.Do(w, "reader", api.ListMembers, in)))
		in.Role = "edit"
		servertest.Equal(t, "editors", []string{"The editor"}, memberNames(servertest.Do(w, "reader", api.ListMembers, in)))
		in.Role, in.Search = "", "READER@example"
		servertest.Equal(t, "found", []string{"The reader"}, memberNames(servertest.Do(w, "reader", api.ListMembers, in)))

		named := api.ListMembersInput{Organization: w.Org, Sort: api.SortName, Order: api.Ascending}
		all := memberNames(servertest.Do(w, "reader", api.ListMembers, named))
		if !slices.IsSorted(all) || len(all) != len(servertest.People) {
			t.Errorf("by name: %q", all)
		}
		named.Limit = api.Some(len(all) - 1)
		named.Page = servertest.Do(w, "reader", api.ListMembers, named).Next.Page
		servertest.Equal(t, "by name, the last page", all[len(all)-1:], memberNames(servertest.Do(w, "reader", api.ListMembers, named)))

		seen := api.ListMembersInput{Organization: w.Org, Sort: api.SortLastSeen}
		servertest.Equal(t, "seen members", []string{"The reader"}, memberNames(servertest.Do(w, "reader", api.ListMembers, seen)))
		w.Clock.Advance(time.Minute)
		servertest.Do(w, "guest", api.PingMember, api.PingInput{OrganizationRef: api.OrganizationRef{Organization: w.Org}})
		w.Clock.Advance(time.Minute)
		servertest.Do(w, "editor", api.GetOrganization, api.OrganizationRef{Organization: w.Org}) // every request counts
		w.Clock.Advance(time.Minute)
		servertest.Do(w, "reader", api.ListMembers, seen)
		servertest.Equal(t, "seen, latest first", []string{
			"The reader", "The editor", "The guest",
		}, memberNames(servertest.Do(w, "reader", api.ListMembers, seen)))
		seen.Order, seen.Limit = api.Ascending, api.Some(2)
		first := servertest.Do(w, "reader", api.ListMembers, seen)
		servertest.Equal(t, "seen, first page", []string{"The guest", "The editor"}, memberNames(first))
		seen.Page = first.Next.Page
		servertest.Equal(t, "seen, second page", []string{"The reader"}, memberNames(servertest.Do(w, "reader", api.ListMembers, seen)))
		if me := servertest.Do(w, "editor", api.GetMember, memberRef(w, "editor")); me.LastSeenAt.Time != w.Clock.Now().Add(-time.Minute) {
			t.Errorf("seen at %v", me.LastSeenAt)
		}
		servertest.Do(w, "admin", api.DeleteMember, memberRef(w, "editor"))
		w.SetMember("editor", api.RoleEdit)
		if me := servertest.Do(w, "editor", api.GetMember, memberRef(w, "editor")); !me.LastSeenAt.IsZero() {
			t.Errorf("whoever came back was seen at %v", me.LastSeenAt)
		}
	})
}

// TestListMemberSpaces checks that the spaces that a member may read are listed with the member's role, to admins and
// to the member.
func TestListMemberSpaces(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		open, other, closed := w.NewSpace().ID, w.NewSpace().ID, w.NewSpace().ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: closed, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		servertest.Grant(w, "reader", other, api.RoleReview)
		for _, as := range []string{"admin", "reader"} {
			got := servertest.Do(w, as, api.ListMemberSpaces, api.ListMemberSpacesInput{MemberRef: memberRef(w, "reader")})
			var lines []string
			for _, item := range got.Items {
				lines = append(lines, fmt.Sprint(item.Space.ID, " ", item.Permission))
			}
			servertest.Equal(t, "spaces of the reader, newest first", []string{other + " review", open + " read"}, lines)
			servertest.Equal(t, "count", 2, got.Count)
		}
		servertest.Equal(t, "spaces counted", 2, servertest.Do(w, "commenter", api.GetMember, memberRef(w, "reader")).Spaces)
		first := servertest.Do(w, "reader", api.ListMemberSpaces, api.ListMemberSpacesInput{
			MemberRef: memberRef(w, "reader"), Order: api.Ascending, ListOptions: api.ListOptions{Limit: api.Some(1)},
		})
		servertest.Equal(t, "first space, oldest first", open, first.Items[0].Space.ID)
		servertest.Equal(t, "spaces of an admin", 3, servertest.Do(w, "admin", api.GetMember, memberRef(w, "admin")).Spaces)
		servertest.Refused(w, "admin", api.ListMemberSpaces, api.ListMemberSpacesInput{MemberRef: memberRef(w, "stranger")},
			http.StatusNotFound, api.ReasonNotFound)
	})
}
