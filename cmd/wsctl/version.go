package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is that of the module, as the build recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version of wsctl", Example: "  wsctl version\n  wsctl version -o json",
		Args: exactly(nil), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			return a.print(map[string]string{"version": version()})
		},
	}
}
