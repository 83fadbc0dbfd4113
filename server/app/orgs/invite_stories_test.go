package orgs_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// TestInviteCreatesAccountOnce checks that an invite gives a new user an account, its first token and the role, once.
func TestInviteCreatesAccountOnce(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		invite := w.CreateInvite("Newcomer@Elsewhere.example", api.RoleComment)
		if list := servertest.Do(w, "admin", api.ListInvites, api.ListInvitesInput{Organization: w.Org}); list.Count != 1 ||
			list.Items[0].Secret != "" {
			t.Errorf("listed %+v", list)
		}
		made := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite))
		w.Tokens["newcomer"] = made.Token
		servertest.Equal(t, "role of the newcomer", api.RoleComment, servertest.ShownRole(w, "newcomer", space))
		me := servertest.Do(w, "newcomer", api.GetUser, api.NoInput{})
		if me.Email != "newcomer@elsewhere.example" || me.DisplayName != "Newcomer" || me.ID != made.ID {
			t.Errorf("the newcomer is %+v", me)
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(invite), http.StatusUnprocessableEntity,
				api.ReasonInvalid)
		})
		servertest.Equal(t, "open invites", 0, servertest.Do(w, "admin", api.ListInvites, api.ListInvitesInput{Organization: w.Org}).Count)
		again := servertest.Do(w, "admin", api.CreateInvite, api.CreateInviteInput{
			Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees("newcomer@elsewhere.example")},
		})
		if len(again.Invites) != 0 || len(again.Users) != 1 || again.Users[0] != made.ID {
			t.Errorf("a member is invited: %+v", again)
		}
	})
}

// TestInviteDoesNotOpenExistingAccount checks that the secret of an invite, which the inviter has seen, never gives access to
// an existing account. The owner of the account accepts with a token.
func TestInviteDoesNotOpenExistingAccount(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		invite := w.CreateInvite("stranger@example.com", api.RoleReview)
		for _, as := range []string{"", "admin"} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, as, api.AcceptInvite, servertest.AcceptInput(invite), http.StatusConflict, api.ReasonState)
			})
		}
		if made := servertest.Do(w, "stranger", api.AcceptInvite, servertest.AcceptInput(invite)); made.Token != "" ||
			made.User.DisplayName != "The stranger" {
			t.Errorf("accepted %+v", made)
		}
		servertest.Equal(t, "role of the stranger", api.RoleReview, servertest.ShownRole(w, "stranger", w.NewSpace().ID))
	})
}

// TestUnverifiedAddressDoesNotJoinByDomain checks that an unverified address is not admitted by domain elsewhere:
// otherwise anyone could invite any address.
func TestUnverifiedAddressDoesNotJoinByDomain(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.Do(w, "stranger", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.OtherOrg, Body: api.OrganizationPatch{EmailDomains: api.Some([]string{"other.example"})},
		})
		w.Tokens["newcomer"] = servertest.Do(w, "", api.AcceptInvite,
			servertest.AcceptInput(w.CreateInvite("newcomer@other.example", api.RoleRead))).Token
		servertest.Refused(w, "newcomer", api.JoinOrganization, api.OrganizationRef{Organization: w.OtherOrg}, http.StatusNotFound,
			api.ReasonNotFound)
		servertest.Refused(w, "newcomer", api.FindOrganization, api.EmailDomainRef{EmailDomain: "other.example"}, http.StatusForbidden,
			api.ReasonForbidden)
	})
}

// TestInvalidInvitesAreRefused checks that invites that are deleted or expired, and wrong secrets, are refused.
func TestInvalidInvitesAreRefused(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		taken, old := w.CreateInvite("a@elsewhere.example", api.RoleRead), w.CreateInvite("b@elsewhere.example", api.RoleRead)
		servertest.Do(w, "admin", api.DeleteInvite, api.InviteRef{Organization: w.Org, Invite: taken.ID})
		w.Clock.Advance(7 * 24 * time.Hour)
		wrong := w.CreateInvite("c@elsewhere.example", api.RoleRead)
		wrong.Secret = wrong.Secret[:len(wrong.Secret)-1] + "_"
		for _, invite := range []api.Invite{taken, old, wrong, {Secret: "hello"}, {Secret: "wsi_x_y_z"}} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(invite), http.StatusUnprocessableEntity,
					api.ReasonInvalid)
			})
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.CreateInvite, api.CreateInviteInput{
				Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees("d@elsewhere.example", "D@elsewhere.example", "nobody")},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
	})
}

// TestInterruptedAcceptanceResumes checks that an acceptance that was interrupted after the account was created
// resumes with the same secret.
func TestInterruptedAcceptanceResumes(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		invite := w.CreateInvite("newcomer@elsewhere.example", api.RoleRead)
		id := txn.UserPrefix + strings.TrimPrefix(invite.ID, store.InvitePrefix)
		w.Must(w.Store.Update(t.Context(), store.User(id), txn.UpdateOptions{}, func(tx *store.Tx) error {
			u, err := tx.User(id)
			if err != nil {
				return err
			}
			u.Fields = api.UserFields{Object: "user", ID: id, Email: invite.Email, DisplayName: "First try"}
			u.Private = store.UserPrivate{VouchedBy: w.Org, Invite: invite.ID}
			_, err = tx.PutUser(u)
			return err
		}))
		made := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite), "Idempotency-Key", "first")
		servertest.Equal(t, "account", id+" First try", made.ID+" "+made.User.DisplayName)
		response := servertest.Try(w, "", api.AcceptInvite, servertest.AcceptInput(invite), "Idempotency-Key", "first")
		servertest.Refusal(w, response, http.StatusConflict, api.ReasonAnswerSecret)
		w.Tokens["newcomer"] = made.Token
		servertest.Do(w, "newcomer", api.GetOrganization, api.OrganizationRef{Organization: w.Org})
	})
}
