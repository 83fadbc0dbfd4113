package signin_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

// TestAccountPages checks what a person does in a browser: sign in, change the name, look at tokens and sessions, end them, sign out.
func TestAccountPages(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		b.signIn(w.Tokens["editor"])
		account := b.get("/account")
		account.want(t, http.StatusOK, "Firefox on Linux")
		account.want(t, http.StatusOK, "192.0.2.7")
		b.submit(account, "/account/profile", "name", "Renamed").wantRedirect(t, "/account")
		servertest.Equal(t, "name", "Renamed", servertest.Do(w, "editor", api.GetUser, api.NoInput{}).DisplayName)

		other := newBrowser(w)
		other.signIn(w.Tokens["editor"])
		b.get("/account").want(t, http.StatusOK, "session")
		servertest.Equal(t, "sessions", 2, len(tokensOf(w, "editor", api.SessionToken)))
		b.submit(b.get("/account"), "/account/tokens/end-all").wantRedirect(t, "/account/sign-in")
		servertest.Equal(t, "sessions", 0, len(tokensOf(w, "editor", api.SessionToken)))
		other.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		servertest.Equal(t, "the token works", true, servertest.TokenWorks(w, "editor"))
	})
}

// tokensOf returns the tokens of a person with a type.
func tokensOf(w *servertest.World, name string, of api.TokenType) (found []api.Token) {
	for _, token := range servertest.Do(w, name, api.ListTokens, api.ListTokensInput{}).Items {
		if token.Type == of {
			found = append(found, token)
		}
	}
	return found
}

// TestSessionIsLimitedByItsToken checks that a session has no more access than the token with which the person signed in, ends with it, and
// can be ended whatever its scopes.
func TestSessionIsLimitedByItsToken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens[servertest.AdminReading])
		b.submit(b.get("/account"), "/account/profile", "name", "Renamed").want(t, http.StatusForbidden, "scope write")
		b.submit(b.get("/account"), "/account/sign-out").wantRedirect(t, "/account/sign-in")
		servertest.Equal(t, "sessions", 0, len(tokensOf(w, "admin", api.SessionToken)))

		short := servertest.NewToken(w, "admin", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Hour)})
		b.signIn(w.Tokens["short"])
		servertest.Equal(t, "end of the session", short.ExpiresAt, tokensOf(w, "admin", api.SessionToken)[0].ExpiresAt)
		servertest.Do(w, "admin", api.DeleteToken, api.TokenRef{Token: short.ID})
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
	})
}

// TestSessionOfBoundToken checks that a session by a token for one organization shows nothing of the others and changes nothing there.
func TestSessionOfBoundToken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		elsewhere := servertest.NewOrganization(w, "Elsewhere", "stranger")
		free := servertest.NewToken(w, "admin", "free", api.TokenCreate{})
		servertest.NewToken(w, "admin", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
		b := newBrowser(w)
		b.signIn(w.Tokens["bound"])
		account := b.get("/account")
		account.want(t, http.StatusOK, w.Org)
		for _, hidden := range []string{elsewhere, "Elsewhere", free.ID} {
			if strings.Contains(account.body, hidden) {
				t.Errorf("the account shows %s", hidden)
			}
		}
		b.submit(account, "/account/tokens/end", "token", free.ID).wantRedirect(t, "/account")
		servertest.Equal(t, "the other token works", true, servertest.TokenWorks(w, "free"))
		b.get(authorizeAddress("organization", elsewhere)).want(t, http.StatusNotFound, "not")
	})
}

// TestJoinWithBrowser checks that an invite with a name makes an account, signs it in, and shows the token that signs in again.
func TestJoinWithBrowser(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		invited := servertest.Do(w, "admin", api.CreateInvite, api.CreateInviteInput{
			Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees("new@example.org"), Role: api.Some(api.RoleEdit)},
		})
		b := newBrowser(w)
		form := b.get("/account/sign-in")
		b.submit(form, "/account/join", "secret", "wsi_wrong", "name", "New").want(t, http.StatusUnprocessableEntity, "The invite")
		joined := b.submit(form, "/account/join", "secret", invited.Invites[0].Secret, "name", "New")
		joined.want(t, http.StatusOK, "shown only now")
		token := regexp.MustCompile(`wsd_\w+`).FindString(joined.body)
		servertest.Equal(t, "the token works", true, works(w, token))
		b.get("/account").want(t, http.StatusOK, "Signed in as <strong>New")
		b.submit(b.get("/account"), "/account/join", "secret", invited.Invites[0].Secret).
			want(t, http.StatusUnprocessableEntity, "open invite")
		b.submit(b.get("/account"), "/account/sign-out").wantRedirect(t, "/account/sign-in")
		b.signIn(token)
	})
}

