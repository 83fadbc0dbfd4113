package signin_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// identified completes a sign-in by the provider in a browser, up to the page that makes the session. It returns the request of that page.
func (p *identityProvider) identified(b *browser, who person) func() servertest.Response {
	b.t.Helper()
	p.answer(b, p.response(who, p.start(b, ""))).wantRedirect(b.t, "/account/identified")
	return func() servertest.Response {
		page := b.get("/account/identified")
		return servertest.Response{Status: page.status, Body: []byte(page.body)}
	}
}

// beforeCommit runs the request that completes a sign-in and calls act before its first commit. The write before that notes that the
// sign-in was used.
func beforeCommit(i *servertest.Interference, act func(), request func() servertest.Response) servertest.Response {
	i.T.Helper()
	const commit = 2
	a, wrote := i.BeforeWrite(commit, act, request)
	if !wrote {
		i.T.Errorf("the sign-in wrote nothing: %d %s", a.Status, a.Body)
	}
	return a
}

// TestIdentityLinkedDuringSignIn checks that an identity which is linked with an account before the commit of a sign-in signs in as that
// account.
func TestIdentityLinkedDuringSignIn(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
	p.activate()
	who := person{subject: "s-editor", name: "Editor"}
	b, other := newBrowser(w), newBrowser(w)
	other.signIn(w.Tokens["editor"])
	confirm := p.signIn(other, who, "")
	beforeCommit(i, func() {
		other.submit(confirm, "/account/confirm", "decision", "link").wantRedirect(t, "/account")
	}, p.identified(b, who))
	b.get("/account").want(t, http.StatusOK, w.Users["editor"].DisplayName)
}

// TestMemberRemovedDuringSignIn checks that an identity which is removed with its member before the commit of a sign-in is not linked with
// that account again.
func TestMemberRemovedDuringSignIn(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
	p.activate()
	who := person{subject: "s-editor", name: "Somebody"}
	linked := newBrowser(w)
	linked.signIn(w.Tokens["editor"])
	linked.submit(p.signIn(linked, who, ""), "/account/confirm", "decision", "link").wantRedirect(t, "/account")
	editor := api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID}
	b := newBrowser(w)
	i.BeforeRead("get", store.MemberKey(w.Org, editor.User), func() {
		servertest.Do(w, "admin", api.DeleteMember, editor)
	}, p.identified(b, who))
	servertest.Refused(w, "admin", api.GetMember, editor, http.StatusNotFound, api.ReasonNotFound)
	b.get("/account").want(t, http.StatusOK, "Somebody")
}

// TestAddressClaimedDuringSignIn checks that two people with one address do not both get an account with it.
func TestAddressClaimedDuringSignIn(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
	p.activate()
	w.TrustDomains("admin", w.Org, "acme.example")
	second := newHire
	second.subject = "s-second"
	b := newBrowser(w)
	answer := beforeCommit(i, func() { p.signIn(newBrowser(w), second, "").wantRedirect(t, "/account") }, p.identified(b, newHire))
	servertest.Equal(t, "status", http.StatusForbidden, answer.Status)
	p.signIn(b, newHire, "").want(t, http.StatusForbidden, "signs in by another identity")
}

// TestSettingsChangedDuringSignIn checks that settings which are changed before the commit of the first sign-in of an admin do not become
// those for everybody.
func TestSettingsChangedDuringSignIn(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	p := newIdentityProvider(w, api.SAMLProviderSettings{})
	b := newBrowser(w)
	b.signIn(w.Tokens["admin"])
	confirm := p.signIn(b, p.admin(), "")
	answer := beforeCommit(i, func() {
		p.update(api.SAMLProviderSettings{SSOURL: api.Some("https://id.acme.example/other")})
	}, func() servertest.Response {
		return servertest.Response{Status: b.submit(confirm, "/account/confirm", "decision", "link").status}
	})
	servertest.Equal(t, "status", http.StatusNotFound, answer.Status)
	servertest.Equal(t, "provider", api.SAMLPending, servertest.Do(w, "admin", api.GetSAMLProvider, p.ref()).Status)
}

// TestProviderDeletedDuringRequirement checks that single sign-on is not required when the provider is deleted before the commit.
func TestProviderDeletedDuringRequirement(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	p := newIdentityProvider(w, api.SAMLProviderSettings{})
	w.Tokens["by provider"] = newClient(w).signIn(p.activate()).Access
	answer := i.Before(func() { servertest.Do(w, "admin", api.DeleteSAMLProvider, p.ref()) }, func() servertest.Response {
		return servertest.Try(w, "by provider", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.Org, Body: api.OrganizationPatch{SSO: api.Some(true)},
		})
	})
	if servertest.Succeeded(answer) {
		t.Errorf("status %d", answer.Status)
	}
	servertest.Equal(t, "required", false, servertest.Do(w, "admin", api.GetOrganization, api.OrganizationRef{Organization: w.Org}).SSO)
}
