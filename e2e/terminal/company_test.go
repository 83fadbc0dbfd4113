package terminal

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/e2e/browser"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/fetch"
)

// company is a world whose members sign in by a provider.
type company struct {
	*world

	provider *provider
	start    string        // where a sign-in begins
	ahead    time.Duration // of the clocks of server and provider
}

// signInMaxAge is the time for which sign-ins last. The clocks of the whole story are less than a day ahead, in which the token of the
// operator works, whose command has the present time.
const signInMaxAge = 3 * time.Hour

// TestCompanyRequiresSingleSignOn follows a company from its first sign-in by a provider: single sign-on is required, somebody new signs in
// with wsctl and reviews in the screen, the provider fails for half an hour, wrong settings are tried, somebody is removed at the provider,
// and the operator lets an admin in. Each step is in the events.
func TestCompanyRequiresSingleSignOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	c := &company{world: w, provider: newProvider(t)}
	c.pass(0)
	ada := c.turnOn()

	c.member("Rob Lindt", w.reviewer.token).
		wantRefusal("by its identity provider", "/account/sign-in?organization="+w.org, "spaces", "list")

	carol := c.member("Carol", "")
	carol.signIn(browser.New(t, w.proxy.url), c)
	carol.want("Handbook", "spaces", "list")
	carol.review(h, generalComment)
	ada.want(generalComment, "change-request-comments", "list", "--space", h.ref.Space, "--change-request", h.ref.ChangeRequest)

	c.failFor(ada, carol)
	c.tryWrongSettings(ada)
	c.removeAtProvider(carol, h)
	c.letIn(ada)
}

// member returns a person with a home directory for wsctl. Without a token, the person has no credential.
func (c *company) member(name, token string) *person {
	c.Helper()
	p := &person{w: c.world, name: name, token: token, home: filepath.Join(c.dir, "company-"+strings.Fields(name)[0])}
	must(c, os.Mkdir(p.home, 0o700))
	return p
}

// pass moves the clocks of server and provider.
func (c *company) pass(d time.Duration) {
	c.Helper()
	c.ahead += d
	c.provider.change(func() { c.provider.ahead = c.ahead })
	providers := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}).Transport()
	c.advance(d, c.ahead, func(o *server.Options) {
		o.Key, o.Providers, o.SignInMaxAge = []byte("a key of thirty-two bytes, as is"), providers, signInMaxAge
	})
}

// turnOn adds the provider, links the admin with it, and requires single sign-on. It returns the admin, who is signed in by the provider.
func (c *company) turnOn() *person {
	c.Helper()
	owner := c.member("Owner", c.author.token)
	secret := filepath.Join(c.dir, "client-secret")
	must(c, os.WriteFile(secret, []byte("a secret of the client\n"), 0o600))
	owner.wsctl("oidc-providers", "create", "--label", "Company", "--default-role", "review", "--issuer", c.provider.url, "--client-id",
		"wsd", "--client-secret-file", secret)
	c.start = strings.TrimSpace(owner.wsctl("oidc-providers", "get", "Company", "--jq", ".service.startURL"))
	owner.want("pending", "oidc-providers", "list")

	b := browser.New(c.T, c.proxy.url)
	b.Submit(b.Open(c.proxy.url+"/account/sign-in"), "/account/sign-in", "token", c.author.token)
	c.provider.change(func() { c.provider.present = "Ada Berg" })
	b.Submit(b.Open(c.start), "/account/confirm", "decision", "link")
	owner.want("active", "oidc-providers", "list")

	ada := c.member("Ada Berg", "")
	ada.signIn(b, c)
	ada.want("Rob Lindt", "organizations", "update", c.org, "--sso", "--dry-run", "--jq", ".ssoEffect", "-o", "json")
	ada.wsctl("organizations", "update", c.org, "--sso")
	return ada
}

