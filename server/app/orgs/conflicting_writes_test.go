package orgs_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
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
