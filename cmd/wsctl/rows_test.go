package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

const (
	oneSpace  = `{"object":"space","id":"spc_1","title":"Hand\tbook","urls":{"location":"x","app":"http://app.example/spc_1"},"updatedAt":"2026-01-31T12:00:00.000Z"}`
	orgs      = `200 {"count":1,"items":[{"id":"org_1","title":"One"}]}`
	spacesURI = "GET /v1/orgs/org_1/spaces?limit=50"
)

func spaceList(ids ...string) string {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = fmt.Sprintf(`{"id":%q,"title":"Title of %s","visibility":"private","changeRequestsOpen":2,"comments":0,"updatedAt":"2026-01-31T12:00:00.000Z"}`, id, id)
	}
	return strings.Join(items, ",")
}

func TestListOutputs(t *testing.T) {
	t.Parallel()
	list := `200 {"count":2,"items":[` + spaceList("spc_1", "spc_2") + `]}`
	for _, test := range []struct {
		flags, want string
		term        bool
	}{
		{"", "spc_1\tTitle of spc_1\tprivate\t2\t0\t2026-01-31T12:00:00.000Z\nspc_2\tTitle of spc_2\tprivate\t2\t0\t2026-01-31T12:00:00.000Z\n", false},
		{"", "ID     TITLE           VISIBILITY  OPEN  COMMENTS  UPDATED AT\nspc_1  Title of spc_1  private     2     0         1 day ago\nspc_2  Title of spc_2  private     2     0         1 day ago\n", true},
		{"-o table --columns id,title --no-headers", "spc_1  Title of spc_1\nspc_2  Title of spc_2\n", false},
		{"-o name", "spc_1\nspc_2\n", true},
		{"-o csv --columns id,updatedAt", "id,updatedAt\nspc_1,2026-01-31T12:00:00.000Z\nspc_2,2026-01-31T12:00:00.000Z\n", true},
		{"--jq .[].id", "spc_1\nspc_2\n", false},
		{"--template {{len$}}:{{range$}}{{.id}};{{end}}", "2:spc_1;spc_2;", false},
		{"--envelope --jq .count", "2\n", false},
	} {
		t.Run(test.flags+fmt.Sprint(test.term), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, map[string]string{spacesURI: list})
			s.term, s.env["WSCTL_ORG"], s.env["NO_COLOR"] = test.term, "org_1", "yes"
			got := s.run(strings.Fields("spaces list " + strings.ReplaceAll(test.flags, "{{len$}}", "{{len_.}}"))...)
			if strings.Contains(test.flags, "template") {
				got = s.run("spaces", "list", "--template", "{{len .}}:{{range .}}{{.id}};{{end}}")
			}
			got.want(t, exitOK)
			if diff := cmp.Diff(test.want, got.out); diff != "" {
				t.Error(diff)
			}
			if got.err != "" {
				t.Errorf("talks: %q", got.err)
			}
		})
	}
}

func TestListJSONIsTheArrayAsItCame(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{spacesURI: `200 {"count":1,"items":[{"z":1.50,"id":"a","new":{"field":[ ]}}]}`})
	s.env["WSCTL_ORG"] = "org_1"
	got := s.run("spaces list -o json")
	got.want(t, exitOK)
	want := "[\n  {\n    \"z\": 1.50,\n    \"id\": \"a\",\n    \"new\": {\n      \"field\": []\n    }\n  }\n]\n"
	if diff := cmp.Diff(want, got.out); diff != "" {
		t.Error(diff)
	}
	got = s.run("spaces list -o yaml")
	if diff := cmp.Diff("- z: 1.50\n  id: a\n  new:\n    field: []\n", got.out); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyListsAreQuietInPipes(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{spacesURI: `200 {"count":0,"items":[]}`})
	s.env["WSCTL_ORG"] = "org_1"
	for flags, want := range map[string]string{"": "", " -o json": "[]\n", " -o yaml": "[]\n", " -o name": "", " --jq length": "0\n"} {
		if got := s.run("spaces list" + flags); got.code != 0 || got.out != want || got.err != "" {
			t.Errorf("%q: %+v", flags, got)
		}
	}
	s.term = true
	s.run("spaces list").want(t, exitOK, "there are none")
}

