package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
