package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// What the pages say of e-mail domains is typed beside a serving wsd: by an admin, and by whoever runs the server.
func TestOperationsOfEMailDomains(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	m, h := newMachine(t, "## E-mail domains"), newHost(binary(t, "wsd"), server.URL())
	_, upgrade, _ := strings.Cut(document(t, "docs/upgrades.md"), "## E-mail domains of earlier builds")
	upgrade, _, _ = strings.Cut(upgrade, "\n## ")
	typed := consoleCommands(upgrade)
	if len(typed) != 3 {
		t.Errorf("the page of upgrades has %d commands", len(typed))
	}
	m.commands = append(m.commands, typed...)
	token, organization := h.admin(t)
	served := h.mustServe(t)
	m.env = append(h.environment, "PATH="+filepath.Dir(h.program)+":"+filepath.Dir(binary(t, "wsctl"))+":"+os.Getenv("PATH"), "HOME="+m.root,
		"XDG_CONFIG_HOME="+m.root, "WSCTL_URL="+served.url, "WSCTL_TOKEN="+token, "ORGANIZATION="+organization)
	m.follow(t)
	if out := m.printed(t, "email-domains list"); !strings.Contains(out, "_wsd-verification.example.com") || !strings.Contains(out, "wsd-organization=") {
		t.Errorf("the record is not shown: %s", out)
	}
	for text, want := range map[string]string{"domain trust --all": "example.com is trusted", "domain distrust": "example.com is distrusted"} {
		if out := m.said(t, text); !strings.Contains(out, want) {
			t.Errorf("wsd %s says %q", text, out)
		}
	}
	served.stop(t)
}

// said is what a command says beside what it prints: the last that has a text.
func (m *machine) said(t *testing.T, text string) (said string) {
	t.Helper()
	for i, c := range m.commands {
		if strings.Contains(c.text, text) {
			data, err := os.ReadFile(filepath.Join(m.out, strconv.Itoa(i)+".err"))
			if err != nil {
				t.Fatal(err)
			}
			said = string(data)
		}
	}
	return said
}
