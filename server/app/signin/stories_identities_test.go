package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// askAdmin is the part of a hint that names what admins can do.
const askAdmin = "wsctl identities update ID --user EMAIL"

// withAddressOf returns somebody whom a provider calls subject, with the address of a user of the world.
func withAddressOf(w *servertest.World, name, subject string) person {
	return person{subject: subject, email: w.Users[name].Email, name: "By provider"}
}

// identitiesWith returns the identities with a status, as the admin sees them.
func identitiesWith(w *servertest.World, status api.IdentityStatus) []api.Identity {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListIdentities, api.ListIdentitiesInput{Organization: w.Org, Status: status}).Items
}

// identityOf returns the reference of the identity of somebody at the provider.
func (p *identityProvider) identityOf(who person) api.IdentityRef {
	return api.IdentityRef{Organization: p.w.Org, Identity: store.IdentityID(p.provider.ID, p.entityID, who.subject)}
}

// assign links an identity with a user of the world, as the admin.
func (p *identityProvider) assign(who person, name string) api.Identity {
	p.w.T.Helper()
	return servertest.Do(p.w, "admin", api.UpdateIdentity, api.UpdateIdentityInput{
		IdentityRef: p.identityOf(who), Body: api.IdentityPatch{User: api.Some(p.w.Users[name].ID)},
	})
}

// TestAdminLinksPendingIdentity checks that a refused sign-in leaves a pending identity, which an admin sees with the members who have the
// address, and that the person signs in as the member with whom the admin links it.
func TestAdminLinksPendingIdentity(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		who := withAddressOf(w, "editor", "s-editor")
		p.signIn(newBrowser(w), who, "").want(t, http.StatusForbidden, "it is not known whether that is you")
		servertest.Equal(t, "pending before an admin has signed in", 0, len(identitiesWith(w, api.IdentityPending)))
		p.activate()
		p.signIn(newBrowser(w), who, "").want(t, http.StatusForbidden, askAdmin)
		pending := identitiesWith(w, api.IdentityPending)
		if len(pending) != 1 || pending[0].ID != p.identityOf(who).Identity ||
			pending[0].Subject != who.subject || pending[0].User != nil ||
			len(pending[0].Candidates) != 1 || pending[0].Candidates[0].ID != w.Users["editor"].ID {
			t.Fatalf("pending: %+v", pending)
		}
		renamed := who
		renamed.name = "Another name"
		p.signIn(newBrowser(w), renamed, "").want(t, http.StatusForbidden, askAdmin)
		again := servertest.Do(w, "admin", api.GetIdentity, p.identityOf(who))
		servertest.Equal(t, "name after another attempt", "Another name", again.Name)
		etag := w.Call("admin", http.MethodGet, path(again.URLs.Location), nil, http.StatusOK).Header.Get("Etag")
		p.signIn(newBrowser(w), renamed, "").want(t, http.StatusForbidden, askAdmin)
		servertest.Equal(t, "ETag after the same attempt", etag,
			w.Call("admin", http.MethodGet, path(again.URLs.Location), nil, http.StatusOK).Header.Get("Etag"))
		servertest.Equal(t, "events", 1, servertest.CountEvents(w, "identities.request"))

		linked := p.assign(who, "editor")
		if linked.Status != api.IdentityLinked || linked.User == nil || linked.User.ID != w.Users["editor"].ID || linked.Candidates != nil {
			t.Errorf("linked: %+v", linked)
		}
		servertest.Equal(t, "pending after the link", 0, len(identitiesWith(w, api.IdentityPending)))
		servertest.Equal(t, "linked", 2, len(identitiesWith(w, api.IdentityLinked)))
		b := newBrowser(w)
		p.signIn(b, who, "").wantRedirect(t, "/account")
		b.get("/account").want(t, http.StatusOK, w.Users["editor"].DisplayName)
		servertest.Equal(t, "events of the link by the person", 1, servertest.CountEvents(w, "identities.create")) // of the admin
	})
}

// TestPendingIdentityIsLinked checks that a pending identity is linked when the person confirms it, and when the address is verified.
func TestPendingIdentityIsLinked(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		editor, reader := withAddressOf(w, "editor", "s-editor"), withAddressOf(w, "reader", "s-reader")
		p.signIn(newBrowser(w), editor, "").want(t, http.StatusForbidden, askAdmin)
		p.signIn(newBrowser(w), reader, "").want(t, http.StatusForbidden, askAdmin)
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		b.submit(p.signIn(b, editor, ""), "/account/confirm", "decision", "link").wantRedirect(t, "/account")
		w.TrustDomains("admin", w.Org, reader.email[strings.Index(reader.email, "@")+1:])
		p.signIn(newBrowser(w), reader, "").wantRedirect(t, "/account")
		servertest.Equal(t, "pending", 0, len(identitiesWith(w, api.IdentityPending)))
		for _, name := range []string{"editor", "reader"} {
			found := servertest.Do(w, "admin", api.ListIdentities, api.ListIdentitiesInput{
				Organization: w.Org, User: w.Users[name].ID, Provider: p.provider.ID,
			})
			if len(found.Items) != 1 || found.Count != 1 || found.Items[0].User.ID != w.Users[name].ID {
				t.Errorf("identities of %s: %+v", name, found)
			}
		}
	})
}

