package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

// closed fails the test unless nobody comes in by a link any more.
func closed(w *world, l api.LinkInvite, status int, reason api.Reason) {
	w.t.Helper()
	for _, as := range []string{"", "stranger"} {
		w.untouched(func() api.Error { return refused(w, as, api.AcceptInvite, following(l), status, reason) })
	}
}

// A link into the organization gives its role to everybody who follows it: with an account and without one.
func TestLinkInvite(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleComment)})
		for secret, where := range map[string]string{link.Secret: "link", link.Secret[strings.LastIndexByte(link.Secret, '_')+1:]: "secret"} {
			for key, stored := range w.dump() {
				if strings.Contains(stored, secret) {
					t.Errorf("the %s is stored in %s", where, key)
				}
			}
		}
		for _, who := range []string{"first", "second"} {
			made := follow(w, who, link)
			equal(t, "role of the "+who, api.RoleComment, shownRole(w, who, space))
			equal(t, "name", "Passer-by", do(w, who, api.GetUser, api.NoInput{}).DisplayName)
			equal(t, "e-mail", "", made.User.Email)
		}
		if made := do(w, "stranger", api.AcceptInvite, following(link)); made.Token != "" || made.User.DisplayName != "The stranger" {
			t.Errorf("followed %+v", made)
		}
		equal(t, "role of the stranger", api.RoleComment, shownRole(w, "stranger", space))
		refused(w, "", api.AcceptInvite, api.AcceptInviteInput{Body: api.InviteAccept{Secret: link.Secret}}, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}

// A link raises who has less, and takes nothing from who has more.
func TestLinkInviteOfMembers(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleEdit)})
		for who, want := range map[string]api.Role{"guest": api.RoleEdit, "reader": api.RoleEdit, "editor": api.RoleEdit, "reviewer": api.RoleReview} {
			do(w, who, api.AcceptInvite, following(link))
			equal(t, "role of the "+who, want, shownRole(w, who, space))
		}
	})
}

// A link into a space makes guests who are at home there and nowhere else. Its creator need not be an admin.
func TestLinkInviteIntoASpace(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, other := w.newSpace().ID, w.newSpace().ID
		link := w.linkInvite("creator", api.LinkInviteCreate{Level: api.RoleEdit, Space: space})
		follow(w, "contractor", link)
		w.newRequest("contractor", space)
		refused(w, "contractor", api.GetSpace, api.GetSpaceInput{Space: other}, http.StatusNotFound, api.ReasonNotFound)
		refused(w, "contractor", api.ListMembers, api.ListMembersInput{Organization: w.org}, http.StatusForbidden, api.ReasonForbidden)
		for who, want := range map[string]api.Role{"commenter": api.RoleEdit, "reviewer": api.RoleReview} {
			do(w, who, api.AcceptInvite, following(link))
			equal(t, "role of the "+who, want, shownRole(w, who, space))
		}
		equal(t, "role of the commenter elsewhere", api.RoleComment, shownRole(w, "commenter", other))
		changed := do(w, "creator", api.UpdateLinkInvite, api.UpdateLinkInviteInput{
			LinkInviteRef: api.LinkInviteRef{Organization: w.org, LinkInvite: link.ID}, Body: api.LinkInvitePatch{Level: api.Some(api.RoleRead)},
		})
		equal(t, "secret after the change", link.Secret, changed.Secret)
		follow(w, "visitor", link)
		refused(w, "visitor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space}, http.StatusForbidden, api.ReasonForbidden)
		w.newRequest("contractor", space) // keeps what the link gave
	})
}

// A link into a collection opens what is in it.
func TestLinkInviteIntoACollection(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		books := w.newCollection("Books", "").ID
		inside := w.newSpaceIn("Novel", books).ID
		follow(w, "guest reader", w.linkInvite("creator", api.LinkInviteCreate{Level: api.RoleRead, Collection: books}))
		equal(t, "role", api.RoleRead, shownRole(w, "guest reader", inside))
	})
}

// Switched off for the organization, no link works and none can be made; switched on again, the same ones work.
func TestInviteLinksSwitchedOff(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		settings(w, api.OrganizationPatch{InviteLinks: api.Some(false)})
		closed(w, link, http.StatusConflict, api.ReasonState)
		w.untouched(func() api.Error {
			return refused(w, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{
				Organization: w.org, Body: api.LinkInviteCreate{Role: api.Null[api.Role]()},
			}, http.StatusConflict, api.ReasonState)
		})
		ref := api.LinkInviteRef{Organization: w.org, LinkInvite: link.ID}
		equal(t, "redundant", true, do(w, "admin", api.GetLinkInvite, ref).Redundant)
		settings(w, api.OrganizationPatch{InviteLinks: api.Some(true)})
		equal(t, "redundant", false, do(w, "admin", api.GetLinkInvite, ref).Redundant)
		follow(w, "newcomer", link)
	})
}

