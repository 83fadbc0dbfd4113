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

// A caller who loses access to a space between the check and the commit does not make an invite link into it.
func TestLinkIntoHiddenSpaceIsNotCreated(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Secret", "", "")
	answer := i.Before(func() { w.Hide(space) }, func() servertest.Answer {
		return servertest.Try(w, "creator", api.CreateLinkInvite, api.CreateLinkInviteInput{
			Organization: w.Org, Body: api.LinkInviteCreate{Level: api.RoleEdit, Space: space},
		})
	})
	if servertest.Succeeded(answer) {
		t.Errorf("answer %d %s", answer.Status, answer.Body)
	}
	links := servertest.Do(w, "admin", api.ListLinkInvites, api.ListLinkInvitesInput{Organization: w.Org}).Items
	servertest.Equal(t, "links", 0, len(links))
}

// An invite link does not lower the access that a member got between the check and the commit of its use, although a
// direct grant decides alone.
func TestLinkDoesNotLowerNewAccess(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, space := i.World, i.CreateSpace("Space", "", "")
	w.Hide(space)
	team := w.NewTeam("reader")
	link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Level: api.RoleComment, Space: space})
	answer := i.Before(func() { servertest.GrantTeam(w, team, space, api.RoleEdit) }, func() servertest.Answer {
		return servertest.Try(w, "reader", api.AcceptInvite, servertest.AcceptLinkInput(link))
	})
	servertest.Equal(t, "accepted", true, servertest.Succeeded(answer))
	servertest.Equal(t, "role", api.RoleEdit, servertest.ShownRole(w, "reader", space))
}

// A token that is made with another one between the check and the commit of its revocation is revoked with it.
func TestNewTokenIsRevokedWithParent(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	parent := servertest.NewToken(w, "admin", "parent", api.TokenCreate{})
	servertest.NewToken(w, "parent", "child", api.TokenCreate{})
	answer := i.Before(func() { servertest.NewToken(w, "parent", "late", api.TokenCreate{}) }, func() servertest.Answer {
		return servertest.Try(w, "admin", api.DeleteToken, api.TokenRef{Token: parent.ID})
	})
	servertest.Equal(t, "accepted", true, servertest.Succeeded(answer))
	for _, name := range []string{"parent", "child", "late"} {
		servertest.Equal(t, name+" works", false, servertest.TokenWorks(w, name))
	}
}

// Of two organizations that a user makes at the same time, with a quota for one, one is made.
func TestOrganizationQuotaHoldsBetweenCheckAndCommit(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, user := i.World, i.Users["creator"].ID
	w.Must(orgs.Accounts{Store: w.Store}.SetLimits(t.Context(), store.User(user), store.UserQuotaKey(user), map[string]*int64{
		"organizations": new(int64(1)),
	}))
	create := func() servertest.Answer {
		return servertest.Try(w, "creator", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Own"}})
	}
	var first servertest.Answer
	second := i.Before(func() { first = create() }, create)
	servertest.Equal(t, "first", true, servertest.Succeeded(first))
	servertest.Equal(t, "second", false, servertest.Succeeded(second))
}

// A member who is removed by another node between the check and the commit is not added to a team.
func TestRemovedMemberIsNotAddedToTeam(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w, team := i.World, i.NewTeam("reader")
	answer := i.Before(func() { w.RemoveMember("guest") }, func() servertest.Answer {
		return servertest.Try(w, "admin", api.UpdateTeamMembers, api.UpdateTeamMembersInput{
			TeamRef: servertest.TeamRef(w, team), Body: api.TeamMembersUpdate{Add: []string{w.Users["guest"].ID}},
		})
	})
	servertest.Equal(t, "status of the answer", http.StatusUnprocessableEntity, answer.Status)
	members := servertest.Do(w, "admin", api.ListTeamMembers, api.ListTeamMembersInput{TeamRef: servertest.TeamRef(w, team)}).Items
	servertest.Equal(t, "members of the team", 1, len(members))
}

// Two processes that create an account for the same address at the same time create one.
func TestAddressGetsOneAccount(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	ensure := func() orgs.Account {
		account, err := orgs.Accounts{Store: i.Store}.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "The chief")
		i.Must(err)
		return account
	}
	var first, second orgs.Account
	i.Before(func() { first = ensure() }, func() servertest.Answer {
		second = ensure()
		return servertest.Answer{}
	})
	servertest.Equal(t, "account", first.ID, second.ID)
	servertest.Equal(t, "created", []bool{true, false}, []bool{first.Created, second.Created})
}

// An invite that verifies its address does not, if the address is given to another account between the check and the
// commit.
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
			answer := i.Before(func() {
				var err error
				owner, err = orgs.Accounts{Store: w.Store}.EnsureVerifiedUser(t.Context(), servertest.ChiefEmail, "The chief")
				w.Must(err)
			}, func() servertest.Answer {
				return servertest.Try(w, as, api.AcceptInvite, servertest.AcceptInput(invite))
			})
			servertest.Equal(t, "status of the answer", http.StatusConflict, answer.Status)
			servertest.Equal(t, "reason", api.ReasonState, answer.Error().Reason)
			claim, err := orgs.ReadAddressClaim(t.Context(), w.Store, servertest.ChiefEmail)
			w.Must(err)
			servertest.Equal(t, "owner of the address", owner.ID, claim.Owner)
		})
	}
}

// Of two organizations that take a hostname at the same time, whose claim is stale, one gets it, whenever the other
// takes it.
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
		take := func(as, org string) servertest.Answer {
			return servertest.Try(w, as, api.UpdateOrganization, api.UpdateOrganizationInput{
				Organization: org, Body: api.OrganizationPatch{Hostname: api.Some(hostname)},
			})
		}
		var first, second servertest.Answer
		second, more = i.BeforeWrite(n, func() { first = take("stranger", w.OtherOrg) }, func() servertest.Answer {
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
