package signin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// newHire is somebody without an account.
var newHire = person{subject: "s-new", email: "new@acme.example", name: "New Hire"}

// TestSignInByProvider checks how a provider is put to use: an admin links the own account, others become members with the role and the
// teams of the provider, and stay the same account afterwards.
func TestSignInByProvider(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		team := w.NewTeam()
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleComment), DefaultTeam: api.Some(team.ID)})
		logins := func() int {
			return len(servertest.Do(w, "", api.ListSAMLProviderLogins, api.OrganizationRef{Organization: w.Org}).Items)
		}
		servertest.Equal(t, "status before", api.SAMLPending, servertest.Do(w, "admin", api.GetSAMLProvider, p.ref()).Status)
		servertest.Equal(t, "listed before", 0, logins())
		p.signIn(newBrowser(w), newHire, "").want(t, http.StatusForbidden, "not in use yet")

		admin := p.activate()
		admin.get("/account").want(t, http.StatusOK, "this session opens")
		servertest.Equal(t, "status after", api.SAMLActive, servertest.Do(w, "admin", api.GetSAMLProvider, p.ref()).Status)
		servertest.Equal(t, "listed after", 1, logins())

		b := newBrowser(w)
		p.signIn(b, newHire, "?next=/account/device").wantRedirect(t, "/account/device")
		b.get("/account").want(t, http.StatusOK, "New Hire")
		members := servertest.Do(w, "admin", api.ListMembers, api.ListMembersInput{Organization: w.Org, Search: "New Hire"}).Items
		if len(members) != 1 || members[0].Role == nil || *members[0].Role != api.RoleComment || members[0].Teams != 1 {
			t.Fatalf("members: %+v", members)
		}
		again := newBrowser(w)
		renamed := newHire
		renamed.email, renamed.name = "other@acme.example", "Somebody Else"
		p.signIn(again, renamed, "").wantRedirect(t, "/account")
		again.get("/account").want(t, http.StatusOK, "New Hire")
		links := servertest.Do(w, "admin", api.ListEvents, api.ListEventsInput{
			Organization: w.Org, EventFilter: api.EventFilter{Kind: "identities.create"},
		}).Items
		servertest.Equal(t, "events of links", 2, len(links))
		for i, joined := range []string{"true", "false"} { // the latest first
			after := links[i].After
			servertest.Equal(t, "joined", joined, string(after["joined"]))
			servertest.Equal(t, "provider", `"`+p.provider.ID+`"`, string(after["provider"]))
		}
		signIns := servertest.Do(w, "admin", api.ListEvents, api.ListEventsInput{
			Organization: w.Org, EventFilter: api.EventFilter{Kind: "sessions.sign-in"},
		}).Items
		if len(signIns) == 0 || string(signIns[0].After["provider"]) != `"`+p.provider.ID+`"` || signIns[0].By == nil {
			t.Errorf("events of sign-ins: %+v", signIns)
		}
		servertest.Equal(t, "events of activation", 1, servertest.CountEvents(w, "providers.activate"))
	})
}

