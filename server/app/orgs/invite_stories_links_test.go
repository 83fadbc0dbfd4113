package orgs_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// checkLinkRefused fails the test unless accepting the link is refused.
func checkLinkRefused(w *servertest.World, l api.LinkInvite, status int, reason api.Reason) {
	w.T.Helper()
	for _, as := range []string{"", "stranger"} {
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, as, api.AcceptInvite, servertest.AcceptLinkInput(l), status, reason)
		})
	}
}

// TestLinkInviteGivesRole checks that a link into the organization gives its role to every user, with and without an
// account.
func TestLinkInviteGivesRole(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleComment)})
		for secret, where := range map[string]string{
			link.Secret: "link", link.Secret[strings.LastIndexByte(link.Secret, '_')+1:]: "secret",
		} {
			for key, stored := range w.Dump() {
				if strings.Contains(stored, secret) {
					t.Errorf("the %s is stored in %s", where, key)
				}
			}
		}
		for _, who := range []string{"first", "second"} {
			made := servertest.AcceptLink(w, who, link)
			servertest.Equal(t, "role of the "+who, api.RoleComment, servertest.ShownRole(w, who, space))
			servertest.Equal(t, "name", "Passer-by", servertest.Do(w, who, api.GetUser, api.NoInput{}).DisplayName)
			servertest.Equal(t, "e-mail", "", made.User.Email)
		}
		if made := servertest.Do(w, "stranger", api.AcceptInvite, servertest.AcceptLinkInput(link)); made.Token != "" ||
			made.User.DisplayName != "The stranger" {
			t.Errorf("followed %+v", made)
		}
		servertest.Equal(t, "role of the stranger", api.RoleComment, servertest.ShownRole(w, "stranger", space))
		servertest.Refused(w, "", api.AcceptInvite, api.AcceptInviteInput{Body: api.InviteAccept{Secret: link.Secret}},
			http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}

// TestLinkInviteOnlyRaisesRoles checks that a link raises lower roles and keeps higher ones.
func TestLinkInviteOnlyRaisesRoles(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleEdit)})
		for who, want := range map[string]api.Role{
			"guest": api.RoleEdit, "reader": api.RoleEdit, "editor": api.RoleEdit, "reviewer": api.RoleReview,
		} {
			servertest.Do(w, who, api.AcceptInvite, servertest.AcceptLinkInput(link))
			servertest.Equal(t, "role of the "+who, want, servertest.ShownRole(w, who, space))
		}
	})
}

// TestLinkInviteIntoSpace checks that a link into a space creates guests with access to that space only. Its author
// need not be an admin.
func TestLinkInviteIntoSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, other := w.NewSpace().ID, w.NewSpace().ID
		link := w.CreateLinkInvite("creator", api.LinkInviteCreate{Level: api.RoleEdit, Space: space})
		servertest.AcceptLink(w, "contractor", link)
		w.NewRequest("contractor", space)
		servertest.Refused(w, "contractor", api.GetSpace, api.GetSpaceInput{Space: other}, http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "contractor", api.ListMembers, api.ListMembersInput{Organization: w.Org}, http.StatusForbidden,
			api.ReasonForbidden)
		for who, want := range map[string]api.Role{"commenter": api.RoleEdit, "reviewer": api.RoleReview} {
			servertest.Do(w, who, api.AcceptInvite, servertest.AcceptLinkInput(link))
			servertest.Equal(t, "role of the "+who, want, servertest.ShownRole(w, who, space))
		}
		servertest.Equal(t, "role of the commenter elsewhere", api.RoleComment, servertest.ShownRole(w, "commenter", other))
		changed := servertest.Do(w, "creator", api.UpdateLinkInvite, api.UpdateLinkInviteInput{
			LinkInviteRef: api.LinkInviteRef{
				Organization: w.Org, LinkInvite: link.ID,
			}, Body: api.LinkInvitePatch{Level: api.Some(api.RoleRead)},
		})
		servertest.Equal(t, "secret after the change", link.Secret, changed.Secret)
		servertest.AcceptLink(w, "visitor", link)
		servertest.Refused(w, "visitor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space}, http.StatusForbidden,
			api.ReasonForbidden)
		w.NewRequest("contractor", space) // the contractor keeps the access of the link
	})
}

