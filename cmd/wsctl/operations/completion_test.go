package operations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"GET /v1/orgs": `200 {"count":1,"items":[{"id":"org_1","title":"One"}]}`,
		"GET /v1/spaces/s/change-requests/7/comments?limit=100": `200 {"count":1,"items":[{"id":"com_1","status":"open"}]}`,
		"GET /v1/orgs/org_1/spaces?limit=100":                   `200 {"count":2,"items":[{"id":"spc_1","title":"One\u001b[2J"},{"id":"other","title":"Two"}]}`,
	})
	got := s.Run("__complete", "spaces", "get", "spc")
	if !strings.HasPrefix(got.Stdout, "spc_1\tOne\n:4") {
		t.Errorf("ids: %q", got.Stdout)
	}
	got = s.Run("__complete", "comments", "list", "--space", "")
	if !strings.HasPrefix(got.Stdout, "spc_1\tOne\nother\tTwo\n") {
		t.Errorf("ids of a flag: %q", got.Stdout)
	}
	if got := s.Run("__complete", "spaces", "update", "x", "--edit-mode", ""); !strings.HasPrefix(got.Stdout, "live\nlocked\n") {
		t.Errorf("choices: %q", got.Stdout)
	}
	got = s.Run("__complete", "comments", "get", "--space", "s", "--change-request", "7", "")
	if !strings.HasPrefix(got.Stdout, "com_1\topen\n:4") {
		t.Errorf("ids inside a change request: %q", got.Stdout)
	}
	s.Env["WSCTL_URL"] = "http://127.0.0.1:1"
	s.Env["WSCTL_ORG"] = "org_1"
	got = s.Run("__complete", "spaces", "get", "")
	if diff := cmp.Diff(":4\n", got.Stdout); diff != "" || strings.Contains(got.Stderr, "refused") {
		t.Errorf("a completion that fails talks: %q %q", got.Stdout, got.Stderr)
	}
}