// TestProviderSessionOpensItsOrganizationOnly checks that a session by a provider neither shows nor changes anything of the person
// elsewhere.
func TestProviderSessionOpensItsOrganizationOnly(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		elsewhere := servertest.Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{
			Body: api.OrganizationCreate{Title: "Elsewhere"},
		})
		p := newIdentityProvider(w, api.SAMLProviderSettings{})
		b := p.activate()
		account := b.get("/account")
		if strings.Contains(account.body, "Elsewhere") || strings.Contains(account.body, `name="name"`) {
			t.Errorf("the page shows what is not of the organization:\n%s", account.body)
		}
		c := newClient(w)
		access := c.signIn(b).Access
		w.Tokens["by provider"] = access
		servertest.Refused(w, "by provider", api.GetOrganization, api.OrganizationRef{Organization: elsewhere.ID}, http.StatusNotFound,
			api.ReasonNotFound)
		for _, o := range servertest.Do(w, "by provider", api.ListOrganizations, api.ListOrganizationsInput{}).Items {
			servertest.Equal(t, "an organization", w.Org, o.ID)
		}
		for _, row := range api.Rows() {
			if row.Writes() || !strings.Contains(row.Path, "{organizationId}") || row.Name == api.ListSAMLProviderLogins.Name {
				continue
			}
			target := strings.ReplaceAll(row.Path, "{organizationId}", elsewhere.ID)
			for _, p := range row.PathParams() {
				id := "x_none"
				if strings.HasSuffix(p.Name, "Slug") {
					id = "none"
				}
				target = strings.ReplaceAll(target, "{"+p.Name+"}", id)
			}
			if a := w.Send("by provider", row.Method, target, nil); a.Status != http.StatusNotFound && a.Status != http.StatusBadRequest {
				t.Errorf("%s: status %d", target, a.Status)
			}
		}
		user := servertest.Do(w, "by provider", api.GetUser, api.NoInput{})
		servertest.Refused(w, "by provider", api.UpdateUser, api.UpdateUserInput{
			UserRef: api.UserRef{User: user.ID}, Body: api.UserPatch{DisplayName: api.Some("Changed")},
		}, http.StatusForbidden, api.ReasonForbidden)
		for _, token := range servertest.Do(w, "by provider", api.ListTokens, api.ListTokensInput{}).Items {
			servertest.Equal(t, "organization of a token", w.Org, token.Organization)
		}
		made := servertest.Do(w, "by provider", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "made"}})
		servertest.Equal(t, "organization of a token that it makes", w.Org, made.Organization)
		if left := made.ExpiresAt.Sub(w.Clock.Now()); left > orgs.DefaultSignInMaxAge {
			t.Errorf("a token that it makes ends after %s", left)
		}
	})
}

// TestProviderSessionEnds checks what ends the sessions by a provider: 12 hours, the removal of the membership, and that of the provider.
func TestProviderSessionEnds(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		b := newBrowser(w)
		p.signIn(b, newHire, "").wantRedirect(t, "/account")
		w.Clock.Advance(orgs.DefaultSignInMaxAge)
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")

		p.signIn(b, newHire, "").wantRedirect(t, "/account")
		hire := servertest.Do(w, "admin", api.ListMembers, api.ListMembersInput{Organization: w.Org, Search: "New Hire"}).Items[0]
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: hire.ID})
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		p.signIn(b, newHire, "").wantRedirect(t, "/account")
		again := servertest.Do(w, "admin", api.ListMembers, api.ListMembersInput{Organization: w.Org, Search: "New Hire"}).Items[0]
		servertest.Equal(t, "the account", hire.ID, again.ID)

		servertest.Do(w, "admin", api.DeleteSAMLProvider, p.ref())
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		servertest.RunJobs(w)
		if left := servertest.KeysWithID(w, p.provider.ID); len(left) > 0 {
			for _, key := range left {
				if !strings.Contains(key, "}:tok:") { // sessions keep it until they are removed
					t.Errorf("left of the provider: %s", key)
				}
			}
		}
	})
}

// TestProviderTeams checks that a provider puts people into the teams that it names, and takes them out of the others of its list only.
func TestProviderTeams(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		writers, readers := w.NewTeam(), w.NewTeam()
		other := w.NewTeam()
		p := newIdentityProvider(w, api.SAMLProviderSettings{
			DefaultRole: api.Some(api.RoleRead), TeamAttribute: api.Some("groups"),
			Teams: api.Some([]api.ProviderTeam{{Value: "w", Team: writers.ID}, {Value: "r", Team: readers.ID}}),
		})
		p.activate()
		member := newHire
		member.groups = []string{"w", "unknown"}
		p.signIn(newBrowser(w), member, "").wantRedirect(t, "/account")
		hire := servertest.Do(w, "admin", api.ListMembers, api.ListMembersInput{Organization: w.Org, Search: "New Hire"}).Items[0]
		servertest.Do(w, "admin", api.UpdateTeamMembers, api.UpdateTeamMembersInput{
			TeamRef: servertest.TeamRef(w, other), Body: api.TeamMembersUpdate{Add: []string{hire.ID}},
		})
		teams := func() (ids []string) {
			for _, m := range servertest.Do(w, "admin", api.ListMemberTeams, api.ListMemberTeamsInput{
				MemberRef: api.MemberRef{Organization: w.Org, User: hire.ID},
			}).Items {
				ids = append(ids, m.Team.ID)
			}
			return ids
		}
		servertest.Equal(t, "teams", 2, len(teams()))
		member.groups = []string{"r"}
		p.signIn(newBrowser(w), member, "").wantRedirect(t, "/account")
		servertest.Equal(t, "teams after another sign-in", 2, len(teams()))
		for _, id := range teams() {
			if id != readers.ID && id != other.ID {
				t.Errorf("still in team %s", id)
			}
		}
	})
}

