package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// TestSignInOnDevice checks the requests, the pauses between them and the outcome of a login on another device.
func TestSignInOnDevice(t *testing.T) {
	t.Parallel()
	repeat := func(code string, n int) []string { return slices.Repeat([]string{code}, n) }
	for name, test := range map[string]struct {
		pending  []string
		interval int
		want     string // part of the error
		seconds  int
	}{
		"at once":       {nil, 2, "", 2},
		"no interval":   {nil, 0, "", 5},
		"pending":       {repeat("authorization_pending", 3), 2, "", 8},
		"slower":        {[]string{"slow_down", "authorization_pending"}, 2, "", 2 + 7 + 7},
		"away":          {[]string{"503", "cut"}, 2, "", 2 + 7 + 12},
		"refused":       {[]string{"access_denied"}, 2, "the login was refused", 2},
		"expired":       {[]string{"expired_token"}, 2, "in time", 2},
		"expired here":  {repeat("authorization_pending", 1000), 60, "in time", 600},
		"wrong request": {[]string{"invalid_client"}, 2, "invalid_client", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := &apptest.AuthServer{URL: "http://wsd.example", Now: time.Now, Lifetime: time.Hour}
				fake.Start()
				fake.Pending, fake.Interval = test.pending, test.interval
				fake.Fail = failNext(fake)
				start := time.Now()
				_, err := newClient(&http.Client{Transport: fake}).SignInOnDevice(t.Context(), fake.Server(),
					oauth.Request{Scope: "read", DeviceName: "box"}, func(code oauth.DeviceCode) {
						if code.UserCode != "BCDF-GHJK" || code.VerificationURI != fake.URL+"/device" || code.CompleteURI == "" {
							t.Errorf("code %+v", code)
						}
					})
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("error %v", err)
				}
				if took := time.Since(start); took != time.Duration(test.seconds)*time.Second {
					t.Errorf("took %s", took)
				}
				if first := fake.Requests()[0]; first != "POST /oauth/device client_id=wsctl&device_name=box&scope=read" {
					t.Errorf("sent %s", first)
				}
			})
		})
	}
}

// failNext fails a poll with a status or without an answer, if that is the next of the errors of the server.
func failNext(fake *apptest.AuthServer) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/oauth/token" || len(fake.Pending) == 0 || fake.Pending[0] != "503" && fake.Pending[0] != "cut" {
			return false
		}
		if fake.Pending[0] == "cut" {
			fake.Cut = true
		}
		fake.Pending = fake.Pending[1:]
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
}

// TestInterruptedDevice checks that an interrupt ends the wait.
func TestInterruptedDevice(t *testing.T) {
	t.Parallel()
	fake, s := discover(t)
	ctx, interrupt := context.WithCancel(t.Context())
	_, err := newClient(http.DefaultClient).SignInOnDevice(ctx, s, oauth.Request{}, func(oauth.DeviceCode) { interrupt() })
	if !errors.Is(err, context.Canceled) || fake.Logins() > 0 {
		t.Errorf("error %v", err)
	}
}

// TestIncompleteDeviceCode checks that an answer without what a person or the next request needs is refused.
func TestIncompleteDeviceCode(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `{"device_code":"d","user_code":"u","verification_uri":"javascript:x","expires_in":600}`,
		`{"device_code":"d","user_code":"u","verification_uri":"https://x.example/device"}`, `not JSON`,
	} {
		fake, s := discover(t)
		fake.Change(func(s *apptest.AuthServer) {
			s.Fail = func(w http.ResponseWriter, _ *http.Request) bool {
				_, _ = w.Write([]byte(body))
				return true
			}
		})
		_, err := newClient(http.DefaultClient).SignInOnDevice(t.Context(), s, oauth.Request{}, func(oauth.DeviceCode) {})
		if _, ok := errors.AsType[*client.InvalidResponseError](err); !ok {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestRenewAndRevoke checks the requests and the errors of the renewal and of the end of a login.
func TestRenewAndRevoke(t *testing.T) {
	t.Parallel()
	fake, s := discover(t)
	c := newClient(http.DefaultClient)
	first, err := c.SignIn(t.Context(), s, oauth.Request{}, func(address string) { go func() { _ = fake.Browse(t.Context(), address) }() })
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Renew(t.Context(), first)
	if err != nil || second.AccessToken == first.AccessToken || second.Issuer != first.Issuer ||
		second.RevocationEndpoint != first.RevocationEndpoint {
		t.Fatalf("renewed %+v: %v", second, err)
	}
	if again, err := c.Renew(t.Context(), first); err != nil || again != second {
		t.Errorf("the same again: %+v %v", again, err)
	}
	want := "POST /oauth/token " + url.Values{
		"client_id": {"wsctl"}, "grant_type": {"refresh_token"}, "refresh_token": {first.RefreshToken},
	}.Encode()
	if !slices.Contains(fake.Requests(), want) {
		t.Errorf("sent %v", fake.Requests())
	}
	if err := c.Revoke(t.Context(), second); err != nil || fake.Logins() != 0 {
		t.Errorf("revoked: %v", err)
	}
	_, err = c.Renew(t.Context(), second)
	if refused, ok := errors.AsType[*oauth.Error](err); !ok || refused.Code != oauth.CodeInvalidGrant || refused.IsTemporary() {
		t.Errorf("renewed after its end: %v", err)
	}
	fake.Change(func(s *apptest.AuthServer) {
		s.Fail = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
	})
	for name, act := range map[string]func() error{
		"renewal":    func() error { _, err := c.Renew(t.Context(), second); return err },
		"revocation": func() error { return c.Revoke(t.Context(), second) },
	} {
		err := act()
		if busy, ok := errors.AsType[*oauth.Error](err); !ok || !busy.IsTemporary() || busy.RetryAfter != 7*time.Second {
			t.Errorf("%s: %v", name, err)
		}
	}
	second.TokenEndpoint, second.RevocationEndpoint = "http://127.0.0.1:1/token", "http://127.0.0.1:1/revoke"
	if _, err := c.Renew(t.Context(), second); !isUnreachable(err) {
		t.Errorf("renewal: %v", err)
	}
	if err := c.Revoke(t.Context(), second); !isUnreachable(err) {
		t.Errorf("revocation: %v", err)
	}
}

func isUnreachable(err error) bool {
	_, ok := errors.AsType[*client.TransportError](err)
	return ok
}

// TestIncompleteLogins checks that an answer of the token endpoint without what wsctl needs is refused.
func TestIncompleteLogins(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no refresh secret": `{"access_token":"wsd_1","token_type":"Bearer","expires_in":60}`,
		"no lifetime":       `{"access_token":"wsd_1","token_type":"Bearer","refresh_token":"wsr_1"}`,
		"other type":        `{"access_token":"wsd_1","token_type":"mac","expires_in":60,"refresh_token":"wsr_1"}`,
		"two words":         `{"access_token":"wsd 1","token_type":"Bearer","expires_in":60,"refresh_token":"wsr_1"}`,
		"no JSON":           `<html>`,
	} {
		fake, s := discover(t)
		fake.Change(func(s *apptest.AuthServer) {
			s.Fail = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/oauth/token" {
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte(body))
				}
				return r.URL.Path == "/oauth/token"
			}
		})
		_, err := newClient(http.DefaultClient).SignIn(t.Context(), s, oauth.Request{}, func(address string) {
			go func() { _ = fake.Browse(t.Context(), address) }()
		})
		if _, ok := errors.AsType[*client.InvalidResponseError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
