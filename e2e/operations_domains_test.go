package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// TestDocumentedEmailDomainCommands checks that the commands for e-mail domains in docs/operations.md work with a serving wsd,
// for an admin and for the operator.
func TestDocumentedEmailDomainCommands(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	m, h := newCommandRunner(t, "## E-mail domains"), newHost(binary(t, "wsd"), server.URL())
	_, upgrade, _ := strings.Cut(readDocument(t, "docs/upgrades.md"), "## E-mail domains of earlier builds")
	upgrade, _, _ = strings.Cut(upgrade, "\n## ")
	typed := consoleCommands(upgrade)
	if len(typed) != 3 {
		t.Errorf("the page of upgrades has %d commands", len(typed))
	}
	m.commands = append(m.commands, typed...)
	token, organization := h.createOrganization(t)
	served := h.mustServe(t)
	m.env = append(h.environment, "PATH="+filepath.Dir(h.program)+":"+filepath.Dir(binary(t, "wsctl"))+":"+os.Getenv("PATH"),
		"HOME="+m.root,
		"XDG_CONFIG_HOME="+m.root, "WSCTL_URL="+served.url, "WSCTL_TOKEN="+token, "ORGANIZATION="+organization)
	m.runCommands(t)
	if out := m.outputOf(t, "email-domains list"); !strings.Contains(out, "_wsd-verification.example.com") ||
		!strings.Contains(out, "wsd-organization=") {
		t.Errorf("the record is not shown: %s", out)
	}
	for text, want := range map[string]string{
		"domain trust --all": "example.com is trusted", "domain distrust": "example.com is distrusted",
	} {
		if out := m.stderrOf(t, text); !strings.Contains(out, want) {
			t.Errorf("wsd %s says %q", text, out)
		}
	}
	served.stop(t)
}

// stderrOf returns the standard error of the last command whose text contains text.
func (m *commandRunner) stderrOf(t *testing.T, text string) (said string) {
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
