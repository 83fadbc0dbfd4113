package tui

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// TestWriteCommandsAreListed compares the commands with testdata/commands.txt, whose syntax a test of wsctl checks.
func TestWriteCommandsAreListed(t *testing.T) {
	t.Parallel()
	golden(t, "commands.txt", strings.Join(exampleWriteCommands(), "\n"))
}

// exampleWriteCommands returns an example of each command that sends a draft.
func exampleWriteCommands() []string {
	space, request := remote.Target{Space: "s"}, remote.Target{Space: "s", ChangeRequest: "2"}
	all := []string{commandOf(drafts.Draft{Target: request, Description: true, Text: "x"})}
	for _, t := range []remote.Target{space, request} {
		for _, d := range []drafts.Draft{
			{Page: "p", Node: "n", Quote: "q", Weight: api.WeightNit},
			{Comment: "c"}, {Comment: "c", Edit: true}, {Comment: "c", Reply: "r", Edit: true},
		} {
			d.Target, d.Text = t, "x"
			all = append(all, commandOf(d))
		}
	}
	return all
}
