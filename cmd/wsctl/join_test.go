package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

const (
	newAccount = `200 {"id":"u_1","organization":"o_1","user":{"id":"u_1","displayName":"Ada"},"token":"wsd_1_1_first"}`
	oldAccount = `200 {"id":"u_1","organization":"o_1","user":{"id":"u_1","displayName":"Ada"}}`
)

// newJoinHarness returns a Harness without a credential, whose server answers accepted invites with an answer.
func newJoinHarness(t *testing.T, answer string) *apptest.Harness {
	t.Helper()
	s := apptest.New(t, newRoot, map[string]string{
		"POST /v1/invites/accept": answer, "GET /v1/orgs/o_1": `200 {"id":"o_1","title":"Tidemark"}`, "GET /v1/user": userJSON,
	})
	delete(s.Env, "WSCTL_TOKEN")
	return s
}

// TestJoinWithNewAccount checks where the secret and the name of a new account are from, and that its token is kept for the profile, and
// shown at a terminal.
func TestJoinWithNewAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line     string
		terminal bool
		input    string
		want     string
	}{
		"standard input": {"join --name Ada", false, " wsi_1_2_3\r\n", `{"secret":"wsi_1_2_3","displayName":"Ada"}`},
		"file":           {"join --name Ada --secret-file FILE", false, "", `{"secret":"wsi_1_2_3","displayName":"Ada"}`},
		"name of invite": {"join", false, "wsi_1_2_3", `{"secret":"wsi_1_2_3"}`},
		"terminal":       {"join", true, "Ada Lovelace\n", `{"secret":"wsi_1_2_3","displayName":"Ada Lovelace"}`},
		"no name typed":  {"join", true, "\n", `{"secret":"wsi_1_2_3"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newJoinHarness(t, newAccount)
			s.Terminal, s.Input, s.Password = test.terminal, test.input, "wsi_1_2_3"
			file := filepath.Join(t.TempDir(), "invite.txt")
			if err := os.WriteFile(file, []byte("\ufeffwsi_1_2_3\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			got := s.Run(strings.Replace(test.line, "FILE", file, 1))
			got.Want(t, app.ExitOK, "Ada is you at "+s.URL+", in the organization Tidemark, o_1",
				"the token of profile default is in the keyring", "next: wsctl spaces list --org o_1")
			if want := "POST /v1/invites/accept " + test.want; !slices.Contains(s.Requests(), want) {
				t.Errorf("sent %v, want %s", s.Requests(), want)
			}
			if strings.Contains(got.Stdout+got.Stderr, "wsi_1_2_3") {
				t.Error("the output has the secret of the invite")
			}
			if shown := strings.Count(got.Stderr, "wsd_1_1_first"); strings.Contains(got.Stdout, "wsd_1_1_first") || shown > 1 ||
				(shown == 1) != test.terminal {
				t.Errorf("the token is shown %d times, want once at a terminal only", shown)
			}
			delete(s.Env, "WSCTL_URL") // the profile has it
			s.Run("auth status").Want(t, app.ExitOK, "credential", "token", s.URL)
		})
	}
}

// TestJoinWithAccount checks that the account of the profile joins, with its token or login, and that nothing is stored.
func TestJoinWithAccount(t *testing.T) {
	t.Parallel()
	s := newJoinHarness(t, oldAccount)
	s.Env["WSCTL_TOKEN"] = "wsd_1_1_mine"
	s.Input = "wsi_1_2_3"
	got := s.Run("join --name Ada")
	got.Want(t, app.ExitOK, "Ada is you at "+s.URL+", in the organization Tidemark")
	if strings.Contains(got.Stderr, "is in the keyring") || len(s.Keyring.Secrets) > 0 {
		t.Errorf("stored %v: %s", s.Keyring.Secrets, got.Stderr)
	}
	if want := `POST /v1/invites/accept {"secret":"wsi_1_2_3"}`; !slices.Contains(s.Requests(), want) {
		t.Errorf("sent %v", s.Requests())
	}
	if got := s.LastHeader().Get("Authorization"); got != "Bearer wsd_1_1_mine" {
		t.Errorf("sent %q", got)
	}
}

func TestJoinErrors(t *testing.T) {
	t.Parallel()
	s := newJoinHarness(t, `404 {"error":{"code":404,"message":"No such invite.","reason":"not_found"}}`)
	s.Input = "two words"
	s.Run("join").Want(t, app.ExitUsage, "the secret of an invite is one word; standard input has 2")
	s.Input = ""
	s.Run("join --secret-file -").Want(t, app.ExitUsage, "standard input has 0")
	s.Run("join --secret-file nowhere.txt").Want(t, app.ExitFailed, "nowhere.txt")
	s.Run("join wsi_1_2_3").Want(t, app.ExitUsage, "one argument too many")
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.Requests())
	}
	s.Input = "wsi_1_2_3"
	s.Run("join").Want(t, app.ExitNotFound, "No such invite.")
	other := newJoinHarness(t, newAccount)
	s.Input = "wsd_1_1_mine"
	s.Run("auth login --with-token").Want(t, app.ExitOK)
	s.Input = "wsi_1_2_3"
	s.Run("join --url "+other.URL).Want(t, app.ExitUsage, "was not sent to "+other.URL, "wsctl join --profile NAME --url "+other.URL)
	if len(other.Requests()) > 0 {
		t.Errorf("sent %v", other.Requests())
	}
}

// TestFirstTokenIsNotLost checks that the token of a new account is kept elsewhere if the profile cannot be written.
func TestFirstTokenIsNotLost(t *testing.T) {
	t.Parallel()
	s := newJoinHarness(t, newAccount)
	s.Input = "wsi_1_2_3"
	if err := os.Mkdir(filepath.Join(s.Dir, "login.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := s.Run("join")
	got.Want(t, app.ExitFailed, "joined as u_1, but the token cannot be stored", "its secret is in "+s.Dir)
	files, err := filepath.Glob(filepath.Join(s.Dir, "secret-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(data), "wsd_1_1_first") {
		t.Errorf("%s %v", data, err)
	}
}

// TestJoinWhereMembersSignInByProvider checks that a new account in such an organization goes on with the login at a terminal, as far as it
// is that of the account, and that others get the command for it.
func TestJoinWhereMembersSignInByProvider(t *testing.T) {
	t.Parallel()
	const next = "Next: wsctl login --profile NAME --url "
	for name, test := range map[string]struct {
		terminal bool
		token    string // of the profile
		joined   string // id of the account that joins
		exit     int
		want     string
	}{
		"new account":        {true, "", "u_ada", app.ExitOK, "the login of profile default is in the keyring"},
		"another account":    {true, "", "u_1", app.ExitUsage, "another account than the one that joined"},
		"no terminal":        {false, "", "u_ada", app.ExitOK, next},
		"account of profile": {true, "wsd_1_1_mine", "u_ada", app.ExitOK, next},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newLoginHarness(t)
			h.Terminal, h.Password, h.Input = test.terminal, "wsi_1_2_3", "Ada\n"
			if !test.terminal {
				h.Input = "wsi_1_2_3"
			}
			accepted := newAccount
			if test.token != "" {
				h.Env["WSCTL_TOKEN"], accepted = test.token, oldAccount
			}
			opened := make(chan string, 1)
			h.Browser = func(address string) error {
				opened <- address
				return h.Auth.Browse(t.Context(), address)
			}
			h.fail(func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case r.URL.Path == "/v1/invites/accept":
					_, answer, _ := strings.Cut(accepted, " ")
					_, _ = w.Write([]byte(strings.ReplaceAll(answer, "u_1", test.joined)))
				case r.URL.Path == "/v1/orgs/o_1" && strings.HasPrefix(r.Header.Get("Authorization"), "Bearer wsd_1_1_"):
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte(`{"error":{"code":403,"message":"You sign in by its identity provider.","reason":"sso_required"}}`))
				default:
					return false
				}
				return true
			})
			h.Run("join").Want(t, test.exit, test.want)
			if test.want == next {
				if n := h.Auth.Logins(); n > 0 {
					t.Errorf("%d logins", n)
				}
				return
			}
			if address := <-opened; !strings.Contains(address, "organization=o_1") {
				t.Errorf("the login is not limited to the organization: %s", address)
			}
			if kept := h.Auth.Logins() == 1; kept != (test.exit == app.ExitOK) {
				t.Errorf("the login is kept: %t", kept)
			}
		})
	}
}
