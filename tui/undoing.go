package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// undoing takes back the act that was done last.
type undoing struct {
	cmd  tea.Cmd     // nil for nothing
	what string      // the act
	said render.Span // the message of the act: behind it, and nowhere else, stands that it can be undone
	on   page.Page   // where it was done
}

// did says what was done, and remembers what takes it back.
func (m *Model) did(done string, undo tea.Cmd) {
	what, _, _ := strings.Cut(done, " · ")
	what, _, _ = strings.Cut(what, ": u ")
	m.message = render.In(render.Added, "✓ "+done)
	m.undo = undoing{undo, what, m.message, m.top()}
}

// undoer is a page that takes back itself what was done on it.
type undoer interface {
	Undo() tea.Cmd
	NothingToUndo() string
}

func (m *Model) nothingToUndo() string {
	if p, ok := m.top().(undoer); ok {
		return p.NothingToUndo()
	}
	if !m.undoes() {
		return "nothing to undo"
	}
	return ""
}

// undoes reports whether u takes something back here: on a form, only what was done on it, not what was done before.
func (m *Model) undoes() bool {
	_, form := m.top().(passing)
	return m.undo.cmd != nil && (!form || m.undo.on == m.top())
}

// undoHint names undo among the keys of a page that takes back itself what was done on it. Elsewhere it stands behind the
// message of what it takes back.
func (m *Model) undoHint() string {
	if len(m.pages) == 0 { // for the table of keys
		return ""
	}
	if _, ok := m.top().(undoer); ok {
		return "undo"
	}
	return ""
}

// undoLast takes back what was done last, and says what that was.
func (m *Model) undoLast() tea.Cmd {
	if p, ok := m.top().(undoer); ok {
		return p.Undo()
	}
	last := m.undo
	m.undo = undoing{}
	says := "undone: " + last.what
	return func() tea.Msg {
		switch msg := last.cmd().(type) {
		case remote.ChangedMsg:
			msg.Done = says
			return msg
		case page.UndoableMsg:
			msg.Done = says
			return msg
		case remote.FailMsg:
			return msg
		default:
			return tea.BatchMsg{components.Send(msg), components.Send(page.UndoableMsg{Done: says})}
		}
	}
}
