package signin_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
)

// verifier is the secret of a client, and redirectURI where it listens.
const (
	verifier    = "a-verifier-of-a-client-that-is-long-enough-for-it"
	redirectURI = "http://127.0.0.1:5555/"
)

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// authorizeAddress returns the address that a client opens in a browser, with other values than usual.
func authorizeAddress(values ...string) string {
	q := url.Values{
		"client_id": {"wsctl"}, "response_type": {"code"}, "redirect_uri": {redirectURI}, "state": {"a state"},
		"code_challenge": {challenge()}, "code_challenge_method": {"S256"}, "device_name": {"laptop"},
	}
	for i := 0; i < len(values); i += 2 {
		q.Set(values[i], values[i+1])
	}
	return "/account/authorize?" + q.Encode()
}

// allow lets a client act for the person who is signed in to a browser, and returns what the client gets.
func (b *browser) allow(address string) url.Values {
	b.t.Helper()
	p := b.submit(b.get(address), "/account/authorize", "decision", "allow")
	return p.answer(b.t)
}

// answer returns the parameters of the address to which a page leads the browser.
func (p page) answer(t *testing.T) url.Values {
	t.Helper()
	_, address, _ := strings.Cut(p.header.Get("Refresh"), "url=")
	u, err := url.Parse(address)
	if err != nil || p.status != http.StatusOK || !strings.HasPrefix(address, redirectURI+"?") {
		t.Fatalf("status %d, leads to %q\n%s", p.status, address, p.body)
	}
	return u.Query()
}

// redeem exchanges a code.
func (c client) redeem(code string) secrets {
	c.t.Helper()
	status, s := c.post("/oauth/token", codeForm(code)...)
	if status != http.StatusOK {
		c.t.Fatalf("redeem: status %d, error %q", status, s.Error)
	}
	return s
}

func codeForm(code string) []string {
	return []string{
		"grant_type", "authorization_code", "code", code, "redirect_uri", redirectURI, "code_verifier", verifier,
	}
}

// signIn gets a login for the person who is signed in to a browser.
func (c client) signIn(b *browser) secrets {
	c.t.Helper()
	return c.redeem(b.allow(authorizeAddress()).Get("code"))
}

// works reports whether an access token opens something.
func works(w *servertest.World, token string) bool {
	w.Tokens["tried"] = token
	return servertest.TokenWorks(w, "tried")
}

// TestLoginWithBrowser checks the login of a client, from the question to its end.
func TestLoginWithBrowser(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		first := b.get(authorizeAddress())
		if first.status != http.StatusSeeOther {
			t.Fatalf("without a session: status %d", first.status)
		}
		b.get(first.header.Get("Location"))
		p := b.submit(b.get(first.header.Get("Location")), "/account/sign-in", "token", w.Tokens["editor"])
		p.wantRedirect(t, authorizeAddress())
		question := b.get(authorizeAddress())
		question.want(t, http.StatusOK, "laptop")
		question.want(t, http.StatusOK, "all that you are in")
		answer := b.allow(authorizeAddress())
		servertest.Equal(t, "state", "a state", answer.Get("state"))
		servertest.Equal(t, "issuer", servertest.PublicURL, answer.Get("iss"))
		login := c.redeem(answer.Get("code"))
		servertest.Equal(t, "seconds", int(orgs.AccessTime.Seconds()), login.ExpiresIn)
		servertest.Equal(t, "the access token works", true, works(w, login.Access))
		b.submit(b.get("/account"), "/account/sign-out").wantRedirect(t, "/account/sign-in")
		servertest.Equal(t, "it works after the session", true, works(w, login.Access))

		w.Clock.Advance(orgs.AccessTime)
		servertest.Equal(t, "it works after an hour", false, works(w, login.Access))
		next := c.renew(login.Refresh)
		servertest.Equal(t, "the next one works", true, works(w, next.Access))
		w.Clock.Advance(orgs.LoginTime)
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", next.Refresh)
	})
}

// TestPersonRefuses checks that a refusal reaches the client.
func TestPersonRefuses(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		answer := b.submit(b.get(authorizeAddress()), "/account/authorize", "decision", "deny").answer(t)
		servertest.Equal(t, "error", "access_denied", answer.Get("error"))
		servertest.Equal(t, "code", "", answer.Get("code"))
		servertest.Equal(t, "logins", 0, len(tokensOf(w, "editor", api.LoginToken)))
	})
}

