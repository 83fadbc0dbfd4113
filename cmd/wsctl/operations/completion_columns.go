package operations

import (
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// CompleteColumns registers completion of --columns with the members of what a command answers.
func CompleteColumns(a *app.App, root *cobra.Command) {
	compiler := api.NewCompiler()
	complete := func(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(word, ',') + 1
		var columns []string
		for _, row := range api.Rows() {
			if !cmd.HasParent() || row.Resource() != cmd.Parent().Name() || row.Verb() != cmd.Name() {
				continue
			}
			w := Writer{app: a, row: row, schema: compiler.Compile(row.Out)}
			for _, name := range fieldNames(w.rowSchema()) {
				if strings.HasPrefix(name, word[at:]) {
					columns = append(columns, word[:at]+name)
				}
			}
		}
		return columns, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	_ = root.RegisterFlagCompletionFunc("columns", complete) // the flag exists
}