// TestLinkInviteIntoCollection checks that a link into a collection gives access to the spaces in it.
func TestLinkInviteIntoCollection(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		books := w.NewCollection("Books", "").ID
		inside := w.NewSpaceIn("Novel", books).ID
		servertest.AcceptLink(w, "guest reader", w.CreateLinkInvite("creator", api.LinkInviteCreate{
			Level: api.RoleRead, Collection: books,
		}))
		servertest.Equal(t, "role", api.RoleRead, servertest.ShownRole(w, "guest reader", inside))
	})
}

// TestDisabledLinkInvitesAreRefused checks that while links are disabled for the organization, none works and none
// can be created. Once enabled, existing links work again.
func TestDisabledLinkInvitesAreRefused(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		servertest.UpdateOrganization(w, api.OrganizationPatch{InviteLinks: api.Some(false)})
		checkLinkRefused(w, link, http.StatusConflict, api.ReasonState)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{
				Organization: w.Org, Body: api.LinkInviteCreate{Role: api.Null[api.Role]()},
			}, http.StatusConflict, api.ReasonState)
		})
		ref := api.LinkInviteRef{Organization: w.Org, LinkInvite: link.ID}
		servertest.Equal(t, "redundant", true, servertest.Do(w, "admin", api.GetLinkInvite, ref).Redundant)
		servertest.UpdateOrganization(w, api.OrganizationPatch{InviteLinks: api.Some(true)})
		servertest.Equal(t, "redundant", false, servertest.Do(w, "admin", api.GetLinkInvite, ref).Redundant)
		servertest.AcceptLink(w, "newcomer", link)
	})
}

// TestInvalidLinkInvitesAreRefused checks that links that are deleted or expired, have deleted content, or are used
// with a wrong secret are refused.
func TestInvalidLinkInvitesAreRefused(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		deleted := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		expired := w.CreateLinkInvite("admin", api.LinkInviteCreate{
			Role: api.Some(api.RoleRead), ExpiresAt: api.Some(api.At(w.Clock.Now().Add(time.Hour))),
		})
		gone := w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: space})
		servertest.Do(w, "admin", api.DeleteLinkInvite, api.LinkInviteRef{Organization: w.Org, LinkInvite: deleted.ID})
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		w.Clock.Advance(time.Hour)
		wrong := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		swapped := wrong
		wrong.Secret = wrong.Secret[:len(wrong.Secret)-4] + "AAAA"
		swapped.Secret = strings.Replace(swapped.Secret, "wsl_", "wsi_", 1)
		for _, link := range []api.LinkInvite{deleted, expired, gone, wrong, swapped} {
			checkLinkRefused(w, link, http.StatusUnprocessableEntity, api.ReasonInvalid)
		}
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: space})
		servertest.AcceptLink(w, "newcomer", gone)
		servertest.Do(w, "admin", api.UpdateLinkInvite, api.UpdateLinkInviteInput{
			LinkInviteRef: api.LinkInviteRef{
				Organization: w.Org, LinkInvite: expired.ID,
			}, Body: api.LinkInvitePatch{ExpiresAt: api.Null[api.Time]()},
		})
		servertest.AcceptLink(w, "latecomer", expired)
	})
}

