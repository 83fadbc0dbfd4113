package main

import (
	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func versionCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version of wsctl", Example: "  wsctl version\n  wsctl version -o json",
		Args: app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			return a.Print(map[string]string{"version": app.Version()})
		},
	}
}
