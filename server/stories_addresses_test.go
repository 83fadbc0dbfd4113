package server_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// squat lets the stranger write an address into an invite of an organization of their own and accept it themselves.
func squat(w *world, email string) (squatter api.Accepted) {
	w.t.Helper()
	invited := do(w, "stranger", api.CreateInvite, api.CreateInviteInput{Organization: w.otherOrg, Body: api.InviteCreate{Emails: []string{email}}})
	squatter = do(w, "", api.AcceptInvite, accepting(invited.Invited[0]))
	w.tokens["squatter"] = squatter.Token
	return squatter
}

// Who writes somebody's address first gets nothing that is meant for its owner, and does not keep them out.
func TestAddressesAreNotTaken(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		squatter := squat(w, chief)
		equal(t, "address where it was written", chief, squatter.User.Email)
		owner := do(w, "", api.AcceptInvite, accepting(w.invite(chief, api.RoleEdit)))
		if owner.ID == squatter.ID || owner.Token == "" || owner.User.Email != chief {
			t.Errorf("the owner of the address came in as %+v", owner)
		}
		accounts := orgs.Accounts{Store: w.store}
		operators, err := accounts.Vouched(t.Context(), chief, "The chief")
		w.must(err)
		if !operators.Made || operators.ID == squatter.ID || operators.ID == owner.ID {
			t.Errorf("the operator was given %+v", operators)
		}
		w.must(accounts.Member(t.Context(), w.org, operators.UserFields, api.RoleAdmin))
		refused(w, "squatter", api.ListMembers, api.ListMembersInput{Organization: w.org}, http.StatusNotFound, api.ReasonNotFound)
		again, err := accounts.Vouched(t.Context(), chief, "")
		w.must(err)
		if again.Made || again.ID != operators.ID {
			t.Errorf("the operator's account is found as %+v", again)
		}
	})
}

// A written address is known where it was written and nowhere else: whoever brings it along to another organization
// comes without it, is not found by it, and stands in nobody's way.
func TestWrittenAddressesStayWhereTheyWere(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		squatter := squat(w, chief)
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		equal(t, "address of who comes by a link", "", do(w, "squatter", api.AcceptInvite, following(link)).User.Email)
		see := func() string { return do(w, "reader", api.ShowUser, api.UserRef{User: squatter.ID}).Email }
		equal(t, "address that members see", "", see())
		equal(t, "members who are found by the address", 0, do(w, "reader", api.ListMembers, api.ListMembersInput{Organization: w.org, Search: "corp"}).Count)
		team := w.newTeam("editor").ID
		w.untouched(func() api.Error {
			return refused(w, "admin", api.UpdateTeamMembers, api.UpdateTeamMembersInput{
				TeamRef: api.TeamRef{Organization: w.org, Team: team}, Body: api.TeamMembersUpdate{Add: []string{chief}},
			}, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		own := do(w, "squatter", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Corp"}}).ID
		equal(t, "address in an organization of their own", "",
			do(w, "squatter", api.GetMember, api.MemberRef{Organization: own, User: squatter.ID}).User.Email)
		do(w, "squatter", api.UpdateUser, api.UpdateUserInput{UserRef: api.UserRef{User: squatter.ID}, Body: api.UserPatch{DisplayName: api.Some("The chief")}})
		equal(t, "address after a change of the name", "", see())
		equal(t, "address where it was written", chief,
			do(w, "stranger", api.GetMember, api.MemberRef{Organization: w.otherOrg, User: squatter.ID}).User.Email)
		equal(t, "the owner's own invite gives an account", true, do(w, "", api.AcceptInvite, accepting(w.invite(chief, api.RoleRead))).Token != "")
	})
}

// Who was invited by the same address elsewhere may come with the account that they have.
func TestOneAccountForTwoInvites(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		mine := squat(w, "me@home.example")
		invite := w.invite("me@home.example", api.RoleRead)
		came := do(w, "squatter", api.AcceptInvite, accepting(invite))
		if came.ID != mine.ID || came.Token != "" || came.User.Email != "me@home.example" {
			t.Errorf("came as %+v", came)
		}
		equal(t, "address", "me@home.example", do(w, "reader", api.ShowUser, api.UserRef{User: mine.ID}).Email)
		bound := newToken(w, "squatter", "bound", api.TokenCreate{Organization: api.Some(w.otherOrg)})
		other := do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Third"}}).ID
		third := do(w, "admin", api.CreateInvite, api.CreateInviteInput{Organization: other, Body: api.InviteCreate{Emails: []string{"me@home.example"}}}).Invited[0]
		equal(t, "organization of the token", w.otherOrg, bound.Organization)
		refused(w, "bound", api.AcceptInvite, accepting(third), http.StatusForbidden, api.ReasonForbidden)
	})
}

// Inside an organization an address tells people apart: a member who has it is not invited again, a second invite to it
// makes no second member, and where two have it in spite of that, nobody is taken for the other.
func TestAddressesInsideAnOrganization(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		first, second := w.invite(chief, api.RoleRead), w.invite(chief, api.RoleAdmin)
		member := do(w, "", api.AcceptInvite, accepting(first))
		w.untouched(func() api.Error {
			return refused(w, "", api.AcceptInvite, accepting(second), http.StatusConflict, api.ReasonState)
		})
		inviting := api.CreateInviteInput{Organization: w.org, Body: api.InviteCreate{Emails: []string{chief}}}
		equal(t, "who has the address", member.ID, do(w, "admin", api.CreateInvite, inviting).Users[0].ID)
		accounts := orgs.Accounts{Store: w.store}
		vouched, err := accounts.User(t.Context(), chief, "The chief")
		w.must(err)
		w.must(accounts.Member(t.Context(), w.org, vouched, api.RoleEdit))
		equal(t, "members with the address", 2, len(do(w, "admin", api.CreateInvite, inviting).Users))
		team := api.UpdateTeamMembersInput{
			TeamRef: api.TeamRef{Organization: w.org, Team: w.newTeam("editor").ID}, Body: api.TeamMembersUpdate{Add: []string{chief}},
		}
		w.untouched(func() api.Error {
			return refused(w, "admin", api.UpdateTeamMembers, team, http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
		team.Body.Add = []string{vouched.ID}
		do(w, "admin", api.UpdateTeamMembers, team)
	})
}

// An account that an invite made before addresses had to be vouched for may still hold the claim of its address. The
// claim is not honoured, and is given up; the account keeps its memberships and its token.
func TestClaimsOfBeforeAreGivenUp(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		squatter := squat(w, chief)
		w.must(w.store.Update(t.Context(), store.User(squatter.ID), txn.UpdateOptions{}, func(tx *store.Tx) error {
			u, err := tx.User(squatter.ID)
			if err != nil {
				return err
			}
			tx.Claim(store.EmailKey(chief), squatter.ID)
			_, err = tx.PutUser(u)
			return err
		}))
		owner := do(w, "", api.AcceptInvite, accepting(w.invite(chief, api.RoleRead)))
		vouched, err := orgs.Accounts{Store: w.store}.Vouched(t.Context(), chief, "")
		w.must(err)
		if !vouched.Made || vouched.Instead != squatter.ID || vouched.ID == squatter.ID || vouched.ID == owner.ID {
			t.Errorf("vouched for %+v", vouched)
		}
		claim, held, err := w.store.Claim(t.Context(), store.EmailKey(chief))
		w.must(err)
		equal(t, "who has the address", vouched.ID, claim.Owner)
		equal(t, "somebody has it", true, held)
		do(w, "squatter", api.GetMember, api.MemberRef{Organization: w.otherOrg, User: squatter.ID})
	})
}
