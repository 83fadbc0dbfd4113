package orgs_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestInviteIsLimitedToRoleOfAuthor checks that an invite gives at most the role that its author has on acceptance,
// and nothing after the author has left.
func TestInviteIsLimitedToRoleOfAuthor(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		w.SetMember("creator", api.RoleAdmin)
		invite, link := servertest.InviteAs(w, "creator", "a@elsewhere.example", api.RoleAdmin), w.CreateLinkInvite("creator",
			api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)})
		into := w.CreateLinkInvite("creator", api.LinkInviteCreate{Level: api.RoleCreate, Space: space})
		w.SetMember("creator", api.RoleEdit)
		w.Tokens["invited"] = servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite)).Token
		servertest.AcceptLink(w, "by link", link)
		servertest.AcceptLink(w, "into the space", into)
		for _, who := range []string{"invited", "by link", "into the space"} {
			servertest.Equal(t, "role of who came "+who, api.RoleEdit, servertest.ShownRole(w, who, space))
		}
		invite = w.CreateInvite("b@elsewhere.example", api.RoleRead)
		w.SetMember("creator", api.RoleGuest)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptLinkInput(into), http.StatusConflict, api.ReasonState)
		})
		changed := servertest.Do(w, "admin", api.UpdateLinkInvite, api.UpdateLinkInviteInput{ // makes it the admin's
			LinkInviteRef: api.LinkInviteRef{
				Organization: w.Org, LinkInvite: link.ID,
			}, Body: api.LinkInvitePatch{Role: api.Some(api.RoleRead)},
		})
		servertest.Equal(t, "redundant", false, changed.Redundant)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID})
		checkLinkRefused(w, into, http.StatusUnprocessableEntity, api.ReasonInvalid)
		servertest.Refused(w, "admin", api.GetLinkInvite, api.LinkInviteRef{Organization: w.Org, LinkInvite: into.ID},
			http.StatusNotFound, api.ReasonNotFound)
		servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite)) // made by the admin
		servertest.AcceptLink(w, "latecomer", link)
	})
}

// TestInviteEndsWhenAuthorLeaves checks that an invite is deleted when its author leaves.
func TestInviteEndsWhenAuthorLeaves(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.SetMember("creator", api.RoleAdmin)
		invite := servertest.InviteAs(w, "creator", "a@elsewhere.example", api.RoleRead)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(invite), http.StatusUnprocessableEntity,
				api.ReasonInvalid)
		})
	})
}

// TestInviteEndsWithToken checks that an invite ends when the token that created it expires or is revoked. Earlier
// acceptances stay.
func TestInviteEndsWithToken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		short := servertest.NewToken(w, "admin", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Hour)})
		early, late := servertest.InviteAs(w, "short", "a@elsewhere.example", api.RoleRead), servertest.InviteAs(w, "short",
			"b@elsewhere.example", api.RoleRead)
		link := w.CreateLinkInvite("short", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		servertest.Equal(t, "end of the invite", short.ExpiresAt, late.ExpiresAt)
		servertest.Equal(t, "end of the link", short.ExpiresAt, link.ExpiresAt)
		w.Tokens["member"] = servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(early)).Token
		w.Clock.Advance(time.Hour)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(late), http.StatusUnprocessableEntity,
				api.ReasonInvalid)
		})
		checkLinkRefused(w, link, http.StatusUnprocessableEntity, api.ReasonInvalid)

		leaked := servertest.NewToken(w, "admin", "leaked", api.TokenCreate{})
		open, door := servertest.InviteAs(w, "leaked", "c@elsewhere.example", api.RoleRead), w.CreateLinkInvite("leaked",
			api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.Tokens["leaked"] = servertest.Do(w, "leaked", api.RotateToken, servertest.RotateInput(leaked.ID, 0)).Token
		servertest.AcceptLink(w, "after the rotation", door)
		servertest.Do(w, "admin", api.DeleteToken, api.TokenRef{Token: leaked.ID})
		if !servertest.TokenWorks(w, "member") || !servertest.TokenWorks(w, "after the rotation") {
			t.Error("what came of an invite ends with who made it")
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(open), http.StatusConflict, api.ReasonState)
		})
		checkLinkRefused(w, door, http.StatusConflict, api.ReasonState)
	})
}

// TestInvitedAccountBelongsToMember checks that the account created by an invite belongs to the member, and has no
// access to the organization after the membership.
func TestInvitedAccountBelongsToMember(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.SetMember("creator", api.RoleAdmin)
		space := w.NewSpace().ID
		made := servertest.Do(w, "", api.AcceptInvite,
			servertest.AcceptInput(servertest.InviteAs(w, "creator", "a@elsewhere.example", api.RoleEdit)))
		w.Tokens["member"] = made.Token
		for _, token := range servertest.Do(w, "creator", api.ListTokens, api.ListTokensInput{}).Items {
			servertest.Do(w, "creator", api.DeleteToken, api.TokenRef{Token: token.ID})
		}
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID})
		w.NewRequest("member", space)
		own := servertest.Do(w, "member", api.ListTokens, api.ListTokensInput{}).Items[0]
		servertest.Equal(t, "parent of the first token", "", own.Parent)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: made.ID})
		servertest.Refused(w, "member", api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "member", api.GetOrganization, api.OrganizationRef{Organization: w.Org}, http.StatusNotFound,
			api.ReasonNotFound)
		servertest.Equal(t, "the account works", true, servertest.TokenWorks(w, "member"))
	})
}