// TestDeletedIdentityEndsSignIns checks that the sign-ins by an identity end when an admin removes it, and that it is pending again after
// the next attempt.
func TestDeletedIdentityEndsSignIns(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		who := withAddressOf(w, "editor", "s-editor")
		p.signIn(newBrowser(w), who, "").want(t, http.StatusForbidden, askAdmin)
		p.assign(who, "editor")
		b := newBrowser(w)
		p.signIn(b, who, "").wantRedirect(t, "/account")
		servertest.Do(w, "admin", api.DeleteIdentity, p.identityOf(who))
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		servertest.Equal(t, "linked", 1, len(identitiesWith(w, api.IdentityLinked)))
		p.signIn(b, who, "").want(t, http.StatusForbidden, askAdmin)
		servertest.Equal(t, "pending", 1, len(identitiesWith(w, api.IdentityPending)))
		servertest.Equal(t, "events of requests", 2, servertest.CountEvents(w, "identities.request"))
		servertest.Do(w, "admin", api.DeleteIdentity, p.identityOf(who))
		servertest.Refused(w, "admin", api.GetIdentity, p.identityOf(who), http.StatusNotFound, api.ReasonNotFound)
	})
}

// TestIdentityMovesToAnotherMember checks that the sign-ins of the former member end when an admin gives an identity to another one, in
// whose name the next sign-in is.
func TestIdentityMovesToAnotherMember(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		who := withAddressOf(w, "editor", "s-editor")
		p.signIn(newBrowser(w), who, "").want(t, http.StatusForbidden, askAdmin)
		p.assign(who, "editor")
		b := newBrowser(w)
		p.signIn(b, who, "").wantRedirect(t, "/account")
		p.assign(who, "reader")
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		servertest.Equal(t, "identities of the former member", 0, len(servertest.Do(w, "admin", api.ListIdentities, api.ListIdentitiesInput{
			Organization: w.Org, User: w.Users["editor"].ID,
		}).Items))
		p.signIn(b, who, "").wantRedirect(t, "/account")
		b.get("/account").want(t, http.StatusOK, w.Users["reader"].DisplayName)
	})
}

// TestAdminReplacesIdentity checks that a second identity of a provider is pending although its address is verified, and that it takes the
// place of the first one when an admin decides so.
func TestAdminReplacesIdentity(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		first, second := withAddressOf(w, "editor", "s-first"), withAddressOf(w, "editor", "s-second")
		w.TrustDomains("admin", w.Org, first.email[strings.Index(first.email, "@")+1:])
		b := newBrowser(w)
		p.signIn(b, first, "").wantRedirect(t, "/account")
		refused := p.signIn(newBrowser(w), second, "")
		refused.want(t, http.StatusForbidden, "signs in by another identity")
		refused.want(t, http.StatusForbidden, askAdmin)
		servertest.Equal(t, "pending", 1, len(identitiesWith(w, api.IdentityPending)))
		p.assign(second, "editor")
		servertest.Refused(w, "admin", api.GetIdentity, p.identityOf(first), http.StatusNotFound, api.ReasonNotFound)
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		p.signIn(b, second, "").wantRedirect(t, "/account")
	})
}

// TestPendingIdentitiesAreBounded checks that a provider has at most 100 pending identities.
func TestPendingIdentitiesAreBounded(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		for range 99 {
			servertest.NewIdentity(w, p.provider.ID, "reader", "")
		}
		last, more := withAddressOf(w, "editor", "s-last"), withAddressOf(w, "editor", "s-more")
		p.signIn(newBrowser(w), last, "").want(t, http.StatusForbidden, askAdmin)
		refused := p.signIn(newBrowser(w), more, "")
		refused.want(t, http.StatusForbidden, "it is not known whether that is you")
		if strings.Contains(refused.body, askAdmin) {
			t.Errorf("the page names admins, who do not see the identity:\n%s", refused.body)
		}
		p.signIn(newBrowser(w), last, "").want(t, http.StatusForbidden, askAdmin)
		all := api.ListOptions{Limit: api.Some(1000)}
		found := servertest.Do(w, "admin", api.ListIdentities, api.ListIdentitiesInput{
			Organization: w.Org, Provider: p.provider.ID, Status: api.IdentityPending, ListOptions: all,
		})
		servertest.Equal(t, "pending", 100, len(found.Items))
		servertest.Equal(t, "linked", 1, len(servertest.Do(w, "admin", api.ListIdentities, api.ListIdentitiesInput{
			Organization: w.Org, Provider: p.provider.ID, Status: api.IdentityLinked, ListOptions: api.ListOptions{Limit: api.Some(1)},
		}).Items))
		servertest.Do(w, "admin", api.DeleteIdentity, p.identityOf(last))
		p.signIn(newBrowser(w), more, "").want(t, http.StatusForbidden, askAdmin)
		servertest.Do(w, "admin", api.DeleteSAMLProvider, p.ref())
		servertest.RunJobs(w)
		servertest.Equal(t, "pending of the deleted provider", 0, len(identitiesWith(w, api.IdentityPending)))
	})
}

