package operations

import (
	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
)

// reviewCommands returns shorter names for the change-requests commands of reviewers, such as conflicts for get-conflicts.
func (b builder) reviewCommands() []*cobra.Command {
	var commands []*cobra.Command
	for _, c := range []struct {
		row     api.Row
		verb    string
		example string
	}{
		{api.GetChangeRequestConflicts.Row, "conflicts", "conflicts operations-runbook#2\nconflicts operations-runbook#2 -o json"},
		{
			api.GetChangeRequestMergeability.Row, "mergeable",
			"mergeable skylark-handbook#2\nmergeable skylark-handbook#2 && wsctl change-requests merge skylark-handbook#2",
		},
		{api.CreateChangeRequestReview.Row, "review", "review skylark-handbook#2 --status approved\n" +
			"review skylark-handbook#2 --status changes-requested --message-file why.md\n" +
			"review skylark-handbook#2 --data review-with-comments.json"},
	} {
		cmd := b.command(c.row, rowOptions{verb: c.verb, argument: "changeRequest"})
		cmd.Example = resourceExamples(api.GetChangeRequest.Resource(), c.example)
		commands = append(commands, cmd)
	}
	return commands
}
