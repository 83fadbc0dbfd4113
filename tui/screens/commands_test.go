package screens

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// TestCommandsAreListed compares the commands with testdata/commands.txt, whose syntax a test of wsctl checks.
func TestCommandsAreListed(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), strings.Join(exampleCommands(), "\n")+"\n"); diff != "" {
		t.Errorf("testdata/commands.txt (-want +got); to accept it, edit the file:\n%s", diff)
	}
}

// exampleCommands returns an example of each wsctl command that the pages show.
func exampleCommands() []string {
	space, at := remote.Target{Space: "s"}, remote.Target{Space: "s", ChangeRequest: "2"}
	all := []string{
		(&requestsPage{spaceID: "s", status: api.StatusOpen}).Command(), (&requestPage{target: at}).Command(),
		(&changePage{target: at, since: api.SinceMyLastReview}).Command(),
	}
	all = append(all, submitCommands()...)
	all = append(all, threadCommands()...)
	all = append(all, (&conflictsPage{target: at}).Command())
	s := &page.Session{Connection: &remote.Connection{Organization: "o"}}
	for _, p := range []page.Page{
		newHistory(s, "s", ""), newHistory(s, "s", "p"), newBlame(s, space, "p", ""), newLinks(s, at, "p"), newLinks(s, space, "p"),
		newBrokenLinks(s, "s"), RequestsBy(s, api.User{UserFields: api.UserFields{ID: "u"}}),
		newPastPage(s, "s", "p", api.HistoryEntry{ID: "r"}),
	} {
		if c, ok := p.(interface{ Command() string }); ok {
			all = append(all, c.Command())
		}
	}
	for _, t := range []remote.Target{space, at} {
		reader := &readerPage{target: t, page: api.RevisionPage{ID: "p"}}
		all = append(all, (&treePage{target: t}).Command(), reader.Command(), (&commentsPage{target: t}).Command())
	}
	return all
}

// submitCommands returns an example of each wsctl command of the review page.
func submitCommands() []string {
	body := api.ReviewSubmit{Status: api.ReviewApproved, Revision: "r", Comment: &api.CommentBody{}}
	return []string{submitCommand(drafts.Submission{ID: "i", Target: remote.Target{Space: "s", ChangeRequest: "2"}, Body: body})}
}

// threadCommands returns an example of each wsctl command for threads.
func threadCommands() []string {
	var all []string
	request := remote.Target{Space: "s", ChangeRequest: "2"}
	for _, at := range []remote.Target{{Space: "s"}, request} {
		all = append(all, resolveCommand(at, "c", true, api.OutcomeDone),
			weightCommand(at, "c", api.WeightNit), weightCommand(at, "c", ""),
			attachCommand(at, "c", api.CommentPlace{Page: "p", Node: "n", Quote: "q"}), deleteCommand(at, "c",
				""), deleteCommand(at, "c", "r"))
	}
	return append(all, applyCommand(request, "r", []string{"c", "d"}))
}
