package orgs_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestLinkInviteIntoSpaceHiddenDuringRequestIsNotCreated checks that a caller who loses access to a space between the check and
// the commit does not create an invite link into it.
func TestLinkInviteIntoSpaceHiddenDuringRequestIsNotCreated(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	response := i.Before(func() { w.Hide(space) }, func() servertest.Response {
		return servertest.Try(w, "creator", api.CreateLinkInvite, api.CreateLinkInviteInput{
			Organization: w.Org, Body: api.LinkInviteCreate{Level: api.RoleEdit, Space: space},
		})
	})
	if servertest.Succeeded(response) {
		t.Errorf("answer %d %s", response.Status, response.Body)
	}
	links := servertest.Do(w, "admin", api.ListLinkInvites, api.ListLinkInvitesInput{Organization: w.Org}).Items
	servertest.Equal(t, "links", 0, len(links))
}

// TestLinkInviteByMemberOfDeletedTeamIsNotCreated checks that a caller whose access to a space comes from a team that is deleted
// after the check, but before the transaction reads the team's entry, does not create an invite link into it.
func TestLinkInviteByMemberOfDeletedTeamIsNotCreated(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	w.Hide(space)
	team := w.NewTeam("reader")
	servertest.GrantTeam(w, team, space, api.RoleCreate)
	remove := func() { servertest.Do(w, "admin", api.DeleteTeam, servertest.TeamRef(w, team)) }
	response := i.BeforeRead("hget", txn.EntriesKey(w.Org), remove, func() servertest.Response {
		return servertest.Try(w, "reader", api.CreateLinkInvite, api.CreateLinkInviteInput{
			Organization: w.Org, Body: api.LinkInviteCreate{Level: api.RoleEdit, Space: space},
		})
	})
	servertest.Equal(t, "status of the answer", http.StatusUnprocessableEntity, response.Status)
	links := servertest.Do(w, "admin", api.ListLinkInvites, api.ListLinkInvitesInput{Organization: w.Org}).Items
	servertest.Equal(t, "links", 0, len(links))
}

// TestLinkInviteDoesNotLowerConcurrentGrant checks that an invite link does not lower the access that a member got from a team
// between the check and the commit of its use, although a direct grant overrides those of teams.
func TestLinkInviteDoesNotLowerConcurrentGrant(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Space", "", "")
	w.Hide(space)
	team := w.NewTeam("reader")
	link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleComment, Space: space})
	response := i.Before(func() { servertest.GrantTeam(w, team, space, api.RoleEdit) }, func() servertest.Response {
		return servertest.Try(w, "reader", api.AcceptInvite, servertest.AcceptLinkInput(link))
	})
	servertest.Equal(t, "accepted", true, servertest.Succeeded(response))
	servertest.Equal(t, "role", api.RoleEdit, servertest.ShownRole(w, "reader", space))
}

// TestNewTokenIsRevokedWithParent checks that a token that is created with another token between the check and the commit of
// the latter's revocation is revoked with it.
func TestNewTokenIsRevokedWithParent(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	parent := servertest.NewToken(w, "admin", "parent", api.TokenCreate{})
	servertest.NewToken(w, "parent", "child", api.TokenCreate{})
	response := i.Before(func() { servertest.NewToken(w, "parent", "late", api.TokenCreate{}) }, func() servertest.Response {
		return servertest.Try(w, "admin", api.DeleteToken, api.TokenRef{Token: parent.ID})
	})
	servertest.Equal(t, "accepted", true, servertest.Succeeded(response))
	for _, name := range []string{"parent", "child", "late"} {
		servertest.Equal(t, name+" works", false, servertest.TokenWorks(w, name))
	}
}

// TestOrganizationQuotaHoldsForConcurrentCreation checks that if a user with a quota of one organization creates two at the
// same time, only one is created.
func TestOrganizationQuotaHoldsForConcurrentCreation(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, user := i.World, i.Users["creator"].ID
	w.Must(orgs.Accounts{Store: w.Store}.SetLimits(t.Context(), store.User(user), store.UserQuotaKey(user), map[string]*int64{
		"organizations": new(int64(1)),
	}))
	create := func() servertest.Response {
		return servertest.Try(w, "creator", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Own"}})
	}
	var first servertest.Response
	second := i.Before(func() { first = create() }, create)
	servertest.Equal(t, "first", true, servertest.Succeeded(first))
	servertest.Equal(t, "second", false, servertest.Succeeded(second))
}

// TestRemovedMemberIsNotAddedToTeam checks that a member who is removed by another node between the check and the commit is not
// added to a team.
func TestRemovedMemberIsNotAddedToTeam(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, team := i.World, i.NewTeam("reader")
	response := i.Before(func() { w.RemoveMember("guest") }, func() servertest.Response {
		return servertest.Try(w, "admin", api.UpdateTeamMembers, api.UpdateTeamMembersInput{
			TeamRef: servertest.TeamRef(w, team), Body: api.TeamMembersUpdate{Add: []string{w.Users["guest"].ID}},
		})
	})
	servertest.Equal(t, "status of the answer", http.StatusUnprocessableEntity, response.Status)
	members := servertest.Do(w, "admin", api.ListTeamMembers, api.ListTeamMembersInput{TeamRef: servertest.TeamRef(w, team)}).Items
	servertest.Equal(t, "members of the team", 1, len(members))
}

// TestConcurrentCreationMakesOneAccount checks that two processes that create an account for the same address at the same time
// create only one.
func TestConcurrentCreationMakesOneAccount(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	ensure := func() orgs.Account {
		account, err := orgs.Accounts{Store: i.Store}.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "The chief")
		i.Must(err)
		return account
	}
	var first, second orgs.Account
	i.Before(func() { first = ensure() }, func() servertest.Response {
		second = ensure()
		return servertest.Response{}
	})
	servertest.Equal(t, "account", first.ID, second.ID)
	servertest.Equal(t, "created", []bool{true, false}, []bool{first.Created, second.Created})
}

