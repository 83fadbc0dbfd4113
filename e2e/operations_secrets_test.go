package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// secretFunctions are shell functions in place of commands that need root. The service is two nodes, which are restarted one
// after the other.
const secretFunctions = `
sudo() { case $1 in -u) shift 2;; esac; "$@"; }
start() {
  if [ -e ROOT/pid$1 ]; then kill "$(cat ROOT/pid$1)"; until [ -e ROOT/ended$1 ]; do sleep 0.05; done; fi
  rm -f ROOT/ended$1
  ( set -a; . ROOT/etc/wsd/wsd.env; WSD_ADDR=$2 wsd serve & echo $! > ROOT/pid$1; wait $!; touch ROOT/ended$1 ) > ROOT/log$1 2>&1 &
  until WSD_ADDR=$2 wsd ready > /dev/null 2>&1; do sleep 0.05; done
}
systemctl() { start 1 ADDRESS1; start 2 ADDRESS2; }
`

// TestDocumentedSecretReplacement follows docs/operations.md to replace both secrets beside two serving nodes, and checks that an
// address of a share link works until the end of the replacement, and that the key of a site is kept.
func TestDocumentedSecretReplacement(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	redis, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.Kill)
	m, h := newCommandRunner(t, "### Replace the secrets"), newHost(binary(t, "wsd"), redis.URL())
	h = h.withEnvironment("WSD_ENCRYPTION_KEY=" + strings.Repeat("ab", 32))
	token, organization := h.createOrganization(t)
	addresses := [2]string{freeAddress(t), freeAddress(t)}
	m.functions = strings.NewReplacer("ROOT", m.root, "ADDRESS1", addresses[0], "ADDRESS2", addresses[1]).Replace(secretFunctions)
	m.writeSettings(t, h)
	m.env = append(environment(), "PATH="+filepath.Dir(h.program)+":"+os.Getenv("PATH"), "HOME="+m.root)
	m.pausedCommand = "--finish"
	t.Cleanup(func() { m.killNodes(t) })

	setup := h.mustServe(t)
	link, key := shareSite(t, setup.newPerson(token), organization)
	setup.stop(t)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		m.runCommands(t)
	}()
	if out := m.outputOf(t, "secret replace --yes"); !strings.HasPrefix(out, "Replaced.") {
		t.Errorf("the replacement: %s", out)
	}
	visit := func(address string) int {
		t.Helper()
		status, _, err := person{url: "http://" + address, client: newClient()}.send(t.Context(), request{method: "GET", path: link})
		if err != nil {
			t.Error(err)
		}
		return status
	}
	keyAt := func(address string) any {
		t.Helper()
		return person{"http://" + address, token, newClient()}.do(t, "GET", key.path, nil)["privateKey"]
	}
	for _, address := range addresses {
		if status := visit(address); status != http.StatusOK {
			t.Errorf("an address of before the replacement: %d", status)
		}
		if got := keyAt(address); got != key.value {
			t.Errorf("the key of the site is %v, want %v", got, key.value)
		}
	}
	m.release(t)
	<-followed
	if t.Failed() {
		return
	}
	for _, address := range addresses {
		if status := visit(address); status == http.StatusOK {
			t.Error("an address of before the replacement works after its end")
		}
		if got := keyAt(address); got != key.value {
			t.Errorf("in the end the key of the site is %v, want %v", got, key.value)
		}
	}
}

// writeSettings writes the settings file of the page with the settings of a host.
func (m *commandRunner) writeSettings(t *testing.T, h host) {
	t.Helper()
	var settings strings.Builder
	for _, variable := range h.environment {
		if strings.HasPrefix(variable, "WSD_") && !strings.HasPrefix(variable, "WSD_ADDR=") {
			fmt.Fprintln(&settings, variable)
		}
	}
	if err := os.MkdirAll(m.root+"/etc/wsd", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.root+"/etc/wsd/wsd.env", []byte(settings.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// killNodes ends the nodes that the shell started, and logs what they printed if the test failed.
func (m *commandRunner) killNodes(t *testing.T) {
	t.Helper()
	for n := 1; n <= 2; n++ {
		log, _ := os.ReadFile(fmt.Sprintf("%s/log%d", m.root, n)) // it is not there if the node was not started
		if t.Failed() {
			t.Logf("node %d: %s", n, log)
		}
		killRecorded(fmt.Sprintf("%s/pid%d", m.root, n), fmt.Sprintf("%s/ended%d", m.root, n))
	}
}

// siteKey is the key of a site for its visitors, and the path that answers it.
type siteKey struct {
	path  string
	value any
}

// shareSite publishes a space on a site with a share link and a key. It returns the path of the space with the key of the link,
// and the key of the site.
func shareSite(t *testing.T, p person, organization string) (link string, key siteKey) {
	t.Helper()
	orgs := "/v1/orgs/" + organization
	space := member(p.do(t, "POST", orgs+"/spaces", map[string]any{"title": "Guide"}), "id")
	site := orgs + "/sites/" + member(p.do(t, "POST", orgs+"/sites", map[string]any{
		"title": "Guide", "visibility": "share-link", "spaces": []string{space},
	}), "id")
	p.do(t, "POST", site+"/publish", nil)
	made := p.do(t, "POST", site+"/share-links", map[string]any{"name": "Tea"})
	address := fmt.Sprint(made["urls"].(map[string]any)["published"]) //nolint:forcetypeassert // the contract says so
	_, query, _ := strings.Cut(address, "?")
	value := p.do(t, "POST", site+"/publishing/auth/regenerate", nil)["privateKey"]
	return "/v1/spaces/" + space + "?" + query, siteKey{site + "/publishing/auth", value}
}
