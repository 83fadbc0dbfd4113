package tui

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
)

// A wide window shows pages, threads and drafts next to a change. The side-by-side view replaces them, and clicks are
// relative to the left edge of the change.
func TestSidePane(t *testing.T) {
	t.Parallel()
	o := reviewOptions
	o.Mouse = true
	s := start(o, 120, 40)
	s.keys("enter")
	s.want(t, "Pages    read 0 of 4 changes │", "▌◌ ~ Quick start", "● “until the light is green”", "✓ 1 resolved")
	s.keys("]", "c", `"Words.`, "ctrl+s")
	s.want(t, "Drafts, not sent", "✎ Words.")
	at := func(x, y int) {
		s.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		s.drain()
	}
	s.keys("g")
	at(5, 12)
	s.want(t, "│ ▌ ◌ ~ Quick start")
	at(50, 12)
	s.want(t, "│ ▌ ~ Plug the gateway in")
	s.keys("V")
	s.want(t, "!Pages               read", "side by side")
	s.send(windowSize(119, 40))
	s.keys("V")
	s.want(t, "!Pages               read", "~ Quick start · edited · read 0/4")
}

// Other change requests of the page are listed next to it or above it, and in the menu. They are loaded once for all
// pages.
func TestOtherChangeRequestsOfPage(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	asked := func() (n int) {
		for _, call := range s.fake.calls {
			if call == "queued" {
				n++
			}
		}
		return n
	}
	s.keys("enter")
	s.want(t, "Also changed by", "#27 Wind arm: torque, not f…", "other blocks", "!this block is also changed by", "!#31")
	s.keys("J", "J", "K", "K")
	s.want(t, "Also changed by")
	if n := asked(); n > 2 { // the first page is shown before the response
		t.Errorf("asked %d times", n)
	}
	s.send(windowSize(80, 24))
	s.want(t, "also changed by #27 (other blocks)", "!Wind arm")
	s.keys(":", `"other change requests`, "enter")
	s.want(t, "1 #27 Wind arm: torque, not feeling · Grace")
	s.keys("1")
	if !slices.Contains(s.fake.queue.polls, "latest cr_27") {
		t.Error("another change request is not opened")
	}
	s.keys("esc", "J")
	s.want(t, "!also changed by")
	s.keys(":", `"other change requests`, "enter")
	s.want(t, "no other open change request is known to change this page")
}

// Conflicts are listed next to the current one, each with its decision.
func TestConflictList(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	s.fake.mergeResults = []api.MergeResult{conflictResult()}
	s.open(120, 40)
	s.keys("m", `"yes`, "enter")
	s.want(t, "Conflicts     0 of 2 decided │", "On call  ", "▌● “15”", " ● deleted, edited here")
	s.keys("1")
	s.want(t, "Conflicts     1 of 2 decided │", " ✓ “15”                space", "▌● deleted, edited here")
	s.keys("2")
	s.want(t, "2 of 2 decided", "✓ deleted, edited … request")
	s.keys("u")
	s.want(t, "▌● deleted, edited here")
	s.send(windowSize(119, 40))
	s.want(t, "!Conflicts     1 of 2")
}

// A block changed by another change request is marked, and the list of others names it.
func TestBlockChangedByOtherChangeRequest(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *testScreen) {
		s.fake.texts["cr_27"]["p_quick"] = strings.Replace(oldMarkdown, "the light is blue", "it blinks", 1)
	}, 120, 40)
	s.want(t, "#27 Wind arm: torque, not f…", "  ! the same block", " ! this block is also changed by #27", "!other blocks")
	s.keys("J")
	s.want(t, "!also changed by #27", "!the same block")
	s.keys("K")
	s.send(windowSize(80, 24))
	s.want(t, "also changed by #27 (! the same block)")
}
