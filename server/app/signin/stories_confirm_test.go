package signin_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

// newHireLogin signs a new member in with a browser and a client, by a provider that sends refresh tokens. The member is in the team that
// the provider names.
func newHireLogin(t *testing.T, w *servertest.World) (o *openIDProvider, team api.Team, c client, login secrets) {
	t.Helper()
	team = w.NewTeam()
	o = newOpenIDProvider(w, api.OIDCProviderSettings{
		DefaultRole: api.Some(api.RoleRead), TeamClaim: api.Some("groups"),
		Teams: api.Some([]api.ProviderTeam{{Value: "writers", Team: team.ID}}),
	})
	o.activate()
	o.refresh = "first"
	hire := newHire
	hire.groups = []string{"writers"}
	b := newBrowser(w)
	o.signIn(b, hire, nil).wantRedirect(t, "/account")
	c = newClient(w)
	return o, team, c, c.signIn(b)
}

// until renews a login every hour until a time after its sign-in, which is now.
func (c client) until(w *servertest.World, login secrets, after time.Duration) secrets {
	c.t.Helper()
	for passed := time.Duration(0); passed < after; passed += time.Hour {
		w.Clock.Advance(time.Hour)
		login = c.renew(login.Refresh)
	}
	return login
}

// members returns the number of members of a team.
func members(w *servertest.World, team api.Team) int {
	w.T.Helper()
	return len(servertest.Do(w, "admin", api.ListTeamMembers, api.ListTeamMembersInput{TeamRef: servertest.TeamRef(w, team)}).Items)
}

// TestLoginIsConfirmedByProvider checks that a login goes on beyond its end while the provider confirms it, with the teams that the
// provider names then, and ends after the provider has refused it.
func TestLoginIsConfirmedByProvider(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o, team, c, login := newHireLogin(t, w)
		login = c.until(w, login, 10*time.Hour)
		servertest.Equal(t, "requests to the provider in ten hours", 0, o.asked)
		o.claims["groups"] = []string{}
		login = c.until(w, login, 3*time.Hour)
		servertest.Equal(t, "requests to the provider", 1, o.asked)
		servertest.Equal(t, "members of the team", 0, members(w, team))
		servertest.Equal(t, "works after 13 hours", true, works(w, login.Access))

		w.Clock.Advance(60 * time.Hour) // the laptop sleeps
		servertest.Equal(t, "works at once", false, works(w, login.Access))
		login = c.renew(login.Refresh)
		servertest.Equal(t, "works after the renewal", true, works(w, login.Access))

		o.refresh = "revoked"
		login = c.until(w, login, 11*time.Hour)
		w.Clock.Advance(time.Hour)
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		servertest.Equal(t, "works after the end", false, works(w, login.Access))
		servertest.Equal(t, "events", 1, servertest.CountEvents(w, "identities.refuse"))
		asked := o.asked
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		servertest.Equal(t, "further requests to the provider", asked, o.asked)
	})
}

// TestLoginOutlastsProvider checks that a login goes on for one hour if the provider does not answer, and longer if it answers in time.
func TestLoginOutlastsProvider(t *testing.T) {
	t.Parallel()
	for _, answers := range []bool{true, false} {
		servertest.Story(t, func(t *testing.T, w *servertest.World) {
			o, _, c, login := newHireLogin(t, w)
			login = c.until(w, login, 10*time.Hour)
			o.isDown = true
			w.Clock.Advance(time.Hour)
			login = c.renew(login.Refresh)
			w.Clock.Advance(50 * time.Minute)
			login = c.renew(login.Refresh)
			servertest.Equal(t, "seconds until the end", 600, login.ExpiresIn)
			servertest.Equal(t, "events before the end", 0, servertest.CountEvents(w, "identities.extend"))
			w.Clock.Advance(10 * time.Minute)
			login = c.renew(login.Refresh)
			servertest.Equal(t, "seconds of the extension", int(orgs.ProviderGrace.Seconds()), login.ExpiresIn)
			servertest.Equal(t, "events", 1, servertest.CountEvents(w, "identities.extend"))
			w.Clock.Advance(30 * time.Minute)
			login = c.renew(login.Refresh)
			servertest.Equal(t, "works after 30 minutes", true, works(w, login.Access))
			o.isDown = !answers
			w.Clock.Advance(29 * time.Minute)
			login = c.renew(login.Refresh)
			w.Clock.Advance(2 * time.Minute)
			servertest.Equal(t, "works after the hour", answers, works(w, login.Access))
			if !answers {
				c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
			}
			servertest.Equal(t, "events at the end", 1, servertest.CountEvents(w, "identities.extend"))
		})
	}
}

// TestLoginEndsWithMember checks that a provider is not asked about somebody who is removed from the organization, and that another
// sign-in renews the logins of the person.
func TestLoginEndsWithMember(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o, _, c, login := newHireLogin(t, w)
		login = c.until(w, login, 10*time.Hour)
		hire := newHire
		hire.groups = []string{"writers"}
		b := newBrowser(w)
		o.signIn(b, hire, nil).wantRedirect(t, "/account")
		second := c.signIn(b)
		login = c.until(w, login, 4*time.Hour)
		servertest.Equal(t, "requests to the provider", 0, o.asked)
		servertest.Equal(t, "both work", []bool{true, true}, []bool{works(w, login.Access), works(w, c.renew(second.Refresh).Access)})
		w.Tokens["hire"] = login.Access
		user := servertest.Do(w, "hire", api.GetUser, api.NoInput{}).ID
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: user})
		w.Clock.Advance(12 * time.Hour)
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		servertest.Equal(t, "requests to the provider after the removal", 0, o.asked)
	})
}

