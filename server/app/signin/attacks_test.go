package signin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
)

// TestInvalidAuthorizations checks that requests which are not those of a client on this computer lead nowhere.
func TestInvalidAuthorizations(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		for _, test := range []struct{ name, value string }{
			{"client_id", "other"},
			{"response_type", "token"},
			{"redirect_uri", "https://evil.example/"},
			{"redirect_uri", "http://127.0.0.1.evil.example:80/"},
			{"redirect_uri", "http://127.0.0.1:80@evil.example/"},
			{"redirect_uri", "http://localhost:5555/"},
			{"redirect_uri", "http://127.0.0.1:5555/other"},
			{"redirect_uri", "http://127.0.0.1/"},
			{"redirect_uri", "http://127.0.0.1:5555/?next=https://evil.example/"},
			{"redirect_uri", ""},
			{"code_challenge_method", "plain"},
			{"code_challenge_method", ""},
			{"code_challenge", ""},
			{"code_challenge", "short"},
			{"state", ""},
			{"state", strings.Repeat("s", 257)},
			{"scope", "everything"},
			{"device_name", strings.Repeat("d", 65)},
			{"device_name", "lap\u202etop"},
		} {
			p := b.get(authorizeAddress(test.name, test.value))
			if p.status != http.StatusBadRequest || p.header.Get("Location") != "" || p.header.Get("Refresh") != "" {
				t.Errorf("%s=%q: status %d, leads to %q", test.name, test.value, p.status, p.header.Get("Location"))
			}
			form := b.get(authorizeAddress()).form(t, "/account/authorize")
			form.Set(test.name, test.value)
			form.Set("decision", "allow")
			p = b.send(http.MethodPost, "/account/authorize", form, sameOrigin)
			if p.status != http.StatusBadRequest || p.header.Get("Refresh") != "" {
				t.Errorf("form with %s=%q: status %d", test.name, test.value, p.status)
			}
		}
	})
}

// TestStolenCodes checks that a code opens nothing for a process that has not asked for it, and ends the login if it comes twice.
func TestStolenCodes(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		code := b.allow(authorizeAddress()).Get("code")
		form := func(name, value string) []string { return append(codeForm(code), name, value) }
		c.wantError("invalid_grant", "/oauth/token", form("code_verifier", strings.Repeat("x", 50))...)
		c.wantError("invalid_grant", "/oauth/token", form("redirect_uri", "http://127.0.0.1:5556/")...)
		c.wantError("invalid_request", "/oauth/token", form("code_verifier", "")...)
		c.wantError("invalid_grant", "/oauth/token", form("code", code+"A")...)
		c.wantError("invalid_client", "/oauth/token", form("client_id", "other")...)
		login := c.redeem(code)
		servertest.Equal(t, "it works", true, works(w, login.Access))
		c.wantError("invalid_grant", "/oauth/token", codeForm(code)...)
		servertest.Equal(t, "it works after the code came again", false, works(w, login.Access))

		late := b.allow(authorizeAddress()).Get("code")
		w.Clock.Advance(time.Minute)
		c.wantError("invalid_grant", "/oauth/token", codeForm(late)...)
	})
}

// TestSecretsAreOfOneKind checks that the values of cookies, codes and refresh secrets are no bearer tokens, and tokens no cookies.
func TestSecretsAreOfOneKind(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		session := b.session()
		code := b.allow(authorizeAddress()).Get("code")
		login := c.redeem(code)
		for _, text := range []string{session, code, login.Refresh} {
			servertest.Equal(t, text[:4]+" as a bearer token", false, works(w, text))
			servertest.Equal(t, "as wsd_", false, works(w, "wsd_"+text[4:]))
		}
		for _, token := range []string{w.Tokens["editor"], login.Access, login.Refresh} {
			other := newBrowser(w)
			other.setSession("wss_" + token[4:])
			if p := other.get("/account"); p.status != http.StatusSeeOther {
				t.Errorf("%s as a cookie: status %d", token[:4], p.status)
			}
		}
	})
}

