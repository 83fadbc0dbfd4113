package tui_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// startWide opens a screen on content with a wide table and long lines of code, both changed by the change request.
func startWide(o tui.Options, width int) *tuitest.Screen {
	return tuitest.StartPrepared(o, width, 40, tuitest.AddWideContent)
}

// TestWideTableInDiff checks that a wide table in a diff lists its changed cells with row and column, and that > shows the
// table at the first of them and scrolls it to its last column.
func TestWideTableInDiff(t *testing.T) {
	t.Parallel()
	s := startWide(tuitest.ReviewOptions, 100)
	s.Keys("enter", "]")
	s.Want(t, "row “cell 3.0” · Head 14:", "> scroll", "!columns")
	s.Keys(">")
	s.Want(t, "▌ - cell 3.0 ‹", "old value", "new value", "Head 14", "!row “cell 3.0”")
	s.Keys("<", "<", "<")
	s.Want(t, "columns 1–", "▌ - cell 3.0 │")
	for range 12 {
		s.Keys(">")
	}
	s.Want(t, "Head 0 ", "‹", "Head 19", "this is the right edge: < goes back", "!Head 2 ")
	for range 12 {
		s.Keys("<")
	}
	s.Want(t, "row “cell 3.0” · Head 14:", "this is the left edge: > scrolls")
}

// TestWideCodeInDiff checks that long code in a diff is wrapped with marks, and that > shows each line of code unwrapped with
// its sign, at the first change.
func TestWideCodeInDiff(t *testing.T) {
	t.Parallel()
	s := startWide(tuitest.ReviewOptions, 100)
	s.Keys("enter", "]", "]")
	s.Want(t, "▌ - wsd serve", "▏ - ↪ ", "--slow", "--fast")
	s.Keys(">")
	s.Want(t, "▌ - ‹", "+ ‹", "--slow", "--fast", "  ‹", "row “cell 3.0”", "!↪ tcp")
	for range 9 {
		s.Keys("<")
	}
	s.Keys("]", "]", ">", "<", "<", "<", "<")
	s.Want(t, "- wsd serve", "+ wsd serve", "›", "!- ↪ ", "!--fast")
}

// TestTableHeaderStaysVisible checks that the heads of the columns stay at the top of the window while the rows of a table are
// scrolled.
func TestTableHeaderStaysVisible(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 80, 20, func(s *tuitest.Screen) {
		rows := func(last string) string {
			return "# Long\n\n| Place | Life |\n|---|---|\n" + strings.Repeat("| North | 4 years |\n", 40) + last + "\nEnd.\n"
		}
		s.Server.Texts[""]["p_quick"], s.Server.Texts["cr_2"]["p_quick"] = rows("| South | 5 |\n"), rows("| South | 6 |\n")
		s.Server.CommentList = nil
	})
	top := func() string { return strings.TrimSpace(strings.Split(s.View(), "\n")[2]) }
	s.Keys("enter", "]")
	s.Want(t, "▌ - South")
	if got := top(); got != "▏   Place │ Life" {
		t.Errorf("in the diff, the first line is %q", got)
	}
	s.Keys("enter", " ", " ")
	if got := top(); got != "▏ Place │ Life" {
		t.Errorf("on the page, the first line is %q", got)
	}
	s.Keys("G")
	s.Want(t, "▌ End.")
	s.Keys("g")
	if got := top(); got != "▌ # Long" {
		t.Errorf("at the top, the first line is %q", got)
	}
}

// TestWideTableOnPage checks that a wide table on a page shows its first columns at once, and that each block has its own
// position.
func TestWideTableOnPage(t *testing.T) {
	t.Parallel()
	s := startWide(tui.Options{Space: "s_1"}, 80)
	s.Keys("j", "enter")
	s.Want(t, "columns 1–", "cell 2.0 │ cell 2.1 ", "↪ ", "!cell 2.9")
	s.Keys(">")
	s.Want(t, "cell 2.0 ‹", "↪ ", "!cell 2.1 ")
	s.Keys("G", "k", "k", ">", ">")
	s.Want(t, "cell 2.0 ‹", "‹", "!↪ ")
}

// TestSearchShowsWholeWideTable checks that wide tables and code are shown as a whole during a search, and line by line.
func TestSearchShowsWholeWideTable(t *testing.T) {
	t.Parallel()
	s := startWide(tui.Options{Space: "s_1"}, 80)
	s.Keys("j", "enter", "/", `"cell 4.17`)
	s.Want(t, "▌ Head 17: cell 4.17", "!columns 1–")
	s.Keys("enter")
	s.Want(t, "▌ Head 17: cell 4.17")
	s.Keys(">")
	s.Want(t, "a search shows wide tables and code as a whole; esc ends it")
	s.Keys("esc")
	s.Want(t, "columns 1–", "!cell 4.17")
}

// Where nothing is wider than the screen, < and > report that.
func TestNothingToScrollSideways(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("enter", ">")
	s.Want(t, "no table or code here is wider than the screen", "!> scroll")
}

// TestWheelScrollsSideways checks that the wheel with shift, and a wheel that tilts, scroll the table or code under the
// pointer, and not the page.
func TestWheelScrollsSideways(t *testing.T) {
	t.Parallel()
	o := tui.Options{Space: "s_1", Mouse: true}
	s := startWide(o, 80)
	s.Keys("j", "enter")
	turn := func(button tea.MouseButton, shift bool) {
		t.Helper()
		for y, line := range strings.Split(s.View(), "\n") {
			if strings.Contains(line, "cell 2.0") {
				s.Send(tea.MouseMsg{X: 8, Y: y, Action: tea.MouseActionPress, Button: button, Shift: shift})
				s.Drain()
				return
			}
		}
		t.Fatalf("no table in\n%s", s.View())
	}
	turn(tea.MouseButtonWheelDown, true)
	s.Want(t, "▌ # Wide", "cell 2.0 ‹")
	turn(tea.MouseButtonWheelUp, true)
	s.Want(t, "▌ # Wide", "cell 2.0 │ cell 2.1 ")
	turn(tea.MouseButtonWheelRight, false)
	s.Want(t, "▌ # Wide", "cell 2.0 ‹")
	turn(tea.MouseButtonWheelLeft, false)
	s.Want(t, "▌ # Wide", "cell 2.0 │ cell 2.1 ")
}
