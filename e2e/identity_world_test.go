package e2e

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// identityWorld is an organization whose members sign in by an identity provider in Chromium. Its admin is Ada, who is an admin of
// another organization, too, and uses wsctl with a token.
type identityWorld struct {
	t                             *testing.T
	chromium                      chromium
	url                           string
	admin                         client
	organization, elsewhere, team string // ids
}

// identityProvider is a provider of the organization, as wsd and people know it.
type identityProvider struct {
	commands string                   // of wsctl: saml-providers or oidc-providers
	start    string                   // the start address
	logIn    func(b tab, name string) // fills in the forms of the provider
}

// service has the addresses that wsd shows to enter at a provider.
type service struct {
	ACSURL      string `json:"acsURL"`
	EntityID    string `json:"entityID"`
	RedirectURL string `json:"redirectURL"`
	StartURL    string `json:"startURL"`
}

// newIdentityWorld starts a wsd with two organizations, and Chromium. The team of the organization is Writers.
func newIdentityWorld(t *testing.T) *identityWorld {
	t.Helper()
	storetest.NeedServer(t)
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return newIdentityWorldOn(t, newRedisHost(t).withEnvironment("WSD_ENCRYPTION_KEY="+base64.StdEncoding.EncodeToString(key)), "")
}

// newIdentityWorldOn is like newIdentityWorld, but starts wsd on a host. Browsers reach it at url, by default where it listens.
func newIdentityWorldOn(t *testing.T, h host, url string) *identityWorld {
	t.Helper()
	w := &identityWorld{t: t, chromium: startChromium(t)}
	token, organization := h.createOrganization(t)
	served := h.mustServe(t)
	w.organization, w.url = organization, cmp.Or(url, served.url)
	w.admin = client{binary(t, "wsctl"), served.url, token, t.TempDir()}
	w.run("spaces", "create", "--title", "Handbook", "--org", w.organization)
	w.elsewhere = w.run("organizations", "create", "--title", "Elsewhere", "--jq", ".id")
	w.run("spaces", "create", "--title", "Secrets", "--org", w.elsewhere)
	w.team = w.run("teams", "create", "--title", "Writers", "--org", w.organization, "--jq", ".id")
	return w
}

// run runs wsctl as the admin, and returns its output without the final line feed.
func (w *identityWorld) run(args ...string) string {
	w.t.Helper()
	return w.admin.runWord(w.t.Context(), w.t, args...)
}

// createProvider adds a provider with the label Id, whose people join with the role comment, and whose group writers is the team.
func (w *identityWorld) createProvider(commands string, flags ...string) service {
	w.t.Helper()
	teams := fmt.Sprintf(`{"teams": [{"value": "writers", "team": %q}]}`, w.team)
	args := append([]string{
		commands, "create", "--org", w.organization, "--label", "Id", "--default-role", "comment", "--data", teams, "--jq", ".service",
	}, flags...)
	var made service
	if err := json.Unmarshal([]byte(w.run(args...)), &made); err != nil {
		w.t.Fatal(err)
	}
	return made
}

// update changes the settings of the provider.
func (w *identityWorld) update(commands string, flags ...string) {
	w.t.Helper()
	w.run(append([]string{commands, "update", "Id", "--org", w.organization}, flags...)...)
}

// wantState checks the status of the provider and whether changed settings of it are untried.
func (w *identityWorld) wantState(p identityProvider, want string) {
	w.t.Helper()
	got := w.run(p.commands, "get", "Id", "--org", w.organization, "--jq", `.status + (if .untried then " untried" else "" end)`)
	if got != want {
		w.t.Errorf("the provider is %s, want %s", got, want)
	}
}

// activate tries the pending provider as the admin, who is signed in with a token in the same browser, and links the identity.
func (w *identityWorld) activate(p identityProvider) {
	w.t.Helper()
	w.wantState(p, "pending")
	early := w.chromium.newTab()
	early.open(p.start)
	p.logIn(early, "grace")
	early.awaitText("not in use yet")

	b := w.chromium.newTab()
	b.open(w.url + "/account/sign-in")
	b.enter("token", w.admin.token)
	b.awaitText("Your account")
	b.open(p.start)
	p.logIn(b, "ada")
	b.awaitText("Is that you?")
	b.awaitText("Ada Lovelace")
	b.press("Link them")
	b.awaitText("this session opens Docs only")
	w.wantState(p, "active")
}