// TestProviderWithoutRefreshTokens checks that a login by a provider that sends no refresh token ends after twelve hours.
func TestProviderWithoutRefreshTokens(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o := newOpenIDProvider(w, api.OIDCProviderSettings{DefaultRole: api.Some(api.RoleRead)})
		o.activate()
		b, c := newBrowser(w), newClient(w)
		o.signIn(b, newHire, nil).wantRedirect(t, "/account")
		login := c.until(w, c.signIn(b), 11*time.Hour)
		w.Clock.Advance(time.Hour)
		status, _ := c.post("/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		servertest.Equal(t, "status", http.StatusBadRequest, status)
		servertest.Equal(t, "requests to the provider", 0, o.asked)
	})
}

// TestSignInWhileProviderIsAsked checks that the refresh token of a sign-in is kept if the provider is asked with the one before at the
// same time, and that its refusal of that one is not stored.
func TestSignInWhileProviderIsAsked(t *testing.T) {
	t.Parallel()
	for _, refuses := range []bool{false, true} {
		servertest.Story(t, func(t *testing.T, w *servertest.World) {
			o, _, c, login := newHireLogin(t, w)
			login = c.until(w, login, 10*time.Hour)
			w.Clock.Advance(time.Hour)
			o.onAsk = func() {
				o.onAsk = nil
				o.signIn(newBrowser(w), newHire, nil).wantRedirect(t, "/account")
				if refuses {
					o.refresh = "another one"
				}
			}
			login = c.renew(login.Refresh)
			servertest.Equal(t, "events", 0, servertest.CountEvents(w, "identities.refuse"))
			login = c.until(w, login, 10*time.Hour)
			servertest.Equal(t, "requests to the provider", 1, o.asked)
			servertest.Equal(t, "works", true, works(w, login.Access))
		})
	}
}

// TestLoginOfTokenEndsWithIt checks that a provider does not extend a login that descends from a token of the person.
func TestLoginOfTokenEndsWithIt(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o, c := newOpenIDProvider(w, api.OIDCProviderSettings{}), newClient(w)
		o.refresh = "first"
		w.Tokens["by provider"] = c.signIn(o.activate()).Access
		made := servertest.Do(w, "by provider", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{
			Name: "for an hour", ExpiresAt: api.Some(api.At(w.Clock.Now().Add(time.Hour))),
		}})
		b := newBrowser(w)
		b.signIn(made.Token)
		of := c.signIn(b)
		w.Clock.Advance(50 * time.Minute)
		of = c.renew(of.Refresh)
		servertest.Equal(t, "seconds until the end", 600, of.ExpiresIn)
		w.Clock.Advance(10 * time.Minute)
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", of.Refresh)
		servertest.Equal(t, "requests to the provider", 0, o.asked)
	})
}

// TestRefreshTokenIsSentToItsClient checks that a refresh token is not sent to the provider with other settings than those with which it
// was given.
func TestRefreshTokenIsSentToItsClient(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o, _, c, login := newHireLogin(t, w)
		login = c.until(w, login, 10*time.Hour)
		servertest.Do(w, "admin", api.UpdateOIDCProvider, api.UpdateOIDCProviderInput{
			OIDCProviderRef: api.OIDCProviderRef{Organization: w.Org, OIDCProvider: o.provider.ID},
			Body:            api.OIDCProviderPatch{OIDCProviderSettings: api.OIDCProviderSettings{ClientID: api.Some("another")}},
		})
		servertest.MarkTried(w, o.provider.ID)
		w.Clock.Advance(time.Hour)
		login = c.renew(login.Refresh)
		servertest.Equal(t, "requests to the provider", 0, o.asked)
		w.Clock.Advance(time.Hour)
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		servertest.Equal(t, "events", 0, servertest.CountEvents(w, "identities.refuse"))
	})
}

// TestReplacedRefreshTokenIsKept checks that the refresh token in an answer is kept if the rest of the answer cannot be used.
func TestReplacedRefreshTokenIsKept(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o, _, c, login := newHireLogin(t, w)
		login = c.until(w, login, 10*time.Hour)
		w.Clock.Advance(time.Hour)
		o.claims["aud"] = "somebody else"
		login = c.renew(login.Refresh)
		servertest.Equal(t, "requests to the provider", 1, o.asked)
		o.claims["aud"] = "wsd"
		w.Clock.Advance(30 * time.Minute)
		login = c.renew(login.Refresh)
		servertest.Equal(t, "requests to the provider with the new one", 2, o.asked)
		servertest.Equal(t, "refusals", 0, servertest.CountEvents(w, "identities.refuse"))
		login = c.until(w, login, 3*time.Hour)
		servertest.Equal(t, "works", true, works(w, login.Access))
	})
}

// TestLoginEndsWithProvider checks that a login is not confirmed by a provider that is deleted.
func TestLoginEndsWithProvider(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		o, _, c, login := newHireLogin(t, w)
		login = c.until(w, login, 10*time.Hour)
		servertest.Do(w, "admin", api.DeleteOIDCProvider, api.OIDCProviderRef{Organization: w.Org, OIDCProvider: o.provider.ID})
		w.Clock.Advance(2 * time.Hour)
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		servertest.Equal(t, "requests to the provider", 0, o.asked)
	})
}
