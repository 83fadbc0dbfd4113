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

// movedRequest is a change request, with its changes since the head that was shown if its head has moved.
type movedRequest struct {
	api.ChangeRequest
	changes render.ProposedChanges
}

// loadMovedRequest loads the change request and its changes since the head for which the user requested or confirmed a merge or
// an update. when describes the time of the change for the question that follows.
func (m *mergePart) loadMovedRequest(requested mergeConfirmedMsg, when string) tea.Cmd {
	m.confirmed, m.movedWhen = requested, when
	conn, at, shown := m.session.Connection, m.target, requested.head
	return m.movedRequest.Load(conn, func(ctx context.Context) (movedRequest, error) { return findMovedRequest(ctx, conn, at, shown) })
}

// findMovedRequest loads a change request and, if its head is not the one that was shown, the changes since that one.
func findMovedRequest(ctx context.Context, conn *remote.Connection, at remote.Target, shown string) (movedRequest, error) {
	r, err := conn.ChangeRequest(ctx, at)
	if err != nil || r.Revision == shown {
		return movedRequest{ChangeRequest: r}, err
	}
	all, err := conn.Client.Changes(ctx, at, shown)
	return movedRequest{r, render.NewProposedChanges(all)}, err
}

// describe lists the changes below a line with their time, which when describes.
func (r movedRequest) describe(when string) string {
	return strings.Join(append([]string{"! It changed " + when + ":"}, changeLines(r.changes)...), "\n")
}

// askAgain shows the changes since the head that was shown, and asks for confirmation of the present head.
func (m *mergePart) askAgain() tea.Cmd {
	if err := m.movedRequest.Err; err != nil {
		return components.Send(remote.ErrorMsg{Err: err})
	}
	now := m.movedRequest.Latest
	if reason := closedReason(now.ChangeRequest); reason != "" {
		return components.Toast("%s %s", reason, m.movedWhen)
	}
	question := fmt.Sprintf("Update #%d as it is now?", now.Number)
	if m.confirmed.merge {
		question = fmt.Sprintf("Merge #%d “%s” as it is now?", now.Number, render.Subject(now.ChangeRequest))
	}
	return page.Ask(m.session, page.ConfirmMsg{
		Question: now.describe(m.movedWhen) + "\n" + question, Typed: m.confirmed.merge, Yes: components.Send(mergeConfirmedMsg{
			m,
			m.confirmed.merge, now.Revision,
		}),
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
