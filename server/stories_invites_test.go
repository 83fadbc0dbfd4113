package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// An invite gives who has no account one, with its first token and the role, once.
func TestInvite(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		invite := w.invite("Newcomer@Elsewhere.example", api.RoleComment)
		if list := do(w, "admin", api.ListInvites, api.ListInvitesInput{Organization: w.org}); list.Count != 1 || list.Items[0].Secret != "" {
			t.Errorf("listed %+v", list)
		}
		made := do(w, "", api.AcceptInvite, accepting(invite))
		w.tokens["newcomer"] = made.Token
		equal(t, "role of the newcomer", api.RoleComment, shownRole(w, "newcomer", space))
		me := do(w, "newcomer", api.GetUser, api.NoInput{})
		if me.Email != "newcomer@elsewhere.example" || me.DisplayName != "Newcomer" || me.ID != made.ID {
			t.Errorf("the newcomer is %+v", me)
		}
		w.untouched(func() api.Error {
			return refused(w, "", api.AcceptInvite, accepting(invite), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		equal(t, "open invites", 0, do(w, "admin", api.ListInvites, api.ListInvitesInput{Organization: w.org}).Count)
		again := do(w, "admin", api.CreateInvite, api.CreateInviteInput{Organization: w.org, Body: api.InviteCreate{Emails: []string{"newcomer@elsewhere.example"}}})
		if len(again.Invited) != 0 || len(again.Users) != 1 || again.Users[0].ID != made.ID {
			t.Errorf("a member is invited: %+v", again)
		}
	})
}

// Who invites has seen the secret: it never leads into an account that somebody has. Its owner accepts with a token.
func TestInviteIsNoWayIntoAnAccount(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		invite := w.invite("stranger@example.com", api.RoleReview)
		for _, as := range []string{"", "admin"} {
			w.untouched(func() api.Error {
				return refused(w, as, api.AcceptInvite, accepting(invite), http.StatusConflict, api.ReasonState)
			})
		}
		if made := do(w, "stranger", api.AcceptInvite, accepting(invite)); made.Token != "" || made.User.DisplayName != "The stranger" {
			t.Errorf("accepted %+v", made)
		}
		equal(t, "role of the stranger", api.RoleReview, shownRole(w, "stranger", w.newSpace().ID))
	})
}

// An address that one organization vouches for opens nothing in another: anybody could invite anybody.
func TestInvitedAddressOpensNoDomain(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		do(w, "stranger", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.otherOrg, Body: api.OrganizationPatch{EmailDomains: api.Some([]string{"other.example"})},
		})
		w.tokens["newcomer"] = do(w, "", api.AcceptInvite, accepting(w.invite("newcomer@other.example", api.RoleRead))).Token
		refused(w, "newcomer", api.JoinOrganization, api.OrganizationRef{Organization: w.otherOrg}, http.StatusNotFound, api.ReasonNotFound)
		refused(w, "newcomer", api.FindOrganization, api.EmailDomainRef{EmailDomain: "other.example"}, http.StatusForbidden, api.ReasonForbidden)
	})
}

// What was taken back, is too old or is not an invite's secret opens nothing.
func TestClosedInvites(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		taken, old := w.invite("a@elsewhere.example", api.RoleRead), w.invite("b@elsewhere.example", api.RoleRead)
		do(w, "admin", api.DeleteInvite, api.InviteRef{Organization: w.org, Invite: taken.ID})
		w.clock.Advance(7 * 24 * time.Hour)
		wrong := w.invite("c@elsewhere.example", api.RoleRead)
		wrong.Secret = wrong.Secret[:len(wrong.Secret)-1] + "_"
		for _, invite := range []api.Invite{taken, old, wrong, {Secret: "hello"}, {Secret: "wsi_x_y_z"}} {
			w.untouched(func() api.Error {
				return refused(w, "", api.AcceptInvite, accepting(invite), http.StatusUnprocessableEntity, api.ReasonInvalid)
			})
		}
		w.untouched(func() api.Error {
			return refused(w, "admin", api.CreateInvite, api.CreateInviteInput{
				Organization: w.org, Body: api.InviteCreate{Emails: []string{"d@elsewhere.example", "D@elsewhere.example", "nobody"}},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
	})
}

// Acceptance that was cut off after the account was made goes on with the same secret.
func TestInviteGoesOnWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		invite := w.invite("newcomer@elsewhere.example", api.RoleRead)
		id := txn.UserPrefix + strings.TrimPrefix(invite.ID, store.InvitePrefix)
		w.must(w.store.Update(t.Context(), store.User(id), txn.UpdateOptions{}, func(tx *store.Tx) error {
			u, err := tx.User(id)
			if err != nil {
				return err
			}
			u.Fields = api.UserFields{Object: "user", ID: id, Email: invite.Email, DisplayName: "First try"}
			u.Private = store.UserPrivate{VouchedBy: w.org, Invite: invite.ID}
			_, err = tx.PutUser(u)
			return err
		}))
		made := do(w, "", api.AcceptInvite, accepting(invite), "Idempotency-Key", "first")
		equal(t, "account", id+" First try", made.ID+" "+made.User.DisplayName)
		refused(w, "", api.AcceptInvite, accepting(invite), http.StatusConflict, api.ReasonAnswerSecret, "Idempotency-Key", "first")
		w.tokens["newcomer"] = made.Token
		do(w, "newcomer", api.GetOrganization, api.OrganizationRef{Organization: w.org})
	})
}