// failFor stops the provider at the end of the sign-ins, for half an hour, in which the logins go on.
func (c *company) failFor(people ...*person) {
	c.Helper()
	c.pass(signInMaxAge - 2*time.Minute)
	c.provider.change(func() { c.provider.isDown = true })
	for _, minutes := range []int{0, 10, 20} {
		if minutes > 0 {
			c.pass(10 * time.Minute)
		}
		for _, p := range people {
			p.want("Handbook", "spaces", "list")
		}
	}
	c.provider.change(func() { c.provider.isDown = false })
	c.pass(10 * time.Minute)
	for _, p := range people {
		p.want("Handbook", "spaces", "list")
	}
	people[0].wantEvents(len(people), "identities.extend")
}

// tryWrongSettings gives the provider a wrong issuer. The admin who tries it is refused, and others sign in as before.
func (c *company) tryWrongSettings(ada *person) {
	c.Helper()
	secret := filepath.Join(c.dir, "client-secret")
	ada.wsctl("oidc-providers", "update", "Company", "--issuer", c.provider.url+"/wrong", "--client-secret-file", secret)
	b := browser.New(c.T, c.proxy.url)
	if page := b.Open(c.start + "?try"); !strings.Contains(page, "Sign-in failed") {
		c.Fatalf("wrong settings:\n%s", page)
	}
	if page := b.Open(c.start); !strings.Contains(page, "Signed in as <strong>Carol") {
		c.Fatalf("the settings before:\n%s", page)
	}
	ada.wsctl("oidc-providers", "update", "Company", "--issuer", c.provider.url, "--client-secret-file", secret)
	ada.wantEvents(1, "providers.refuse")
}

// removeAtProvider blocks somebody at the provider, whose login ends at its time. The text that they were writing in the screen is kept.
func (c *company) removeAtProvider(p *person, h *handbook) {
	c.Helper()
	screen := p.openSignedIn("removed", h.arguments()...)
	screen.startComment(blockComment)
	c.provider.change(func() { c.provider.blocked[p.name], c.provider.present = true, p.name })
	c.pass(signInMaxAge + time.Hour)
	screen.press("C-s", "R")
	screen.wantTexts("wsctl login")
	if !screen.hasDraft(blockComment) {
		c.Errorf("the draft is lost:\n%s", screen.content())
	}
	p.wantRefusal("has ended", "wsctl login", "spaces", "list")
	if page := browser.New(c.T, c.proxy.url).Open(c.start); !strings.Contains(page, "Sign-in failed") {
		c.Fatalf("somebody who was removed:\n%s", page)
	}
}

// letIn stops the provider for good. The operator lets the admin in, who ends the requirement and reads in the events what has happened.
func (c *company) letIn(ada *person) {
	c.Helper()
	c.pass(signInMaxAge + time.Hour)
	c.provider.change(func() { c.provider.isDown = true })
	c.pass(90 * time.Minute)
	ada.wantRefusal("has ended", "wsctl login", "spaces", "list")
	var made struct{ Token string }
	c.runAdmin(&made, "token", "create", "--user", "ada@example.com", "--org", c.org, "--break-glass")
	operator := c.member("Operator", made.Token)
	operator.want("breakGlass", "organizations", "get", c.org, "-o", "json")
	operator.wsctl("organizations", "update", c.org, "--sso=false")
	c.member("Later", c.reviewer.token).want("Handbook", "spaces", "list")
	for _, kind := range []string{
		"oidc-providers.create", "providers.activate", "identities.create", "organizations.update", "sessions.sign-in",
		"change-request-reviews.submit",
		"identities.extend", "oidc-providers.update", "providers.refuse", "identities.refuse", "organizations.break-glass",
	} {
		operator.wantEvents(1, kind)
	}
}

// environment returns the environment of wsctl. The keyring of the system is not used.
func (p *person) environment() []string {
	env := append(cleanEnviron(), "HOME="+p.home, "WSCTL_CONFIG_DIR="+p.home, "WSCTL_URL="+p.w.proxy.url, "WSCTL_ORG="+p.w.org,
		"DBUS_SESSION_BUS_ADDRESS=unix:path="+p.home+"/none", "NO_COLOR=1")
	if p.token != "" {
		env = append(env, "WSCTL_TOKEN="+p.token)
	}
	return env
}

