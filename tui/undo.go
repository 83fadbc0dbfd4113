package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// undoState holds the command that reverts the last action.
type undoState struct {
	cmd     tea.Cmd     // nil if there is nothing to undo
	action  string      // description of the action
	message render.Span // message of the action, which is shown with the undo hint
	page    page.Page   // page on which the action was performed
}

// recordUndo shows the result of an action and stores the command that reverts it.
func (m *Model) recordUndo(done string, undo tea.Cmd) {
	what, _, _ := strings.Cut(done, " · ")
	what, _, _ = strings.Cut(what, ": u ")
	m.message = render.In(render.Added, "✓ "+done)
	m.undo = undoState{undo, what, m.message, m.top()}
}

// undoer is a page with its own undo.
type undoer interface {
	Undo() tea.Cmd
	NothingToUndoReason() string
}

func (m *Model) nothingToUndoReason() string {
	if p, ok := m.top().(undoer); ok {
		return p.NothingToUndoReason()
	}
	if !m.canUndo() {
		return "nothing to undo"
	}
	return ""
}

// canUndo reports whether undo is available here. On a form, it covers only actions of that form.
func (m *Model) canUndo() bool {
	_, form := m.top().(finisher)
	return m.undo.cmd != nil && (!form || m.undo.page == m.top())
}

// undoHint returns the undo hint for pages with their own undo. On other pages it is part of the message of the
// action.
func (m *Model) undoHint() string {
	if len(m.pages) == 0 { // building the key table
		return ""
	}
	if _, ok := m.top().(undoer); ok {
		return "undo"
	}
	return ""
}

// undoLast reverts the last action and reports what was reverted.
func (m *Model) undoLast() tea.Cmd {
	if p, ok := m.top().(undoer); ok {
		return p.Undo()
	}
	last := m.undo
	m.undo = undoState{}
	says := "undone: " + last.action
	return func() tea.Msg {
		switch msg := last.cmd().(type) {
		case remote.ChangedMsg:
			msg.Done = says
			return msg
		case page.UndoableMsg:
			msg.Done = says
			return msg
		case remote.ErrorMsg:
			return msg
		default:
			return tea.BatchMsg{components.Send(msg), components.Send(page.UndoableMsg{Done: says})}
		}
	}
}
