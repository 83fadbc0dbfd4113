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
		{api.GetChangeRequestConflicts.Row, "conflicts", "conflicts 1 --space $SPACE\nconflicts 1 --space $SPACE -o json"},
		{
			api.GetChangeRequestMergeability.Row, "mergeable",
			"mergeable 1 --space $SPACE\nmergeable 1 --space $SPACE && wsctl change-requests merge 1 --space $SPACE",
		},
		{api.CreateChangeRequestReview.Row, "review", "review 1 --space $SPACE --status approved\n" +
			"review 1 --space $SPACE --status changes-requested --message-file why.md\n" +
			"review 1 --space $SPACE --data review-with-comments.json"},
	} {
		cmd := b.command(c.row, rowOptions{verb: c.verb, argument: "changeRequest"})
		cmd.Example = resourceExamples(api.GetChangeRequest.Resource(), c.example)
		commands = append(commands, cmd)
	}
	return commands
}
