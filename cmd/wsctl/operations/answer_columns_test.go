package operations

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// The columns of every table, row by row: who changes a type of the contract sees here what people get to see of it.
func TestColumnsOfTables(t *testing.T) {
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