// TestAddressLinksAccount checks when an address links an identity with an account.
func TestAddressLinksAccount(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		editor := servertest.Do(w, "editor", api.GetUser, api.NoInput{})
		claims := person{subject: "s-claims", email: editor.Email, name: "Claims"}
		p.signIn(newBrowser(w), claims, "").want(t, http.StatusForbidden, "it is not known whether that is you")

		w.TrustDomains("admin", w.Org, editor.Email[strings.Index(editor.Email, "@")+1:])
		b := newBrowser(w)
		p.signIn(b, claims, "").wantRedirect(t, "/account")
		b.get("/account").want(t, http.StatusOK, editor.DisplayName)

		reused := person{subject: "s-reused", email: editor.Email, name: "Got the address"}
		p.signIn(newBrowser(w), reused, "").want(t, http.StatusForbidden, "signs in by another identity")
		signedIn := newBrowser(w)
		signedIn.signIn(w.Tokens["editor"])
		confirm := p.signIn(signedIn, reused, "")
		signedIn.submit(confirm, "/account/confirm", "decision", "link").wantRedirect(t, "/account")
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
	})
}

// TestSSOIsRequired checks that requiring single sign-on stops the tokens of members that come of no sign-in by a provider, and that only
// somebody who has signed in by one can require it.
func TestSSOIsRequired(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		require := func(on bool) api.UpdateOrganizationInput {
			return api.UpdateOrganizationInput{Organization: w.Org, Body: api.OrganizationPatch{SSO: api.Some(on)}}
		}
		servertest.Refused(w, "admin", api.UpdateOrganization, require(true), http.StatusConflict, api.ReasonState)
		b := p.activate()
		servertest.Refused(w, "admin", api.UpdateOrganization, require(true), http.StatusConflict, api.ReasonState)
		c := newClient(w)
		w.Tokens["by provider"] = c.signIn(b).Access
		var planned api.Organization
		answer := w.Call("by provider", http.MethodPatch, "/v1/orgs/"+w.Org+"?dryRun=true", map[string]any{"sso": true}, http.StatusOK)
		w.Must(json.Unmarshal(answer.Body, &planned))
		if planned.SSOEffect == nil || len(planned.SSOEffect.Stopped) < 2 || planned.SSOEffect.Guests == 0 {
			t.Errorf("effect: %+v", planned.SSOEffect)
		}
		servertest.Do(w, "editor", api.GetOrganization, api.OrganizationRef{Organization: w.Org})
		servertest.Equal(t, "required", true, servertest.Do(w, "by provider", api.UpdateOrganization, require(true)).SSO)

		ref := api.OrganizationRef{Organization: w.Org}
		servertest.Refused(w, "editor", api.GetOrganization, ref, http.StatusForbidden, api.ReasonSSORequired)
		servertest.Refused(w, "admin", api.GetOrganization, ref, http.StatusForbidden, api.ReasonSSORequired)
		e := servertest.Refused(w, "editor", api.ListOrganizations, api.ListOrganizationsInput{}, http.StatusForbidden,
			api.ReasonSSORequired)
		if !strings.Contains(e.Hint, "/account/sign-in?organization="+w.Org) {
			t.Errorf("hint %q", e.Hint)
		}
		plain := newBrowser(w)
		plain.signIn(w.Tokens["editor"])
		plain.get("/account").want(t, http.StatusOK, "you sign in by its identity provider")
		servertest.Do(w, "by provider", api.GetOrganization, ref)
		made, err := orgs.Accounts{Store: w.Store}.Create(t.Context(), orgs.AccountOptions{
			Email: w.Users["admin"].Email, Organization: w.Org, Role: api.RoleAdmin, Token: orgs.TokenOptions{Name: "break-glass"},
			BreakGlass: true,
		})
		w.Must(err)
		w.Tokens["operator"] = made.Token
		shown := servertest.Do(w, "operator", api.GetOrganization, ref).BreakGlass
		if len(shown) != 1 || shown[0].Token != made.TokenID {
			t.Errorf("break-glass tokens: %+v", shown)
		}
		servertest.Equal(t, "events", 1, servertest.CountEvents(w, "organizations.break-glass"))
		servertest.Refused(w, "by provider", api.DeleteSAMLProvider, p.ref(), http.StatusConflict, api.ReasonState)
		servertest.Do(w, "by provider", api.UpdateOrganization, require(false))
		servertest.Do(w, "editor", api.GetOrganization, ref)
	})
}

