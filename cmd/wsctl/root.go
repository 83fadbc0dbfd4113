package main

import (
	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/operations"
	"docspace.dev/wsd/cmd/wsctl/screen"
)

// Groups of commands in the help.
const (
	groupWork  = "work"
	groupSetup = "setup"
)

const rootHelp = `wsctl manages the documentation of a wsd server.

The server is http://127.0.0.1:8080 unless --url, WSCTL_URL or a profile says otherwise; the token is WSCTL_TOKEN
or what wsctl auth login stored. WSCTL_ORG, WSCTL_SPACE and WSCTL_PROFILE stand for --org, --space and --profile;
WSCTL_CONFIG_DIR is where the configuration lies.

Answers go to standard output: a table on a terminal, tab-separated values in a pipe, or what -o asks for.
Messages go to standard error. Exit codes: 0 done, 1 error, 2 usage, 3 not found, 4 not allowed, 5 conflict,
6 unavailable or rate-limited, 9 stopped half-way, 130 interrupted.`

const rootExample = `  wsctl spaces list
  wsctl content import https://docs.example.com --space $SPACE --change-request 1
  wsctl content get-page $PAGE --space $SPACE --raw > page.md
  wsctl change-requests merge 1 --space $SPACE
  wsctl spaces list --all -o json | jq length`

// newRoot returns the root command with all subcommands.
func newRoot(a *app.App) *cobra.Command {
	root := a.Root()
	root.Short, root.Long, root.Example = "Manage the documentation of a wsd server", rootHelp, rootExample
	root.AddGroup(&cobra.Group{ID: groupWork, Title: "Documentation:"}, &cobra.Group{ID: groupSetup, Title: "wsctl itself:"})
	addCommands(root, groupWork, append(operations.Resources(a), screen.Command(a))...)
	addCommands(root, groupSetup, operations.Whoami(a), Auth(a), Config(a), operations.API(a), commandsCommand(a), versionCommand(a),
		statusCommand(a))
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	return root
}

func addCommands(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, cmd := range commands {
		cmd.GroupID = group
		root.AddCommand(cmd)
	}
}
