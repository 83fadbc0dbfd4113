package screens_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

// TestSidePane checks that a wide window shows pages, threads and drafts next to a change, that the side-by-side view replaces
// them, and that clicks are relative to the left edge of the change.
func TestSidePane(t *testing.T) {
	t.Parallel()
	o := tuitest.ReviewOptions
	o.Mouse = true
	s := tuitest.Start(o, 120, 40)
	s.Keys("enter")
	s.Want(t, "Pages    read 0 of 4 changes │", "▌◌ ~ Quick start", "● “until the light is green”", "✓ 1 resolved")
	s.Keys("]", "c", `"Words.`, "ctrl+s")
	s.Want(t, "Drafts, not sent", "✎ Words.")
	at := func(x, y int) {
		s.Send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		s.Drain()
	}
	s.Keys("g")
	at(5, 12)
	s.Want(t, "│ ▌ ◌ ~ Quick start")
	at(50, 12)
	s.Want(t, "│ ▌ ~ Plug the gateway in")
	s.Keys("V")
	s.Want(t, "!Pages               read", "side by side")
	s.Send(tuitest.WindowSize(119, 40))
	s.Keys("V")
	s.Want(t, "!Pages               read", "~ Quick start · edited · read 0/4")
}

// TestOtherChangeRequestsOfPage checks that other change requests of the page are listed next to it or above it, and in the
// menu, and that they are loaded once for all pages.
func TestOtherChangeRequestsOfPage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	asked := func() (n int) {
		for _, call := range s.Server.Calls {
			if call == "queued" {
				n++
			}
		}
		return n
	}
	s.Keys("enter")
	s.Want(t, "Also changed by", "#27 Wind arm: torque, not f…", "other blocks", "!this block is also changed by", "!#31")
	s.Keys("J", "J", "K", "K")
	s.Want(t, "Also changed by")
	if n := asked(); n > 2 { // the first page is shown before the response
		t.Errorf("asked %d times", n)
	}
	s.Send(tuitest.WindowSize(80, 24))
	s.Want(t, "also changed by #27 (other blocks)", "!Wind arm")
	s.Keys(":", `"other change requests`, "enter")
	s.Want(t, "1 #27 Wind arm: torque, not feeling · Grace")
	s.Keys("1")
	if !slices.Contains(s.Server.Queue.Polls, "latest cr_27") {
		t.Error("another change request is not opened")
	}
	s.Keys("esc", "J")
	s.Want(t, "!also changed by")
	s.Keys(":", `"other change requests`, "enter")
	s.Want(t, "no other open change request is known to change this page")
}

// TestConflictList checks that conflicts are listed next to the current one, each with its decision.
func TestConflictList(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult()}
	s.Open(120, 40)
	s.Keys("m", `"yes`, "enter")
	s.Want(t, "Conflicts     0 of 2 decided │", "On call  ", "▌● “15”", " ● deleted, edited here")
	s.Keys("1")
	s.Want(t, "Conflicts     1 of 2 decided │", " ✓ “15”                space", "▌● deleted, edited here")
	s.Keys("2")
	s.Want(t, "2 of 2 decided", "✓ deleted, edited … request")
	s.Keys("u")
	s.Want(t, "▌● deleted, edited here")
	s.Send(tuitest.WindowSize(119, 40))
	s.Want(t, "!Conflicts     1 of 2")
}

// TestBlockChangedByOtherChangeRequest checks that a block changed by another change request is marked, and that the list of
// others names it.
func TestBlockChangedByOtherChangeRequest(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *tuitest.Screen) {
		s.Server.Texts["cr_27"]["p_quick"] = strings.Replace(tuitest.OldMarkdown, "the light is blue", "it blinks", 1)
	}, 120, 40)
	s.Want(t, "#27 Wind arm: torque, not f…", "  ! the same block", " ! this block is also changed by #27", "!other blocks")
	s.Keys("J")
	s.Want(t, "!also changed by #27", "!the same block")
	s.Keys("K")
	s.Send(tuitest.WindowSize(80, 24))
	s.Want(t, "also changed by #27 (! the same block)")
}
