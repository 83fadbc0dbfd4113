package operator_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// setDisabled disables or enables the account of a person of the world.
func setDisabled(w *servertest.World, name string, disabled bool) operator.DisableResult {
	w.T.Helper()
	d, err := operator.Service{Store: w.Store}.SetDisabled(w.T.Context(), w.Users[name].Email, disabled)
	w.Must(err)
	return d
}

// wantEvent fails the test unless an organization has exactly one event of a type about a user.
func wantEvent(w *servertest.World, org, kind, user string) {
	w.T.Helper()
	entries, err := w.Store.Client.XRange(w.T.Context(), w.Store.Name(store.EventsKey(org)), "-", "+").Result()
	w.Must(err)
	found := 0
	for _, e := range entries {
		if e.Values["type"] == kind && e.Values["id"] == user && e.Values["actor"] == nil {
			found++
		}
	}
	servertest.Equal(w.T, "events "+kind+" in "+org, 1, found)
}

// TestDisabledAccountGivesNoAccess checks that nothing of a disabled account gives access: tokens, invites and invite links that
// it made, and that all of it works again once the account is enabled.
func TestDisabledAccountGivesNoAccess(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.SetMember("creator", api.RoleAdmin)
		space := w.NewSpace().ID
		user := w.Users["creator"].ID
		child := servertest.Do(w, "creator", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Scopes: []api.Scope{api.ScopeRead}, Organization: api.Some(w.Org)},
		})
		w.Tokens["bound"] = child.Token
		invite := servertest.InviteAs(w, "creator", "a@elsewhere.example", api.RoleRead)
		link := w.CreateLinkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		into := w.CreateLinkInvite("creator", api.LinkInviteCreate{Level: api.RoleRead, Space: space})
		before := servertest.Do(w, "creator", api.GetMember, api.MemberRef{Organization: w.Org, User: user})

		servertest.Equal(t, "changed", true, setDisabled(w, "creator", true).Changed)
		for _, as := range []string{"creator", "bound"} {
			for _, a := range []servertest.Response{
				w.Send(as, http.MethodGet, "/v1/user", nil), w.Send(as, http.MethodGet, "/v1/spaces/"+space, nil),
				w.Send(as, http.MethodGet, "/v1/orgs/"+w.Org, nil),
				w.Send(as, http.MethodPost, "/v1/orgs", map[string]any{"title": "Mine"}),
				w.Send(as, http.MethodGet, "/v1/orgs/"+w.Org+"/no-such-thing/x", nil),
			} {
				if a.Status != http.StatusUnauthorized && a.Status != http.StatusNotFound || a.Status == http.StatusUnauthorized &&
					!strings.Contains(string(a.Body), "disabled") {
					t.Errorf("%s: %d %s", as, a.Status, a.Body)
				}
			}
		}
		for _, input := range []api.AcceptInviteInput{
			servertest.AcceptInput(invite), servertest.AcceptLinkInput(link), servertest.AcceptLinkInput(into),
		} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "", api.AcceptInvite, input, http.StatusConflict, api.ReasonState)
			})
		}
		shown := servertest.Do(w, "admin", api.GetLinkInvite, api.LinkInviteRef{Organization: w.Org, LinkInvite: link.ID})
		servertest.Equal(t, "reason", api.RedundantAuthorLeft, shown.RedundantReason)
		member := servertest.Do(w, "admin", api.GetMember, api.MemberRef{Organization: w.Org, User: user})
		servertest.Equal(t, "disabled", true, member.Disabled)
		servertest.Equal(t, "spaces", 0, member.Spaces)
		servertest.Equal(t, "role kept", before.Role, member.Role)
		wantEvent(w, w.Org, "users.disable", user)
		servertest.Equal(t, "changed again", false, setDisabled(w, "creator", true).Changed)
		wantEvent(w, w.Org, "users.disable", user)

		servertest.Equal(t, "changed", true, setDisabled(w, "creator", false).Changed)
		wantEvent(w, w.Org, "users.enable", user)
		after := servertest.Do(w, "bound", api.GetMember, api.MemberRef{Organization: w.Org, User: user})
		after.LastSeenAt = before.LastSeenAt
		servertest.Equal(t, "member", before, after)
		servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite))
		servertest.AcceptLink(w, "by link", link)
		servertest.AcceptLink(w, "into the space", into)
	})
}

// TestDisabledAdminDoesNotCount checks that the last admin whose account is not disabled cannot leave, and that a disabled admin can
// be removed.
func TestDisabledAdminDoesNotCount(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		w.SetMember("creator", api.RoleAdmin)
		setDisabled(w, "creator", true)
		self := api.MemberRef{Organization: w.Org, User: w.Users["admin"].ID}
		servertest.Refused(w, "admin", api.DeleteMember, self, http.StatusConflict, api.ReasonState)
		d := setDisabled(w, "admin", true)
		if only := d.WithoutAdmin(); len(only) != 1 || only[0].Organization != w.Org {
			t.Errorf("without an admin: %+v", only)
		}
		setDisabled(w, "admin", false)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID})
	})
}

