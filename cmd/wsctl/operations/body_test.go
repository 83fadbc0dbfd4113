package operations_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestRequestBody(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "body.json")
	text := filepath.Join(t.TempDir(), "text.md")
	broken := filepath.Join(t.TempDir(), "latin1.md")
	for path, content := range map[string]string{
		file: `{"title":"From the file","emoji":"x"}`, text: "line\r\n\tno end", broken: "gr\xf6\xdfe",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const patch, comment = "PATCH /v1/spaces/s_1", "POST /v1/spaces/s_1/comments"
	for name, test := range map[string]struct {
		words []string
		want  string // expected request; "" if none is sent
	}{
		"flags":       {[]string{"spaces", "update", "s_1", "--title", "T & <b>"}, patch + ` {"title":"T & <b>"}`},
		"empty title": {[]string{"spaces", "update", "s_1", "--title", ""}, patch + ` {"title":""}`},
		"no flags":    {[]string{"spaces", "update", "s_1"}, patch + ` {}`},
		"null":        {[]string{"spaces", "update", "s_1", "--no-emoji"}, patch + ` {"emoji":null}`},
		"enum": {
			[]string{
				"spaces", "update", "s_1", "--edit-mode", "live", "--default-level", "inherit",
			}, patch + ` {"defaultLevel":"inherit","editMode":"live"}`,
		},
		"wrong enum":     {[]string{"spaces", "update", "s_1", "--edit-mode", "dead"}, ""},
		"too long":       {[]string{"spaces", "update", "s_1", "--title", strings.Repeat("x", 51)}, ""},
		"value and null": {[]string{"spaces", "update", "s_1", "--emoji", "x", "--no-emoji"}, ""},
		"data":           {[]string{"spaces", "update", "s_1", "--data", `{"title": "Inline"}`}, patch + ` {"title": "Inline"}`},
		"file":           {[]string{"spaces", "update", "s_1", "-F", file}, patch + ` {"title":"From the file","emoji":"x"}`},
		"standard input": {[]string{"spaces", "update", "s_1", "-F", "-"}, patch + ` {"title":"From input"}`},
		"file and flag": {
			[]string{"spaces", "update", "s_1", "-F", file, "--title", "Flag"}, patch + ` {"emoji":"x","title":"Flag"}`,
		},
		"no such file": {[]string{"spaces", "update", "s_1", "-F", "nowhere.json"}, ""},
		"not JSON":     {[]string{"spaces", "update", "s_1", "-F", text}, ""},
		"comment": {
			[]string{"comments", "create", "--space", "s_1", "--body", "Good."}, comment + ` {"body":{"markdown":"Good."}}`,
		},
		"comment from a file": {
			[]string{"comments", "create", "--space", "s_1", "--body-file", text}, comment + ` {"body":{"markdown":"line\r\n\tno end"}}`,
		},
		"comment that is not UTF-8": {[]string{"comments", "create", "--space", "s_1", "--body-file", broken}, ""},
		"comment without a body":    {[]string{"comments", "create", "--space", "s_1"}, ""},
		"comment in a change request": {
			[]string{
				"comments", "create", "--space", "s_1", "--change-request", "7", "--body", "x",
			}, "POST /v1/spaces/s_1/change-requests/7/comments" + ` {"body":{"markdown":"x"}}`,
		},
		"lists": {
			[]string{
				"comments", "update", "com_1", "--space", "s_1", "--resolved=false", "--added-reactions", "👍,🎉",
			}, `PUT /v1/spaces/s_1/comments/com_1 {"addedReactions":["👍","🎉"],"resolved":false}`,
		},
		"dry run":    {[]string{"spaces", "restore", "s_1", "--dry-run"}, "POST /v1/spaces/s_1/restore?dryRun=true"},
		"escaped id": {[]string{"comments", "get", "a/b?c", "--space", "s_1"}, "GET /v1/spaces/s_1/comments/a%2Fb%3Fc"},
		"invalid id": {[]string{"comments", "get", "..", "--space", "s_1"}, ""},
		"import": {
			[]string{
				"content", "import", "https://x.example", "--space", "s_1",
			}, `POST /v1/spaces/s_1/content/import {"source":"website","url":"https://x.example"}`,
		},
		"import of an archive": {
			[]string{
				"content", "import", "https://x.example/a.zip", "--space", "s_1", "--source", "zip", "--change-request", "2",
			}, `POST /v1/spaces/s_1/change-requests/2/content/import {"source":"zip","url":"https://x.example/a.zip"}`,
		},
		"import without a URL":    {[]string{"content", "import", "x", "--space", "s_1"}, ""},
		"optional body":           {[]string{"change-requests", "create", "--space", "s_1"}, "POST /v1/spaces/s_1/change-requests"},
		"too many arguments":      {[]string{"spaces", "restore", "s_a", "b"}, ""},
		"too few arguments":       {[]string{"spaces", "restore"}, ""},
		"comment without a space": {[]string{"comments", "create", "--body", "x"}, ""},
		"no such flag":            {[]string{"spaces", "restore", "s_a", "--force"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, nil)
			s.Input = `{"title":"From input"}`
			got := s.Run(append(test.words, "--max-retries", "0")...)
			if test.want == "" {
				got.Want(t, app.ExitUsage)
				if len(s.Requests()) > 0 {
					t.Errorf("sent %v", s.Requests())
				}
				return
			}
			if diff := cmp.Diff([]string{test.want}, s.Requests()); diff != "" {
				t.Errorf("%s\n%s", diff, got.Stderr)
			}
		})
	}
}

