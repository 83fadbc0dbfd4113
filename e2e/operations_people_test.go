package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// TestDocumentedPeopleCommands checks that the commands for people and tokens in docs/operations.md work with a serving wsd.
func TestDocumentedPeopleCommands(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	m, h := newCommandRunner(t, "## People and tokens"), newHost(binary(t, "wsd"), server.URL())
	if len(m.commands) < 10 {
		t.Errorf("the section has %d commands", len(m.commands))
	}
	token, _ := h.createOrganization(t)
	served := h.mustServe(t)
	m.env = append(h.environment, "PATH="+filepath.Dir(h.program)+":"+filepath.Dir(binary(t, "wsctl"))+":"+os.Getenv("PATH"),
		"HOME="+m.root, "XDG_CONFIG_HOME="+m.root, "WSCTL_URL="+served.url, "WSCTL_TOKEN="+token)
	m.runCommands(t)
	said := m.stderrOf(t, "end lee@example.com --yes")
	if !strings.Contains(said, "Side project") || !strings.Contains(said, "--hand-over") {
		t.Errorf("the only admin is ended: %q", said)
	}
	served.stop(t)
	h.fsck(t)
}
