package operations

import (
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// Resources returns a command for each resource of the contract, with a subcommand for each of its rows.
func Resources(a *app.App) []*cobra.Command {
	b := newBuilder(a)
	var commands []*cobra.Command
	byName := map[string]*cobra.Command{}
	for _, row := range api.Rows() {
		parent := byName[row.Resource()]
		if parent == nil {
			parent = resourceCommand(row.Resource())
			byName[row.Resource()] = parent
			commands = append(commands, parent)
		}
		parent.AddCommand(b.commandOf(row))
	}
	byName[api.FindName.Resource()].Long = resolve.FormsHelp()
	byName[api.EditChangeRequestContent.Resource()].AddCommand(b.pageCommands()...)
	byName[api.GetChangeRequest.Resource()].AddCommand(b.reviewCommands()...)
	byName[api.ListTrash.Resource()].AddCommand(b.restoreCommand())
	return commands
}

// Whoami returns the command whoami, which does the same as user get.
func Whoami(a *app.App) *cobra.Command {
	cmd := newBuilder(a).commandOf(api.GetUser.Row)
	cmd.Use, cmd.Example = "whoami", "  wsctl whoami\n  wsctl whoami --jq .id"
	return cmd
}

func resourceCommand(resource string) *cobra.Command {
	return &cobra.Command{
		Use: resource, Aliases: aliases(resource), Short: "Work with " + app.SplitWords(resource),
		Args: cobra.ArbitraryArgs, RunE: app.RunGroup,
	}
}

// aliases returns the short names of a resource.
func aliases(resource string) []string {
	switch resource {
	case "change-requests":
		return []string{"cr", "crs"}
	case "organizations":
		return []string{"orgs", "org"}
	case "service-accounts":
		return []string{"accounts", "service-account"}
	case "user", "users": // two different resources
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
