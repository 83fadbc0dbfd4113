package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestLoginInBrowser checks the login by a browser, what auth status says of it, and its end, in both stores.
func TestLoginInBrowser(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]bool{"keyring": false, "file": true} {
		for _, group := range []string{"", "auth "} {
			t.Run(group+name, func(t *testing.T) {
				t.Parallel()
				s := newLoginHarness(t)
				s.Keyring.Unavailable = broken
				got := s.Run(group + "login --scope write")
				got.Want(t, app.ExitOK, "Open this address in a browser: "+s.Auth.URL+"/oauth/authorize?", "Ada is you at "+s.Auth.URL,
					"the login of profile default is in the "+name)
				opened := strings.Join(s.Opened, " ")
				if !strings.Contains(opened, "device_name=box") || !strings.Contains(opened, "scope=write") {
					t.Errorf("opened %v", s.Opened)
				}
				for _, secret := range []string{"wsd_", "wsr_"} {
					if strings.Contains(got.Stdout+got.Stderr, secret) {
						t.Errorf("the output has a secret: %s", got.Stderr)
					}
				}
				checkFileModes(t, s.Dir)
				delete(s.Env, "WSCTL_URL") // the profile has it
				s.Terminal = false
				s.Run("auth status -o json").Want(t, app.ExitOK, `"credential": "login"`, `"expiresAt": "2026-02-01T13:00:00Z"`, `"renews": true`,
					`"token": "profile default, in the `+name)
				s.Run("auth status").Want(t, app.ExitOK, "credential\tlogin", "expiresAt\t2026-02-01", "renews\ttrue")
				s.Terminal = true
				s.Run("auth status").Want(t, app.ExitOK, "credential  login", "expiresAt   2026-02-01", "renews      true")
				s.Run(group+"logout").Want(t, app.ExitOK, "the login of profile default has ended and is forgotten")
				s.Run("auth logout").Want(t, app.ExitOK, "has no token")
				if s.Auth.Logins() > 0 || len(s.Keyring.Secrets) > 0 {
					t.Errorf("%d logins are left, and in the keyring %v", s.Auth.Logins(), s.Keyring.Secrets)
				}
			})
		}
	}
}

// TestLoginOnDevice checks when a login is confirmed on another device, and that the code is written even with --quiet.
func TestLoginOnDevice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set    func(s *loginHarness)
		line   string
		reason string
	}{
		"asked for":          {func(*loginHarness) {}, "login --device -q", ""},
		"without a terminal": {func(s *loginHarness) { s.Terminal = false }, "login --device", ""},
		"no display":         {func(s *loginHarness) { s.Display = false }, "login", "no browser can be opened here"},
		"remote":             {func(s *loginHarness) { s.Env["SSH_CONNECTION"] = "192.0.2.1 1 192.0.2.2 22" }, "login", "no browser"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLoginHarness(t)
			s.Auth.Interval = 1
			test.set(s)
			s.Run(test.line).Want(t, app.ExitOK, test.reason, s.Auth.URL+"/device\n", "BCDF-GHJK")
			if len(s.Opened) > 0 || s.Auth.Logins() != 1 {
				t.Errorf("opened %v", s.Opened)
			}
		})
	}
}

// TestLoginErrors checks the errors of logins that are not possible or refused, and that nothing is stored then.
func TestLoginErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set  func(s *loginHarness)
		line string
		code int
		want []string
	}{
		"script": {
			func(s *loginHarness) { s.Terminal = false }, "login", app.ExitUsage,
			[]string{"wsctl auth login --with-token < token.txt", "wsctl login --device"},
		},
		"no input": {nil, "login --no-input", app.ExitUsage, []string{"nobody can be asked"}},
		"refused": {
			func(s *loginHarness) { s.Auth.Refuse = "access_denied" }, "login", app.ExitDenied, []string{"the login was refused"},
		},
		"wrong scope": {nil, "login --scope all", app.ExitUsage, []string{"read, write or admin"}},
		"both":        {nil, "login --device --with-token", app.ExitUsage, []string{"exclude each other"}},
		"name of an organization": {
			nil, "login --org Tidemark", app.ExitUsage, []string{"--org takes the id"},
		},
		"no login there": {
			func(s *loginHarness) {
				s.Auth.Fail = func(w http.ResponseWriter, _ *http.Request) bool { http.NotFound(w, nil); return true }
			}, "login", app.ExitFailed, []string{"has no login in a browser", "hint: wsctl auth login --with-token"},
		},
		"other origin": {
			func(s *loginHarness) { s.Auth.Metadata = map[string]string{"issuer": "https://docs.example.com"} }, "login", app.ExitFailed,
			[]string{"hint: if that is the address of the server: wsctl login --url https://docs.example.com"},
		},
		"unreachable": {
			func(s *loginHarness) { s.Env["WSCTL_URL"] = "http://127.0.0.1:1" }, "login --max-retries 0", app.ExitUnavailable,
			[]string{"cannot reach"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLoginHarness(t)
			if test.set != nil {
				test.set(s)
			}
			s.Run(test.line).Want(t, test.code, test.want...)
			if len(s.Keyring.Secrets) > 0 || s.Auth.Logins() > 0 {
				t.Errorf("stored %v", s.Keyring.Secrets)
			}
		})
	}
}

