package e2e

import (
	"bufio"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageForm  = regexp.MustCompile(`(?s)<form method="post" action="([^"]*)">(.*?)</form>`)
	formInput = regexp.MustCompile(`<input type="[a-z]*"[^>]*name="([^"]*)"[^>]*>`)
	formValue = regexp.MustCompile(`value="([^"]*)"`)
)

// accountBrowser is a browser with the pages of an account.
type accountBrowser struct {
	t      *testing.T
	url    string
	client *http.Client
}

func newAccountBrowser(t *testing.T, address string) accountBrowser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return accountBrowser{t, address, &http.Client{Jar: jar}}
}

// open opens a page and returns its text.
func (b accountBrowser) open(address string) string {
	b.t.Helper()
	return b.send(http.MethodGet, address, "")
}

// submit fills in the form of a page for an action, sends it, and returns the text of the next page.
func (b accountBrowser) submit(body, action, name, value string) string {
	b.t.Helper()
	for _, form := range pageForm.FindAllStringSubmatch(body, -1) {
		if form[1] != action {
			continue
		}
		fields := url.Values{}
		for _, input := range formInput.FindAllStringSubmatch(form[2], -1) {
			if given := formValue.FindStringSubmatch(input[0]); given != nil {
				fields.Set(input[1], html.UnescapeString(given[1]))
			}
		}
		fields.Set(name, value)
		return b.send(http.MethodPost, b.url+action, fields.Encode())
	}
	b.t.Fatalf("no form for %s in:\n%s", action, body)
	return ""
}

func (b accountBrowser) send(method, address, form string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.url)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.t.Fatalf("%s %s: %d %s %v", method, address, answer.StatusCode, body, err)
	}
	return string(body)
}

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
	browser := newAccountBrowser(t, d.URL)
	browser.submit(browser.open(d.URL+"/account/sign-in"), "/account/sign-in", "token", d.Token)
	confirmLogin(t, wsctl("login", "--device"), browser)

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
func confirmLogin(t *testing.T, cmd *exec.Cmd, browser accountBrowser) {
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
			question := browser.submit(browser.open(address), "/account/device", "code", code)
			decided := browser.submit(question, "/account/device/decide", "decision", "allow")
			if !strings.Contains(decided, "<h1>Allowed</h1>") {
				t.Fatalf("not allowed:\n%s", decided)
			}
		}
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(output.String(), "the login of profile default is in the file") {
		t.Fatalf("%v: %s", err, &output)
	}
}
