package operations_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestConflictsAreWrittenAsRows(t *testing.T) {
	t.Parallel()
	const list = `"conflicts":[{"id":"c_1","kind":"text","title":"P","place":"paragraph 1","ours":{"value":"a\nb"},"theirs":{"value":"c"},` +
		`"answers":[{"take":"ours","effect":"A."},{"take":"theirs","effect":"B."}]}]}`
	s := newHarness(t, map[string]string{
		"POST /v1/spaces/s_s/change-requests/1/merge":    `200 {"revision":"r","result":"conflicts",` + list,
		"GET /v1/spaces/s_s/change-requests/1/conflicts": `200 {"revision":"r","spaceRevision":"r",` + list,
	})
	s.Env["WSCTL_SPACE"] = "s_s"
	s.Run("cr merge 1").Want(t, app.ExitConflict, "1  P › paragraph 1\n", "1=request    B.\n", "1 conflict; nothing was applied",
		"wsctl change-requests pull 1 --resolve 1=space|request")
	if got := s.Run("cr conflicts 1 --columns kind,title,ours.value"); got.Stdout != "text\tP\ta b\n" {
		t.Errorf("stdout %q", got.Stdout)
	}
}

func TestRawFile(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"GET /raw/signed": "200 \x00\xff\x1b bytes"})
	file := newHarness(t, map[string]string{"GET /v1/spaces/s_s/content/files/f_1": `200 {"id":"f_1","downloadURL":"` + s.URL + `/raw/signed"}`})
	if got := file.Run("content get-file f_1 --space s_s --raw"); got.Stdout != "\x00\xff\x1b bytes" || got.Code != 0 {
		t.Errorf("got %+v", got)
	}
	file.Terminal = true
	file.Run("content get-file f_1 --space s_s --raw").Want(t, app.ExitUsage, "terminal")
}

// TestRecordOnTerminal checks that a record on a terminal omits the members that only programs need.
func TestRecordOnTerminal(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"GET /v1/spaces/s_s/comments/c": `200 {"object":"comment","id":"c","postedBy":{"object":"user","id":"u","displayName":"Ada"},"reactions":[],"permissions":{"view":true},"body":{"markdown":"Hi"},"urls":{"location":"x"}}`,
	})
	s.Terminal, s.Env["NO_COLOR"] = true, "1"
	got := s.Run("comments get c --space s_s")
	if diff := cmp.Diff("id             c\npostedBy       Ada (u)\nbody.markdown  Hi\n", got.Stdout); diff != "" {
		t.Error(diff)
	}
	s.Terminal = false
	if got := s.Run("comments get c --space s_s"); !strings.Contains(got.Stdout, "permissions.view\ttrue\n") {
		t.Errorf("a program misses members: %q", got.Stdout)
	}
}

const (
	spaceJSON = `{"object":"space","id":"s_1","title":"Hand\tbook","urls":{"location":"x","app":"http://app.example/s_1"},"updatedAt":"2026-01-31T12:00:00.000Z"}`
	spacesURI = "GET /v1/orgs/o_1/spaces?limit=50"
)

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestRecordFormats(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"GET /v1/spaces/s_1": "200 " + spaceJSON})
	got := s.Run("spaces get s_1")
	if diff := cmp.Diff("object\tspace\nid\ts_1\ntitle\tHand book\nurls.location\tx\nurls.app\thttp://app.example/s_1\n"+
		"updatedAt\t2026-01-31T12:00:00.000Z\n", got.Stdout); diff != "" {
		t.Error(diff)
	}
	for flags, want := range map[string]string{
		"--columns id,urls":    "id\ts_1\nurls.location\tx\nurls.app\thttp://app.example/s_1\n",
		"-o name":              "s_1\n",
		"-o csv --columns id":  "id\ns_1\n",
		"--jq .title":          "Hand\tbook\n",
		"-o json --jq .title":  "Hand\tbook\n",
		"--template {{.id}}":   "s_1",
		"-o yaml --jq .urls":   `{"app":"http://app.example/s_1","location":"x"}` + "\n",
		"--jq .none":           "null\n",
		"--columns=id -o json": "",
	} {
		got := s.Run(strings.Fields("spaces get s_1 " + flags)...)
		if want != "" && got.Stdout != want {
			t.Errorf("%s: %q, want %q (%s)", flags, got.Stdout, want, got.Stderr)
		}
	}
	s.Run("spaces get s_1 --columns nope").Want(t, app.ExitUsage, `no column "nope"`, "changeRequestsOpen")
	s.Run("spaces get s_1 --jq .[").Want(t, app.ExitUsage, "--jq")
	s.Run("spaces get s_1 --jq .id|error").Want(t, app.ExitFailed, "cannot apply --jq: error: s_1")
	s.Run("spaces get s_1 -o xml").Want(t, app.ExitUsage, "table, json")
}

func TestWebOpensBrowser(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"GET /v1/spaces/s_1": "200 " + spaceJSON, "GET /v1/spaces/s_bad": `200 {"urls":{"app":"file:///etc/passwd"}}`,
	})
	s.Run("spaces get s_1 --web --jq .id").Want(t, app.ExitOK, "s_1\n")
	if len(s.Opened) != 1 || s.Opened[0] != "http://app.example/s_1" {
		t.Errorf("opened %v", s.Opened)
	}
	s.Run("spaces get s_bad --web").Want(t, app.ExitFailed)
	if len(s.Opened) != 1 {
		t.Errorf("opened %v", s.Opened)
	}
}

