package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
)

// sidewaysActions returns the actions that scroll a wide table or code, that under the cursor or else the first one on the
// screen.
func (m *Model) sidewaysActions() []components.Action {
	back := ""
	if len(m.pages) > 0 {
		if r, _ := m.top().Base().List.Sideways(); r.Pan.At > 0 {
			back = "scroll back"
		}
	}
	return []components.Action{
		{
			Name: "scroll-right", Keys: []string{">"}, Help: "scroll a wide table, or code, to the right", Hint: "scroll",
			Do: m.scrollSideways(1), DisabledReason: m.notWideReason,
		},
		{
			Name: "scroll-left", Keys: []string{"<"}, Help: "scroll a wide table, or code, to the left", Hint: back,
			Do:             m.scrollSideways(-1),
			DisabledReason: m.notWideReason,
		},
	}
}

// notWideReason returns why nothing can be scrolled sideways, or "".
func (m *Model) notWideReason() string {
	if len(m.pages) == 0 { // building the key table
		return ""
	}
	l := &m.top().Base().List
	if _, ok := l.Sideways(); ok {
		return ""
	}
	if l.Searching() {
		return "a search shows wide tables and code as a whole; esc ends it"
	}
	return "no table or code here is wider than the screen"
}

// scrollSideways returns the function that scrolls sideways by a number of positions.
func (m *Model) scrollSideways(by int) func() tea.Cmd {
	return func() tea.Cmd {
		f := m.top().Base()
		r, ok := f.List.Sideways()
		switch {
		case !ok || f.Scroll(r, by):
			return nil
		case by > 0:
			return components.Toast("this is the right edge: < goes back")
		default:
			return components.Toast("this is the left edge: > scrolls")
		}
	}
}

// sidewaysSteps returns the number of positions by which the wheel scrolls sideways: a wheel that is turned with shift, or a
// horizontal wheel.
func sidewaysSteps(msg tea.MouseMsg) int {
	switch {
	case msg.Button == tea.MouseButtonWheelRight, msg.Button == tea.MouseButtonWheelDown && msg.Shift:
		return 1
	case msg.Button == tea.MouseButtonWheelLeft, msg.Button == tea.MouseButtonWheelUp && msg.Shift:
		return -1
	default:
		return 0
	}
}
