package main

import (
	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/folder"
	"docspace.dev/wsd/cmd/wsctl/operations"
	"docspace.dev/wsd/cmd/wsctl/screen"
)

// Groups of commands in the help.
const (
	groupWork  = "work"
	groupSetup = "setup"
)

const rootHelp = `wsctl manages the documentation of a wsd server.

The server is http://127.0.0.1:8080 unless --url, WSCTL_URL or a profile says otherwise; the credential is WSCTL_TOKEN
or what wsctl login stored. WSCTL_ORG, WSCTL_SPACE and WSCTL_PROFILE stand for --org, --space and --profile;
WSCTL_CONFIG_DIR is where the configuration lies.

Spaces, people and everything else are named by title, path, number, e-mail address, hostname, URL or id, as in
skylark-handbook, skylark-handbook#2 or skylark-handbook:station/power. Scripts that must not break use ids.

Answers go to standard output: a table on a terminal, tab-separated values in a pipe, or what -o asks for.
Messages go to standard error. Exit codes: 0 done, 1 error, 2 usage, 3 not found, 4 not allowed, 5 conflict,
6 unavailable or rate-limited, 7 differences, 9 stopped half-way, 130 interrupted.`

const rootExample = `  wsctl spaces list
  wsctl content import https://docs.example.com --space skylark-handbook
  wsctl content get-page skylark-handbook:station/power --raw > page.md
  wsctl change-requests merge operations-runbook#4
  wsctl spaces list --all -o json | jq length`

// newRoot returns the root command with all subcommands.
func newRoot(a *app.App) *cobra.Command {
	root := a.Root()
	root.Short, root.Long, root.Example = "Manage the documentation of a wsd server", rootHelp, rootExample
	root.AddGroup(&cobra.Group{ID: groupWork, Title: "Documentation:"}, &cobra.Group{ID: groupSetup, Title: "wsctl itself:"})
	addCommands(root, groupWork, append(operations.Resources(a), operations.Search(a), screen.Command(a))...)
	spaces := operations.CompleteArgument(a, "space")
	addCommands(root, groupWork, folder.PullCommand(a, spaces), folder.PushCommand(a), folder.DiffCommand(a),
		folder.ExportCommand(a, spaces))
	addCommands(root, groupSetup, loginCommand(a, "wsctl login"), logoutCommand(a, "wsctl logout"), joinCommand(a),
		operations.Whoami(a), Auth(a), Config(a), operations.API(a), commandsCommand(a), versionCommand(a),
		statusCommand(a))
	operations.CompleteColumns(a, root)
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
