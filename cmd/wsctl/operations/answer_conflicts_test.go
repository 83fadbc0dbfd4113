package operations_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

func TestMergeWithConflictsExitsWithConflict(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"POST /v1/spaces/s_s/change-requests/1/merge": `200 {"revision":"rev_1","result":"conflicts","conflicts":[{"id":"c1"},{"id":"c2"}]}`,
		"POST /v1/spaces/s_s/change-requests/2/merge": `200 {"revision":"rev_2","result":"merge"}`,
	})
	s.Env["WSCTL_SPACE"] = "s_s"
	got := s.Run("cr merge 1 --jq .conflicts[].id")
	got.Want(t, app.ExitConflict, "2 conflicts; nothing was applied", "pull")
	if got.Stdout != "c1\nc2\n" {
		t.Errorf("stdout %q", got.Stdout)
	}
	s.Run("cr merge 2 -o name").Want(t, app.ExitOK, "rev_2\n")
}

const mergeabilityJSON = `200 {"mergeable":false,"revision":"r_2","spaceRevision":"r_1","rules":[
	{"rule":"review","state":"advice","message":"It changed.","cause":"stale","stale":[{"id":"u_1","displayName":"Ann"}]},
	{"rule":"role","state":"passed","message":"Your role (reviewer) can merge."},
	{"rule":"threads","state":"advice","message":"2 comments are open.","cause":"comments","count":2,"clearedBy":{"role":"edit"}},
	{"rule":"custom","state":"failed","cause":"custom","message":"The legal department\u001b[2J reads it for two weeks before a release."},
	{"rule":"require_at_least_one_approved_review","state":"failed","message":"It changed after Ann reviewed it: Install (text).","cause":"stale","stale":[{"object":"user","id":"u_1","displayName":"Ann\u001b[2J"}],"unseen":[{"id":"p","title":"Install","reason":"text"}],"clearedBy":{"users":[{"object":"user","id":"u_1","displayName":"Ann"}],"role":"review"}}]}`

// TestMergeabilityOutput checks that mergeability is written as sentences for people and as rows for programs, and that it
// determines the exit code.
func TestMergeabilityOutput(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"GET /v1/spaces/s_s/change-requests/1/mergeability": mergeabilityJSON})
	s.Env["WSCTL_SPACE"] = "s_s"
	rows := s.Run("cr mergeable 1")
	rows.Want(t, app.ExitConflict, "it cannot be merged: 2 rules failed")
	if lines := strings.Split(strings.TrimSpace(rows.Stdout), "\n"); len(lines) != 5 ||
		!strings.HasPrefix(lines[4], "failed\trequire_at_least_one_approved_review\t") {
		t.Errorf("stdout %q", rows.Stdout)
	}
	s.Run("cr mergeable 1 --jq .mergeable").Want(t, app.ExitConflict, "false")
	s.Run("cr mergeable 1 --columns rule,state -o csv").Want(t, app.ExitConflict, "threads,advice")
	s.Terminal = true
	people := s.Run("cr mergeable 1")
	people.Want(t, app.ExitConflict, "FAILED    The legal department", "two weeks before a release.",
		"note      2 comments are open",
		"FAILED    It changed since Ann", "changed: Install (text)",
		"rule require_at_least_one_approved_review; can be cleared by Ann, whoever has the role review")
	if n := strings.Count(people.Stdout, "It changed since Ann"); n != 1 {
		t.Errorf("one fact is written %d times: %s", n, people.Stdout)
	}
	if strings.Contains(people.Stdout, "\x1b[2J") {
		t.Error("the terminal was written to")
	}
}

// TestConflictOutputOfEveryKind checks that every kind of conflict is described in words on a terminal and in a pipe, and that
// programs get the response unchanged. The descriptions of the server have a test of their own.
func TestConflictOutputOfEveryKind(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "server", "app", "review", "testdata", "conflicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := newHarness(t, map[string]string{
		"GET /v1/spaces/s_s/change-requests/1/conflicts": "200 " + string(data),
		"GET /v1/spaces/s_s/change-requests/2/conflicts": `200 {"revision":"r_2","spaceRevision":"r_1","conflicts":[]}`,
	})
	s.Env["WSCTL_SPACE"] = "s_s"
	got := s.Run("cr conflicts 1")
	apptest.Golden(t, "conflicts", got.Stdout+got.Stderr)
	if match := regexp.MustCompile(`\b[a-z]{1,4}_[0-9a-z]{8,}|[0-9a-z]{32,}|\{"`).FindString(got.Stdout + got.Stderr); match != "" {
		t.Errorf("the text shows %q", match)
	}
	got.Want(t, app.ExitOK, "decide: wsctl change-requests pull 1 --resolve 1=space|request|@FILE")
	s.Run("cr conflicts 1 -o json").Want(t, app.ExitOK, `"spaceRevision"`)
	s.Run("cr conflicts 1 -o csv --columns id,kind").Want(t, app.ExitOK, "c_", ",cycle\n")
	s.Run("cr conflicts 2").Want(t, app.ExitOK, "there are no conflicts")
	s.Terminal, s.Env["NO_COLOR"] = true, "1"
	if terminal := s.Run("cr conflicts 1"); terminal.Stdout != got.Stdout {
		t.Errorf("output on a terminal differs: %s", cmp.Diff(got.Stdout, terminal.Stdout))
	}
}