func TestLimitsAndAll(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"GET /v1/orgs/org_1/spaces?limit=2":             `200 {"count":5,"items":[` + spaceList("a", "b") + `],"next":{"page":"n2"}}`,
		"GET /v1/orgs/org_1/spaces?limit=0":             `200 {"count":5,"items":[],"next":{"page":"n0"}}`,
		"GET /v1/orgs/org_1/spaces?limit=1000":          `200 {"count":5,"items":[` + spaceList("a", "b") + `],"next":{"page":"n2"}}`,
		"GET /v1/orgs/org_1/spaces?limit=1000&page=n2":  `200 {"count":5,"items":[` + spaceList("c", "d") + `],"next":{"page":"n3"}}`,
		"GET /v1/orgs/org_1/spaces?limit=1000&page=n3":  `200 {"count":5,"items":[` + spaceList("e") + `]}`,
		"GET /v1/orgs/org_1/spaces?limit=7&page=broken": `200 {"count":5,"items":[` + spaceList("a") + `],"next":{"page":"gone"}}`,
	}
	for _, test := range []struct {
		flags, out, talk string
		code             int
	}{
		{"--limit 2", "a\nb\n", "2 of 5; --all for the rest\n", exitOK},
		{"--limit 2 -q", "a\nb\n", "", exitOK},
		{"--limit 0", "", "0 of 5; --all for the rest\n", exitOK},
		{"--all", "a\nb\nc\nd\ne\n", "", exitOK},
		{"--limit 7 --cursor broken", "a\n", "stopped after 1 item:", exitPartial},
		{"--limit -1", "", "negative", exitUsage},
		{"--limit 3 --all", "", "none of the others can be", exitUsage},
		{"--limit many", "", "invalid", exitUsage},
	} {
		t.Run(test.flags, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, answers)
			s.env["WSCTL_ORG"] = "org_1"
			got := s.run("spaces list -o name " + test.flags)
			if got.code != test.code || got.out != test.out || !strings.Contains(got.err, test.talk) || test.talk == "" && got.err != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestABrokenListIsNotAWholeOne(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"GET /v1/orgs/org_1/spaces?limit=1000": `200 {"count":5,"items":[` + spaceList("a") + `],"next":{"page":"gone"}}`,
	})
	s.env["WSCTL_ORG"] = "org_1"
	got := s.run("spaces list --all -o json")
	got.want(t, exitPartial)
	if strings.HasSuffix(strings.TrimSpace(got.out), "]") {
		t.Errorf("a list without its rest is closed: %s", got.out)
	}
}