func TestRawOutputIsByteForByte(t *testing.T) {
	t.Parallel()
	text := "# Title\r\n\tcode \u001b[31m\r\nno newline"
	s := newHarness(t, map[string]string{
		"GET /v1/spaces/s_s/content/page/p_1?format=markdown":                   `200 {"markdown":` + quote(text) + `}`,
		"GET /v1/spaces/s_s/content/path/a/b%20c?format=markdown":               `200 {"markdown":` + quote(text) + `}`,
		"GET /v1/spaces/s_s/change-requests/3/content/page/p_1?format=markdown": `200 {"markdown":""}`,
		"GET /v1/spaces/s_s/content/page/p_2?format=markdown":                   `200 {"type":"group"}`,
	})
	s.Env["WSCTL_SPACE"] = "s_s"
	for _, words := range [][]string{{"content", "get-page", "p_1", "--raw"}, {"content", "get-page-by-path", "/a/b c", "--raw"}} {
		if got := s.Run(words...); got.Stdout != text || got.Stderr != "" {
			t.Errorf("%v: %q %q", words, got.Stdout, got.Stderr)
		}
	}
	if got := s.Run("content get-page p_1 --raw --change-request 3"); got.Code != 0 || got.Stdout != "" {
		t.Errorf("an empty page: %+v", got)
	}
	s.Run("content get-page p_2 --raw").Want(t, app.ExitUsage, "no text")
	s.Terminal = true
	if got := s.Run("content get-page p_1 --raw"); strings.Contains(got.Stdout, "\x1b") {
		t.Errorf("a page speaks to the terminal: %q", got.Stdout)
	}
}

func TestPageTree(t *testing.T) {
	t.Parallel()
	tree := `200 {"pages":[{"id":"p1","title":"One","type":"document","path":"one","pages":[{"id":"p2","title":"Two","type":"document","path":"one/two","pages":[]}]},{"id":"p3","title":"Three","type":"group"}]}`
	s := newHarness(t, map[string]string{"GET /v1/spaces/s_s/content/pages": tree})
	s.Env["WSCTL_SPACE"], s.Env["NO_COLOR"] = "s_s", "1"
	if diff := cmp.Diff("p1\tOne\tdocument\tone\np2\tTwo\tdocument\tone/two\np3\tThree\tgroup\t\n",
		s.Run("content list-pages").Stdout); diff != "" {
		t.Error(diff)
	}
	if got := s.Run("content list-pages -o name").Stdout; got != "p1\np2\np3\n" {
		t.Errorf("names: %q", got)
	}
	s.Terminal = true
	want := "ID  TITLE  TYPE      PATH\np1  One    document  one\np2    Two  document  one/two\np3  Three  group\n"
	if diff := cmp.Diff(want, s.Run("content list-pages").Stdout); diff != "" {
		t.Error(diff)
	}
}

// TestTreeIgnoresNonListMembers checks that a member named like a list of children, but of another type, such as a page count
// or a list of ids, is not shown as children.
func TestTreeIgnoresNonListMembers(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"GET /v1/spaces/s_s/change-requests/2/timeline": `200 {"cursor":"c","events":[` +
		`{"cursor":"a","kind":"edited","at":"2026-05-04T12:00:00.000Z","pages":2},` +
		`{"cursor":"b","kind":"merged","at":"2026-05-04T13:00:00.000Z","pages":["p_1"],"sections":null}]}`})
	s.Env["WSCTL_SPACE"] = "s_s"
	got := s.Run("change-requests get-timeline 2")
	if got.Code != 0 || strings.Count(got.Stdout, "\n") != 2 || !strings.Contains(got.Stdout, "merged") {
		t.Errorf("%+v", got)
	}
}

func TestTerminalOutputIsSanitized(t *testing.T) {
	t.Parallel()
	evil := "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egood\u0000\r"
	s := newHarness(t, map[string]string{
		spacesURI:                  `200 {"count":1,"items":[{"id":"a","title":` + quote(evil) + `}]}`,
		"GET /v1/spaces/s_x":       `200 {"id":"a","title":` + quote(evil) + `,` + quote(evil) + `:1}`,
		"GET /v1/spaces/s_missing": `404 {"error":{"message":` + quote(evil) + `,"hint":` + quote(evil) + `}}`,
	})
	s.Terminal, s.Env["WSCTL_ORG"], s.Env["NO_COLOR"] = true, "o_1", "1"
	for _, line := range []string{
		"spaces list", "spaces get s_x", "spaces get s_missing", "spaces list -o csv", "spaces list --jq .[].title", "spaces list -o json",
		"spaces list --template {{.}}", "spaces list -o yaml", "spaces get s_missing -o json",
	} {
		got := s.Run(line)
		if i := strings.IndexFunc(got.Stdout+got.Stderr, func(r rune) bool {
			return r != '\n' && r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e
		}); i >= 0 {
			t.Errorf("%s: a control character at %d of %q", line, i, got.Stdout+got.Stderr)
		}
	}
}

// TestSiteStructureIsTree checks that the structure of a site is written as a tree of section groups, sections and spaces.
func TestSiteStructureIsTree(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{"GET /v1/orgs/o_1/sites/site_1/structure": `200 {"type":"sections","structure":[
		{"object":"site-section-group","id":"grp_1","title":"G","sections":[{"object":"site-section","id":"sec_1","title":"S","path":"s",
		"siteSpaces":[]}]},
		{"object":"site-section","id":"sec_2","title":"T","path":"t","siteSpaces":[{"object":"site-space","id":"ssp_1","title":"U","path":"u"}]}]}`})
	got := s.Run("sites get-structure site_1 --org o_1 --columns id,title")
	if diff := cmp.Diff("grp_1\tG\nsec_1\tS\nsec_2\tT\nssp_1\tU\n", got.Stdout); diff != "" {
		t.Errorf("%s\n%s", diff, got.Stderr)
	}
}
