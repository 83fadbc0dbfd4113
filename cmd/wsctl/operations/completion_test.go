package operations_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// complete returns the completions of the last word of a command line, each with its description, and the directive.
func complete(s *apptest.Harness, words ...string) []string {
	got := s.Run(append([]string{"__complete"}, words...)...)
	return strings.Split(strings.TrimSuffix(got.Stdout, "\n"), "\n")
}

// TestCompletion checks that arguments and flags are completed with the shortest names that are unique, and with ids after the
// beginning of an id.
func TestCompletion(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"GET /v1/orgs?limit=1000": `200 {"count":1,"items":[{"id":"o_1","title":"One"}]}`,
		"GET /v1/orgs":            `200 {"count":1,"items":[{"id":"o_1","title":"One"}]}`,
		"GET /v1/spaces/s_1/change-requests/7/comments?limit=100": `200 {"count":1,"items":[{"id":"com_1","status":"open"}]}`,
		"GET /v1/orgs/o_1/spaces?limit=1000": `200 {"items":[{"id":"s_1","title":"Handbook\u001b[2J"},{"id":"s_2","title":"Twin"},` +
			`{"id":"s_3","title":"Twin"},{"id":"s_4","title":"🚀"}]}`,
		"POST /v1/orgs/o_1/names": `200 {"items":[{"kind":"space","name":"title:Twin","count":2,"found":[{"id":"s_2","name":"a/twin"},` +
			`{"id":"s_3","name":"b/twin"}]},{"kind":"space","name":"title:🚀","count":1,"found":[{"id":"s_4","name":"title:🚀"}]}]}`,
		"GET /v1/orgs/o_1/members?limit=1000": `200 {"items":[{"id":"u_1","user":{"displayName":"Ada","email":"ada@x.example"}},` +
			`{"id":"u_2","user":{"displayName":"Bo"}}]}`,
		"GET /v1/orgs/o_1/change-requests?limit=1000":        `200 {"items":[{"id":"cr_1","space":"s_2","number":4,"subject":"New"}]}`,
		"GET /v1/spaces/s_1/change-requests?limit=1000":      `200 {"items":[{"id":"cr_2","number":2,"subject":"Old"}]}`,
		"GET /v1/spaces/s_1/content/pages":                   pageTree,
		"GET /v1/spaces/s_1/change-requests/2/content/pages": pageTree,
	}
	spaces := []string{"handbook-2j\tHandbook", "a/twin\tTwin", "b/twin\tTwin", "title:🚀\t🚀", ":4"}
	requests := []string{"2\tOld", ":4"}
	pages := []string{"station/power\tPower", "station/power/notes\tNotes", "/notes\tNotes", "intro\tPart 1: intro", ":4"}
	for line, want := range map[string][]string{
		"spaces get ":              spaces,
		"comments list --space ":   spaces,
		"spaces get a":             {"a/twin\tTwin", ":4"},
		"spaces get s_":            {"s_1\tHandbook", "s_2\tTwin", "s_3\tTwin", "s_4\t🚀", ":4"},
		"spaces get x ":            {":4"},
		"cr get --space s_1 ":      requests,
		"cr get ":                  {"a/twin#4\tNew", ":4"},
		"organizations get ":       {"one\tOne", ":4"},
		"cr get s_1#":              {"s_1#2\tOld", ":4"},
		"content get-page ":        {"handbook-2j:\tHandbook", "a/twin:\tTwin", "b/twin:\tTwin", "s_4:\t🚀", ":6"},
		"content get-page s_1:in":  {"s_1:intro\tPart 1: intro", ":4"},
		"content get-page s_1#2:i": {"s_1#2:intro\tPart 1: intro", ":4"},
		"spaces list --columns ur": {"urls", ":6"},

		"comments list --space s_1 --target-page ":           pages,
		"space-permissions create --space s_1 --users bo,ad": {"bo,ada@x.example\tAda", ":4"},
		"comments get --space s_1 --change-request 7 ":       {"com_1\topen", ":4"},
		"spaces update x --edit-mode ":                       {"live", "locked", ":4"},
		"spaces list --columns id,tit":                       {"id,title", ":6"},
	} {
		s := newHarness(t, answers)
		if diff := cmp.Diff(want, complete(s, strings.Split(line, " ")...)); diff != "" {
			t.Errorf("%s\n%s\n%q", line, diff, s.Requests())
		}
	}
	s := newHarness(t, answers)
	s.Env["WSCTL_URL"] = "http://127.0.0.1:1"
	s.Env["WSCTL_ORG"] = "o_1"
	if got := s.Run("__complete", "spaces", "get", ""); got.Stdout != ":4\n" || strings.Contains(got.Stderr, "refused") {
		t.Errorf("a completion that fails talks: %q %q", got.Stdout, got.Stderr)
	}
}

// TestCompletionsAreKept checks that completions are fetched once a minute for each token, and again after a write.
func TestCompletionsAreKept(t *testing.T) {
	t.Parallel()
	const list = "GET /v1/orgs/o_1/spaces?limit=1000"
	s := newHarness(t, map[string]string{
		list: `200 {"items":[{"id":"s_1","title":"Handbook"}]}`, "PATCH /v1/spaces/s_1": `200 {"id":"s_1"}`,
	})
	s.Env["WSCTL_ORG"] = "o_1"
	listed := func() (n int) {
		if got := complete(s, "spaces", "get", ""); !slices.Equal(got, []string{"handbook\tHandbook", ":4"}) {
			t.Errorf("completed %q", got)
		}
		for _, request := range s.Requests() {
			if request == list {
				n++
			}
		}
		return n
	}
	if first, second := listed(), listed(); first != 1 || second != 1 {
		t.Errorf("spaces are listed %d times, then %d times, want 1", first, second)
	}
	s.Env["WSCTL_TOKEN"] = "wsd_other"
	if n := listed(); n != 2 {
		t.Errorf("with another token spaces are listed %d times, want 2", n)
	}
	s.Run("spaces update s_1 --title T --dry-run")
	if n := listed(); n != 2 {
		t.Errorf("after a dry run spaces are listed %d times, want 2", n)
	}
	s.Run("spaces update s_1 --title T")
	if n := listed(); n != 3 {
		t.Errorf("after a write spaces are listed %d times, want 3", n)
	}
}
