package operations_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
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
