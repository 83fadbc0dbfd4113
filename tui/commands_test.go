package tui

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// TestWriteCommandsAreListed compares the commands with testdata/commands.txt, whose syntax a test of wsctl checks.
func TestWriteCommandsAreListed(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), strings.Join(exampleWriteCommands(), "\n")+"\n"); diff != "" {
		t.Errorf("testdata/commands.txt (-want +got); to accept it, edit the file:\n%s", diff)
	}
}

// exampleWriteCommands returns an example of each command that sends a draft.
func exampleWriteCommands() []string {
	space, request := remote.Target{Space: "s"}, remote.Target{Space: "s", ChangeRequest: "2"}
	all := []string{commandOf(drafts.Draft{Target: request, Description: true, Text: "x"})}
	for _, t := range []remote.Target{space, request} {
		for _, d := range []drafts.Draft{
			{Page: "p", Node: "n", Quote: "q", Weight: api.WeightNit},
			{Comment: "c"},
			{Comment: "c", Edit: true},
			{Comment: "c", Reply: "r", Edit: true},
		} {
			d.Target, d.Text = t, "x"
			all = append(all, commandOf(d))
		}
	}
	return all
}
