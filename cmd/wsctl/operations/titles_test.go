package operations_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestTitlesCreateOneForEachLine checks that --titles creates a resource for each line with the other flags of the command, writes
// them as a list, and stops at the first failure with a message that names the title.
func TestTitlesCreateOneForEachLine(t *testing.T) {
	t.Parallel()
	s := newHarness(t, map[string]string{
		"POST /v1/orgs/o_1/collections": `201 {"id":"l_9","title":"A"}`,
		"POST /v1/orgs/o_1/names":       `200 {"items":[{"kind":"collection","name":"Books","count":1,"found":[{"id":"l_1","version":"v"}]}]}`,
	})
	s.Env["WSCTL_ORG"], s.Input = "o_1", "\ufeffA\r\n\n  B b  \nC"
	got := s.Run("collections create --titles - --parent Books -o name")
	got.Want(t, app.ExitOK)
	want := []string{
		`POST /v1/orgs/o_1/names {"names":[{"kind":"collection","name":"Books"}]}`,
		`POST /v1/orgs/o_1/collections {"parent":"l_1","title":"A"}`,
		`POST /v1/orgs/o_1/collections {"parent":"l_1","title":"B b"}`,
		`POST /v1/orgs/o_1/collections {"parent":"l_1","title":"C"}`,
	}
	if sent := s.Requests(); !slices.Equal(sent, want) || got.Stdout != "l_9\nl_9\nl_9\n" {
		t.Errorf("sent %q\nstdout %q", sent, got.Stdout)
	}
	s.AnyDryRun, s.Input = true, "A\n"
	if got := s.Run("collections create --titles - --dry-run -o name"); got.Code != app.ExitOK || got.Stdout != "" {
		t.Errorf("dry run: %+v", got)
	}
	refusing := newHarness(t, map[string]string{
		"POST /v1/orgs/o_1/collections": `422 {"error":{"code":422,"message":"title: is taken","reason":"invalid",` +
			`"fields":[{"path":"title","message":"is taken"}]}}`,
	})
	refusing.Env["WSCTL_ORG"], refusing.Input = "o_1", "A\nB\n"
	refusing.Run("collections create --titles -").Want(t, app.ExitPartial, `stopped after 0 items: "A": `, "is taken")
	if sent := refusing.Requests(); len(sent) != 1 {
		t.Errorf("sent %q", sent)
	}
}

// TestTitlesAreChecked checks that unusable titles and flags are usage errors, and that nothing is sent.
func TestTitlesAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ input, flags, want string }{
		"none":            {" \n\n", "", "standard input has no titles"},
		"too long":        {"A\n" + strings.Repeat("x", 500) + "\n", "", "standard input:2: a title"},
		"a title as well": {"A\n", " --title B", "title"},
		"a key":           {"A\n", " --idempotency-key k", "idempotency-key"},
		"no UTF-8":        {"A\xff\n", "", "not UTF-8"},
	} {
		s := newHarness(t, nil)
		s.Env["WSCTL_ORG"], s.Input = "o_1", c.input
		s.Run("collections create --titles -"+c.flags).Want(t, app.ExitUsage, c.want)
		if sent := s.Requests(); len(sent) > 0 {
			t.Errorf("%s: sent %q", name, sent)
		}
	}
}
