package operations_test

import (
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func auditEntry(id string) string {
	return `{"object":"audit-event","id":"` + id + `","occurredAt":"2026-01-01T00:00:00.000Z","action":"spaces.update",` +
		`"actor":{"type":"user","id":"u_ben","label":"Ben"},"source":"api","target":{"type":"space","id":"s_1","label":"Guide"},` +
		`"urls":{"location":"x"},"schemaVersion":1,"payload":{"object":"event","id":"` + id + `","kind":"spaces.update","address":"192.0.2.1"}}`
}

// TestFollowAudit checks the entries that are written, the position in the file of --state, and the request that the filters make.
func TestFollowAudit(t *testing.T) {
	t.Parallel()
	h := newStreamHarness(t, "id: 1-0\n\n"+event("2-0", "spaces.update", `"space":"s_1"`)+event("3-0", "spaces.update", `"space":"s_1"`)+
		event("4-0", "spaces.update", `"space":"s_1"`)+"event: gap\nid: 9-0\ndata: {\"oldest\":\"8-0\",\"newest\":\"9-0\"}\n\n",
		map[string]string{
			"/v1/orgs/o_1/audit-events":     `200 {"items":[]}`,
			"/v1/orgs/o_1/audit-events/2-0": `200 ` + auditEntry("2-0"),
			"/v1/orgs/o_1/audit-events/4-0": `200 ` + auditEntry("4-0"),
		})
	state := filepath.Join(t.TempDir(), "position")
	result := h.Run("audit", "list", "--follow=false", "--state", state, "-o", "ndjson", "--action", "spaces.update", "--actor", "u_system",
		"--object", "s_1", "--since", "2026-01-01", "--until", "2026-01-02")
	result.Want(t, app.ExitOK, "events are missing: 3-0 is no longer kept", "events are missing: those after the last position")
	lines := strings.Split(result.Stdout, "\n")
	for i, want := range []string{`{"object":"audit-event","id":"2-0"`, `{"type":"gap","id":"3-0"`, `{"object":"audit-event","id":"4-0"`, `{"type":"gap"`} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("output %s, want %s in line %d", result.Stdout, want, i)
		}
	}
	if !strings.Contains(lines[0], `"address":"192.0.2.1"`) {
		t.Errorf("the entry has not all members: %s", lines[0])
	}
	want := "actor=u_system&follow=false&kind=spaces.update&object=s_1&since=2026-01-01T00%3A00%3A00Z&until=2026-01-02T00%3A00%3A00Z"
	if h.requests[0] != want {
		t.Errorf("request %s, want %s", h.requests[0], want)
	}
	if got := readFile(t, state); got != "9-0\n" {
		t.Errorf("position %q", got)
	}
	h.Run("audit", "list", "--follow=false", "--columns", "id,payload.address").Want(t, app.ExitOK, "2-0\t192.0.2.1\n")
}

// TestFollowAuditNeedsAdmin checks that the command ends, and does not move the position, if the caller is not an admin, or no longer.
func TestFollowAuditNeedsAdmin(t *testing.T) {
	t.Parallel()
	refused := `403 {"error":{"code":403,"message":"For admins.","reason":"forbidden"}}`
	objects := map[string]string{"/v1/orgs/o_1/audit-events": refused}
	h := newStreamHarness(t, event("2-0", "spaces.update", `"space":"s_1"`), objects)
	h.Run("audit list --follow").Want(t, app.ExitDenied, "For admins.")
	objects["/v1/orgs/o_1/audit-events"], objects["/v1/orgs/o_1/audit-events/2-0"] = `200 {"items":[]}`, refused
	state := filepath.Join(t.TempDir(), "position")
	h.Run("audit", "list", "--follow", "--state", state).Want(t, app.ExitDenied, "For admins.")
	if files, _ := filepath.Glob(state); files != nil {
		t.Errorf("the position was stored: %s", readFile(t, state))
	}
}

// TestFollowAuditRefusesFlags checks the flags that do not go with --follow.
func TestFollowAuditRefusesFlags(t *testing.T) {
	t.Parallel()
	h := newStreamHarness(t, "", nil)
	for _, line := range []string{"--limit 3", "--all", "--cursor x", "--envelope", "--until 2h"} {
		flag, _, _ := strings.Cut(line, " ")
		h.Run("audit list --follow "+line).Want(t, app.ExitUsage, flag+" ")
	}
	h.Run("audit list --state position").Want(t, app.ExitUsage, "--state goes with --follow")
	if h.sent() != "" {
		t.Errorf("requests: %s", h.sent())
	}
}