// TestDisablingIsCompletedByJob checks that the job that is scheduled before the account is disabled copies the state, if the
// command ended before it did, and that it reaches a membership that began meanwhile.
func TestDisablingIsCompletedByJob(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		user := w.Users["editor"].ID
		organizations := []string{w.Org}
		s := &orgs.Service{Store: w.Store}
		w.Must(s.ScheduleUserCopies(t.Context(), organizations, user))
		w.Must(w.Store.Update(t.Context(), store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
			u, err := tx.User(user)
			if err == nil {
				u.Private.DisabledAt = api.At(tx.Now())
				_, err = tx.PutUser(u)
			}
			return err
		}))
		ref := api.MemberRef{Organization: w.Org, User: user}
		servertest.Equal(t, "disabled", false, servertest.Do(w, "admin", api.GetMember, ref).Disabled)
		w.Clock.Advance(2 * store.UserJobTime)
		servertest.RunJobs(w)
		servertest.Equal(t, "disabled", true, servertest.Do(w, "admin", api.GetMember, ref).Disabled)
		wantEvent(w, w.Org, "users.disable", user)
	})
}

// TestNoTokenForDisabledAccount checks that `wsd token create` refuses a disabled account and names the command that enables it.
func TestNoTokenForDisabledAccount(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		setDisabled(w, "editor", true)
		before := w.Dump()
		_, err := orgs.Accounts{Store: w.Store}.Create(t.Context(), orgs.AccountOptions{
			Email: w.Users["editor"].Email, Organization: w.Org, Role: api.RoleRead, Token: orgs.TokenOptions{Name: "back"},
		})
		if e, ok := api.AsError(err); !ok || e.Reason != api.ReasonState || !strings.Contains(e.Hint, "wsd user enable") {
			t.Errorf("%v", err)
		}
		servertest.WantUnchanged(w, before, "a refused token")
	})
}

// TestListUsersShowsState checks the rows of `wsd user list`.
func TestListUsersShowsState(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setDisabled(w, "editor", true)
		invite := w.CreateInvite("person@elsewhere.example", api.RoleRead)
		invited := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite))
		service, seen := operator.Service{Store: w.Store}, map[string]operator.User{}
		w.Must(service.ListUsers(t.Context(), func(page []operator.User) error {
			for _, u := range page {
				if _, twice := seen[u.ID]; twice {
					t.Errorf("%s is listed twice", u.ID)
				}
				seen[u.ID] = u
			}
			return nil
		}))
		servertest.Equal(t, "users", len(w.Users)+1, len(seen))
		servertest.Equal(t, "state", operator.AccountDisabled, seen[w.Users["editor"].ID].State)
		servertest.Equal(t, "state", operator.AccountActive, seen[w.Users["admin"].ID].State)
		servertest.Equal(t, "address", operator.AddressVerified, seen[w.Users["admin"].ID].AddressState)
		servertest.Equal(t, "address", operator.AddressUnverified, seen[invited.ID].AddressState)
		servertest.Equal(t, "tokens", int64(1), seen[invited.ID].Tokens)
		var members []string
		w.Must(service.ListMembers(t.Context(), "Acme", func(page []operator.User) error {
			for _, u := range page {
				members = append(members, u.Membership.Role)
			}
			return nil
		}))
		slices.Sort(members)
		servertest.Equal(t, "roles", "admin comment create edit guest read read review", strings.Join(members, " "))
		shown, err := service.ShowUser(t.Context(), "person@elsewhere.example")
		w.Must(err)
		servertest.Equal(t, "unverified address", invited.ID, shown.ID)
		servertest.Equal(t, "written by", w.Org, shown.AddressFrom)
	})
}

// TestUnverifiedAddressOfTwoIsRefused checks that an unverified address that two accounts have names neither, and that the
// refusal names both.
func TestUnverifiedAddressOfTwoIsRefused(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const email = "person@elsewhere.example"
		first := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(w.CreateInvite(email, api.RoleRead)))
		invite := servertest.Do(w, "stranger", api.CreateInvite, api.CreateInviteInput{
			Organization: w.OtherOrg, Body: api.InviteCreate{Emails: api.Invitees(email), Role: api.Some(api.RoleRead)},
		}).Invites[0]
		second := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invite))
		_, err := operator.Service{Store: w.Store}.ShowUser(t.Context(), email)
		if err == nil || !strings.Contains(err.Error(), first.ID) || !strings.Contains(err.Error(), second.ID) {
			t.Errorf("%v", err)
		}
	})
}
