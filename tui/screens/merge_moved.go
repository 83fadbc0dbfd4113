package screens

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// movedRequest is a change request whose head moved while the user was asked, with its changes since the head shown.
type movedRequest struct {
	api.ChangeRequest
	changes render.ProposedChanges
}

// loadMoved loads the change request and its changes since the head for which the user confirmed a merge or an update.
func (m *mergePart) loadMoved() tea.Cmd {
	client, at, shown := m.session.Client, m.at, m.confirmed.head
	return m.moved.Load(m.session.Connection, func(ctx context.Context) (movedRequest, error) {
		r, err := client.ChangeRequest(ctx, at)
		if err != nil {
			return movedRequest{}, err
		}
		all, err := client.Changes(ctx, at, shown)
		return movedRequest{r, render.NewProposedChanges(all)}, err
	})
}

// askAgain shows what changed while the user was asked, and asks again for the head that is there now.
func (m *mergePart) askAgain() tea.Cmd {
	if err := m.moved.Err; err != nil {
		return components.Send(remote.ErrorMsg{Err: err})
	}
	now := m.moved.Latest
	if reason := closedReason(now.ChangeRequest); reason != "" {
		return components.Toast("%s while you were asked", reason)
	}
	question := fmt.Sprintf("Update #%d as it is now?", now.Number)
	if m.confirmed.merge {
		question = fmt.Sprintf("Merge #%d “%s” as it is now?", now.Number, render.Subject(now.ChangeRequest))
	}
	lines := append([]string{"! It changed while you were asked:"}, changeLines(now.changes)...)
	return page.Ask(m.session, page.ConfirmMsg{
		Question: strings.Join(append(lines, question), "\n"), Yes: components.Send(mergeConfirmedMsg{m, m.confirmed.merge, now.Revision}),
	})
}

// maxChangeLines is the number of changes that a question lists.
const maxChangeLines = 5

// changeLines lists changes, a line for each.
func changeLines(changes render.ProposedChanges) (lines []string) {
	for _, c := range changes.Pages {
		lines = append(lines, "  "+c.Sign()+" "+render.DisplayTitle(c.Page.Title))
	}
	for _, c := range changes.Rest {
		lines = append(lines, "  "+c.Text)
	}
	more := changes.More
	if n := len(lines) - maxChangeLines; n > 0 {
		lines, more = lines[:maxChangeLines], more+n
	}
	if more > 0 {
		lines = append(lines, "  and "+render.Plural(more, "more change"))
	}
	return lines
}
