package tui_test

import (
	"testing"

	"docspace.dev/wsd/tui/tuitest"
)

// While a text is written, pgdown and pgup scroll the page, and the text is kept.
func TestKeysScrollBehindText(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 24)
	s.Keys("enter", "c", `"A remark.`)
	before := s.View()
	s.Keys("pgdown", "pgdown")
	s.Want(t, "A remark.█")
	if s.View() == before {
		t.Error("nothing is scrolled")
	}
	s.Keys("pgup", "pgup", "pgup", `" More.`)
	s.Want(t, "A remark. More.█", "▌ ", "Quick start")
}
