package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
)

// EnterMsg makes the app enter an organization.
type EnterMsg struct{ Organization api.Organization }

// AfterDelay returns a command that sends a message after a short delay. It is used for loads that are not needed while
// the cursor moves on.
func (s *Session) AfterDelay(msg tea.Msg) tea.Cmd {
	if s.After == nil {
		return components.Send(msg)
	}
	return s.After(msg)
}

// FindMsg makes the app offer entries, filtered by letters of their names, below a question.
type FindMsg struct {
	Question string
	Entries  []components.Entry
}