// join signs Grace in for the first time, and returns the id of the member that she becomes.
func (w *identityWorld) join(p identityProvider) (id string) {
	w.t.Helper()
	w.signIn(p)
	id = w.memberID("Grace Hopper")
	got := w.run("members", "get", id, "--org", w.organization, "--jq", ".role")
	if got != "comment" {
		w.t.Errorf("the role is %s, want comment", got)
	}
	if teams := w.run("members", "list-teams", id, "--org", w.organization, "--jq", ".[].team.title"); teams != "Writers" {
		w.t.Errorf("the teams are %q, want Writers", teams)
	}
	return id
}

// signIn signs Grace in, in a browser without cookies.
func (w *identityWorld) signIn(p identityProvider) {
	w.t.Helper()
	b := w.chromium.newTab()
	b.open(p.start)
	p.logIn(b, "grace")
	b.awaitText("this session opens Docs only")
}

// tryChanges signs the admin in with changed settings, in a browser without cookies, and waits until the page shows a text.
func (w *identityWorld) tryChanges(p identityProvider, text string) {
	w.t.Helper()
	w.wantState(p, "active untried")
	b := w.chromium.newTab()
	b.open(p.start + "?try")
	p.logIn(b, "ada")
	b.awaitText(text)
}

// wantRefusals checks the number of events of answers of providers that were refused.
func (w *identityWorld) wantRefusals(want int) {
	w.t.Helper()
	got := w.run("events", "list", "--org", w.organization, "--action", "providers.refuse", "--jq", `[.[] | .after.reason] | join(" ")`)
	if got != strings.TrimSpace(strings.Repeat("answer ", want)) {
		w.t.Errorf("refusals: %q, want %d answers", got, want)
	}
}

// memberID returns the id of the only member with a name.
func (w *identityWorld) memberID(name string) string {
	w.t.Helper()
	id := w.run("members", "list", "--org", w.organization, "--search", name, "--jq", ".[].id")
	if id == "" || strings.Contains(id, "\n") {
		w.t.Fatalf("members with the name %s: %q", name, id)
	}
	return id
}

// logInToWsctl runs `wsctl login` in a terminal as Grace, goes on in the browser that it opens by way of the page of the sign-in and the
// provider, and checks that the login opens her organization only.
func (w *identityWorld) logInToWsctl(p identityProvider) {
	w.t.Helper()
	home := w.t.TempDir()
	opened := filepath.Join(home, "opened")
	browser := fmt.Sprintf("#!/bin/sh\nprintf %%s \"$1\" > %[1]s.part && mv %[1]s.part %[1]s\n", opened)
	if err := os.WriteFile(filepath.Join(home, "xdg-open"), []byte(browser), 0o700); err != nil {
		w.t.Fatal(err)
	}
	variables := append(environment(), "HOME="+home, "XDG_CONFIG_HOME="+home, "WSCTL_URL="+w.url, "DISPLAY=:0", "SSH_CONNECTION=",
		"PATH="+home+":"+os.Getenv("PATH"), "DBUS_SESSION_BUS_ADDRESS=unix:path="+home+"/none")
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	login := exec.CommandContext(ctx, requireProgram(w.t, "script"), "-qec", binary(w.t, "wsctl")+" login", "/dev/null")
	var output bytes.Buffer
	login.Env, login.Stdout, login.Stderr = variables, &output, &output
	if err := login.Start(); err != nil {
		w.t.Fatal(err)
	}
	var address []byte
	eventually(w.t, "the browser that wsctl opens", func() (done bool) {
		data, err := os.ReadFile(opened)
		address = data
		return err == nil
	})
	b := w.chromium.newTab()
	b.open(string(address))
	b.enter("organization", w.organization)
	p.logIn(b, "grace")
	b.awaitText("asks to act for Grace Hopper")
	b.press("Allow")
	b.awaitText("You are signed in. You can close this window.")
	if err := login.Wait(); err != nil || !strings.Contains(output.String(), "Grace Hopper is you") {
		w.t.Fatalf("wsctl login: %v\n%s", err, &output)
	}
	for args, want := range map[string]string{
		"spaces list --jq .[].title":        "Handbook",
		"organizations list --jq .[].title": "Docs",
	} {
		cmd := exec.CommandContext(ctx, binary(w.t, "wsctl"), strings.Fields(args)...)
		cmd.Env = variables
		if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
			w.t.Errorf("wsctl %s: %v %s, want %s", args, err, out, want)
		}
	}
	cmd := exec.CommandContext(ctx, binary(w.t, "wsctl"), "spaces", "list", "--org", w.elsewhere)
	cmd.Env = variables
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 {
		w.t.Errorf("spaces of another organization: exit code %d, want 3: %s", cmd.ProcessState.ExitCode(), out)
	}
}