func TestOrganization(t *testing.T) {
	t.Parallel()
	two := `200 {"count":2,"items":[{"id":"org_1","title":"One"},{"id":"org_2","title":"Two"}]}`
	list := `200 {"count":0,"items":[]}`
	for name, test := range map[string]struct {
		orgs, env, flags string
		code             int
		requests         int
	}{
		"the only one":      {orgs, "", "", exitOK, 2},
		"several":           {two, "", "", exitUsage, 1},
		"none":              {`200 {"count":0,"items":[]}`, "", "", exitUsage, 1},
		"environment":       {two, "org_1", "", exitOK, 1},
		"flag":              {two, "org_2", "--org org_1", exitOK, 1},
		"may not even list": {`401 {"error":{"code":401,"message":"No."}}`, "", "", exitAuth, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, map[string]string{"GET /v1/orgs": test.orgs, spacesURI: list})
			s.env["WSCTL_ORG"] = test.env
			got := s.run("spaces list " + test.flags)
			got.want(t, test.code)
			if name == "several" {
				got.want(t, exitUsage, "org_1 (One), org_2 (Two)", "--org")
			}
			if len(s.requests()) != test.requests {
				t.Errorf("asked %v", s.requests())
			}
		})
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "body.json")
	text := filepath.Join(t.TempDir(), "text.md")
	broken := filepath.Join(t.TempDir(), "latin1.md")
	for path, content := range map[string]string{file: `{"title":"From the file","emoji":"x"}`, text: "line\r\n\tno end", broken: "gr\xf6\xdfe"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const patch, comment = "PATCH /v1/spaces/spc_1", "POST /v1/spaces/spc_1/comments"
	for name, test := range map[string]struct {
		words []string
		want  string // the request, or "" when nothing may be sent
	}{
		"flags":               {[]string{"spaces", "update", "spc_1", "--title", "T & <b>"}, patch + ` {"title":"T \u0026 \u003cb\u003e"}`},
		"empty":               {[]string{"spaces", "update", "spc_1", "--title", ""}, patch + ` {"title":""}`},
		"nothing":             {[]string{"spaces", "update", "spc_1"}, patch + ` {}`},
		"null":                {[]string{"spaces", "update", "spc_1", "--no-emoji"}, patch + ` {"emoji":null}`},
		"enum":                {[]string{"spaces", "update", "spc_1", "--edit-mode", "live", "--default-level", "inherit"}, patch + ` {"defaultLevel":"inherit","editMode":"live"}`},
		"wrong enum":          {[]string{"spaces", "update", "spc_1", "--edit-mode", "dead"}, ""},
		"too long":            {[]string{"spaces", "update", "spc_1", "--title", strings.Repeat("x", 51)}, ""},
		"value and null":      {[]string{"spaces", "update", "spc_1", "--emoji", "x", "--no-emoji"}, ""},
		"data":                {[]string{"spaces", "update", "spc_1", "--data", `{"title": "Inline"}`}, patch + ` {"title": "Inline"}`},
		"file":                {[]string{"spaces", "update", "spc_1", "-F", file}, patch + ` {"title":"From the file","emoji":"x"}`},
		"standard input":      {[]string{"spaces", "update", "spc_1", "-F", "-"}, patch + ` {"title":"From input"}`},
		"file and flag":       {[]string{"spaces", "update", "spc_1", "-F", file, "--title", "Flag"}, patch + ` {"emoji":"x","title":"Flag"}`},
		"no such file":        {[]string{"spaces", "update", "spc_1", "-F", "nowhere.json"}, ""},
		"not JSON":            {[]string{"spaces", "update", "spc_1", "-F", text}, ""},
		"a comment":           {[]string{"comments", "create", "--space", "spc_1", "--body", "Good."}, comment + ` {"body":{"markdown":"Good."}}`},
		"from a file":         {[]string{"comments", "create", "--space", "spc_1", "--body-file", text}, comment + ` {"body":{"markdown":"line\r\n\tno end"}}`},
		"not UTF-8":           {[]string{"comments", "create", "--space", "spc_1", "--body-file", broken}, ""},
		"nothing to say":      {[]string{"comments", "create", "--space", "spc_1"}, ""},
		"in a request":        {[]string{"comments", "create", "--space", "spc_1", "--change-request", "7", "--body", "x"}, "POST /v1/spaces/spc_1/change-requests/7/comments" + ` {"body":{"markdown":"x"}}`},
		"lists":               {[]string{"comments", "update", "com_1", "--space", "spc_1", "--resolved=false", "--added-reactions", "👍,🎉"}, `PUT /v1/spaces/spc_1/comments/com_1 {"addedReactions":["👍","🎉"],"resolved":false}`},
		"dry run":             {[]string{"spaces", "restore", "spc_1", "--dry-run"}, "POST /v1/spaces/spc_1/restore?dryRun=true"},
		"an id to escape":     {[]string{"spaces", "restore", "a/b?c"}, "POST /v1/spaces/a%2Fb%3Fc/restore"},
		"an id that is no id": {[]string{"spaces", "restore", ".."}, ""},
		"import":              {[]string{"content", "import", "https://x.example", "--space", "spc_1"}, `POST /v1/spaces/spc_1/content/import {"source":"website","url":"https://x.example"}`},
		"import other":        {[]string{"content", "import", "https://x.example/a.zip", "--space", "spc_1", "--source", "zip", "--change-request", "2"}, `POST /v1/spaces/spc_1/change-requests/2/content/import {"source":"zip","url":"https://x.example/a.zip"}`},
		"no URL":              {[]string{"content", "import", "x", "--space", "spc_1"}, ""},
		"optional body":       {[]string{"change-requests", "create", "--space", "spc_1"}, "POST /v1/spaces/spc_1/change-requests"},
		"too many":            {[]string{"spaces", "restore", "a", "b"}, ""},
		"too few":             {[]string{"spaces", "restore"}, ""},
		"no space":            {[]string{"comments", "create", "--body", "x"}, ""},
		"no such flag":        {[]string{"spaces", "restore", "a", "--force"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, nil)
			s.input = `{"title":"From input"}`
			got := s.run(append(test.words, "--max-retries", "0")...)
			if test.want == "" {
				got.want(t, exitUsage)
				if len(s.requests()) > 0 {
					t.Errorf("sent %v", s.requests())
				}
				return
			}
			if diff := cmp.Diff([]string{test.want}, s.requests()); diff != "" {
				t.Errorf("%s\n%s", diff, got.err)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flags, input string
		term         bool
		code, sent   int
		talk         string
	}{
		"with yes":           {"--yes", "", false, exitOK, 1, "Deleted space spc_1\n"},
		"no one to ask":      {"", "", false, exitUsage, 0, "--yes"},
		"not to be asked":    {"--no-input", "y\n", true, exitUsage, 0, "--yes"},
		"yes":                {"", "yes\n", true, exitOK, 1, "Delete space spc_1? [y/N]"},
		"no":                 {"", "\n", true, exitUsage, 0, "nothing was deleted"},
		"end of input":       {"", "", true, exitUsage, 0, "nothing was deleted"},
		"a dry run asks not": {"--dry-run", "", false, exitOK, 1, "dry run: would delete space spc_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, map[string]string{"DELETE /v1/spaces/spc_1": "205 ", "DELETE /v1/spaces/spc_1?dryRun=true": "205 "})
			s.term, s.input = test.term, test.input
			got := s.run(strings.Fields("spaces delete spc_1 " + test.flags)...)
			got.want(t, test.code, test.talk)
			if got.out != "" || len(s.requests()) != test.sent {
				t.Errorf("stdout %q, sent %v", got.out, s.requests())
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]int{
		400: exitError, 401: exitAuth, 403: exitAuth, 404: exitNotFound, 409: exitConflict, 412: exitConflict,
		413: exitError, 422: exitError, 429: exitUnavailable, 500: exitError, 502: exitUnavailable, 503: exitUnavailable,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, map[string]string{"GET /v1/spaces/x": fmt.Sprintf(
				`%d {"error":{"code":%d,"message":"Refused.","hint":"Do this.","requestId":"req_7","reason":"r"}}`, status, status)})
			got := s.run("spaces get x --max-retries 0")
			got.want(t, code, "wsctl: Refused.\n", "hint: Do this.\n", "request: req_7\n")
			got = s.run("spaces get x --max-retries 0 -o json")
			if want := fmt.Sprintf(`{"error":{"code":%d,"message":"Refused.","reason":"r","hint":"Do this.","requestId":"req_7"}}`+"\n", status); got.err != want || got.out != "" {
				t.Errorf("as JSON: %q %q", got.out, got.err)
			}
		})
	}
}

func TestViolationsAreListed(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"PATCH /v1/spaces/x": `422 {"error":{"code":422,"message":"title: a; emoji: b","reason":"invalid","fields":[{"path":"title","message":"a\u001b[31m"},{"path":"emoji","message":"b"}]}}`,
	})
	s.run("spaces update x --title t").want(t, exitError, "wsctl: the server refuses the request (422):\n  title: a\n  emoji: b\n")
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.env["WSCTL_URL"] = "http://127.0.0.1:1"
	s.run("spaces get x --max-retries 0").want(t, exitUnavailable, "cannot reach http://127.0.0.1:1", "--show-origin")
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestABrokenPipeIsSilent(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{spacesURI: `200 {"count":2,"items":[` + spaceList("a", "b") + `]}`})
	s.env["WSCTL_ORG"] = "org_1"
	for _, flags := range []string{"", "-o json", "-o csv", "-o yaml", "-o name", "--jq .", "-o table"} {
		var talk strings.Builder
		w := s.world(closedPipe{}, &talk)
		w.args = strings.Fields("spaces list " + flags)
		if code := run(t.Context(), w); code != exitOK || talk.String() != "" {
			t.Errorf("%q: exit code %d, says %q", flags, code, talk.String())
		}
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/spaces/spc_1": "200 " + oneSpace})
	got := s.run("spaces get spc_1")
	if diff := cmp.Diff("object\tspace\nid\tspc_1\ntitle\tHand book\nurls.location\tx\nurls.app\thttp://app.example/spc_1\nupdatedAt\t2026-01-31T12:00:00.000Z\n", got.out); diff != "" {
		t.Error(diff)
	}
	for flags, want := range map[string]string{
		"--columns id,urls":    "id\tspc_1\nurls.location\tx\nurls.app\thttp://app.example/spc_1\n",
		"-o name":              "spc_1\n",
		"-o csv --columns id":  "id\nspc_1\n",
		"--jq .title":          "Hand\tbook\n",
		"-o json --jq .title":  "Hand\tbook\n",
		"--template {{.id}}":   "spc_1",
		"-o yaml --jq .urls":   `{"app":"http://app.example/spc_1","location":"x"}` + "\n",
		"--jq .none":           "null\n",
		"--columns=id -o json": "",
	} {
		got := s.run(strings.Fields("spaces get spc_1 " + flags)...)
		if want != "" && got.out != want {
			t.Errorf("%s: %q, want %q (%s)", flags, got.out, want, got.err)
		}
	}
	s.run("spaces get spc_1 --columns nope").want(t, exitUsage, `no column "nope"`, "changeRequestsOpen")
	s.run("spaces get spc_1 --jq .[").want(t, exitUsage, "--jq")
	s.run("spaces get spc_1 --jq .id|error").want(t, exitUsage)
	s.run("spaces get spc_1 -o xml").want(t, exitUsage, "table, json")
}

