package operations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// lineAnswers are the answers of a server with the spaces s_7 and s_8, of which the second cannot be changed.
func lineAnswers() map[string]string {
	return map[string]string{
		"POST /v1/orgs/o_1/names":                     `200 {"items":[` + foundSpace + `,` + strings.ReplaceAll(foundSpace, "s_7", "s_8") + `]}`,
		"PATCH /v1/spaces/s_7":                        `200 {"object":"space","id":"s_7","title":"A"}`,
		"PATCH /v1/spaces/s_8":                        `403 {"error":{"code":403,"message":"Only admins may.","reason":"forbidden"}}`,
		"PATCH /v1/spaces/s_9":                        `200 {"object":"space","id":"s_9","title":"C"}`,
		"DELETE /v1/spaces/s_7":                       "204 ",
		"DELETE /v1/spaces/s_8":                       "204 ",
		"POST /v1/spaces/s_7/change-requests/2/merge": `200 {"result":"merged","changeRequest":{"id":"cr_2","number":2}}`,
		"POST /v1/spaces/s_8/change-requests/3/merge": `200 {"result":"conflicts","conflicts":[{"id":"k"}]}`,
	}
}

func lineHarness(t *testing.T, input string) *apptest.Harness {
	t.Helper()
	s := newHarness(t, lineAnswers())
	s.Env["WSCTL_ORG"] = "o_1"
	s.Input = input
	return s
}

// TestArgumentNamesLinesOfInput checks that the argument - stands for the lines of standard input: all names are found with one
// request, and a refused request does not stop the others.
func TestArgumentNamesLinesOfInput(t *testing.T) {
	t.Parallel()
	s := lineHarness(t, "first\r\n\n second \ns_9\n")
	got := s.Run("spaces update - --edit-mode locked -o name")
	got.Want(t, app.ExitPartial, "1 of 3 failed", "second: Only admins may.")
	if got.Stdout != "s_7\ns_9\n" {
		t.Errorf("printed %q", got.Stdout)
	}
	want := []string{
		`POST /v1/orgs/o_1/names {"names":[{"kind":"space","name":"first"},{"kind":"space","name":"second"}]}`,
		`PATCH /v1/spaces/s_7 {"editMode":"locked"}`, `PATCH /v1/spaces/s_8 {"editMode":"locked"}`,
		`PATCH /v1/spaces/s_9 {"editMode":"locked"}`,
	}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Error(diff)
	}
}

// TestLinesMayNameTheirSpace checks that each line may name another space, and that the version found is that of the line.
func TestLinesMayNameTheirSpace(t *testing.T) {
	t.Parallel()
	s := lineHarness(t, "first#2\nsecond#3\n")
	got := s.Run("change-requests merge - -o json")
	got.Want(t, app.ExitPartial, `"reason":"partial"`, `{"path":"second#3","message":"1 conflict; nothing was applied; hint: wsctl change-requests conflicts second#3"}`)
	if !strings.HasPrefix(got.Stdout, "[\n") || strings.Count(got.Stdout, "merged") != 1 {
		t.Errorf("printed %s", got.Stdout)
	}
	s = lineHarness(t, "first\nsecond\n")
	s.Run("spaces delete - --yes").Want(t, app.ExitOK, "Deleted space first", "Deleted space second")
	if got := s.LastHeader().Get("If-Match"); got != `"3"` {
		t.Errorf("If-Match is %s", got)
	}
}

// TestSingleLineFailsAsArgument checks that a single line has the exit code that the name has as an argument.
func TestSingleLineFailsAsArgument(t *testing.T) {
	t.Parallel()
	lineHarness(t, "s_8\n").Run("spaces update - --title A").Want(t, app.ExitDenied, "wsctl: Only admins may.")
}

// TestLinesThatCannotBeUsed checks that commands and lines that do not go with the argument - are refused, and that nothing is sent.
func TestLinesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ input, command, want string }{
		"none":       {" \n\n", "spaces get -", "standard input has no names"},
		"key":        {"s_7\n", "spaces update - --title A --idempotency-key k", "--idempotency-key is for one request"},
		"version":    {"s_7\n", "spaces update - --title A --if-match 1", "--if-match is for one resource"},
		"delete":     {"s_7\n", "spaces delete -", "needs --yes here"},
		"twice":      {"s_7\n", "spaces update - --data -", "standard input is read for another argument"},
		"secret":     {"tok_1\n", "tokens rotate - --yes", "TOKEN is one name here"},
		"text":       {"s_7#2\n", "change-requests conflicts -", "REQUEST is one name here"},
		"restore":    {"s_7\n", "trash restore -", "NAME is one name here"},
		"flag twice": {"s_7#2\ns_8#3\n", "change-requests get - --space s_9", "names the space s_7, --space is s_9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lineHarness(t, c.input)
			s.Run(c.command).Want(t, app.ExitUsage, c.want)
			if len(s.Requests()) > 0 {
				t.Errorf("it sent %v", s.Requests())
			}
		})
	}
}

// TestUnknownLineSendsNothing checks that no request is sent if one of the lines names nothing.
func TestUnknownLineSendsNothing(t *testing.T) {
	t.Parallel()
	answers := lineAnswers()
	answers["POST /v1/orgs/o_1/names"] = `200 {"items":[` + foundSpace + `,{"kind":"space","name":"missing","count":0,"found":[]}]}`
	s := newHarness(t, answers)
	s.Env["WSCTL_ORG"], s.Input = "o_1", "first\nmissing\n"
	s.Run("spaces update - --title A").Want(t, app.ExitNotFound, `no space is called "missing"`)
	for _, sent := range s.Requests() {
		if strings.HasPrefix(sent, "PATCH") {
			t.Errorf("it sent %s", sent)
		}
	}
}
