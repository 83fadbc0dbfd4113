package oauth_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	fake, s := discover(t)
	var opened url.Values
	login, err := newClient(http.DefaultClient).SignIn(t.Context(), s, oauth.Request{
		Scope: "write", DeviceName: "ada's laptop", Organization: "o_1",
	}, func(address string) {
		u, err := url.Parse(address)
		if err != nil || !strings.HasPrefix(address, fake.URL+"/oauth/authorize?") {
			t.Errorf("address %q: %v", address, err)
		}
		opened = u.Query()
		go func() { _ = fake.Browse(t.Context(), address) }()
	})
	if err != nil {
		t.Fatal(err)
	}
	want := oauth.Login{
		AccessToken: "wsd_ada_l10_secret", RefreshToken: "wsr_l1_0", ExpiresAt: noon().Add(time.Hour), Issuer: fake.URL,
		TokenEndpoint: fake.URL + "/oauth/token", RevocationEndpoint: fake.URL + "/oauth/revoke",
	}
	if login != want {
		t.Errorf("login %+v", login)
	}
	for name, value := range map[string]string{
		"response_type": "code", "client_id": "wsctl", "code_challenge_method": "S256", "scope": "write", "device_name": "ada's laptop",
		"organization": "o_1",
	} {
		if opened.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, opened.Get(name), value)
		}
	}
	if back, err := url.Parse(opened.Get("redirect_uri")); err != nil || back.Hostname() != "127.0.0.1" || back.Path != "/" {
		t.Errorf("redirect_uri %q", opened.Get("redirect_uri"))
	}
	if len(opened.Get("state")) < 40 || len(opened.Get("code_challenge")) != 43 {
		t.Errorf("state or challenge too short: %v", opened)
	}
}

// TestWrongRequestsDoNotEndLogin checks that requests which are not the end of the login are refused, and that the login goes on.
func TestWrongRequestsDoNotEndLogin(t *testing.T) {
	t.Parallel()
	fake, s := discover(t)
	_, err := newClient(http.DefaultClient).SignIn(t.Context(), s, oauth.Request{}, func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		back, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
		right := url.Values{"code": {"stolen"}, "state": {state}, "iss": {fake.URL}}.Encode()
		wrong := url.Values{"code": {"stolen"}, "state": {"guessed"}, "iss": {fake.URL}}.Encode()
		for name, r := range map[string]*http.Request{
			"state":        newRequest(t, http.MethodGet, back+"?"+wrong),
			"no state":     newRequest(t, http.MethodGet, back+"?code=stolen"),
			"method":       newRequest(t, http.MethodPost, back+"?"+right),
			"path":         newRequest(t, http.MethodGet, back+"favicon.ico?"+right),
			"host":         withHost(newRequest(t, http.MethodGet, back+"?"+right), "localhost:80"),
			"rebound host": withHost(newRequest(t, http.MethodGet, back+"?"+right), "evil.example"),
			"query":        newRequest(t, http.MethodGet, back+"?"+right+"&%zz"),
		} {
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			page, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusBadRequest || strings.Contains(string(page), "stolen") {
				t.Errorf("%s: %d %s", name, answer.StatusCode, page)
			}
		}
		go func() { _ = fake.Browse(t.Context(), address) }()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func newRequest(t *testing.T, method, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func withHost(r *http.Request, host string) *http.Request {
	r.Host = host
	return r
}

// TestRefusedSignIn checks the error of each answer that is no login, and that no code is exchanged then.
func TestRefusedSignIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refuse, want string
		redirect     func(query url.Values)
	}{
		"refused by the person": {refuse: "access_denied", want: "the login was refused"},
		"refused by the server": {refuse: "invalid_scope", want: "invalid_scope"},
		"other issuer":          {redirect: func(q url.Values) { q.Set("iss", "https://other.example") }, want: `from "https://other.example"`},
		"no issuer":             {redirect: func(q url.Values) { q.Del("iss") }, want: `from "" instead of`},
		"no code":               {redirect: func(q url.Values) { q.Del("code") }, want: "without the code"},
		"two codes":             {redirect: func(q url.Values) { q.Add("code", "other") }, want: "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, s := discover(t)
			fake.Change(func(s *apptest.AuthServer) { s.Refuse, s.Redirect = test.refuse, test.redirect })
			_, err := newClient(http.DefaultClient).SignIn(t.Context(), s, oauth.Request{}, func(address string) {
				go func() { _ = fake.Browse(t.Context(), address) }()
			})
			if refused, ok := errors.AsType[*oauth.Error](err); !ok || !strings.Contains(err.Error(), test.want) || refused.Hint == "" {
				t.Errorf("error %v", err)
			}
			for _, r := range fake.Requests() {
				if strings.Contains(r, "/oauth/token") {
					t.Errorf("sent %s", r)
				}
			}
		})
	}
}

// TestCodeOfOtherVerifier checks that an error of the exchange is reported with its code.
func TestCodeOfOtherVerifier(t *testing.T) {
	t.Parallel()
	fake, s := discover(t)
	fake.Change(func(s *apptest.AuthServer) { s.Redirect = func(q url.Values) { q.Set("code", "another") } })
	_, err := newClient(http.DefaultClient).SignIn(t.Context(), s, oauth.Request{}, func(address string) {
		go func() { _ = fake.Browse(t.Context(), address) }()
	})
	if refused, ok := errors.AsType[*oauth.Error](err); !ok || refused.Code != oauth.CodeInvalidGrant || refused.Status != 400 {
		t.Errorf("error %v", err)
	}
}

// TestPageOfSignIn checks the page that the browser shows at the end.
func TestPageOfSignIn(t *testing.T) {
	t.Parallel()
	fake, s := discover(t)
	pages := make(chan *http.Response, 1)
	_, err := newClient(http.DefaultClient).SignIn(t.Context(), s, oauth.Request{}, func(address string) {
		go func() {
			answer, err := http.DefaultClient.Do(newRequest(t, http.MethodGet, address))
			if err == nil {
				_ = answer.Body.Close()
			}
			pages <- answer
		}()
	})
	if err != nil || fake.Logins() != 1 {
		t.Fatal(err)
	}
	page := <-pages
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if !strings.HasPrefix(page.Header.Get(name), want) {
			t.Errorf("%s: %q", name, page.Header.Get(name))
		}
	}
}

// TestSignInEndsWithContext checks that the wait ends in time, with a hint to the login without a browser, and when it is interrupted.
func TestSignInEndsWithContext(t *testing.T) {
	t.Parallel()
	_, s := discover(t)
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	_, err := newClient(http.DefaultClient).SignIn(late, s, oauth.Request{}, func(string) {})
	if refused, ok := errors.AsType[*oauth.Error](err); !ok || !strings.Contains(refused.Hint, "--device") {
		t.Errorf("late: %v", err)
	}
	interrupted, interrupt := context.WithCancel(t.Context())
	_, err = newClient(http.DefaultClient).SignIn(interrupted, s, oauth.Request{}, func(string) { interrupt() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