// TestLinkInvitesAreLimitedToOwnRole checks that users can neither create nor see links that give more access
// than they have.
func TestLinkInvitesAreLimitedToOwnRole(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, hidden := w.NewSpace().ID, w.NewSpace().ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: hidden, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleAdmin)})
		w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleRead, Space: hidden})
		mine := w.CreateLinkInvite("creator", api.LinkInviteCreate{Level: api.RoleCreate, Space: space})
		for as, want := range map[string]int{"admin": 3, "creator": 1, "reviewer": 0, "guest": 0, servertest.AdminReading: 2} {
			servertest.Equal(t, "links that are listed to the "+as, want,
				servertest.Do(w, as, api.ListLinkInvites, api.ListLinkInvitesInput{Organization: w.Org}).Count)
		}
		servertest.Equal(t, "secret for reading", "", servertest.Do(w, servertest.AdminReading, api.GetLinkInvite,
			api.LinkInviteRef{Organization: w.Org, LinkInvite: mine.ID}).Secret)
		for as, tried := range map[string]map[int]api.LinkInviteCreate{
			"creator": {
				http.StatusForbidden: {
					Level: api.RoleAdmin, Space: space,
				}, http.StatusUnprocessableEntity: {Level: api.RoleRead, Space: hidden},
			},
			"reviewer":              {http.StatusForbidden: {Level: api.RoleRead, Space: space}},
			servertest.AdminWriting: {http.StatusForbidden: {Role: api.Some(api.RoleRead)}},
			"admin":                 {http.StatusUnprocessableEntity: {Level: api.RoleRead, Collection: space}},
		} {
			for status, body := range tried {
				reason := map[int]api.Reason{
					http.StatusForbidden: api.ReasonForbidden, http.StatusUnprocessableEntity: api.ReasonInvalid,
				}[status]
				w.WantUntouched(func() api.Error {
					return servertest.Refused(w, as, api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: w.Org, Body: body},
						status, reason)
				})
			}
		}
		raise := api.UpdateLinkInviteInput{
			LinkInviteRef: api.LinkInviteRef{
				Organization: w.Org, LinkInvite: mine.ID,
			}, Body: api.LinkInvitePatch{Level: api.Some(api.RoleAdmin)},
		}
		servertest.Refused(w, "creator", api.UpdateLinkInvite, raise, http.StatusForbidden, api.ReasonForbidden)
		raise.Body = api.LinkInvitePatch{Role: api.Some(api.RoleRead)}
		servertest.Refused(w, "creator", api.UpdateLinkInvite, raise, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}

// TestCreateLinkInviteRejectsInvalidBodies checks that a link has either a role, or a level with one space or
// collection.
func TestCreateLinkInviteRejectsInvalidBodies(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		for _, body := range []api.LinkInviteCreate{
			{},
			{Level: api.RoleRead},
			{Space: s.Notes},
			{Role: api.Null[api.Role](), Level: api.RoleRead},
			{Role: api.Some(api.RoleRead), Space: s.Notes},
			{Level: api.RoleRead, Space: s.Notes, Collection: s.Guides},
			{Role: api.Some(api.RoleRead), ExpiresAt: api.Some(api.At(w.Clock.Now()))},
		} {
			servertest.Refused(w, "admin", api.CreateLinkInvite, api.CreateLinkInviteInput{Organization: w.Org, Body: body},
				http.StatusUnprocessableEntity, api.ReasonInvalid)
		}
	})
}

// TestAcceptLinkInviteIsIdempotent checks that a repeated request creates one account, and a dry run none.
func TestAcceptLinkInviteIsIdempotent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.WantUntouched(func() api.Error {
			w.Call("", http.MethodPost, api.AcceptInvite.Path+"?dryRun=true", servertest.AcceptLinkInput(link).Body, http.StatusOK)
			return api.Error{}
		})
		made := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptLinkInput(link), "Idempotency-Key", "once")
		e := w.WantUntouched(func() api.Error {
			response := servertest.Try(w, "", api.AcceptInvite, servertest.AcceptLinkInput(link), "Idempotency-Key", "once")
			return servertest.Refusal(w, response, http.StatusConflict, api.ReasonAnswerSecret)
		})
		if !strings.Contains(e.Message, made.ID) {
			t.Errorf("the repeat does not name %s: %s", made.ID, e.Message)
		}
		w.Tokens["member"] = made.Token
		w.WantUntouched(func() api.Error {
			servertest.Do(w, "member", api.AcceptInvite, servertest.AcceptLinkInput(link))
			return api.Error{}
		})
	})
}