// TestMemberSSO checks that a member of whom single sign-on is required is bound to it by the first sign-in.
func TestMemberSSO(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		editor := api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID}
		servertest.Refused(w, "admin", api.SetMemberSSO, editor, http.StatusConflict, api.ReasonState)
		p.activate()
		servertest.Do(w, "admin", api.SetMemberSSO, editor)
		ref := api.OrganizationRef{Organization: w.Org}
		servertest.Do(w, "editor", api.GetOrganization, ref)
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		confirm := p.signIn(b, person{subject: "s-editor", name: "Editor"}, "")
		b.submit(confirm, "/account/confirm", "decision", "link").wantRedirect(t, "/account")
		servertest.Refused(w, "editor", api.GetOrganization, ref, http.StatusForbidden, api.ReasonSSORequired)
	})
}

// TestChangedSettingsAreTriedFirst checks that people sign in by the settings before until an admin has signed in by the changed ones.
func TestChangedSettingsAreTriedFirst(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		old := *p
		p.newKey()
		servertest.Equal(t, "untried", true, p.update(api.SAMLProviderSettings{Certificate: api.Some(p.certificate())}).Untried)
		p.answer(newBrowserThatStarts(w, p, ""), p.response(newHire, "wrong")).want(t, http.StatusForbidden, "Sign-in failed")
		old.signIn(newBrowser(w), newHire, "").wantRedirect(t, "/account")
		p.signIn(newBrowser(w), newHire, "?try").want(t, http.StatusForbidden, "not in use yet")
		p.signIn(newBrowser(w), p.admin(), "?try").wantRedirect(t, "/account")
		servertest.Equal(t, "untried", false, servertest.Do(w, "admin", api.GetSAMLProvider, p.ref()).Untried)
		p.signIn(newBrowser(w), newHire, "").wantRedirect(t, "/account")
	})
}

// newBrowserThatStarts returns a browser that has begun a sign-in.
func newBrowserThatStarts(w *servertest.World, p *identityProvider, query string) *browser {
	b := newBrowser(w)
	p.start(b, query)
	return b
}

// TestSAMLAnswersAreRefused checks that an answer signs in only the browser that asked for it, once, within ten minutes.
func TestSAMLAnswersAreRefused(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		b := newBrowser(w)
		answer := p.response(newHire, p.start(b, ""))
		p.answer(newBrowser(w), answer).want(t, http.StatusForbidden, p.provider.Service.StartURL)
		p.answer(newBrowserThatStarts(w, p, ""), answer).want(t, http.StatusForbidden, "Sign-in failed")
		begun := b.signInCookie()
		p.answer(b, answer).wantRedirect(t, "/account/identified")
		identified := b.signInCookie()
		copied := newBrowser(w)
		copied.setCookie(begun)
		p.answer(copied, answer).want(t, http.StatusForbidden, "Sign-in failed")
		copied.setCookie(identified)
		b.get("/account/identified").wantRedirect(t, "/account")
		copied.get("/account/identified").want(t, http.StatusConflict, "or is completed")
		servertest.Equal(t, "session of who has copied the cookies", "", copied.session())

		late := newBrowser(w)
		request := p.start(late, "")
		w.Clock.Advance(10 * time.Minute)
		p.answer(late, p.response(newHire, request)).want(t, http.StatusForbidden, "Sign-in failed")

		redirect := newBrowser(w)
		p.signIn(redirect, newHire, "?next="+url.QueryEscape("https://evil.example/")).wantRedirect(t, "/account")
	})
}

