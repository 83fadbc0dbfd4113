package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// The groups of commands in the help.
const (
	groupWork  = "work"
	groupSetup = "setup"
)

const rootHelp = `wsctl manages the documentation of a wsd server.

The server is http://127.0.0.1:8080 unless --url, WSCTL_URL or a profile says otherwise; the token is WSCTL_TOKEN
or what wsctl auth login stored. WSCTL_ORG and WSCTL_SPACE stand for --org and --space.

Answers go to standard output: a table on a terminal, tab-separated values in a pipe, or what -o asks for. All
talk goes to standard error. Exit codes: 0 done, 1 error, 2 usage, 3 not found, 4 not allowed, 5 conflict,
6 unavailable or rate-limited, 9 stopped half-way, 130 interrupted.`

const rootExample = `  wsctl spaces list
  wsctl content import https://docs.example.com --space $SPACE --change-request 1
  wsctl content get-page $PAGE --space $SPACE --raw > page.md
  wsctl change-requests merge 1 --space $SPACE
  wsctl spaces list --all -o json | jq length`

// newRoot builds all commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use: "wsctl", Short: "Manage the documentation of a wsd server", Long: rootHelp, Example: rootExample,
		Version: version(), SilenceErrors: true, SilenceUsage: true,
		RunE: group, Args: cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkFlags(cmd) },
	}
	root.SetVersionTemplate("wsctl {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usagef("%v", err).WithHint("%s --help", cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = false
	a.globalFlags(root)
	root.AddGroup(&cobra.Group{ID: groupWork, Title: "Documentation:"}, &cobra.Group{ID: groupSetup, Title: "wsctl itself:"})
	a.addRows(root)
	root.AddCommand(a.tuiCommand())
	for _, cmd := range []*cobra.Command{
		a.whoamiCommand(), a.authCommand(), a.configCommand(), a.apiCommand(), a.commandsCommand(), a.versionCommand(),
	} {
		cmd.GroupID = groupSetup
		root.AddCommand(cmd)
	}
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	return root
}

// group is what a command does that only holds others: show what there is, or say that this is not there.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	err := exit.Usagef("%s has no command %q", cmd.CommandPath(), args[0]).WithHint("%s --help", cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return err.WithHint("did you mean %s?", strings.Join(near, ", "))
	}
	return err
}

func (a *app) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.output, "output", "o", "", "`format` of the answer: "+strings.Join(output.Formats(), ", "))
	f.StringVar(&a.flags.jq, "jq", "", "apply a jq `expression` to the answer in JSON")
	f.StringVar(&a.flags.template, "template", "", "write the answer in JSON by a Go `template`; functions: json, join, timeago, upper, lower")
	f.StringVar(&a.flags.columns, "columns", "", "show these `fields`, as in id,title,createdBy.displayName")
	f.BoolVar(&a.flags.noHeaders, "no-headers", false, "leave the headings out")
	f.BoolVar(&a.flags.csvRaw, "csv-raw", false, "with -o csv, leave texts as they are that a spreadsheet would run as formulas")
	f.StringVar(&a.flags.profile, "profile", "", "`name` of the profile to use")
	f.StringVar(&a.flags.url, "url", "", "`address` of the server, without /v1")
	f.StringVar(&a.flags.color, "color", "auto", "auto, always or never")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "no talk on standard error but errors")
	f.BoolVar(&a.flags.debug, "debug", false, "log each request on standard error, without secrets")
	f.BoolVar(&a.flags.noInput, "no-input", false, "never ask; fail instead")
	f.IntVar(&a.flags.retries, "max-retries", 3, "how `often` to try again when the server is away or busy")
	a.complete(root, "output", output.Formats())
	a.complete(root, "color", []string{"auto", "always", "never"})
}

// complete offers fixed values for a flag.
func (a *app) complete(cmd *cobra.Command, flag string, values []string) {
	// It fails only for a flag that does not exist or already completes; the tests build every command.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// checkFlags holds the flags that take one of a few words, and those that exclude each other.
func (a *app) checkFlags(cmd *cobra.Command) error {
	if err := cmd.ValidateFlagGroups(); err != nil {
		return exit.Usagef("%v", err)
	}
	if o := a.flags.output; o != "" && !slices.Contains(output.Formats(), o) {
		a.flags.output = ""
		return exit.Usagef("--output must be one of %s, not %q", strings.Join(output.Formats(), ", "), o)
	}
	if c := a.flags.color; c != "auto" && c != "always" && c != "never" {
		a.flags.color = "auto"
		return exit.Usagef("--color must be auto, always or never, not %q", c)
	}
	return nil
}

// addRows adds a command per resource and in it one per row.
func (a *app) addRows(root *cobra.Command) {
	resources := map[string]*cobra.Command{}
	for _, row := range api.Rows() {
		parent := resources[row.Resource()]
		if parent == nil {
			parent = resourceCommand(row.Resource())
			resources[row.Resource()] = parent
			root.AddCommand(parent)
			if row.Resource() == api.EditChangeRequestContent.Resource() {
				a.addPages(parent)
			}
			if row.Resource() == api.GetChangeRequest.Resource() {
				a.addReviewing(parent)
			}
		}
		parent.AddCommand(newRowCommand(a, row))
	}
}

func resourceCommand(resource string) *cobra.Command {
	return &cobra.Command{
		Use: resource, Aliases: aliases(resource), GroupID: groupWork, Short: "Work with " + output.Words(resource),
		Args: cobra.ArbitraryArgs, RunE: group,
	}
}

// aliases are the short names of resources.
func aliases(resource string) []string {
	switch resource {
	case "change-requests":
		return []string{"cr", "crs"}
	case "organizations":
		return []string{"orgs", "org"}
	case "user", "users": // the one is not short for the other
		return nil
	}
	if rest, ok := strings.CutPrefix(resource, "change-request-"); ok {
		return []string{"cr-" + rest}
	}
	if stem, ok := strings.CutSuffix(resource, "ies"); ok {
		return []string{stem + "y"}
	}
	if singular, ok := strings.CutSuffix(resource, "s"); ok {
		return []string{singular}
	}
	return nil
}
