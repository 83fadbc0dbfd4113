package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestTemplateNamesMembers checks that a template that names a member that the answer cannot have is a usage error, and sends
// nothing.
func TestTemplateNamesMembers(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"{{.title}} {{.urls.app}}":                              "",
		"{{.nope.x}}":                                           "there is no .nope",
		"{{.title.x}}":                                          "there is no .title.x",
		"{{if .id}}{{.urls.nope}}{{end}}":                       "there is no .urls.nope",
		"{{if .id}}{{else}}{{.nope}}{{end}}":                    "there is no .nope",
		"{{with .urls}}{{.app}}{{$.title}}{{end}}":              "",
		"{{with .urls}}{{.title}}{{else}}{{.nope}}{{end}}":      "there is no .title",
		"{{with .urls}}{{$.nope}}{{end}}":                       "there is no .nope",
		"{{json .nope}}":                                        "there is no .nope",
		"{{(json .nope)}}":                                      "there is no .nope",
		"{{$x := .nope}}{{$x}}":                                 "there is no .nope",
		"{{range $i, $x := .nope}}{{end}}":                      "there is no .nope",
		"{{define \"a\"}}{{.x}}{{end}}{{template \"a\" .nope}}": "there is no .nope",
	} {
		s := newHarness(t, map[string]string{"GET /v1/spaces/s_1": `200 {"id":"s_1","title":"T","urls":{"app":"a"}}`})
		got := s.Run("spaces", "get", "s_1", "--template", template)
		if want == "" {
			got.Want(t, app.ExitOK)
			continue
		}
		got.Want(t, app.ExitUsage, want)
		if len(s.Requests()) > 0 {
			t.Errorf("%s: sent %v", template, s.Requests())
		}
	}
	list := newHarness(t, map[string]string{"GET /v1/orgs/o_1/spaces?limit=50": `200 {"items":[{"id":"s_1"}]}`})
	list.Env["WSCTL_ORG"] = "o_1"
	list.Run("spaces", "list", "--template", "{{range .}}{{.nope}}{{end}}").Want(t, app.ExitUsage, "there is no .nope", "title")
	list.Run("spaces", "list", "--template", "{{range .}}{{.id}}{{end}}").Want(t, app.ExitOK)
}

// TestQueryRefusesOtherOutput checks that --jq and --template are refused with formats and columns that they would replace.
func TestQueryRefusesOtherOutput(t *testing.T) {
	t.Parallel()
	s := newHarness(t, nil)
	for _, query := range []string{"--jq .", "--template x"} {
		for _, output := range []string{"-o csv", "-o table", "-o name", "--columns"} {
			line := "spaces get s_1 " + query + " " + output
			if output == "--columns" {
				line += " id"
			}
			s.Run(line).Want(t, app.ExitUsage, strings.Fields(query)[0]+" does not go with "+output)
		}
	}
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.Requests())
	}
}

// TestDryRunPrintsNothingInvented checks that the ids and secrets of a dry run are printed in no format.
func TestDryRunPrintsNothingInvented(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"POST /v1/orgs/o_1/link-invites?dryRun=true": `200 {"id":"li_1","secret":"wsl_1","role":"read"}`,
	})
	s.Env["WSCTL_ORG"] = "o_1"
	for _, output := range []string{"-o json", "-o yaml", "-o csv", "-o name", "-o table", "--jq .id", "--jq .secret", "--quiet"} {
		got := s.Run("link-invites create --role read --dry-run " + output)
		got.Want(t, app.ExitOK)
		if got.Stdout == "" != (output == "-o name") || strings.Contains(got.Stdout+got.Stderr, "li_1") ||
			strings.Contains(got.Stdout+got.Stderr, "wsl_1") {
			t.Errorf("%s: %+v", output, got)
		}
	}
}