// TestServerErrorsNameLines checks that the fields that the server refuses are found in the file, also for a single content
// operation, whose fields the server sees in a list.
func TestServerErrorsNameLines(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "b.yaml")
	if err := os.WriteFile(file, []byte("emoji: x\ntitle: A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = `422 {"error":{"code":422,"message":"x","reason":"invalid","fields":[{"path":"PATHtitle","message":"is bad"},{"path":"other","message":"too"}]}}`
	s := newHarness(t, map[string]string{
		"PATCH /v1/spaces/s_x": strings.Replace(refused, "PATH", "", 1),
		"POST /v1/spaces/s_s/change-requests/1/content?compat=false": strings.Replace(refused, "PATH", "changes[0].", 1),
		"POST /v1/orgs": refused,
	})
	s.Run("spaces", "update", "s_x", "-F", file).Want(t, app.ExitFailed, "  title: is bad ("+file+":2)\n  other: too\n")
	s.Run("cr-content", "insert-page", "--space", "s_s", "--change-request", "1", "-F", file).Want(t,
		app.ExitFailed, "is bad ("+file+":2)\n")
	s.Run("api", "POST", "/orgs", "-F", file).Want(t, app.ExitFailed)
	if got := s.Requests(); got[2] != `POST /v1/orgs {"emoji":"x","title":"A"}` {
		t.Errorf("sent %q", got)
	}
	s.Run("api", "POST", "/orgs", "-F", file+"x").Want(t, app.ExitUsage, file+"x: no such file")
	s.Run("spaces", "update", "s_x", "--title", "t", "-F", "[1]").Want(t, app.ExitUsage, "--data must be an object to go with other flags")
}

// TestRequestBodyWithObjects checks that flags set the members of objects, that long values can be read from files, and that
// resources are given by id.
func TestRequestBodyWithObjects(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "openapi.yaml")
	schema := filepath.Join(t.TempDir(), "schema.json")
	if err := errors.Join(os.WriteFile(text, []byte("openapi: \xc3\xa4\n"), 0o600), os.WriteFile(schema, []byte(`{"type":"object"}`),
		0o600)); err != nil {
		t.Fatal(err)
	}
	const (
		spec    = "PUT /v1/orgs/o_1/openapi/pets"
		site    = "/v1/orgs/o_1/sites/site_1"
		publish = "POST /v1/integrations/acme"
	)
	for name, test := range map[string]struct{ words, want string }{
		"a member": {
			"sites update site_1 --adaptive-content-enabled", "PATCH " + site + ` {"adaptiveContent":{"enabled":true}}`,
		},
		"null object":        {"sites update site_1 --no-proxy", "PATCH " + site + ` {"proxy":null}`},
		"one alternative":    {"openapi-specs put pets --source-url https://x.example", spec + ` {"source":{"url":"https://x.example"}}`},
		"member from a file": {"openapi-specs put pets --source-text-file " + text, spec + ` {"source":{"text":"openapi: ä\n"}}`},
		"missing member":     {"openapi-specs put pets", ""},
		"flag and data": {
			`openapi-specs put pets --data {"source":{"url":"https://x.example"}} --source-text t`, spec +
				` {"source":{"text":"t","url":"https://x.example"}}`,
		},
		"flag and null in data": {`openapi-specs put pets --data {"source":null} --source-text t`, spec + ` {"source":{"text":"t"}}`},
		"bytes": {
			"integrations publish acme --title Acme --description d --script-file " + text + " --organization o_1 --icon-file " +
				text, publish + ` {"description":"d","icon":"b3BlbmFwaTogw6QK","organization":"o_1","script":"openapi: ä\n","title":"Acme"}`,
		},
		"any object": {
			"sites update-adaptive-schema site_1 --json-schema-file " + schema, "PUT " + site +
				`/adaptive-schema {"jsonSchema":{"type":"object"}}`,
		},
		"object in YAML": {
			"sites update-adaptive-schema site_1 --json-schema-file " + text, "PUT " + site + `/adaptive-schema {"jsonSchema":{"openapi":"ä"}}`,
		},
		"no such object": {"sites update-adaptive-schema site_1 --json-schema-file " + text + "x", ""},
		"a neighbour": {
			"site-sections move sec_1 --site site_1 --before sec_2", "POST " + site +
				`/sections/sec_1/move {"position":{"before":{"siteSection":"sec_2","type":"site-section"}}}`,
		},
		"two neighbours": {
			"spaces move s_1 --before s_2 --after l_3",
			`POST /v1/spaces/s_1/move {"position":{"after":{"collection":"l_3","type":"collection"},"before":{"space":"s_2","type":"space"}}}`,
		},
		"invalid neighbour": {"spaces move s_1 --before site_2", ""},
		"id of the moved item": {
			"sites sort-structure site_1 --item grp_1 --after sec_1", "PATCH " + site +
				`/structure/sort {"item":{"id":"grp_1","type":"site-section-group"},"position":{"after":{"id":"sec_1","type":"site-section"}}}`,
		},
		"default content": {
			"organizations update o_1 --default-content site_1", `PATCH /v1/orgs/o_1 {"defaultContent":{"site":"site_1","type":"site"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, nil)
			words := strings.Fields(test.words)
			if words[0] != "organizations" && words[0] != "spaces" && words[0] != "integrations" {
				words = append(words, "--org", "o_1")
			}
			got := s.Run(append(words, "--max-retries", "0")...)
			if test.want == "" {
				got.Want(t, app.ExitUsage)
				return
			}
			if diff := cmp.Diff([]string{test.want}, s.Requests()); diff != "" {
				t.Errorf("%s\n%s", diff, got.Stderr)
			}
		})
	}
	newHarness(t, nil).Run("openapi-specs", "put", "pets", "--org", "o_1").
		Want(t, app.ExitUsage, "--source-url or --source-text is required")
}

// TestTransferAsks checks that a transfer asks at a terminal, with what it would drop, needs --yes elsewhere, and reports what it
// dropped.
func TestTransferAsks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flags, input string
		term         bool
		code, sent   int
		talk         string
	}{
		"yes":           {"", "y\n", true, app.ExitOK, 2, "dropped: 2 grants to members\nTransfer space s_1? [y/N]"},
		"no":            {"", "n\n", true, app.ExitUsage, 1, "nothing was changed"},
		"end of input":  {"", "", true, app.ExitUsage, 1, "nothing was done"},
		"flag yes":      {"--yes", "", true, app.ExitOK, 1, "dropped: 2 grants to members"},
		"no terminal":   {"", "", false, app.ExitUsage, 0, "wsctl: spaces transfer needs --yes where nobody can be asked"},
		"yes elsewhere": {"--yes", "", false, app.ExitOK, 1, "dropped: 2 grants to members"},
		"flag no-input": {"--no-input", "", true, app.ExitUsage, 0, "needs --yes"},
		"flag dry-run":  {"--dry-run", "", true, app.ExitOK, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const moved = `200 {"object":"space","id":"s_1","dropped":{"members":["u_1","u_2"],"teams":[],"reviewers":[]}}`
			s := newHarness(t, map[string]string{
				"POST /v1/spaces/s_1/transfer": moved, "POST /v1/spaces/s_1/transfer?dryRun=true": moved,
			})
			s.Terminal, s.Input = test.term, test.input
			got := s.Run(strings.Fields("spaces transfer s_1 --organization o_2 " + test.flags)...)
			got.Want(t, test.code, test.talk)
			if len(s.Requests()) != test.sent {
				t.Errorf("sent %v", s.Requests())
			}
		})
	}
}

// removalJSON is the response of a dry run that deletes a space.
const removalJSON = `{"object":"removal","id":"s_1","title":"Guides","with":[{"kind":"sites","count":2,"named":[{"id":"site_1","title":"Docs"}],"others":1}],"restoreUntil":"2026-12-01T00:00:00.000Z"}`

func TestDelete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flags, input string
		term         bool
		code, sent   int
		talk         string
	}{
		"flag yes":      {"--yes", "", false, app.ExitOK, 1, "Deleted space s_1; with it went 2 sites, 1 change request\n"},
		"no terminal":   {"", "", false, app.ExitUsage, 0, "--yes"},
		"flag no-input": {"--no-input", "y\n", true, app.ExitUsage, 0, "--yes"},
		"yes": {
			"", "yes\n", true, app.ExitOK, 2, "with it: 2 sites (Docs, 1 that you may not see)\n" +
				"it can be restored until 2026-12-01T00:00:00.000Z\nDelete space \"Guides\"? [y/N] " +
				"✓ Deleted space \"Guides\"; with it went 2 sites",
		},
		"no":                       {"", "\n", true, app.ExitUsage, 1, "nothing was deleted"},
		"end of input":             {"", "", true, app.ExitUsage, 1, "nothing was done"},
		"dry run without a prompt": {"--dry-run -q", "", false, app.ExitOK, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t, map[string]string{
				"DELETE /v1/spaces/s_1":             "205 ",
				"DELETE /v1/spaces/s_1?dryRun=true": "200 " + removalJSON,
			})
			s.Headers = map[string]string{api.RemovedHeader: "sites=2, change-requests=1"}
			s.Terminal, s.Input = test.term, test.input
			got := s.Run(strings.Fields("spaces delete s_1 " + test.flags)...)
			got.Want(t, test.code, test.talk)
			if got.Stdout != "" && !strings.Contains(test.flags, "--dry-run") || len(s.Requests()) != test.sent {
				t.Errorf("stdout %q, sent %v", got.Stdout, s.Requests())
			}
		})
	}
}