func TestWeb(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/spaces/spc_1": "200 " + oneSpace, "GET /v1/spaces/bad": `200 {"urls":{"app":"file:///etc/passwd"}}`})
	s.run("spaces get spc_1 --web").want(t, exitOK)
	if len(s.opened) != 1 || s.opened[0] != "http://app.example/spc_1" {
		t.Errorf("opened %v", s.opened)
	}
	s.run("spaces get bad --web").want(t, exitError)
	if len(s.opened) != 1 {
		t.Errorf("opened %v", s.opened)
	}
}

func TestRawIsByteForByte(t *testing.T) {
	t.Parallel()
	text := "# Title\r\n\tcode \u001b[31m\r\nno newline"
	s := newStage(t, map[string]string{
		"GET /v1/spaces/s/content/page/p?format=markdown":                   "200 " + string(mustJSON(map[string]string{"markdown": text})),
		"GET /v1/spaces/s/content/path/a/b%20c?format=markdown":             "200 " + string(mustJSON(map[string]string{"markdown": text})),
		"GET /v1/spaces/s/change-requests/3/content/page/p?format=markdown": `200 {"markdown":""}`,
		"GET /v1/spaces/s/content/page/group?format=markdown":               `200 {"type":"group"}`,
	})
	s.env["WSCTL_SPACE"] = "s"
	for _, words := range [][]string{{"content", "get-page", "p", "--raw"}, {"content", "get-page-by-path", "/a/b c", "--raw"}} {
		if got := s.run(words...); got.out != text || got.err != "" {
			t.Errorf("%v: %q %q", words, got.out, got.err)
		}
	}
	if got := s.run("content get-page p --raw --change-request 3"); got.code != 0 || got.out != "" {
		t.Errorf("an empty page: %+v", got)
	}
	s.run("content get-page group --raw").want(t, exitUsage, "no text")
	s.term = true
	if got := s.run("content get-page p --raw"); strings.Contains(got.out, "\x1b") {
		t.Errorf("a page speaks to the terminal: %q", got.out)
	}
}