// TestLoginIsLimitedToOrganization checks that the organization of a login is that of the flag, the environment or the profile if it is
// an id.
func TestLoginIsLimitedToOrganization(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{"o_env": "organization=o_env", "Tidemark": ""} {
		s := newLoginHarness(t)
		s.Env["WSCTL_ORG"] = env
		got := s.Run("login")
		got.Want(t, app.ExitOK)
		if want != "" && !strings.Contains(s.Opened[0], want) || want == "" && !strings.Contains(got.Stderr, "is not limited") {
			t.Errorf("%s: opened %v: %s", env, s.Opened, got.Stderr)
		}
		s.Run("login --org o_flag").Want(t, app.ExitOK)
		if !strings.Contains(s.Opened[1], "organization=o_flag") {
			t.Errorf("opened %v", s.Opened)
		}
	}
}

// TestNewLoginEndsPrevious checks that a login which is replaced is ended on the server, and one that cannot be ended is reported.
func TestNewLoginEndsPrevious(t *testing.T) {
	t.Parallel()
	s := newLoginHarness(t)
	s.Run("login").Want(t, app.ExitOK)
	s.Run("login").Want(t, app.ExitOK)
	if n := s.Auth.Logins(); n != 1 {
		t.Errorf("%d logins", n)
	}
	s.fail(failPath("/oauth/revoke", http.StatusServiceUnavailable))
	s.Run("login").Want(t, app.ExitOK, "the previous login could not be ended on the server")
	s.Run("whoami").Want(t, app.ExitOK, "u_ada")
	s.fail(nil)
	s.Password = "wsd_ada_l30_secret" // the access token of the third login, as a token
	s.Run("login --with-token").Want(t, app.ExitOK, "the token of profile default")
	if n := s.Auth.Logins(); n != 1 {
		t.Errorf("%d logins", n)
	}
}

// failPath returns a function that answers requests for a path with a status.
func failPath(path string, status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == path {
			w.WriteHeader(status)
		}
		return r.URL.Path == path
	}
}

// TestLogoutWithoutServer checks that a login which cannot be ended on the server is forgotten, and that the error says how to end it.
func TestLogoutWithoutServer(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int{"away": app.ExitUnavailable, "busy": app.ExitUnavailable, "refused": app.ExitFailed} {
		s := newSignedInHarness(t)
		switch name {
		case "away":
			s.HTTP = &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("cut") })}
		case "busy":
			s.fail(failPath("/oauth/revoke", http.StatusServiceUnavailable))
		default:
			s.fail(failPath("/oauth/revoke", http.StatusBadRequest))
		}
		s.Run("logout").Want(t, code, "the login of profile default is forgotten here, and still valid on the server",
			"hint: the rest: wsctl tokens delete t_l10 --yes")
		if len(s.Keyring.Secrets) > 0 {
			t.Errorf("%s: kept %v", name, s.Keyring.Secrets)
		}
		s.Run("logout").Want(t, app.ExitOK, "has no token")
	}
}

// roundTripper is a function as http.RoundTripper.
type roundTripper func(r *http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLoginIsNoToken checks that the stored text of a login is refused as a token, as builds that know tokens only do.
func TestLoginIsNoToken(t *testing.T) {
	t.Parallel()
	s := newSignedInHarness(t)
	stored := s.Keyring.Secrets["wsctl/default"]
	if !strings.Contains(stored, "\n") {
		t.Errorf("stored in one line: %s", stored)
	}
	s.Env["WSCTL_TOKEN"] = stored
	s.Run("whoami").Want(t, app.ExitUsage, "the token from environment WSCTL_TOKEN is JSON, such as a login", "hint: wsctl login")
	delete(s.Env, "WSCTL_TOKEN")
	s.Keyring.Secrets["wsctl/default"] = "{\n}"
	s.Run("whoami").Want(t, app.ExitUsage, "the login from profile default, in the keyring is damaged", "hint: wsctl login")
}

// TestLoginIsSentToItsServerOnly checks that the tokens of a login do not go to another server.
func TestLoginIsSentToItsServerOnly(t *testing.T) {
	t.Parallel()
	s, other := newSignedInHarness(t), newLoginHarness(t)
	s.pass(2 * time.Hour)
	s.Run("whoami --url "+other.Auth.URL).Want(t, app.ExitDenied, "the token of profile default is for "+s.Auth.URL+" and was not sent")
	for _, r := range other.Auth.Requests() {
		if strings.Contains(r, "wsr_") {
			t.Errorf("sent %s", r)
		}
	}
}