// TestSignInIsForPeople checks that tokens of service accounts and of agents open no session.
func TestSignInIsForPeople(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		account := servertest.NewServiceAccount(w, "bot", api.RoleEdit)
		service := servertest.NewServiceToken(w, account.ID, api.ServiceAccountTokenCreate{Name: "bot"})
		agent := servertest.NewToken(w, "admin", "agent", api.TokenCreate{Agent: true})
		for _, token := range []string{service.Token, agent.Token} {
			b := newBrowser(w)
			p := b.submit(b.get("/account/sign-in"), "/account/sign-in", "token", token)
			if p.status != http.StatusForbidden || b.session() != "" {
				t.Errorf("status %d, session %q", p.status, b.session())
			}
		}
	})
}

// TestSignInsAreEvents checks that the organizations of a person see sign-ins, and who was signed out.
func TestSignInsAreEvents(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		c := newClient(w)
		login := c.signIn(b)
		c.post("/oauth/revoke", "token", login.Refresh)
		b.submit(b.get("/account"), "/account/sign-out").wantRedirect(t, "/account/sign-in")
		for _, kind := range []string{"sessions.create", "sessions.end", "logins.create", "logins.end"} {
			servertest.Equal(t, "events "+kind+" of the person and of the organization", 2, servertest.CountEvents(w, kind))
		}
	})
}

// TestInviteToAnotherAddress checks that somebody who is signed in stays so if an invite makes a second account.
func TestInviteToAnotherAddress(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		invited := servertest.Do(w, "admin", api.CreateInvite, api.CreateInviteInput{
			Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees("second@example.org"), Role: api.Some(api.RoleRead)},
		})
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		b.submit(b.get("/account"), "/account/join", "secret", invited.Invites[0].Secret).want(t, http.StatusOK, "second account")
		b.get("/account").want(t, http.StatusOK, "Signed in as <strong>"+w.Users["editor"].DisplayName)
	})
}

// TestEndedSession checks that a browser with a session that has ended can sign in again, and returns to where it was.
func TestEndedSession(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		question := b.get(authorizeAddress())
		account := b.get("/account")
		servertest.Do(w, "editor", api.DeleteToken, api.TokenRef{Token: tokensOf(w, "editor", api.SessionToken)[0].ID})
		dead := b.session()
		p := b.submit(question, "/account/authorize", "decision", "allow")
		if p.status != http.StatusSeeOther || !strings.Contains(p.header.Get("Location"), "code_challenge") {
			t.Errorf("status %d, leads to %q", p.status, p.header.Get("Location"))
		}
		servertest.Equal(t, "cookie", "", b.session())
		b.setSession(dead)
		b.submit(account, "/account/profile", "name", "Renamed").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		b.setSession(dead)
		b.signIn(w.Tokens["editor"])
	})
}

// TestEndAllWithAnyScope checks that a session with few scopes ends all sessions and logins, and no other tokens.
func TestEndAllWithAnyScope(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		other := newBrowser(w)
		other.signIn(w.Tokens["admin"])
		newClient(w).signIn(other)
		b := newBrowser(w)
		b.signIn(w.Tokens[servertest.AdminReading])
		newClient(w).signIn(b)
		login := tokensOf(w, "admin", api.LoginToken)[0]
		b.submit(b.get("/account"), "/account/tokens/end", "token", login.ID).wantRedirect(t, "/account")
		servertest.Equal(t, "logins", 1, len(tokensOf(w, "admin", api.LoginToken)))
		b.submit(b.get("/account"), "/account/tokens/end", "token", servertest.NewToken(w, "admin", "kept", api.TokenCreate{}).ID).
			want(t, http.StatusForbidden, "scope admin")
		b.submit(b.get("/account"), "/account/tokens/end-all").wantRedirect(t, "/account/sign-in")
		servertest.Equal(t, "logins", 0, len(tokensOf(w, "admin", api.LoginToken)))
		servertest.Equal(t, "sessions", 0, len(tokensOf(w, "admin", api.SessionToken)))
		servertest.Equal(t, "the token works", true, servertest.TokenWorks(w, "kept"))
	})
}

// TestExpiredSessionsAndLoginsAreRemoved checks that the next sign-in removes what has expired, a login that no client has completed
// included, and nothing else.
func TestExpiredSessionsAndLoginsAreRemoved(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		login := newClient(w).signIn(b)
		b.allow(authorizeAddress()) // nobody redeems the code
		short := servertest.NewToken(w, "editor", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Hour)})
		w.Clock.Advance(orgs.SessionTime)
		b.signIn(w.Tokens["editor"])
		servertest.Equal(t, "sessions", 1, len(tokensOf(w, "editor", api.SessionToken)))
		servertest.Equal(t, "logins", 1, len(tokensOf(w, "editor", api.LoginToken)))
		servertest.Equal(t, "the expired token is listed", true, slices.ContainsFunc(tokensOf(w, "editor", ""), func(token api.Token) bool {
			return token.ID == short.ID
		}))
		newClient(w).renew(login.Refresh)
	})
}
