package operations

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Search returns the command search, which finds words in all spaces, with the words as its arguments.
func Search(a *app.App) *cobra.Command {
	r := newBuilder(a).rowCommand(api.SearchOrganization.Row, rowOptions{})
	cmd := r.cmd
	cmd.Use, cmd.Aliases = "search WORD...", nil
	cmd.Long = r.row.Summary + " The last word may be unfinished.\n\n" + r.row.Method + " " + r.row.Path
	cmd.Example = "  wsctl search battery\n  wsctl search radio margin --all -o json"
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return app.Usagef("WORD is missing").WithHint("usage: %s", cmd.UseLine())
		}
		return nil
	}
	_ = cmd.Flags().MarkHidden("query") // the flag exists
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.query["query"].Set(strings.Join(args, " ")); err != nil {
			return app.Usagef("WORD %v", err)
		}
		return r.run(cmd, nil)
	}
	return cmd
}

// takeNames lets the command that finds names take them as its arguments, and their kinds as a flag.
func (r *rowCommand) takeNames() {
	kinds := make([]string, 0, len(api.NameKind("").Values()))
	for _, k := range api.NameKind("").Values() {
		kinds = append(kinds, string(k))
	}
	var wanted []string
	f := r.cmd.Flags()
	f.StringSliceVar(&wanted, "kind", nil, "only `kinds` of these: "+strings.Join(kinds, ", ")+"; default all")
	app.CompleteWords(r.cmd, "kind", kinds)
	r.cmd.Use += " [NAME...]"
	r.cmd.Example = "  wsctl names find decisions\n  wsctl names find jana@tidemark.example @me --kind member"
	r.cmd.Args = cobra.ArbitraryArgs
	r.cmd.MarkFlagsMutuallyExclusive("kind", "data")
	r.cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return r.run(cmd, nil)
		}
		if r.data != "" {
			return app.Usagef("NAME and --data exclude each other")
		}
		var query api.NameQuery
		for _, name := range args {
			for _, k := range kinds {
				if len(wanted) == 0 || slices.Contains(wanted, k) {
					query.Names = append(query.Names, api.Name{Kind: api.NameKind(k), Name: name})
				}
			}
		}
		for _, k := range wanted {
			if !slices.Contains(kinds, k) {
				return app.Usagef("--kind must be one of %s, not %q", strings.Join(kinds, ", "), k)
			}
		}
		data, err := json.Marshal(query)
		if err != nil {
			return err
		}
		r.data = string(data)
		return r.run(cmd, nil)
	}
}