// TestProviderIsChosen checks how people find the provider of their organization, and that the page does not say who has an account.
func TestProviderIsChosen(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{})
		b := newBrowser(w)
		page := b.get("/account/sign-in")
		b.submit(page, "/account/provider", "organization", w.Org).want(t, http.StatusUnprocessableEntity, "No organization")
		p.activate()
		b.submit(page, "/account/provider", "organization", w.Org).want(t, http.StatusOK, p.provider.Service.StartURL)
		b.get("/account/sign-in?organization="+w.Org).want(t, http.StatusOK, "Sign in by Acme ID")
		question := b.get(authorizeAddress("organization", w.Org))
		login := b.get(question.header.Get("Location"))
		login.want(t, http.StatusOK, "Sign in by Acme ID")
		p.signIn(b, p.admin(), "?"+url.Values{"next": {authorizeAddress("organization", w.Org)}}.Encode()).
			wantRedirect(t, authorizeAddress("organization", w.Org))
		b = newBrowser(w)
		page = b.get("/account/sign-in")
		b.submit(page, "/account/provider", "organization", "o_none").want(t, http.StatusUnprocessableEntity, "No organization")
		b.submit(page, "/account/provider", "organization", "me@acme.example").want(t, http.StatusUnprocessableEntity, "No organization")
		w.TrustDomains("admin", w.Org, "acme.example")
		for _, address := range []string{"boss@acme.example", "nobody@acme.example"} {
			b.submit(page, "/account/provider", "organization", address).want(t, http.StatusOK, p.provider.Service.StartURL)
		}
	})
}

// TestInviteRequiresSSO checks that an invite can require single sign-on of who accepts it, from the first sign-in on.
func TestInviteRequiresSSO(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		in := api.CreateInviteInput{Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees(newHire.email), SSO: true}}
		servertest.Refused(w, "admin", api.CreateInvite, in, http.StatusConflict, api.ReasonState)
		p.activate()
		made := servertest.Do(w, "admin", api.CreateInvite, in).Invites[0]
		accepted := servertest.Do(w, "", api.AcceptInvite, api.AcceptInviteInput{
			Body: api.InviteAccept{Secret: made.Secret, DisplayName: "New Hire"},
		})
		w.Tokens["hire"] = accepted.Token
		ref := api.MemberRef{Organization: w.Org, User: accepted.ID}
		servertest.Equal(t, "sso", true, servertest.Do(w, "hire", api.GetMember, ref).SSO)
		b := newBrowser(w)
		b.signIn(accepted.Token)
		b.submit(p.signIn(b, newHire, ""), "/account/confirm", "decision", "link").wantRedirect(t, "/account")
		servertest.Refused(w, "hire", api.GetMember, ref, http.StatusForbidden, api.ReasonSSORequired)
	})
}

// TestPurgeRemovesIdentities checks that nothing of providers and identities is left of an organization that is removed for good.
func TestPurgeRemovesIdentities(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newIdentityProvider(w, api.SAMLProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		p.activate()
		p.signIn(newBrowser(w), newHire, "").wantRedirect(t, "/account")
		servertest.NewIdentity(w, p.provider.ID, "editor", "")
		title := servertest.Do(w, "admin", api.GetOrganization, api.OrganizationRef{Organization: w.Org}).Title
		servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
			OrganizationRef: api.OrganizationRef{Organization: w.Org}, Title: title,
		})
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		for _, key := range servertest.KeysWithID(w, p.provider.ID) {
			if !strings.Contains(key, "}:tok:") { // sessions keep it until they are removed
				t.Errorf("left of the provider: %s", key)
			}
		}
	})
}
