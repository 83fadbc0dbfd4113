package app_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// organizationHarness returns a Harness with a profile that has a token, and a user in the given organizations.
func organizationHarness(t *testing.T, organizations string) *apptest.Harness {
	t.Helper()
	const none = `200 {"count":0,"items":[]}`
	s := newHarness(t, map[string]string{
		"GET /v1/orgs": `200 {"count":1,"items":[` + organizations + `]}`, "GET /v1/orgs/o_1/spaces?limit=50": none,
		"GET /v1/user": `200 {"id":"u_1","displayName":"Ada"}`, "GET /v1/orgs/o_1/teams?limit=50": none,
	})
	login(t, s)
	return s
}

// login stores a token in the profile and removes the one of the environment.
func login(t *testing.T, s *apptest.Harness) {
	t.Helper()
	settings, err := app.LoadSettings(app.Sources{Dir: s.Dir, Getenv: func(name string) string { return s.Env[name] }}, s.Keyring)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settings.Login("wsd_stored"); err != nil {
		t.Fatal(err)
	}
	delete(s.Env, "WSCTL_TOKEN")
}

// countListed returns how often the organizations were listed by a command line.
func countListed(s *apptest.Harness, line string) (listed int) {
	before := len(s.Requests())
	s.Run(line)
	for _, request := range s.Requests()[before:] {
		if request == "GET /v1/orgs" {
			listed++
		}
	}
	return listed
}

// TestOnlyOrganizationIsKept checks that the only organization of a profile is asked for once, and again after the token or the
// address has changed, or something was not there.
func TestOnlyOrganizationIsKept(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, s *apptest.Harness){
		"login":   login,
		"missing": func(_ *testing.T, s *apptest.Harness) { s.Run("sites list --max-retries 0") },
		"address": func(t *testing.T, s *apptest.Harness) {
			settings, err := app.LoadSettings(app.Sources{Dir: s.Dir, Getenv: func(string) string { return "" }}, s.Keyring)
			if err == nil {
				err = settings.Set("url", "https://other.example")
			}
			if err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(app.ConfigPath(s.Dir)); err != nil || strings.Contains(string(data), "only_org") {
				t.Errorf("%v: the file is %s", err, data)
			}
			login(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := organizationHarness(t, `{"id":"o_1","title":"One"}`)
			for i, want := range []int{1, 0, 0} {
				if got := countListed(s, "spaces list"); got != want {
					t.Fatalf("command %d lists organizations %d times, want %d", i, got, want)
				}
			}
			change(t, s)
			if first, second := countListed(s, "teams list"), countListed(s, "teams list"); first != 1 || second != 0 {
				t.Errorf("afterwards organizations are listed %d and %d times, want 1 and 0", first, second)
			}
		})
	}
}

// TestOnlyOrganizationKeepsOtherSettings checks that a setting that another command changes in the meantime stays.
func TestOnlyOrganizationKeepsOtherSettings(t *testing.T) {
	t.Parallel()
	s := organizationHarness(t, `{"id":"o_1","title":"One"}`)
	listed := make(chan struct{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-listed:
		default:
			close(listed)
			data, err := os.ReadFile(app.ConfigPath(s.Dir))
			if err == nil {
				changed := strings.Replace(string(data), "token_store", "space: s_7\n        token_store", 1)
				err = os.WriteFile(app.ConfigPath(s.Dir), []byte(changed), 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		}
		_, _ = w.Write([]byte(`{"count":1,"items":[{"id":"o_1","title":"One"}]}`)) // the test fails without it
	}))
	t.Cleanup(front.Close)
	s.Env["WSCTL_URL"] = front.URL
	login(t, s)
	s.Run("spaces list --max-retries 0")
	data, err := os.ReadFile(app.ConfigPath(s.Dir))
	if err != nil || !strings.Contains(string(data), "space: s_7") || !strings.Contains(string(data), "only_org: o_1") {
		t.Errorf("%v: the file is %s", err, data)
	}
}

// TestOnlyOrganizationIsNotKept checks that the organization is not kept for a token of the environment, for another address, and
// if there are several.
func TestOnlyOrganizationIsNotKept(t *testing.T) {
	t.Parallel()
	s := organizationHarness(t, `{"id":"o_1","title":"One"}`)
	s.Run("spaces list").Want(t, app.ExitOK)
	s.Env["WSCTL_TOKEN"] = "wsd_other"
	if got := countListed(s, "spaces list"); got != 1 {
		t.Errorf("with a token of the environment organizations are listed %d times, want 1", got)
	}
	other := organizationHarness(t, `{"id":"o_2","title":"Two"}`)
	delete(s.Env, "WSCTL_TOKEN")
	s.Env["WSCTL_URL"] = other.URL
	before := len(other.Requests())
	s.Run("spaces list --max-retries 0")
	if sent := other.Requests()[before:]; len(sent) == 0 || sent[0] != "GET /v1/orgs" {
		t.Errorf("the other server is asked for %q", sent)
	}
	two := organizationHarness(t, `{"id":"o_1","title":"One"},{"id":"o_2","title":"Two"}`)
	for range 2 {
		two.Run("spaces list").Want(t, app.ExitUsage, "which organization?")
	}
}

// TestProfilesAreCompleted checks that --profile is completed with the names of profiles, also if the word is the name of none.
func TestProfilesAreCompleted(t *testing.T) {
	t.Parallel()
	s := newHarness(t, nil)
	config := "version: 1\nprofiles:\n  prod: {url: https://a.example}\n  work: {url: https://b.example}\n"
	if err := os.WriteFile(app.ConfigPath(s.Dir), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{"": "prod\nwork\n:4\n", "wo": "work\n:4\n", "x": ":4\n"} {
		if got := s.Run("__complete", "spaces", "list", "--profile", word); got.Stdout != want {
			t.Errorf("%q: %q, want %q", word, got.Stdout, want)
		}
	}
}