// TestIdentitiesAreForAdmins checks who may see and change identities, and with whom they can be linked.
func TestIdentitiesAreForAdmins(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		provider := servertest.NewActiveSAMLProvider(w).ID
		ref := api.IdentityRef{Organization: w.Org, Identity: servertest.NewIdentity(w, provider, "editor", "")}
		link := func(user string) api.UpdateIdentityInput {
			return api.UpdateIdentityInput{IdentityRef: ref, Body: api.IdentityPatch{User: api.Some(user)}}
		}
		servertest.Refused(w, "editor", api.GetIdentity, ref, http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "editor", api.UpdateIdentity, link(w.Users["editor"].ID), http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "editor", api.DeleteIdentity, ref, http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "editor", api.ListIdentities, api.ListIdentitiesInput{Organization: w.Org}, http.StatusForbidden,
			api.ReasonForbidden)
		other := api.IdentityRef{Organization: w.OtherOrg, Identity: ref.Identity}
		servertest.Refused(w, "stranger", api.GetIdentity, other, http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "stranger", api.UpdateIdentity, api.UpdateIdentityInput{
			IdentityRef: other, Body: api.IdentityPatch{User: api.Some(w.Users["stranger"].ID)},
		}, http.StatusNotFound, api.ReasonNotFound)
		servertest.Refused(w, "stranger", api.GetIdentity, ref, http.StatusNotFound, api.ReasonNotFound)

		bot := servertest.NewServiceAccount(w, "Bot", api.RoleRead).ID
		_, err := orgs.Accounts{Store: w.Store}.SetDisabled(t.Context(), w.Users["reader"].ID, true)
		w.Must(err)
		for user, message := range map[string]string{
			w.Users["stranger"].ID: "is not a member", bot: "is a service account", w.Users["reader"].ID: "has a disabled account",
		} {
			e := servertest.Refused(w, "admin", api.UpdateIdentity, link(user), http.StatusUnprocessableEntity, api.ReasonInvalid)
			if len(e.Fields) != 1 || e.Fields[0].Path != "user" || !strings.Contains(e.Fields[0].Message, message) {
				t.Errorf("fields: %+v, want %s", e.Fields, message)
			}
		}
	})
}

// TestCandidatesAreBounded checks that a pending identity shows at most ten members with its address, and none when nobody has it any more.
func TestCandidatesAreBounded(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		provider := servertest.NewActiveSAMLProvider(w).ID
		ref := api.IdentityRef{Organization: w.Org, Identity: servertest.NewIdentity(w, provider, "editor", "")}
		for range 11 {
			id := servertest.NewMember(w, api.RoleRead)
			storetest.Update(w.T, w.Store, w.Org, func(tx *store.Tx) error {
				m, err := tx.Member(w.Org, id)
				if err != nil {
					return err
				}
				m.Private.User.Email = w.Users["editor"].Email
				_, err = tx.PutMember(w.Org, m)
				return err
			})
		}
		servertest.Equal(t, "candidates", 10, len(servertest.Do(w, "admin", api.GetIdentity, ref).Candidates))
		nobody := api.IdentityRef{Organization: w.Org, Identity: servertest.NewIdentity(w, provider, "stranger", "")}
		body := string(w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/identities/"+nobody.Identity, nil, http.StatusOK).Body)
		if !strings.Contains(body, `"candidates":[]`) {
			t.Errorf("without candidates: %s", body)
		}
	})
}

// TestAdminKeepsIdentityUnderSSO checks that the last identity of the admins neither moves to another member nor is removed while single
// sign-on is required: nobody could change that any more.
func TestAdminKeepsIdentityUnderSSO(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		w.Tokens["by provider"] = newClient(w).signIn(p.activate()).Access
		servertest.Do(w, "by provider", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.Org, Body: api.OrganizationPatch{SSO: api.Some(true)},
		})
		move := api.UpdateIdentityInput{
			IdentityRef: p.identityOf(p.admin()), Body: api.IdentityPatch{User: api.Some(w.Users["editor"].ID)},
		}
		servertest.Refused(w, "by provider", api.UpdateIdentity, move, http.StatusConflict, api.ReasonState)
		servertest.Refused(w, "by provider", api.DeleteIdentity, p.identityOf(p.admin()), http.StatusConflict, api.ReasonState)
		second := api.UpdateMemberInput{
			MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID},
			Body:      api.MemberPatch{Role: api.Some(api.RoleAdmin)},
		}
		servertest.Do(w, "by provider", api.UpdateMember, second)
		servertest.Refused(w, "by provider", api.UpdateIdentity, move, http.StatusConflict, api.ReasonState)
		b := newBrowser(w)
		b.signIn(w.Tokens["creator"])
		b.submit(p.signIn(b, person{subject: "s-creator", name: "Creator"}, ""), "/account/confirm", "decision", "link").
			wantRedirect(t, "/account")
		servertest.Do(w, "by provider", api.UpdateIdentity, move)
	})
}
