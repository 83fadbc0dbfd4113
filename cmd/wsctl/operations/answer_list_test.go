package operations_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func spaceList(ids ...string) string {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = fmt.Sprintf(
			`{"id":%q,"title":"Title of %s","visibility":"private","changeRequestsOpen":2,"comments":0,"updatedAt":"2026-01-31T12:00:00.000Z"}`, id, id)
	}
	return strings.Join(items, ",")
}

func TestListOutputs(t *testing.T) {
	t.Parallel()
	list := `200 {"count":2,"items":[` + spaceList("s_1", "s_2") + `]}`
	for _, test := range []struct {
		flags, want string
		term        bool
	}{
		{"", "s_1\tTitle of s_1\tprivate\t2\t0\t2026-01-31T12:00:00.000Z\n" +
			"s_2\tTitle of s_2\tprivate\t2\t0\t2026-01-31T12:00:00.000Z\n", false},
		{
			"", "ID   TITLE         VISIBILITY  OPEN  COMMENTS  UPDATED AT\n" +
				"s_1  Title of s_1  private     2     0         1 day ago\n" +
				"s_2  Title of s_2  private     2     0         1 day ago\n", true,
		},
		{"-o table --columns id,title --no-headers", "s_1  Title of s_1\ns_2  Title of s_2\n", false},
		{"-o name", "s_1\ns_2\n", true},
		{"-o csv --columns id,updatedAt", "id,updatedAt\ns_1,2026-01-31T12:00:00.000Z\ns_2,2026-01-31T12:00:00.000Z\n", true},
		{"--jq .[].id", "s_1\ns_2\n", false},
		{"--template {{len$}}:{{range$}}{{.id}};{{end}}", "2:s_1;s_2;", false},
		{"--envelope --jq .count", "2\n", false},
	} {
		t.Run(test.flags+fmt.Sprint(test.term), func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, map[string]string{spacesURI: list})
			s.Terminal, s.Env["WSCTL_ORG"], s.Env["NO_COLOR"] = test.term, "o_1", "yes"
			got := s.Run(strings.Fields("spaces list " + strings.ReplaceAll(test.flags, "{{len$}}", "{{len_.}}"))...)
			if strings.Contains(test.flags, "template") {
				got = s.Run("spaces", "list", "--template", "{{len .}}:{{range .}}{{.id}};{{end}}")
			}
			got.Want(t, app.ExitOK)
			if diff := cmp.Diff(test.want, got.Stdout); diff != "" {
				t.Error(diff)
			}
			if got.Stderr != "" {
				t.Errorf("talks: %q", got.Stderr)
			}
		})
	}
}

func TestListJSONKeepsServerOrder(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{spacesURI: `200 {"count":1,"items":[{"z":1.50,"id":"a","new":{"field":[ ]}}]}`})
	s.Env["WSCTL_ORG"] = "o_1"
	got := s.Run("spaces list -o json")
	got.Want(t, app.ExitOK)
	want := "[\n  {\n    \"z\": 1.50,\n    \"id\": \"a\",\n    \"new\": {\n      \"field\": []\n    }\n  }\n]\n"
	if diff := cmp.Diff(want, got.Stdout); diff != "" {
		t.Error(diff)
	}
	got = s.Run("spaces list -o yaml")
	if diff := cmp.Diff("- z: 1.50\n  id: a\n  new:\n    field: []\n", got.Stdout); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyListWritesNothingToPipe(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{spacesURI: `200 {"count":0,"items":[]}`})
	s.Env["WSCTL_ORG"] = "o_1"
	for flags, want := range map[string]string{"": "", " -o json": "[]\n", " -o yaml": "[]\n", " -o name": "", " --jq length": "0\n"} {
		if got := s.Run("spaces list" + flags); got.Code != 0 || got.Stdout != want || got.Stderr != "" {
			t.Errorf("%q: %+v", flags, got)
		}
	}
	s.Terminal = true
	s.Run("spaces list").Want(t, app.ExitOK, "No spaces.\n")
}

