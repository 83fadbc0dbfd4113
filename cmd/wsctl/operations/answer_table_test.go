package operations_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/operations"
)

// sampleValue returns a value of a schema with all members, and one item in each list.
func sampleValue(s *api.Schema, depth int) any {
	switch {
	case depth > 6:
		return nil
	case s.Kind == api.KindObject:
		members := map[string]any{}
		for _, f := range s.Fields {
			members[f.Name] = sampleValue(f.Schema, depth+1)
		}
		return members
	case s.Kind == api.KindArray:
		return []any{sampleValue(s.Items, depth+1), sampleValue(s.Items, depth+1)}
	case s.Kind == api.KindInteger, s.Kind == api.KindNumber:
		return 3
	case s.Kind == api.KindBoolean:
		return true
	case s.Kind == api.KindString && len(s.Enum) > 0:
		return s.Enum[0]
	case s.Kind == api.KindString:
		return "x"
	}
	return nil
}

// TestTablesHaveNoJSON checks that no answer that is no list of its own is written with JSON for people: lists in it are tables.
func TestTablesHaveNoJSON(t *testing.T) {
	t.Parallel()
	compiler := api.NewCompiler()
	shown := 0
	for _, row := range api.Rows() {
		schema := compiler.Compile(row.Out)
		if row.IsList() || row.View() != api.ViewRecord && row.View() != api.ViewTable && row.View() != api.ViewEdit {
			continue
		}
		h := newHarness(t, nil)
		h.Terminal, h.Env["NO_COLOR"] = true, "1"
		var stdout, stderr bytes.Buffer
		a := app.New(h.Environment(&stdout, &stderr))
		w, err := operations.NewWriter(a, row, schema, operations.Options{})
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(sampleValue(schema, 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Show(client.Response{Body: body}); err != nil {
			continue // the sample is no valid answer, or is a refusal
		}
		shown++
		if found := regexp.MustCompile(`.*[{\[]".*`).FindString(stdout.String()); found != "" {
			t.Errorf("%s prints JSON: %s", row.Name, found)
		}
	}
	if shown < 80 {
		t.Errorf("%d answers", shown)
	}
}

// TestInvitesAreRows checks that invitations are written as rows with their secrets, and who is a member already on standard error.
func TestInvitesAreRows(t *testing.T) {
	t.Parallel()
	const answer = `{"users":["u_1"],"invited":1,"invites":[{"object":"invite","id":"i_1","email":"a@b.example","role":"read",` +
		`"createdAt":"2026-02-01T12:00:00.000Z","expiresAt":"2026-02-08T12:00:00.000Z","secret":"wsi_1"}]}`
	h := newHarness(t, map[string]string{"POST /v1/orgs/o_1/invites": "201 " + answer})
	h.Env["WSCTL_ORG"] = "o_1"
	got := h.Run("invites create --emails a@b.example,c@d.example")
	if diff := cmp.Diff("i_1\ta@b.example\tread\t2026-02-08T12:00:00.000Z\t\twsi_1\n", got.Stdout); diff != "" {
		t.Error(diff)
	}
	got.Want(t, app.ExitOK, "1 member is there already, and not invited: u_1")
	h.Run("invites create --emails a@b.example -o json").Want(t, app.ExitOK, `"invited": 1`)
}

// TestHeadingsAreColumns checks that --columns takes the headings of a table, in any letter case and with any punctuation.
func TestHeadingsAreColumns(t *testing.T) {
	t.Parallel()
	h := newHarness(t, map[string]string{
		"GET /v1/orgs/o_1/members?limit=50": `200 {"count":1,"items":[{"id":"u_1","role":"read","joinedAt":"2026-01-01T12:00:00.000Z",` +
			`"user":{"displayName":"Ada","email":"ada@b.example"}}]}`,
		"GET /v1/orgs/o_1/invites?limit=50": `200 {"count":1,"items":[{"id":"i_1","email":"a@b.example","role":"read"}]}`,
	})
	h.Env["WSCTL_ORG"] = "o_1"
	for line, want := range map[string]string{
		"members list --columns E-MAIL,Name":        "ada@b.example\tAda\n",
		"members list --columns role,user.email":    "read\tada@b.example\n",
		"members list --columns JOINED-AT,id":       "2026-01-01T12:00:00.000Z\tu_1\n",
		"invites list":                              "i_1\ta@b.example\tread\t\n",
		"invites list --columns secret,email":       "\ta@b.example\n",
		"members list --columns email --no-headers": "ada@b.example\n",
	} {
		if got := h.Run(line); got.Stdout != want || got.Code != app.ExitOK {
			t.Errorf("%s: %+v", line, got)
		}
	}
	h.Run("members list --columns nosuch").Want(t, app.ExitUsage, `there is no column "nosuch"`)
	h.Run("members list --columns role.name").Want(t, app.ExitUsage, `there is no column "role.name": role has no members`)
}
