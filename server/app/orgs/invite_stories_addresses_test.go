package orgs_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// acceptOwnInvite has the user "stranger" invite an address into an organization of their own, accepts the invite without a
// token, and stores the new token for the user "squatter".
func acceptOwnInvite(w *servertest.World, email string) (squatter api.Accepted) {
	w.T.Helper()
	invited := servertest.Do(w, "stranger", api.CreateInvite, api.CreateInviteInput{
		Organization: w.OtherOrg, Body: api.InviteCreate{Emails: api.Invitees(email)},
	})
	squatter = servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(invited.Invites[0]))
	w.Tokens["squatter"] = squatter.Token
	return squatter
}

// TestUnverifiedAddressGrantsNothing checks that a user who was first invited with an address of another person gets nothing
// meant for its owner and does not lock the owner out.
func TestUnverifiedAddressGrantsNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		squatter := acceptOwnInvite(w, servertest.ChiefEmail)
		servertest.Equal(t, "address where it was written", servertest.ChiefEmail, squatter.User.Email)
		owner := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(w.CreateInvite(servertest.ChiefEmail, api.RoleEdit)))
		if owner.ID == squatter.ID || owner.Token == "" || owner.User.Email != servertest.ChiefEmail {
			t.Errorf("the owner of the address came in as %+v", owner)
		}
		accounts := orgs.Accounts{Store: w.Store}
		operators, err := accounts.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "The chief")
		w.Must(err)
		if !operators.Created || operators.ID == squatter.ID || operators.ID == owner.ID {
			t.Errorf("the operator was given %+v", operators)
		}
		w.Must(accounts.SetMember(t.Context(), w.Org, operators.UserFields, api.RoleAdmin))
		servertest.Refused(w, "squatter", api.ListMembers, api.ListMembersInput{Organization: w.Org}, http.StatusNotFound,
			api.ReasonNotFound)
		again, err := accounts.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "")
		w.Must(err)
		if again.Created || again.ID != operators.ID {
			t.Errorf("the operator's account is found as %+v", again)
		}
	})
}

// TestUnverifiedAddressStaysInItsOrganization checks that an unverified address is visible only in the organization
// that wrote it. In another organization its user has no address, is not found by it and blocks nobody.
func TestUnverifiedAddressStaysInItsOrganization(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		squatter := acceptOwnInvite(w, servertest.ChiefEmail)
		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		servertest.Equal(t, "address of who comes by a link", "",
			servertest.Do(w, "squatter", api.AcceptInvite, servertest.AcceptLinkInput(link)).User.Email)
		see := func() string { return servertest.Do(w, "reader", api.ShowUser, api.UserRef{User: squatter.ID}).Email }
		servertest.Equal(t, "address that members see", "", see())
		servertest.Equal(t, "members who are found by the address", 0,
			servertest.Do(w, "reader", api.ListMembers, api.ListMembersInput{Organization: w.Org, Search: "corp"}).Count)
		team := w.NewTeam("editor").ID
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.UpdateTeamMembers, api.UpdateTeamMembersInput{
				TeamRef: api.TeamRef{Organization: w.Org, Team: team}, Body: api.TeamMembersUpdate{Add: []string{servertest.ChiefEmail}},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		own := servertest.Do(w, "squatter", api.CreateOrganization, api.CreateOrganizationInput{
			Body: api.OrganizationCreate{Title: "Corp"},
		}).ID
		servertest.Equal(t, "address in an organization of their own", "",
			servertest.Do(w, "squatter", api.GetMember, api.MemberRef{Organization: own, User: squatter.ID}).User.Email)
		servertest.Do(w, "squatter", api.UpdateUser, api.UpdateUserInput{
			UserRef: api.UserRef{User: squatter.ID}, Body: api.UserPatch{DisplayName: api.Some("The chief")},
		})
		servertest.Equal(t, "address after a change of the name", "", see())
		servertest.Equal(t, "address where it was written", servertest.ChiefEmail,
			servertest.Do(w, "stranger", api.GetMember, api.MemberRef{Organization: w.OtherOrg, User: squatter.ID}).User.Email)
		servertest.Equal(t, "the owner's own invite gives an account", true,
			servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(w.CreateInvite(servertest.ChiefEmail, api.RoleRead))).Token != "")
	})
}

