package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// newBudgetsCmd returns the command that lists the limits in force on a node started with the same flags.
func newBudgetsCmd(cfg *config) *cobra.Command {
	return &cobra.Command{
		Use: "budgets", Short: "List the limits of work, bytes and turns, as they are in force", Args: noArgs,
		Example: "  wsd budgets\n  WSD_BUDGETS=query-keys=300 wsd budgets",
		RunE: func(cmd *cobra.Command, _ []string) error {
			limits, err := cfg.parseBudgets()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, row := range limits.Rows() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", row.Name, row.Value(), row.About)
			}
			return w.Flush() //nolint:wrapcheck // of the terminal
		},
	}
}