func TestPageTree(t *testing.T) {
	t.Parallel()
	tree := `200 {"pages":[{"id":"p1","title":"One","type":"document","path":"one","pages":[{"id":"p2","title":"Two","type":"document","path":"one/two","pages":[]}]},{"id":"p3","title":"Three","type":"group"}]}`
	s := newStage(t, map[string]string{"GET /v1/spaces/s/content/pages": tree})
	s.env["WSCTL_SPACE"], s.env["NO_COLOR"] = "s", "1"
	if diff := cmp.Diff("p1\tOne\tdocument\tone\np2\tTwo\tdocument\tone/two\np3\tThree\tgroup\t\n", s.run("content list-pages").out); diff != "" {
		t.Error(diff)
	}
	if got := s.run("content list-pages -o name").out; got != "p1\np2\np3\n" {
		t.Errorf("names: %q", got)
	}
	s.term = true
	want := "ID  TITLE  TYPE      PATH\np1  One    document  one\np2    Two  document  one/two\np3  Three  group\n"
	if diff := cmp.Diff(want, s.run("content list-pages").out); diff != "" {
		t.Error(diff)
	}
}

func TestAMergeWithConflictsIsAConflict(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"POST /v1/spaces/s/change-requests/1/merge": `200 {"revision":"rev_1","result":"conflicts","conflicts":[{"id":"c1"},{"id":"c2"}]}`,
		"POST /v1/spaces/s/change-requests/2/merge": `200 {"revision":"rev_2","result":"merge"}`,
	})
	s.env["WSCTL_SPACE"] = "s"
	got := s.run("cr merge 1 --jq .conflicts[].id")
	got.want(t, exitConflict, "2 conflicts; nothing was applied", "pull")
	if got.out != "c1\nc2\n" {
		t.Errorf("stdout %q", got.out)
	}
	s.run("cr merge 2 -o name").want(t, exitOK, "rev_2\n")
}

func TestReadOnlyProfilesSendNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/spaces/x": "200 " + oneSpace})
	s.run("config set read_only true").want(t, exitOK)
	for _, line := range []string{"spaces delete x --yes", "spaces create --title t", "api POST /orgs", "spaces update x --title t --dry-run"} {
		s.run(line).want(t, exitUsage, "read-only")
	}
	if len(s.requests()) > 0 {
		t.Fatalf("sent %v", s.requests())
	}
	s.run("spaces get x").want(t, exitOK)
}

func TestTerminalsAreSafe(t *testing.T) {
	t.Parallel()
	evil := "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egood\u0000\r"
	s := newStage(t, map[string]string{
		spacesURI:                `200 {"count":1,"items":[{"id":"a","title":` + string(mustJSON(evil)) + `}]}`,
		"GET /v1/spaces/x":       `200 {"id":"a","title":` + string(mustJSON(evil)) + `,` + string(mustJSON(evil)) + `:1}`,
		"GET /v1/spaces/missing": `404 {"error":{"message":` + string(mustJSON(evil)) + `,"hint":` + string(mustJSON(evil)) + `}}`,
	})
	s.term, s.env["WSCTL_ORG"], s.env["NO_COLOR"] = true, "org_1", "1"
	for _, line := range []string{
		"spaces list", "spaces get x", "spaces get missing", "spaces list -o csv", "spaces list --jq .[].title", "spaces list -o json",
		"spaces list --template {{.}}", "spaces list -o yaml", "spaces get missing -o json",
	} {
		got := s.run(line)
		if i := strings.IndexFunc(got.out+got.err, func(r rune) bool {
			return r != '\n' && r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e
		}); i >= 0 {
			t.Errorf("%s: a control character at %d of %q", line, i, got.out+got.err)
		}
	}
}

func TestExitCodeOfEveryRefusalIsKnown(t *testing.T) {
	t.Parallel()
	if exitCode(api.NotFound()) != exitNotFound || exitCode(fmt.Errorf("x: %w", api.WrongState("no"))) != exitConflict {
		t.Error("wrapped refusals lose their code")
	}
}