// TestAcceptSecondInviteWithExistingAccount checks that a user with an account from an invite to the same address
// elsewhere may accept with that account.
func TestAcceptSecondInviteWithExistingAccount(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		mine := acceptOwnInvite(w, "me@home.example")
		invite := w.CreateInvite("me@home.example", api.RoleRead)
		came := servertest.Do(w, "squatter", api.AcceptInvite, servertest.AcceptInput(invite))
		if came.ID != mine.ID || came.Token != "" || came.User.Email != "me@home.example" {
			t.Errorf("came as %+v", came)
		}
		servertest.Equal(t, "address", "me@home.example", servertest.Do(w, "reader", api.ShowUser, api.UserRef{User: mine.ID}).Email)
		_, text, err := orgs.Accounts{Store: w.Store}.CreateToken(t.Context(), mine.ID, orgs.TokenOptions{Organization: w.OtherOrg})
		w.Must(err)
		w.Tokens["bound"] = text
		other := servertest.Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{
			Body: api.OrganizationCreate{Title: "Third"},
		}).ID
		third := servertest.Do(w, "admin", api.CreateInvite, api.CreateInviteInput{
			Organization: other, Body: api.InviteCreate{Emails: api.Invitees("me@home.example")},
		}).Invites[0]
		servertest.Refused(w, "bound", api.AcceptInvite, servertest.AcceptInput(third), http.StatusForbidden, api.ReasonForbidden)
	})
}

// TestAddressIsUniqueInOrganization checks that within an organization an address identifies one member: a member who
// has it is not invited again, and a second invite does not create a second member. If two members have it
// regardless, neither is taken for the other.
func TestAddressIsUniqueInOrganization(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		first := w.CreateInvite("other@elsewhere.example", api.RoleRead)
		second := w.CreateInvite(servertest.ChiefEmail, api.RoleAdmin)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			d, err := tx.Invite(w.Org, first.ID)
			if err == nil {
				d.Fields.Email = servertest.ChiefEmail // builds before could invite an address twice
				_, err = tx.PutInvite(w.Org, d)
			}
			return err
		}))
		member := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(first))
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(second), http.StatusConflict, api.ReasonState)
		})
		inviting := api.CreateInviteInput{Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees(servertest.ChiefEmail)}}
		servertest.Equal(t, "who has the address", member.ID, servertest.Do(w, "admin", api.CreateInvite, inviting).Users[0])
		accounts := orgs.Accounts{Store: w.Store}
		vouched, err := accounts.EnsureUser(t.Context(), servertest.ChiefEmail, "The chief")
		w.Must(err)
		w.Must(accounts.SetMember(t.Context(), w.Org, vouched, api.RoleEdit))
		servertest.Equal(t, "members with the address", 2, len(servertest.Do(w, "admin", api.CreateInvite, inviting).Users))
		team := api.UpdateTeamMembersInput{
			TeamRef: api.TeamRef{
				Organization: w.Org, Team: w.NewTeam("editor").ID,
			}, Body: api.TeamMembersUpdate{Add: []string{servertest.ChiefEmail}},
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.UpdateTeamMembers, team, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		team.Body.Add = []string{vouched.ID}
		servertest.Do(w, "admin", api.UpdateTeamMembers, team)
	})
}

// TestUnverifiedClaimIsReleased checks that an unverified address claimed by an account of an earlier version can be
// claimed. The claim is released; the account keeps its memberships and its token.
func TestUnverifiedClaimIsReleased(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		squatter := acceptOwnInvite(w, servertest.ChiefEmail)
		w.Must(w.Store.Update(t.Context(), store.User(squatter.ID), txn.UpdateOptions{}, func(tx *store.Tx) error {
			u, err := tx.User(squatter.ID)
			if err != nil {
				return err
			}
			tx.Claim(store.EmailKey(servertest.ChiefEmail), squatter.ID)
			_, err = tx.PutUser(u)
			return err
		}))
		owner := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(w.CreateInvite(servertest.ChiefEmail, api.RoleRead)))
		vouched, err := orgs.Accounts{Store: w.Store}.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "")
		w.Must(err)
		if !vouched.Created || vouched.DisplacedAccount != squatter.ID || vouched.ID == squatter.ID || vouched.ID == owner.ID {
			t.Errorf("vouched for %+v", vouched)
		}
		claim, held, err := w.Store.Claim(t.Context(), store.EmailKey(servertest.ChiefEmail))
		w.Must(err)
		servertest.Equal(t, "who has the address", vouched.ID, claim.Owner)
		servertest.Equal(t, "somebody has it", true, held)
		servertest.Do(w, "squatter", api.GetMember, api.MemberRef{Organization: w.OtherOrg, User: squatter.ID})
	})
}
