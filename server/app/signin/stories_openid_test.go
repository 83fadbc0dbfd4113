package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
)

// TestSignInByOpenIDProvider checks how people sign in by an OIDC provider, and when the address of a provider counts.
func TestSignInByOpenIDProvider(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		team := w.NewTeam()
		o := newOpenIDProvider(w, api.OIDCProviderSettings{
			DefaultRole: api.Some(api.RoleRead), TeamClaim: api.Some("groups"),
			Teams: api.Some([]api.ProviderTeam{{Value: "writers", Team: team.ID}}),
		})
		o.signIn(newBrowser(w), newHire, nil).want(t, http.StatusForbidden, "not in use yet")
		o.activate()
		hire := newHire
		hire.groups = []string{"writers"}
		b := newBrowser(w)
		o.signIn(b, hire, nil).wantRedirect(t, "/account")
		b.get("/account").want(t, http.StatusOK, "New Hire")
		servertest.Equal(t, "members of the team", 1, len(servertest.Do(w, "admin", api.ListTeamMembers, api.ListTeamMembersInput{
			TeamRef: servertest.TeamRef(w, team),
		}).Items))

		editor := servertest.Do(w, "editor", api.GetUser, api.NoInput{})
		w.TrustDomains("admin", w.Org, editor.Email[strings.Index(editor.Email, "@")+1:])
		unverified := person{subject: "s-unverified", email: editor.Email, name: "Unverified"}
		for _, claims := range []jwt.MapClaims{{"email_verified": false}, {"email_verified": nil}} {
			o.signIn(newBrowser(w), unverified, claims).want(t, http.StatusForbidden, "it is not known whether that is you")
		}
		o.signIn(b, unverified, nil).want(t, http.StatusOK, "Is that you?")
		o.signIn(newBrowser(w), unverified, nil).wantRedirect(t, "/account")
	})
}

// TestTrustedAddressIsNotVerifiedElsewhere checks that a provider whose addresses an admin trusts links accounts, and gives no new account
// an address that is verified on the whole server.
func TestTrustedAddressIsNotVerifiedElsewhere(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o := newOpenIDProvider(w, api.OIDCProviderSettings{DefaultRole: api.Some(api.RoleRead), TrustEmail: api.Some(true)})
		o.activate()
		o.signIn(newBrowser(w), newHire, nil).wantRedirect(t, "/account")
		if _, claimed, err := w.Store.Claim(t.Context(), emailKey(newHire.email)); err != nil || claimed {
			t.Errorf("the address is claimed: %t, %v", claimed, err)
		}
		editor := servertest.Do(w, "editor", api.GetUser, api.NoInput{})
		b := newBrowser(w)
		o.signIn(b, person{subject: "s-editor", email: editor.Email}, jwt.MapClaims{"email_verified": false}).wantRedirect(t, "/account")
		b.get("/account").want(t, http.StatusOK, editor.DisplayName)
	})
}

// TestOpenIDAnswersAreRefused checks that the browser does not learn why an answer is refused, and that a provider that does not answer is
// no refusal.
func TestOpenIDAnswersAreRefused(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o := newOpenIDProvider(w, api.OIDCProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		o.activate()
		b := newBrowser(w)
		o.signIn(b, newHire, jwt.MapClaims{"nonce": "other"}).want(t, http.StatusForbidden, "Sign-in failed")
		o.signIn(b, newHire, jwt.MapClaims{"aud": "other"}).want(t, http.StatusForbidden, "Sign-in failed")
		refusals := servertest.Do(w, "admin", api.ListEvents, api.ListEventsInput{
			Organization: w.Org, EventFilter: api.EventFilter{Kind: "providers.refuse"},
		}).Items
		if len(refusals) != 1 || string(refusals[0].After["reason"]) != `"answer"` {
			t.Errorf("events of refusals in a minute: %+v", refusals)
		}
		b.get(path(o.provider.Service.RedirectURL)+"?code=c&state=s").want(t, http.StatusForbidden, "Sign-in failed")
		o.isDown = true
		w.Clock.Advance(signInCache)
		b.get(path(o.provider.Service.StartURL)).want(t, http.StatusServiceUnavailable, "does not answer")
	})
}

// TestProviderWithoutKeyLeavesOthers checks that the page of the sign-in lists the providers of an organization when the client secret of
// one cannot be read.
func TestProviderWithoutKeyLeavesOthers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o := newOpenIDProvider(w, api.OIDCProviderSettings{})
		o.activate()
		p := newIdentityProvider(w, api.SAMLProviderSettings{})
		p.activate()
		w.Serve(func(options *server.Options) { options.Key = nil })
		page := newBrowser(w).get("/account/sign-in?organization=" + w.Org)
		page.want(t, http.StatusOK, p.provider.Service.StartURL)
		page.want(t, http.StatusOK, o.provider.Service.StartURL)
		newBrowser(w).get(path(o.provider.Service.StartURL)).want(t, http.StatusConflict, "WSD_ENCRYPTION_KEY")
	})
}