// TestSessionFixation checks that a browser gets a new session when it signs in, whatever cookies it had.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		attacker, b := newBrowser(w), newBrowser(w)
		attacker.signIn(w.Tokens["reader"])
		planted := attacker.session()
		attacker.submit(attacker.get("/account"), "/account/sign-out").wantRedirect(t, "/account/sign-in")
		b.setSession(planted)
		b.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
		b.signIn(w.Tokens["editor"])
		if b.session() == planted {
			t.Error("the planted session is used")
		}
		attacker.setSession(planted)
		attacker.get("/account").wantRedirect(t, "/account/sign-in?next=%2Faccount")
	})
}

// TestAccountHasOneNameOnLoopback checks that browsers get cookies for the name of the server only, which they send to all ports of it.
func TestAccountHasOneNameOnLoopback(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Serve(func(o *server.Options) { o.PublicURL = "http://127.0.0.1:8080" })
		const page = "/account/sign-in?next=%2Faccount"
		there := "http://127.0.0.1:8080" + page
		for host, want := range map[string]string{
			"localhost:8080": there, "[::1]:8080": there, "127.0.0.1:8080": "", "docs.example.com": "",
		} {
			answer := httptest.NewRecorder()
			w.Handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+page, http.NoBody))
			servertest.Equal(t, host+" leads to", want, answer.Header().Get("Location"))
			servertest.Equal(t, host+" gets cookies", want == "", len(answer.Result().Cookies()) > 0)
		}
	})
}

// Origins of other sites.
const (
	evil      = "https://evil.example"
	otherPort = servertest.PublicURL + ":8443"
)

// TestForeignForms checks that forms of other sites, of other browsers and without a form token change nothing.
func TestForeignForms(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		b.signIn(w.Tokens["editor"])
		other := newBrowser(w)
		other.signIn(w.Tokens["reader"])
		own := b.get("/account").form(t, "/account/profile")
		own.Set("name", "Changed")
		foreign := other.get("/account").form(t, "/account/profile")
		foreign.Set("name", "Changed")
		for name, test := range map[string]struct {
			form   url.Values
			header http.Header
		}{
			"a form of another site":                   {own, http.Header{"Origin": {evil}, "Sec-Fetch-Site": {"cross-site"}}},
			"a form of another port":                   {own, http.Header{"Origin": {otherPort}, "Sec-Fetch-Site": {"same-site"}}},
			"a form of another site in an old browser": {own, http.Header{"Origin": {evil}}},
			"a form with the token of another browser": {foreign, sameOrigin},
			"a form without a token":                   {url.Values{"name": {"Changed"}}, sameOrigin},
		} {
			p := b.send(http.MethodPost, "/account/profile", test.form, test.header)
			p.want(t, http.StatusForbidden, "not sent from a current page")
			if got := servertest.Do(w, "editor", api.GetUser, api.NoInput{}).DisplayName; got == "Changed" {
				t.Errorf("%s changed the name", name)
			}
		}
		for _, target := range []string{
			"/account/profile", "/account/sign-out", "/account/tokens/end", "/account/tokens/end-all", "/account/join",
			"/account/device/decide",
		} {
			if p := b.get(target); p.status != http.StatusMethodNotAllowed {
				t.Errorf("GET %s: status %d", target, p.status)
			}
		}
	})
}

// TestPagesCannotBeFramed checks the headers of the pages.
func TestPagesCannotBeFramed(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		pages := []page{b.get("/account/sign-in")}
		b.signIn(w.Tokens["editor"])
		pages = append(pages, b.get("/account"), b.get(authorizeAddress()), b.get("/account/device"))
		pages = append(pages, b.get(authorizeAddress("state", "")))
		for _, p := range pages {
			policy := p.header.Get("Content-Security-Policy")
			for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
				if !strings.Contains(policy, part) {
					t.Errorf("policy without %s: %s", part, policy)
				}
			}
			servertest.Equal(t, "X-Frame-Options", "DENY", p.header.Get("X-Frame-Options"))
			servertest.Equal(t, "Cache-Control", "no-store", p.header.Get("Cache-Control"))
		}
	})
}