// What is deleted, has expired, leads into what is deleted or has another secret opens nothing.
func TestClosedLinks(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		deleted := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		expired := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead), ExpiresAt: api.Some(api.At(w.clock.Now().Add(time.Hour)))})
		gone := w.linkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: space})
		do(w, "admin", api.DeleteLinkInvite, api.LinkInviteRef{Organization: w.org, LinkInvite: deleted.ID})
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		w.clock.Advance(time.Hour)
		wrong := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		swapped := wrong
		wrong.Secret = wrong.Secret[:len(wrong.Secret)-4] + "AAAA"
		swapped.Secret = strings.Replace(swapped.Secret, "wsl_", "wsi_", 1)
		for _, link := range []api.LinkInvite{deleted, expired, gone, wrong, swapped} {
			closed(w, link, http.StatusUnprocessableEntity, api.ReasonInvalid)
		}
		do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: space})
		follow(w, "newcomer", gone)
		do(w, "admin", api.UpdateLinkInvite, api.UpdateLinkInviteInput{
			LinkInviteRef: api.LinkInviteRef{Organization: w.org, LinkInvite: expired.ID}, Body: api.LinkInvitePatch{ExpiresAt: api.Null[api.Time]()},
		})
		follow(w, "latecomer", expired)
	})
}

// Nobody makes or sees a link that gives more than they have: links are as good as what they give.
func TestWhoManagesLinks(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, hidden := w.newSpace().ID, w.newSpace().ID
		do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: hidden, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
		w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)})
		w.linkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: hidden})
		mine := w.linkInvite("creator", api.LinkInviteCreate{Level: api.RoleCreate, Space: space})
		for as, want := range map[string]int{"admin": 3, "creator": 1, "reviewer": 0, "guest": 0, adminReading: 2} {
			equal(t, "links that are listed to the "+as, want, do(w, as, api.ListLinkInvites, api.ListLinkInvitesInput{Organization: w.org}).Count)
		}
		equal(t, "secret for reading", "", do(w, adminReading, api.GetLinkInvite, api.LinkInviteRef{Organization: w.org, LinkInvite: mine.ID}).Secret)
		for as, tried := range map[string]map[int]api.LinkInviteCreate{
			"creator":    {http.StatusForbidden: {Level: api.RoleAdmin, Space: space}, http.StatusUnprocessableEntity: {Level: api.RoleRead, Space: hidden}},
			"reviewer":   {http.StatusForbidden: {Level: api.RoleRead, Space: space}},
			adminWriting: {http.StatusForbidden: {Role: api.Some(api.RoleRead)}},
			"admin":      {http.StatusUnprocessableEntity: {Level: api.RoleRead, Collection: space}},
		} {
			for status, body := range tried {
				reason := map[int]api.Reason{http.StatusForbidden: api.ReasonForbidden, http.StatusUnprocessableEntity: api.ReasonInvalid}[status]
				w.untouched(func() api.Error {
					return refused(w, as, api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: w.org, Body: body}, status, reason)
				})
			}
		}
		raise := api.UpdateLinkInviteInput{LinkInviteRef: api.LinkInviteRef{Organization: w.org, LinkInvite: mine.ID}, Body: api.LinkInvitePatch{Level: api.Some(api.RoleAdmin)}}
		refused(w, "creator", api.UpdateLinkInvite, raise, http.StatusForbidden, api.ReasonForbidden)
		raise.Body = api.LinkInvitePatch{Role: api.Some(api.RoleRead)}
		refused(w, "creator", api.UpdateLinkInvite, raise, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}

// What a link leads to is said once: by a role, or by a level with a space or a collection.
func TestLinkInviteBodies(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		s := w.populate()
		for _, body := range []api.LinkInviteCreate{
			{},
			{Level: api.RoleRead},
			{Space: s.Notes},
			{Role: api.Null[api.Role](), Level: api.RoleRead},
			{Role: api.Some(api.RoleRead), Space: s.Notes},
			{Level: api.RoleRead, Space: s.Notes, Collection: s.Guides},
			{Role: api.Some(api.RoleRead), ExpiresAt: api.Some(api.At(w.clock.Now()))},
		} {
			refused(w, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: w.org, Body: body}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		}
	})
}

// Where everybody signs in by single sign-on, links stop as invites by e-mail address do.
func TestLinksEndWithSingleSignOn(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		newSAMLProvider(w, complete(w))
		settings(w, api.OrganizationPatch{SSO: api.Some(true)})
		closed(w, link, http.StatusConflict, api.ReasonState)
		refused(w, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{
			Organization: w.org, Body: api.LinkInviteCreate{Role: api.Some(api.RoleRead)},
		}, http.StatusConflict, api.ReasonState)
	})
}

// A request that is repeated makes one account, and a dry run makes none.
func TestFollowingALinkTwice(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.untouched(func() api.Error {
			w.call("", http.MethodPost, api.AcceptInvite.Path+"?dryRun=true", following(link).Body, http.StatusOK)
			return api.Error{}
		})
		made := do(w, "", api.AcceptInvite, following(link), "Idempotency-Key", "once")
		e := w.untouched(func() api.Error {
			return refused(w, "", api.AcceptInvite, following(link), http.StatusConflict, api.ReasonAnswerSecret, "Idempotency-Key", "once")
		})
		if !strings.Contains(e.Message, made.ID) {
			t.Errorf("the repeat does not name %s: %s", made.ID, e.Message)
		}
		w.tokens["member"] = made.Token
		w.untouched(func() api.Error { do(w, "member", api.AcceptInvite, following(link)); return api.Error{} })
	})
}
