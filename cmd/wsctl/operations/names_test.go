package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// TestEveryOperationHasCommand checks that every row has the command of its name, such as wsctl spaces get for spaces.get.
// Client methods and variables of rows are tested in package client.
func TestEveryOperationHasCommand(t *testing.T) {
	t.Parallel()
	root := newRoot(app.New(newHarness(t, nil).Environment(nil, nil)))
	for _, row := range api.Rows() {
		cmd, rest, err := root.Find([]string{row.Resource(), row.Verb()})
		if err != nil || len(rest) > 0 || cmd.Name() != row.Verb() {
			t.Errorf("%s has no command: %v %v", row.Name, rest, err)
		}
	}
}

// TestEveryInputHasFlagOrArgument checks that every parameter and body member can be set by an argument, a flag or --data,
// except those that wsctl always sends itself.
func TestEveryInputHasFlagOrArgument(t *testing.T) {
	t.Parallel()
	root := newRoot(app.New(newHarness(t, nil).Environment(nil, nil)))
	compiler := api.NewCompiler()
	for _, row := range api.Rows() {
		cmd, _, _ := root.Find([]string{row.Resource(), row.Verb()})
		input := compiler.Input(row)
		for _, p := range input.Params {
			name := app.FlagName(row, p.In, p.Subject)
			if _, sent := row.Sent()[p.Name]; sent {
				continue
			}
			if p.Subject != app.ArgumentName(row) && cmd.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag --%s", row.Name, name)
			}
		}
		if input.Body != nil && cmd.Flags().Lookup("data") == nil {
			t.Errorf("%s has no --data", row.Name)
		}
	}
}

// TestHelpDescribesNames checks that the help of every argument and flag that takes names says what they may be, and where the forms
// are described.
func TestHelpDescribesNames(t *testing.T) {
	t.Parallel()
	root := newRoot(app.New(newHarness(t, nil).Environment(nil, nil)))
	compiler := api.NewCompiler()
	described := 0
	for _, row := range api.Rows() {
		cmd, _, _ := root.Find([]string{row.Resource(), row.Verb()})
		flags := map[string]string{} // subjects
		input := compiler.Input(row)
		for _, p := range input.Params {
			subject, ok := resolve.Subject(p.Subject, p.Schema)
			if _, sent := row.Sent()[p.Name]; !ok || sent || p.In == api.InQuery && p.Name == "page" && row.IsList() {
				continue
			}
			if p.Subject != app.ArgumentName(row) {
				flags[app.FlagName(row, p.In, p.Subject)] = subject
			} else if _, given, _ := strings.Cut(cmd.Use, " "); strings.Trim(given, "[]") == resolve.Placeholder(subject) {
				described++
				if !strings.Contains(cmd.Long, resolve.Placeholder(subject)+": "+resolve.Forms(subject)) && !createsItsSubject(row) {
					t.Errorf("%s does not say what %s may be:\n%s", row.Name, cmd.Use, cmd.Long)
				}
			} else {
				t.Errorf("%s: the argument is %s, want %s", row.Name, cmd.Use, resolve.Placeholder(subject))
			}
		}
		if input.Body != nil {
			for _, f := range input.Body.Fields {
				if subject, ok := resolve.Subject(f.Name, f.Schema); ok && subject != "revision" {
					flags[app.FlagName(row, "", f.Name)] = subject
				}
			}
		}
		for name, subject := range flags {
			described++
			if flag := cmd.Flag(name); flag == nil || !strings.Contains(flag.Usage, resolve.Forms(subject)) {
				t.Errorf("%s: --%s does not say what a %s may be", row.Name, name, resolve.Placeholder(subject))
			}
		}
		if end := "\nForms of names: wsctl help names\n"; len(flags) > 0 && !strings.HasSuffix(cmd.UsageString(), end) {
			t.Errorf("%s: the help does not end with %q", row.Name, end)
		}
	}
	if described < 300 {
		t.Errorf("%d arguments and flags were looked at", described)
	}
	got := newHarness(t, nil).Run("help names")
	got.Want(t, app.ExitOK, "SPACE         title, COLLECTION/TITLE or id; as in skylark-handbook\n")
}

// createsItsSubject reports whether a row makes or joins what its argument names, so that it takes no name of something that exists.
func createsItsSubject(row api.Row) bool {
	switch row.Name {
	case api.PutOpenAPISpec.Name, api.JoinInvite.Name, api.JoinOrganization.Name, api.RestoreOrganization.Name,
		api.RestoreSpace.Name, api.RestoreCollection.Name: // the forms of the trash are fewer
		return true
	}
	return false
}

// TestUsageLines compares the usage line of every row with a stored list, so that the list shows the command of a new row.
func TestUsageLines(t *testing.T) {
	t.Parallel()
	var lines []string
	root := newRoot(app.New(newHarness(t, nil).Environment(nil, nil)))
	for _, row := range api.Rows() {
		cmd, _, _ := root.Find([]string{row.Resource(), row.Verb()})
		var where []string
		for _, p := range row.PathParams() {
			if p.Subject != app.ArgumentName(row) {
				where = append(where, "--"+app.FlagName(row, api.InPath, p.Subject))
			}
		}
		lines = append(lines, strings.TrimSpace(row.Resource()+" "+cmd.Use+" "+strings.Join(where, " ")))
	}
	apptest.Golden(t, "arguments", strings.Join(lines, "\n")+"\n")
}