// try runs wsctl and returns its output.
func (p *person) try(args ...string) (string, error) {
	cmd := exec.CommandContext(p.w.Context(), filepath.Join(p.w.bin, "wsctl"), args...)
	cmd.Env = p.environment()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// wsctl runs a command that succeeds, and returns its output.
func (p *person) wsctl(args ...string) string {
	p.w.Helper()
	out, err := p.try(args...)
	if err != nil {
		p.w.Fatalf("%s: wsctl %s: %v\n%s", p.name, strings.Join(args, " "), err, out)
	}
	return out
}

// want checks that a command succeeds and prints a text.
func (p *person) want(text string, args ...string) {
	p.w.Helper()
	if out := p.wsctl(args...); !strings.Contains(out, text) {
		p.w.Fatalf("%s: wsctl %s: no %q in\n%s", p.name, strings.Join(args, " "), text, out)
	}
}

// wantRefusal checks that a command fails and prints two texts.
func (p *person) wantRefusal(reason, hint string, args ...string) {
	p.w.Helper()
	out, err := p.try(args...)
	if err == nil || !strings.Contains(out, reason) || !strings.Contains(out, hint) {
		p.w.Fatalf("%s: wsctl %s: %v, want %q and %q:\n%s", p.name, strings.Join(args, " "), err, reason, hint, out)
	}
}

// wantEvents checks that there are at least n events of a kind.
func (p *person) wantEvents(n int, kind string) {
	p.w.Helper()
	out := p.wsctl("events", "list", "--action", kind, "--all", "--jq", ".[].id")
	if got := len(strings.Fields(out)); got < n {
		p.w.Errorf("%d events %s, want %d of:\n%s", got, kind, n,
			p.wsctl("events", "list", "--all", "--jq", "group_by(.kind) | map({(.[0].kind): length}) | add"))
	}
}

// signIn signs the person in with wsctl, by the code of a device, in a browser in which the provider knows them.
func (p *person) signIn(b browser.Browser, c *company) {
	p.w.Helper()
	c.provider.change(func() { c.provider.present = p.name })
	b.Open(c.start)
	cmd := exec.CommandContext(p.w.Context(), filepath.Join(p.w.bin, "wsctl"), "login", "--device", "--org", p.w.org)
	cmd.Env = p.environment()
	stderr, err := cmd.StderrPipe()
	must(p.w, err)
	must(p.w, cmd.Start())
	var output strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		fmt.Fprintln(&output, lines.Text())
		if _, address, ok := strings.Cut(lines.Text(), "The address with the code: "); ok {
			_, code, _ := strings.Cut(address, "code=")
			question := b.Submit(b.Open(address), "/account/device", "code", code)
			b.Submit(question, "/account/device/decide", "decision", "allow")
		}
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(output.String(), p.name+" is you") {
		p.w.Fatalf("login of %s: %v\n%s", p.name, err, &output)
	}
}

// openSignedIn opens the screen with the login of the person.
func (p *person) openSignedIn(window string, args ...string) *screen {
	p.w.Helper()
	s := &screen{person: p, window: window, command: slices.DeleteFunc(p.command(args...), func(word string) bool {
		return strings.HasPrefix(word, "WSCTL_TOKEN=")
	})}
	s.command = slices.Insert(s.command, 2, "DBUS_SESSION_BUS_ADDRESS=unix:path="+p.home+"/none")
	p.w.tmux.run("new-session", "-d", "-x", "120", "-y", "40", "-s", window, strings.Join(s.command, " "))
	return s
}

// review comments on the change request in the screen and asks for changes.
func (p *person) review(h *handbook, text string) {
	p.w.Helper()
	s := p.openSignedIn("review", h.arguments()...)
	s.startComment(text)
	s.press("C-s")
	s.wantTexts("!█", "✎ 1 draft")
	s.submitReview()
	s.wantTexts("Changed pages", "!✎", "!Your review of")
	s.kill()
}