// TestEmptyTablesAreNamed checks that an empty table says at a terminal what there is none of.
func TestEmptyTablesAreNamed(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"GET /v1/spaces/s_1/change-requests?limit=50":                 `200 {"count":0,"items":[]}`,
		"GET /v1/spaces/s_1/change-requests?limit=50&status=archived": `200 {"count":0,"items":[]}`,
		"GET /v1/spaces/s_1/revisions?limit=50":                       `200 {"count":0,"items":[]}`,
		"GET /v1/spaces/s_1/search?limit=50&query=x":                  `200 {"count":0,"items":[]}`,
		"GET /v1/spaces/s_1/comments?limit=50":                        `200 {"count":0,"items":[]}`,
		"GET /v1/spaces/s_1/content/pages":                            `200 {"pages":[]}`,
	})
	s.Terminal = true
	for line, want := range map[string]string{
		"change-requests list --space s_1":                   "No open change requests.\n",
		"change-requests list --space s_1 --status archived": "No archived change requests.\n",
		"spaces list-revisions s_1":                          "No revisions.\n",
		"spaces search s_1 --query x":                        "Nothing found.\n",
		"comments list --space s_1":                          "No comments.\n",
		"content list-pages --space s_1":                     "No pages.\n",
		"content list-pages --space s_1 -o json":             "",
	} {
		if got := s.Run(line); got.Code != app.ExitOK || got.Stderr != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestListLimitAndAll(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"GET /v1/orgs/o_1/spaces?limit=2":             `200 {"count":5,"items":[` + spaceList("a", "b") + `],"next":{"page":"n2"}}`,
		"GET /v1/orgs/o_1/spaces?limit=0":             `200 {"count":5,"items":[],"next":{"page":"n0"}}`,
		"GET /v1/orgs/o_1/spaces?limit=1000":          `200 {"count":5,"items":[` + spaceList("a", "b") + `],"next":{"page":"n2"}}`,
		"GET /v1/orgs/o_1/spaces?limit=1000&page=n2":  `200 {"count":5,"items":[` + spaceList("c", "d") + `],"next":{"page":"n3"}}`,
		"GET /v1/orgs/o_1/spaces?limit=1000&page=n3":  `200 {"count":5,"items":[` + spaceList("e") + `]}`,
		"GET /v1/orgs/o_1/spaces?limit=7&page=broken": `200 {"count":5,"items":[` + spaceList("a") + `],"next":{"page":"gone"}}`,
	}
	for _, test := range []struct {
		flags, out, stderr string
		code               int
	}{
		{"--limit 2", "a\nb\n", "2 of 5; --all for the rest\n", app.ExitOK},
		{"--limit 2 -q", "a\nb\n", "", app.ExitOK},
		{"--limit 0", "", "0 of 5; --all for the rest\n", app.ExitOK},
		{"--all", "a\nb\nc\nd\ne\n", "", app.ExitOK},
		{"--limit 7 --cursor broken", "a\n", "stopped after 1 item:", app.ExitPartial},
		{"--limit -1", "", "negative", app.ExitUsage},
		{"--limit 3 --all", "", "exclude each other", app.ExitUsage},
		{"--limit many", "", "a whole number", app.ExitUsage},
	} {
		t.Run(test.flags, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, answers)
			s.Env["WSCTL_ORG"] = "o_1"
			got := s.Run("spaces list -o name " + test.flags)
			if got.Code != test.code || got.Stdout != test.out || !strings.Contains(got.Stderr, test.stderr) ||
				test.stderr == "" && got.Stderr != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestInterruptedListIsInvalidJSON(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"GET /v1/orgs/o_1/spaces?limit=1000": `200 {"count":5,"items":[` + spaceList("a") + `],"next":{"page":"gone"}}`,
	})
	s.Env["WSCTL_ORG"] = "o_1"
	got := s.Run("spaces list --all -o json")
	got.Want(t, app.ExitPartial)
	if strings.HasSuffix(strings.TrimSpace(got.Stdout), "]") {
		t.Errorf("a list without its rest is closed: %s", got.Stdout)
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestClosedPipeIsNotAnError(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{spacesURI: `200 {"count":2,"items":[` + spaceList("a", "b") + `]}`})
	s.Env["WSCTL_ORG"] = "o_1"
	for _, flags := range []string{"", "-o json", "-o csv", "-o yaml", "-o name", "--jq .", "-o table"} {
		var stderr strings.Builder
		if code := s.RunTo(closedPipe{}, &stderr, strings.Fields("spaces list "+flags)...); code != app.ExitOK || stderr.String() != "" {
			t.Errorf("%q: exit code %d, output %q", flags, code, stderr.String())
		}
	}
}