// TestLoginIsLimited checks the scopes and the organization of a login.
func TestLoginIsLimited(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens[servertest.AdminWriting])
		b.get(authorizeAddress("scope", "admin")).want(t, http.StatusOK, "read and write")
		servertest.Equal(t, "scope", "write", c.redeem(b.allow(authorizeAddress("scope", "admin")).Get("code")).Scope)
		login := c.redeem(b.allow(authorizeAddress("scope", "read", "organization", w.Org)).Get("code"))
		servertest.Equal(t, "scope", "read", login.Scope)
		servertest.Equal(t, "organization", w.Org, login.Organization)
		made := tokensOf(w, "admin", api.LoginToken)[1]
		servertest.Equal(t, "organization of the token", w.Org, made.Organization)
		b.get(authorizeAddress("organization", w.OtherOrg)).want(t, http.StatusNotFound, "not")
	})
}

// TestLoginEndsWithItsToken checks that the end of the token with which the person signed in ends logins, too.
func TestLoginEndsWithItsToken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		parent := servertest.NewToken(w, "editor", "parent", api.TokenCreate{})
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["parent"])
		login := c.signIn(b)
		servertest.Do(w, "editor", api.DeleteToken, api.TokenRef{Token: parent.ID})
		servertest.Equal(t, "it works", false, works(w, login.Access))
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
	})
}

// TestReplacedRefreshSecret checks that a replaced secret gets the same answer for a minute and ends the login later.
func TestReplacedRefreshSecret(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		login := c.signIn(b)
		next := c.renew(login.Refresh)
		servertest.Equal(t, "the answer", next.Refresh, c.renew(login.Refresh).Refresh)
		servertest.Equal(t, "the access token before works", true, works(w, login.Access))
		w.Clock.Advance(time.Minute)
		servertest.Equal(t, "the login works", true, works(w, next.Access))
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		servertest.Equal(t, "the login works after the reuse", false, works(w, next.Access))
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", next.Refresh)
		servertest.Equal(t, "events of the person and of the organization", 2, servertest.CountEvents(w, "logins.reuse"))
	})
}

// TestConcurrentRenewals checks that sixteen processes that renew a login at once stay logged in.
func TestConcurrentRenewals(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		login := newClient(w).signIn(b)
		var mu sync.Mutex
		answers := map[string]bool{}
		servertest.Concurrently(16, func(int) {
			next := newClient(w).renew(login.Refresh)
			mu.Lock()
			defer mu.Unlock()
			answers[next.Refresh] = true
		})
		servertest.Equal(t, "answers", 1, len(answers))
	})
}

// TestDisabledAccountRenewsNothing checks that the login of an account that the operator has disabled cannot be renewed.
func TestDisabledAccountRenewsNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		login := c.signIn(b)
		_, err := orgs.Accounts{Store: w.Store}.SetDisabled(t.Context(), w.Users["editor"].ID, true)
		w.Must(err)
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
	})
}

// TestSecretsOfSignInsAreNotRotated checks that the secrets of logins and sessions are replaced by their own renewal only.
func TestSecretsOfSignInsAreNotRotated(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		w.Tokens["login"] = c.signIn(b).Access
		for _, of := range api.TokenType("").Values() {
			id := tokensOf(w, "editor", of)[0].ID
			for _, as := range []string{"login", "editor"} {
				if of == api.SessionToken && as == "login" {
					continue // the login has not made the session
				}
				e := servertest.Refused(w, as, api.RotateToken, servertest.RotateInput(id, 0), http.StatusConflict, api.ReasonState)
				servertest.Equal(t, "message", "This token was made by a sign-in: its secret is not rotated.", e.Message)
			}
		}
	})
}

// TestRefreshSecretReplacedDuringRenewal checks that a secret which is replaced twice before the commit of its renewal ends the login.
func TestRefreshSecretReplacedDuringRenewal(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	b, c := newBrowser(w), newClient(w)
	b.signIn(w.Tokens["editor"])
	login := c.signIn(b)
	var next secrets
	a := i.Before(func() {
		next = c.renew(c.renew(login.Refresh).Refresh)
	}, func() servertest.Response {
		status, _ := c.post("/oauth/token", "grant_type", "refresh_token", "refresh_token", login.Refresh)
		return servertest.Response{Status: status}
	})
	servertest.Equal(t, "status", http.StatusBadRequest, a.Status)
	servertest.Equal(t, "the login works", false, works(w, next.Access))
}
