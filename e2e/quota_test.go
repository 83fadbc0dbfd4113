package e2e

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// The operator lowers the quota of an organization while wsd is serving: writes are refused, reads go on, the doctor warns, and
// a higher quota allows writes again. Finally, without a terminal, fsck accepts the loss of content only with --yes.
func TestQuotaCommands(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	h := newHost(binary(t, "wsd"), server.URL())
	token, organization := h.createOrganization(t)
	n := h.mustServe(t)
	p := n.newPerson(token)
	spaces := "/v1/orgs/" + organization + "/spaces"
	space := member(p.do(t, "POST", spaces, map[string]any{"title": "First"}), "id")
	wantQuota := func(want string, args ...string) {
		t.Helper()
		out, err := h.run(t, args...)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("wsd %s: %v\n%s\nhas no %q", strings.Join(args, " "), err, out, want)
		}
	}
	wantQuota("of 10GiB", "quota", "show", "--org", "Docs")
	wantQuota("of 3 (its own)", "quota", "set", "--org", "Docs", "--records", "3")
	status, answer, err := p.send(t.Context(), request{method: "POST", path: spaces, body: map[string]any{"title": "Second"}})
	if refusal, _ := answer["error"].(map[string]any); err != nil || status != http.StatusForbidden ||
		refusal["reason"] != "quota_exceeded" || refusal["fields"] == nil {
		t.Errorf("without room: %d %v %v", status, answer, err)
	}
	p.do(t, "GET", "/v1/spaces/"+space, nil)
	wantQuota(organization, "doctor")
	wantQuota("of 20GiB (its own)", "quota", "set", "--org", "Docs", "--bytes", "20GiB", "--records", "default")
	p.do(t, "POST", spaces, map[string]any{"title": "Second"})
	wantQuota("of 500 (its own)", "quota", "set", "--user", "ada@example.com", "--tokens", "500")

	created := p.do(t, "POST", "/v1/spaces/"+space+"/change-requests", map[string]any{"subject": "Begin"})
	path := "/v1/spaces/" + space + "/change-requests/" + member(created, "id")
	p.do(t, "POST", path+"/content", map[string]any{"changes": []any{insertPage("Tea", "# Tea\n\nAt four.\n")}})
	p.do(t, "POST", path+"/merge", nil)
	n.stop(t)
	h.fsck(t)
	client := newRedisClient(t, server.Addr, 0)
	objects, err := client.Keys(t.Context(), "wsd:{"+space+"}:o:*").Result()
	if err != nil || len(objects) == 0 || client.Del(t.Context(), objects...).Err() != nil {
		t.Fatalf("%v %v", objects, err)
	}
	heads := client.HGetAll(t.Context(), "wsd:{"+organization+"}:heads").Val()
	if _, err := h.run(t, "fsck", "--repair"); err == nil || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("without a terminal: %v", err)
	}
	if now := client.HGetAll(t.Context(), "wsd:{"+organization+"}:heads").Val(); len(heads) == 0 || !maps.Equal(heads, now) {
		t.Errorf("heads %v, before %v", now, heads)
	}
	if out, err := h.run(t, "fsck", "--repair", "--yes"); err != nil || !strings.Contains(out, "lost") {
		t.Errorf("told to: %v\n%s", err, out)
	}
	h.fsck(t)
}
