package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/e2e/browser"
)

// expiry matches the end of the access token in a stored login.
var expiry = regexp.MustCompile(`"expiresAt": "[^"]*"`)

// TestLoginOfWsctl checks a login on another device, its renewal by sixteen processes at once, and its end, with the real binaries.
func TestLoginOfWsctl(t *testing.T) {
	t.Parallel()
	d, stop, err := startDemo(binary(t, "wsd"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	wsctl := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), binary(t, "wsctl"), args...)
		// An address without a bus, so that the login is kept in the file.
		cmd.Env = append(environment(), "WSCTL_CONFIG_DIR="+dir, "WSCTL_URL="+d.URL, "DBUS_SESSION_BUS_ADDRESS=unix:path="+dir+"/none")
		return cmd
	}
	b := browser.New(t, d.URL)
	b.Submit(b.Open(d.URL+"/account/sign-in"), "/account/sign-in", "token", d.Token)
	confirmLogin(t, wsctl("login", "--device"), b)

	stored := filepath.Join(dir, "tokens.yaml")
	before, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	before = expiry.ReplaceAll(before, []byte(`"expiresAt": "2026-01-01T00:00:00Z"`))
	if err := os.WriteFile(stored, before, 0o600); err != nil {
		t.Fatal(err)
	}
	var processes []*exec.Cmd
	for range 16 {
		cmd := wsctl("whoami", "--jq", ".id")
		cmd.Stderr = &strings.Builder{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, cmd)
	}
	for _, cmd := range processes {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stderr)
		}
	}
	if after, err := os.ReadFile(stored); err != nil || string(after) == string(before) {
		t.Errorf("not renewed: %v", err)
	}
	if out, err := wsctl("logout").CombinedOutput(); err != nil || !strings.Contains(string(out), "has ended and is forgotten") {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.WriteFile(stored, before, 0o600); err != nil { // somebody has kept a copy
		t.Fatal(err)
	}
	config := "version: 1\nprofiles:\n    default:\n        url: " + d.URL + "\n        token_store: file\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := wsctl("whoami").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the login of profile default has ended") {
		t.Errorf("%v: %s", err, out)
	}
}

// confirmLogin runs a login on another device and confirms it in the browser.
func confirmLogin(t *testing.T, cmd *exec.Cmd, b browser.Browser) {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		output.WriteString(lines.Text() + "\n")
		if _, address, ok := strings.Cut(lines.Text(), "The address with the code: "); ok {
			_, code, _ := strings.Cut(address, "code=")
			question := b.Submit(b.Open(address), "/account/device", "code", code)
			decided := b.Submit(question, "/account/device/decide", "decision", "allow")
			if !strings.Contains(decided, "<h1>Allowed</h1>") {
				t.Fatalf("not allowed:\n%s", decided)
			}
		}
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(output.String(), "the login of profile default is in the file") {
		t.Fatalf("%v: %s", err, &output)
	}
}
