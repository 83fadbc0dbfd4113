package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestLoginAndLogout(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]bool{"keyring": false, "file": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetupHarness(t, map[string]string{"GET /v1/user": userJSON})
			s.Keyring.Unavailable = broken
			delete(s.Env, "WSCTL_TOKEN")
			s.Input = "wsd_new\n"
			s.Run("auth login --with-token").Want(t, app.ExitOK, "Ada is you", "in the "+name)
			delete(s.Env, "WSCTL_URL") // the profile contains the URL
			s.Run("auth status").Want(t, app.ExitOK, "profile default, in the "+name, "u_1", s.URL)
			checkFileModes(t, s.Dir)
			completions := filepath.Join(s.Dir, "completions.json") // may contain titles
			if err := os.WriteFile(completions, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			s.Run("auth logout").Want(t, app.ExitOK, "forgotten")
			if _, err := os.Stat(completions); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("completions are kept after logout: %v", err)
			}
			s.Run("auth logout").Want(t, app.ExitOK, "has no token")
			if len(s.Keyring.Secrets) > 0 {
				t.Errorf("the keyring still has %v", s.Keyring.Secrets)
			}
		})
	}
}

// checkFileModes checks that only the owner can read the stored files.
func checkFileModes(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestInvalidTokenIsNotStored(t *testing.T) {
	t.Parallel()
	s := newSetupHarness(t, map[string]string{"GET /v1/user": `401 {"error":{"code":401,"message":"No such token."}}`})
	s.Input = "wsd_new"
	s.Run("auth login --with-token").Want(t, app.ExitDenied, "No such token.")
	s.Input = "two words"
	s.Run("auth login --with-token").Want(t, app.ExitUsage, "the token from standard input has a space in it")
	s.Run("auth login").Want(t, app.ExitUsage, "--with-token")
	if entries, _ := os.ReadDir(s.Dir); len(entries) > 0 || len(s.Keyring.Secrets) > 0 {
		t.Errorf("stored %v %v", entries, s.Keyring.Secrets)
	}
}

func TestLoginPromptsOnTerminal(t *testing.T) {
	t.Parallel()
	s := newSetupHarness(t, map[string]string{"GET /v1/user": userJSON})
	s.Terminal = true
	got := s.Run("auth login --with-token")
	got.Want(t, app.ExitOK, "Token: ", "WSCTL_TOKEN is set and wins")
	if s.Keyring.Secrets["wsctl/default"] != "wsd_typed" || strings.Contains(got.Stdout+got.Stderr, "wsd_typed") {
		t.Errorf("stored %v, output %q", s.Keyring.Secrets, got.Stderr)
	}
}

// TestTokenIsSentToItsServerOnly checks that a stored token is sent only to the server that it was stored for.
func TestTokenIsSentToItsServerOnly(t *testing.T) {
	t.Parallel()
	s := newSetupHarness(t, map[string]string{"GET /v1/user": userJSON})
	delete(s.Env, "WSCTL_TOKEN")
	s.Input = "wsd_new"
	s.Run("auth login --with-token").Want(t, app.ExitOK)
	other := newSetupHarness(t, map[string]string{"GET /v1/user": userJSON})
	status := s.Run("auth", "status", "--url", other.URL, "--jq", ".token")
	status.Want(t, app.ExitOK)
	if status.Stdout != "\n" {
		t.Errorf("the token for %s went to %s: from %s", s.URL, other.URL, status.Stdout)
	}
	s.Run("config", "set", "url", other.URL).Want(t, app.ExitOK)
	delete(s.Env, "WSCTL_URL")
	if got := s.Run("auth status --jq .token"); got.Stdout != "\n" {
		t.Errorf("the token followed the profile to another server: %+v", got)
	}
}

func TestSettingsPrecedence(t *testing.T) {
	t.Parallel()
	s := newSetupHarness(t, nil)
	delete(s.Env, "WSCTL_URL")
	show := func(flags string) string { return s.Run("config list --show-origin " + flags).Stdout }
	want := func(got, line string) {
		t.Helper()
		if !strings.Contains(got, line+"\n") {
			t.Errorf("want %q in\n%s", line, got)
		}
	}
	want(show(""), "url\thttp://127.0.0.1:8080\tdefault")
	s.Run("config set url http://profile.example").Want(t, app.ExitOK)
	s.Run("config set org org_p").Want(t, app.ExitOK)
	want(show(""), "url\thttp://profile.example\tprofile default")
	s.Env["WSCTL_URL"] = "http://env.example"
	want(show(""), "url\thttp://env.example\tenvironment WSCTL_URL")
	want(show("--url http://flag.example"), "url\thttp://flag.example\tflag --url")
	delete(s.Env, "WSCTL_URL")
	want(show(""), "org\torg_p\tprofile default")
	if got := s.Run("config get org").Stdout; got != "org_p\n" {
		t.Errorf("config get: %q", got)
	}
	if got := s.Run("config path").Stdout; got != filepath.Join(s.Dir, "config.yaml")+"\n" {
		t.Errorf("config path: %q", got)
	}
}

// TestProfileAppliesToItsServerOnly checks that the settings of a profile apply only to its server. If another server refuses a
// request, the error explains that the profile's token was not sent.
func TestProfileAppliesToItsServerOnly(t *testing.T) {
	t.Parallel()
	s := newSetupHarness(t, map[string]string{"GET /v1/user": userJSON})
	delete(s.Env, "WSCTL_TOKEN")
	s.Input = "wsd_new"
	s.Run("auth login --with-token").Want(t, app.ExitOK)
	s.Run("config set org org_here").Want(t, app.ExitOK)
	s.Run("config set space s_here").Want(t, app.ExitOK)
	other := newSetupHarness(t, map[string]string{
		"GET /v1/user": `401 {"error":{"code":401,"message":"A valid token is needed.","reason":"unauthenticated"}}`,
	})
	for _, name := range []string{"org", "space"} {
		if here, there := s.Run("config get "+name).Stdout, s.Run("config get "+name+" --url "+other.URL).Stdout; !strings.HasSuffix(here,
			"_here\n") || there != "\n" {
			t.Errorf("%s: %q, on another server %q", name, here, there)
		}
	}
	s.Run("auth status --url "+other.URL).Want(t, app.ExitDenied, "the token of profile default is for "+s.URL+" and was not sent to "+
		other.URL+" (from flag --url)")
	s.Env["WSCTL_TOKEN"] = "wsd_wrong"
	s.Run("auth status --url "+other.URL).Want(t, app.ExitDenied, "hint: set WSCTL_TOKEN")
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := newSetupHarness(t, map[string]string{"GET /v1/user": userJSON})
	s.Run("--profile work config get url").Want(t, app.ExitUsage, `no profile "work"`)
	s.Run("--profile Work config set space s_w").Want(t, app.ExitUsage, "lower-case")
	s.Run("--profile work config set space s_w").Want(t, app.ExitOK)
	s.Run("config set profile work").Want(t, app.ExitOK)
	if got := s.Run("config get space").Stdout; got != "s_w\n" {
		t.Errorf("the profile in use has space %q", got)
	}
	s.Env["WSCTL_PROFILE"] = "nowhere"
	s.Run("config list").Want(t, app.ExitUsage, "environment WSCTL_PROFILE")
	s.Run("config set read_only perhaps").Want(t, app.ExitUsage)
	s.Run("config set colour red").Want(t, app.ExitUsage)
	s.Run("config get colour").Want(t, app.ExitUsage)
}
