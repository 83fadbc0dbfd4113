package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// A wide window shows the pages, threads and drafts beside a change; side by side takes the room, and a click counts from
// where the change begins.
func TestThePaneBesideAChange(t *testing.T) {
	t.Parallel()
	o := review
	o.Mouse = true
	s := start(o, 120, 40)
	s.keys("enter")
	s.want(t, "Pages               read 0/4 │", "▌◌ ~ Quick start", "● “until the light is green”", "✓ 1 resolved")
	s.keys("]", "c", `"Words.`, "ctrl+s")
	s.want(t, "Drafts, not sent", "✎ Words.")
	at := func(x, y int) {
		s.tell(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		s.settle()
	}
	s.keys("g")
	at(5, 12)
	s.want(t, "│ ▌ ◌ ~ Quick start")
	at(50, 12)
	s.want(t, "│ ▌ ~ Plug the gateway in")
	s.keys("V")
	s.want(t, "!Pages               read", "side by side")
	s.tell(sized(119, 40))
	s.keys("V")
	s.want(t, "!Pages               read", "~ Quick start · edited · read 0/4")
}
