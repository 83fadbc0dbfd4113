package server_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

// An invite gives no more than its maker has when it is accepted, and nothing once they have left.
func TestInvitesGiveWhatTheirMakerHas(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		w.member("creator", api.RoleAdmin)
		invite, link := inviteAs(w, "creator", "a@elsewhere.example", api.RoleAdmin), w.linkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)})
		into := w.linkInvite("creator", api.LinkInviteCreate{Level: api.RoleCreate, Space: space})
		w.member("creator", api.RoleEdit)
		w.tokens["invited"] = do(w, "", api.AcceptInvite, accepting(invite)).Token
		follow(w, "by link", link)
		follow(w, "into the space", into)
		for _, who := range []string{"invited", "by link", "into the space"} {
			equal(t, "role of who came "+who, api.RoleEdit, shownRole(w, who, space))
		}
		invite = w.invite("b@elsewhere.example", api.RoleRead)
		w.member("creator", api.RoleGuest)
		w.untouched(func() api.Error {
			return refused(w, "", api.AcceptInvite, following(into), http.StatusConflict, api.ReasonState)
		})
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users["creator"].ID})
		for _, l := range []api.LinkInvite{link, into} {
			closed(w, l, http.StatusConflict, api.ReasonState)
			equal(t, "redundant", true, do(w, "admin", api.GetLinkInvite, api.LinkInviteRef{Organization: w.org, LinkInvite: l.ID}).Redundant)
		}
		do(w, "", api.AcceptInvite, accepting(invite)) // of somebody else
		changed := do(w, "admin", api.UpdateLinkInvite, api.UpdateLinkInviteInput{
			LinkInviteRef: api.LinkInviteRef{Organization: w.org, LinkInvite: link.ID}, Body: api.LinkInvitePatch{Role: api.Some(api.RoleRead)},
		})
		equal(t, "redundant now that it is an admin's", false, changed.Redundant)
		follow(w, "latecomer", link)
	})
}

// An invite whose maker has left is refused to everybody who brings it, with the reason.
func TestInvitesEndWithTheirMaker(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		w.member("creator", api.RoleAdmin)
		invite := inviteAs(w, "creator", "a@elsewhere.example", api.RoleRead)
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users["creator"].ID})
		w.untouched(func() api.Error {
			return refused(w, "", api.AcceptInvite, accepting(invite), http.StatusConflict, api.ReasonState)
		})
	})
}

// An invite does not outlive the token that made it: neither its end nor its revocation. What came of it before stays.
func TestInvitesEndWithTheirToken(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		short := newToken(w, "admin", "short", api.TokenCreate{ExpiresAt: in(w, time.Hour)})
		early, late := inviteAs(w, "short", "a@elsewhere.example", api.RoleRead), inviteAs(w, "short", "b@elsewhere.example", api.RoleRead)
		link := w.linkInvite("short", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		equal(t, "end of the invite", short.ExpiresAt, late.ExpiresAt)
		equal(t, "end of the link", short.ExpiresAt, link.ExpiresAt)
		w.tokens["member"] = do(w, "", api.AcceptInvite, accepting(early)).Token
		w.clock.Advance(time.Hour)
		w.untouched(func() api.Error {
			return refused(w, "", api.AcceptInvite, accepting(late), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		closed(w, link, http.StatusUnprocessableEntity, api.ReasonInvalid)

		leaked := newToken(w, "admin", "leaked", api.TokenCreate{})
		open, door := inviteAs(w, "leaked", "c@elsewhere.example", api.RoleRead), w.linkInvite("leaked", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.tokens["leaked"] = do(w, "leaked", api.RotateToken, rotating(leaked.ID, 0)).Token
		follow(w, "after the rotation", door)
		do(w, "admin", api.DeleteToken, api.TokenRef{Token: leaked.ID})
		if !works(w, "member") || !works(w, "after the rotation") {
			t.Error("what came of an invite ends with who made it")
		}
		w.untouched(func() api.Error {
			return refused(w, "", api.AcceptInvite, accepting(open), http.StatusConflict, api.ReasonState)
		})
		closed(w, door, http.StatusConflict, api.ReasonState)
	})
}

// What comes of an invite is the member's own, and worth nothing in the organization once the membership has ended.
func TestWhatComesOfAnInvite(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		w.member("creator", api.RoleAdmin)
		space := w.newSpace().ID
		made := do(w, "", api.AcceptInvite, accepting(inviteAs(w, "creator", "a@elsewhere.example", api.RoleEdit)))
		w.tokens["member"] = made.Token
		for _, token := range do(w, "creator", api.ListTokens, api.ListTokensInput{}).Items {
			do(w, "creator", api.DeleteToken, api.TokenRef{Token: token.ID})
		}
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users["creator"].ID})
		w.newRequest("member", space)
		own := do(w, "member", api.ListTokens, api.ListTokensInput{}).Items[0]
		equal(t, "parent of the first token", "", own.Parent)
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: made.ID})
		refused(w, "member", api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
		refused(w, "member", api.GetOrganization, api.OrganizationRef{Organization: w.org}, http.StatusNotFound, api.ReasonNotFound)
		equal(t, "the account works", true, works(w, "member"))
	})
}
