package tui_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/tuitest"
)

// sendsMessage runs a command and reports whether it sends a message of the type of like, alone or in a batch.
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

// TestMouseIsRestoredAfterEditor checks that mouse reporting, which editors disable, is enabled again after an editor unless it
// was off.
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

// click clicks on the first occurrence of a text on the screen.
func click(t *testing.T, s *tuitest.Screen, text string) {
	t.Helper()
	for y, line := range strings.Split(s.View(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			s.Send(tea.MouseMsg{X: len([]rune(before)), Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			s.Drain()
			return
		}
	}
	t.Fatalf("%q is not in\n%s", text, s.View())
}

// TestClickTargets checks that tabs, the pages at the left, hints and the preview can be clicked.
func TestClickTargets(t *testing.T) {
	t.Parallel()
	o := tuitest.InboxOptions
	o.Mouse = true
	s := tuitest.Start(o, 120, 40)
	click(t, s, "alt+2 Spaces")
	s.Want(t, "[alt+2 Spaces]", "Customers")
	click(t, s, "alt+1 Inbox")
	click(t, s, " Merged ")
	s.Want(t, "[Merged]")
	o = tuitest.ReviewOptions
	o.Mouse = true
	s = tuitest.Start(o, 160, 40)
	click(t, s, "│  ◌ ~ Quick start")
	s.Want(t, "Quick start (1 of 3)")
	click(t, s, "◌ - Old page")
	s.Want(t, "Old page (2 of 3)")
	click(t, s, "approve")
	s.Want(t, "(•) approve")
	click(t, s, "? more")
	s.Want(t, "Keys here: submit")
}

// TestWheelScrollsBehindText checks that the wheel scrolls the page while a text is written, and that the text is kept.
func TestWheelScrollsBehindText(t *testing.T) {
	t.Parallel()
	o := tuitest.ReviewOptions
	o.Mouse = true
	s := tuitest.Start(o, 100, 24)
	s.Keys("enter", "c", `"A remark.`)
	before := s.View()
	s.Send(tea.MouseMsg{X: 5, Y: 5, Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown})
	s.Send(tea.MouseMsg{X: 5, Y: 5, Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown})
	s.Want(t, "A remark.█")
	if s.View() == before {
		t.Error("nothing is scrolled")
	}
	click(t, s, "Quick start")
	s.Want(t, "A remark.█")
}

// TestMouseSettingIsStored checks that the choice of the mouse is stored.
func TestMouseSettingIsStored(t *testing.T) {
	t.Parallel()
	var stored []bool
	o := tuitest.InboxOptions
	o.Mouse, o.RememberMouse = true, func(on bool) tea.Cmd {
		return func() tea.Msg { stored = append(stored, on); return nil }
	}
	s := tuitest.Start(o, 120, 40)
	s.Keys(":", `"mouse`, "enter", ":", `"mouse`, "enter")
	if !slices.Equal(stored, []bool{false, true}) {
		t.Errorf("stored %v", stored)
	}
}
