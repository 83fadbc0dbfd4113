package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestNewerFormatIsRefused checks that a wsd that reads a record in a newer format responds with 503 and keeps the record, and
// that one that starts on data in a newer format prints one line and exits.
func TestNewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	client := server.Client()
	t.Cleanup(func() { _ = client.Close() })
	h := newHost(binary(t, "wsd"), server.URL())
	token, org := h.createOrganization(t)
	n := h.mustServe(t)
	key, planted := "wsd:{"+org+"}:org", fmt.Sprintf("99 %d {}\n{}", redis.SupportedFormat+1)
	if err := client.SetXX(t.Context(), key, planted, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got := getText(t, n.newPerson(token), "/v1/orgs/"+org); !strings.HasPrefix(got, "503 ") || !strings.Contains(got, `"newer_form"`) {
		t.Errorf("a record of a newer format: %s", got)
	}
	if got := client.Get(t.Context(), key).Val(); got != planted {
		t.Errorf("it is %q now", got)
	}
	n.stop(t)

	if err := client.Set(t.Context(), "wsd:schema", redis.SupportedFormat+1, 0).Err(); err != nil {
		t.Fatal(err)
	}
	out, err := h.run(t, "serve")
	if err == nil || out != "" ||
		strings.Count(err.Error(), fmt.Sprintf("the data has form %d, this program knows %d; use a newer wsd", redis.SupportedFormat+1,
			redis.SupportedFormat)) != 1 {
		t.Errorf("data of a newer format: %q %v", out, err)
	}
}

// TestDocumentedUpgradeCommands checks that the commands in docs/upgrades.md show and finish a pending upgrade beside a serving
// node. Data of an older form than any build writes stands for that of the build before.
func TestDocumentedUpgradeCommands(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	client := server.Client()
	t.Cleanup(func() { _ = client.Close() })
	h := newHost(binary(t, "wsd"), server.URL())
	h.createOrganization(t)
	if err := client.SetXX(t.Context(), "wsd:schema", redis.SupportedFormat-1, 0).Err(); err != nil {
		t.Fatal(err)
	}
	served := h.mustServe(t)
	m := newCommandRunner(t)
	m.commands = consoleCommands(section(t, "docs/upgrades.md", "## Finish"))
	m.env = append(h.environment, "PATH="+filepath.Dir(h.program)+":"+os.Getenv("PATH"))
	m.runCommands(t)
	if len(m.commands) != 2 {
		t.Fatalf("the page has %d commands", len(m.commands))
	}
	pending := fmt.Sprintf("form %d; form %d is pending since ", redis.SupportedFormat-1, redis.SupportedFormat)
	if out := m.outputOf(t, "wsd upgrade"); !strings.HasPrefix(out, pending) || !strings.Contains(out, "\nnode ") {
		t.Errorf("wsd upgrade prints %s", out)
	}
	finished := fmt.Sprintf("form %d", redis.SupportedFormat)
	if out := m.outputOf(t, "--finish"); out != finished || client.Get(t.Context(), "wsd:schema").Val() != fmt.Sprint(redis.SupportedFormat) {
		t.Errorf("wsd upgrade --finish prints %s", out)
	}
	served.stop(t)
}