// TestInviteDoesNotVerifyClaimedAddress checks that an invite does not verify its address if another account claims the address
// between the check and the commit.
func TestInviteDoesNotVerifyClaimedAddress(t *testing.T) {
	t.Parallel()
	for name, as := range map[string]string{"new account": "", "member": "chief"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := servertest.NewInterference(t)
			w := i.World
			if as != "" {
				acceptInvite(w, as, "admin", w.Org, servertest.ChiefEmail)
			}
			w.ProveDomains("admin", w.Org, corpDomain)
			invite := servertest.InviteAs(w, "admin", servertest.ChiefEmail, api.RoleRead)
			var owner orgs.Account
			response := i.Before(func() {
				var err error
				owner, err = orgs.Accounts{Store: w.Store}.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "The chief")
				w.Must(err)
			}, func() servertest.Response {
				return servertest.Try(w, as, api.AcceptInvite, servertest.AcceptInput(invite))
			})
			servertest.Equal(t, "status of the answer", http.StatusConflict, response.Status)
			servertest.Equal(t, "reason", api.ReasonState, response.Error().Reason)
			claim, err := orgs.ReadAddressClaim(t.Context(), w.Store, servertest.ChiefEmail)
			w.Must(err)
			servertest.Equal(t, "owner of the address", owner.ID, claim.Owner)
		})
	}
}

// TestInviteDoesNotTakeAccountOfOperator checks that an invite to an address is refused if the operator creates the account of
// the address after the acceptance has claimed it.
func TestInviteDoesNotTakeAccountOfOperator(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	w.ProveDomains("admin", w.Org, corpDomain)
	invite := servertest.InviteAs(w, "admin", servertest.ChiefEmail, api.RoleRead)
	response, wrote := i.BeforeWrite(2, func() { // the first one is the claim
		_, err := orgs.Accounts{Store: w.Store}.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "The chief")
		w.Must(err)
	}, func() servertest.Response {
		return servertest.Try(w, "", api.AcceptInvite, servertest.AcceptInput(invite))
	})
	servertest.Equal(t, "a second write", true, wrote)
	servertest.Equal(t, "status of the answer", http.StatusConflict, response.Status)
	servertest.Equal(t, "reason", api.ReasonState, response.Error().Reason)
}

// TestTokenMadeDuringRevocationIsRevoked checks that the revocation of a token by the operator also deletes a token that is made
// with it in the meantime.
func TestTokenMadeDuringRevocationIsRevoked(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	parent := servertest.NewToken(i.World, "admin", "parent", api.TokenCreate{})
	var revoked []api.TokenFields
	i.Before(func() {
		servertest.NewToken(i.World, "parent", "child", api.TokenCreate{})
	}, func() servertest.Response {
		var err error
		revoked, err = orgs.Accounts{Store: i.Store}.RevokeToken(t.Context(), i.Users["admin"].ID, parent.ID)
		i.Must(err)
		return servertest.Response{}
	})
	servertest.Equal(t, "revoked tokens", 2, len(revoked))
	for _, name := range []string{"parent", "child"} {
		servertest.Equal(t, name+" works", false, servertest.TokenWorks(i.World, name))
	}
}

// TestStaleHostnameIsTakenOnce checks that if two organizations take a hostname with a stale claim at the same time, exactly
// one of them gets it, in any order of their writes.
func TestStaleHostnameIsTakenOnce(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	for n, more := int64(1), true; more && !t.Failed(); n++ {
		hostname := fmt.Sprintf("acme-%d", n)
		storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
			tx.Claim(store.HostnameKey(hostname), "org_gone")
			tx.Event(map[string]string{"type": "test"})
			return nil
		})
		w.Clock.Advance(txn.ClaimGrace + time.Minute)
		take := func(as, org string) servertest.Response {
			return servertest.Try(w, as, api.UpdateOrganization, api.UpdateOrganizationInput{
				Organization: org, Body: api.OrganizationPatch{Hostname: api.Some(hostname)},
			})
		}
		var first, second servertest.Response
		second, more = i.BeforeWrite(n, func() { first = take("stranger", w.OtherOrg) }, func() servertest.Response {
			return take("admin", w.Org)
		})
		if !more {
			break
		}
		loser := second
		if servertest.Succeeded(second) {
			loser = first
		}
		servertest.Equal(t, "one has it", true, servertest.Succeeded(first) != servertest.Succeeded(second))
		servertest.Equal(t, "reason of the other", api.ReasonConflict, loser.Error().Reason)
	}
}