// TestSignInLeadsToThisServer checks that a sign-in leads to pages of accounts only.
func TestSignInLeadsToThisServer(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		for _, next := range []string{
			"https://evil.example/", "//evil.example/", `/\evil.example/`, "/account/../../evil", "javascript:alert(1)", "/v1/user",
			"/account\r\nSet-Cookie: x=y", "http:/account", "/accountant",
		} {
			b := newBrowser(w)
			form := b.get("/account/sign-in?next=" + url.QueryEscape(next))
			p := b.submit(form, "/account/sign-in", "token", w.Tokens["editor"], "next", next)
			p.wantRedirect(t, "/account")
		}
	})
}

// TestCookiesAreBound checks the attributes of the cookies.
func TestCookiesAreBound(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		b := newBrowser(w)
		form := b.get("/account/sign-in")
		signedIn := b.submit(form, "/account/sign-in", "token", w.Tokens["editor"])
		cookies := append(form.header.Values("Set-Cookie"), signedIn.header.Values("Set-Cookie")...)
		servertest.Equal(t, "cookies", 3, len(cookies)) // of the form, of the session, and the end of that of the form
		for _, header := range cookies {
			for _, part := range []string{"__Host-wsd_", "Path=/;", "HttpOnly", "Secure", "SameSite=Lax"} {
				if !strings.Contains(header, part) {
					t.Errorf("cookie without %s: %s", part, header)
				}
			}
		}
	})
}

// TestForgedSession checks that a cookie that names a user opens nothing, and that codes of devices cannot be tried with it.
func TestForgedSession(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		device := b.get("/account/device").form(t, "/account/device")
		asked := c.askForDevice()
		forged := newBrowser(w)
		for range 30 {
			forged.setSession("wss_" + strings.TrimPrefix(w.Users["editor"].ID, "u_") + "_x_x")
			device.Set("code", asked.UserCode)
			if p := forged.send(http.MethodPost, "/account/device", device, sameOrigin); p.status != http.StatusSeeOther {
				t.Fatalf("status %d", p.status)
			}
		}
		b.enterCode(asked.UserCode).want(t, http.StatusOK, "Code")
		c.wantError("authorization_pending", "/oauth/token", deviceForm(asked.DeviceCode)...)
	})
}

// TestLoginIsLimitedAsItsSession checks that what limits a session limits the logins that are approved in it.
func TestLoginIsLimitedAsItsSession(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		session := tokensOf(w, "editor", api.SessionToken)[0]
		servertest.Do(w, "admin", api.DeleteMemberToken, api.MemberTokenRef{
			MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID}, Token: session.ID,
		})
		w.Tokens["login"] = c.signIn(b).Access
		w.Call("login", http.MethodGet, "/v1/orgs/"+w.Org+"/spaces", nil, http.StatusForbidden)

		replaced := w.Tokens["editor"]
		own := servertest.Do(w, "editor", api.ListTokens, api.ListTokensInput{}).Items[0]
		servertest.Do(w, "editor", api.RotateToken, servertest.RotateInput(own.ID, time.Hour))
		other := newBrowser(w)
		other.submit(other.get("/account/sign-in"), "/account/sign-in", "token", replaced).want(t, http.StatusForbidden, "was replaced")
		other.submit(other.get("/account/sign-in"), "/account/sign-in", "token", w.Tokens["login"]).
			want(t, http.StatusForbidden, "token of a login")
	})
}

// TestLostRenewal checks that a refresh secret that is newer than the data does not end the login.
func TestLostRenewal(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		b, c := newBrowser(w), newClient(w)
		b.signIn(w.Tokens["editor"])
		login := c.signIn(b)
		lost := strings.TrimSuffix(login.Refresh, "1") + "2" // that of a renewal which a failover has lost
		c.wantError("invalid_grant", "/oauth/token", "grant_type", "refresh_token", "refresh_token", lost)
		servertest.Equal(t, "the login works", true, works(w, login.Access))
		c.post("/oauth/revoke", "token", login.Access)
		servertest.Equal(t, "the login works after it was revoked", false, works(w, login.Access))
	})
}
