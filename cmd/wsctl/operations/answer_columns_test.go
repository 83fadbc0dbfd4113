package operations

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// TestDefaultColumns compares the default columns of every row with a stored list, so that a change of a type of the contract
// shows its effect on tables.
func TestDefaultColumns(t *testing.T) {
	t.Parallel()
	var lines []string
	compiler := api.NewCompiler()
	for _, row := range api.Rows() {
		if row.Items() == "" {
			continue
		}
		w := &Writer{row: row, schema: compiler.Compile(row.Out)}
		line := row.Name + ":"
		for _, c := range w.defaultColumns() {
			line += fmt.Sprintf(" %s=%q", c.Path, c.Heading)
		}
		lines = append(lines, line)
	}
	apptest.Golden(t, "columns", strings.Join(lines, "\n")+"\n")
}
