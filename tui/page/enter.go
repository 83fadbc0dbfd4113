package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
)

// EnterMsg asks the app to go into an organization.
type EnterMsg struct{ Organization api.Organization }

// Later returns a command that sends a message when a moment has passed: what a cursor that is passing by would ask for is
// asked for when it rests.
func (s *Session) Later(msg tea.Msg) tea.Cmd {
	if s.After == nil {
		return components.Send(msg)
	}
	return s.After(msg)
}

// FindMsg asks the app to offer places to choose from by letters of their names; the question says what for.
type FindMsg struct {
	Question string
	Entries  []components.Entry
}
