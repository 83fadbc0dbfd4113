package tui_test

import (
	"reflect"
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/tuitest"
)

// sendsMessage reports whether a command sends a message of the type of like.
func sendsMessage(cmd tea.Cmd, like tea.Msg) bool {
	if cmd == nil {
		return false
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		return slices.ContainsFunc(batch, func(c tea.Cmd) bool { return sendsMessage(c, like) })
	}
	return reflect.TypeOf(msg) == reflect.TypeOf(like)
}

func TestMouse(t *testing.T) {
	t.Parallel()
	o := tui.Options{Space: "s_1", Mouse: true}
	s := tuitest.Start(o, 80, 24)
	s.Want(t, "▌ Welcome")
	at := func(y int, button tea.MouseButton) {
		s.Send(tea.MouseMsg{X: 5, Y: y, Action: tea.MouseActionPress, Button: button})
		s.Drain()
	}
	at(3, tea.MouseButtonLeft)
	s.Want(t, "▌ │ Quick start")
	at(3, tea.MouseButtonLeft)
	s.Want(t, "Plug the gateway in")
	s.Keys("esc")
	at(3, tea.MouseButtonWheelUp)
	s.Want(t, "▌ Welcome")
	s.Keys(":", `"mouse`, "enter")
	s.Want(t, "mouse off")
	at(3, tea.MouseButtonLeft)
	s.Want(t, "▌ Welcome")
}

// Editors disable mouse reporting, so it is enabled again unless it was off.
func TestMouseIsRestoredAfterEditor(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		o := tuitest.ReviewOptions
		o.Mouse = on
		s := tuitest.Start(o, 120, 40)
		for _, msg := range []tea.Msg{page.EditedMsg{}, page.FileEditedMsg{}} {
			_, cmd := s.Model.Update(msg)
			if got := sendsMessage(cmd, tea.EnableMouseCellMotion()); got != on {
				t.Errorf("%T with the mouse %v: asked for it %v", msg, on, got)
			}
		}
	}
}
