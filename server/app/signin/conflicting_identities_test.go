package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// newPendingWorld returns a world in which changes can interfere, with a provider and an identity of it that is pending.
func newPendingWorld(t *testing.T) (i *servertest.Interference, p *identityProvider, who person) {
	t.Helper()
	i = servertest.NewInterference(t)
	p = newIdentityProvider(i.World, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
	p.activate()
	who = withAddressOf(i.World, "editor", "s-editor")
	p.signIn(newBrowser(i.World), who, "").want(t, http.StatusForbidden, askAdmin)
	return i, p, who
}

// assigning returns the request by which the admin links an identity with a user of the world.
func (p *identityProvider) assigning(as string, who person, name string) func() servertest.Response {
	return func() servertest.Response {
		return servertest.Try(p.w, as, api.UpdateIdentity, api.UpdateIdentityInput{
			IdentityRef: p.identityOf(who), Body: api.IdentityPatch{User: api.Some(p.w.Users[name].ID)},
		})
	}
}

// TestIdentityAssignedDuringAttempt checks that a person whose identity an admin links before the commit of another attempt is signed in.
func TestIdentityAssignedDuringAttempt(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	who.name = "Another name" // the attempt stores it
	b := newBrowser(i.World)
	beforeCommit(i, func() { p.assign(who, "editor") }, p.identified(b, who))
	b.get("/account").want(t, http.StatusOK, i.Users["editor"].DisplayName)
	linked := servertest.Do(i.World, "admin", api.GetIdentity, p.identityOf(who))
	servertest.Equal(t, "name", "By provider", linked.Name)
	servertest.Equal(t, "status", api.IdentityLinked, linked.Status)
}

// TestLimitOfPendingIdentitiesHolds checks that an identity which becomes the last one that a provider may have pending before the commit
// of another attempt leaves no place for that one.
func TestLimitOfPendingIdentitiesHolds(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	for range 98 {
		servertest.NewIdentity(i.World, p.provider.ID, "reader", "")
	}
	more := who
	more.subject = "s-more"
	answer := beforeCommit(i, func() { servertest.NewIdentity(i.World, p.provider.ID, "reader", "") },
		p.identified(newBrowser(i.World), more))
	if answer.Status != http.StatusForbidden || strings.Contains(string(answer.Body), askAdmin) {
		t.Errorf("status %d: %s", answer.Status, answer.Body)
	}
	servertest.Refused(i.World, "admin", api.GetIdentity, p.identityOf(more), http.StatusNotFound, api.ReasonNotFound)
}

// TestProviderDeletedDuringAttempt checks that nothing is stored of a provider that is deleted before the commit of an attempt.
func TestProviderDeletedDuringAttempt(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	who.subject = "s-more"
	answer := beforeCommit(i, func() {
		servertest.Do(i.World, "admin", api.DeleteSAMLProvider, p.ref())
		servertest.RunJobs(i.World)
	}, p.identified(newBrowser(i.World), who))
	servertest.Equal(t, "status", http.StatusNotFound, answer.Status)
	all := servertest.Do(i.World, "admin", api.ListIdentities, api.ListIdentitiesInput{Organization: i.Org})
	servertest.Equal(t, "identities", 0, all.Count)
}

// TestIdentityConfirmedDuringAssignment checks that an identity which somebody confirms before the commit of an admin who links it with
// another member belongs to the member of the admin, and that the sign-in of the other ends.
func TestIdentityConfirmedDuringAssignment(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	b := newBrowser(i.World)
	b.signIn(i.Tokens["editor"])
	confirm := p.signIn(b, who, "")
	answer := i.Before(func() {
		b.submit(confirm, "/account/confirm", "decision", "link").wantRedirect(t, "/account")
	}, p.assigning("admin", who, "reader"))
	servertest.Equal(t, "status", http.StatusOK, answer.Status)
	b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
	p.signIn(b, who, "").wantRedirect(t, "/account")
	b.get("/account").want(t, http.StatusOK, i.Users["reader"].DisplayName)
}

// TestIdentityAssignedDuringConfirmation checks that a confirmation does not take an identity from the member with whom an admin links it
// before the commit.
func TestIdentityAssignedDuringConfirmation(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	b := newBrowser(i.World)
	b.signIn(i.Tokens["editor"])
	confirm := p.signIn(b, who, "")
	beforeCommit(i, func() { p.assign(who, "reader") }, func() servertest.Response {
		return servertest.Response{Status: b.submit(confirm, "/account/confirm", "decision", "link").status}
	})
	servertest.Equal(t, "the member", i.Users["reader"].ID, servertest.Do(i.World, "admin", api.GetIdentity, p.identityOf(who)).User.ID)
	b.get("/account").want(t, http.StatusOK, i.Users["reader"].DisplayName)
}

// TestMemberRemovedDuringAssignment checks that an identity is not linked with a member who is removed before the commit.
func TestMemberRemovedDuringAssignment(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	answer := i.Before(func() {
		servertest.Do(i.World, "admin", api.DeleteMember, api.MemberRef{Organization: i.Org, User: i.Users["editor"].ID})
	}, p.assigning("admin", who, "editor"))
	servertest.Equal(t, "status", http.StatusUnprocessableEntity, answer.Status)
	servertest.Equal(t, "status", api.IdentityPending, servertest.Do(i.World, "admin", api.GetIdentity, p.identityOf(who)).Status)
}

// TestIdentityRemovedDuringAssignment checks that an identity which is removed before the commit is not linked.
func TestIdentityRemovedDuringAssignment(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	answer := i.Before(func() { servertest.Do(i.World, "admin", api.DeleteIdentity, p.identityOf(who)) },
		p.assigning("admin", who, "editor"))
	servertest.Equal(t, "status", http.StatusNotFound, answer.Status)
	servertest.Equal(t, "identities of the editor", 0, servertest.Do(i.World, "admin", api.ListIdentities, api.ListIdentitiesInput{
		Organization: i.Org, User: i.Users["editor"].ID,
	}).Count)
}

// TestIdentityMovedDuringRemoval checks that the removal of an identity ends the sign-ins of the member to whom it moves before the commit.
func TestIdentityMovedDuringRemoval(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	p.assign(who, "editor")
	b := newBrowser(i.World)
	i.Before(func() {
		p.assign(who, "reader")
		p.signIn(b, who, "").wantRedirect(t, "/account")
	}, func() servertest.Response {
		return servertest.Try(i.World, "admin", api.DeleteIdentity, p.identityOf(who))
	})
	b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
	servertest.Equal(t, "identities of the reader", 0, servertest.Do(i.World, "admin", api.ListIdentities, api.ListIdentitiesInput{
		Organization: i.Org, User: i.Users["reader"].ID,
	}).Count)
}

// TestAdminsKeepIdentityUnderConcurrentMoves checks that the identities of two admins do not both move to other members while single
// sign-on is required.
func TestAdminsKeepIdentityUnderConcurrentMoves(t *testing.T) {
	t.Parallel()
	i, p, who := newPendingWorld(t)
	w := i.World
	servertest.Do(w, "admin", api.UpdateMember, api.UpdateMemberInput{
		MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID}, Body: api.MemberPatch{Role: api.Some(api.RoleAdmin)},
	})
	p.assign(who, "creator")
	b := newBrowser(w)
	p.signIn(b, p.admin(), "").wantRedirect(t, "/account")
	w.Tokens["by provider"] = newClient(w).signIn(b).Access
	other := newBrowser(w)
	p.signIn(other, who, "").wantRedirect(t, "/account")
	w.Tokens["other by provider"] = newClient(w).signIn(other).Access
	servertest.Do(w, "by provider", api.UpdateOrganization, api.UpdateOrganizationInput{
		Organization: w.Org, Body: api.OrganizationPatch{SSO: api.Some(true)},
	})
	answer := i.Before(func() {
		servertest.Equal(t, "status of the first", http.StatusOK, p.assigning("other by provider", who, "reader")().Status)
	}, p.assigning("by provider", p.admin(), "editor"))
	servertest.Equal(t, "status of the second", http.StatusConflict, answer.Status)
}
