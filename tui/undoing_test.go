package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// That something can be undone stands behind the message of the act, and behind no other; undone later, it is named.
func TestUndoStandsBehindItsAct(t *testing.T) {
	t.Parallel()
	s := start(atInbox, 120, 40)
	s.keys("tab", "tab", "g", ":", `"requests of this space`, "enter", "enter")
	s.want(t, "✓ the tab “Skylark Handbook” saved", "u undo")
	s.keys("j")
	s.want(t, "!u undo")
	s.keys("y")
	s.want(t, "copied", "!u undo")
	s.keys(":", `"mouse on or off`, "enter")
	s.want(t, "mouse on", "!u undo")
	s.keys("/", `"Wind`)
	s.want(t, "!u undo")
	s.keys("esc", "u")
	s.want(t, "✓ undone: the tab “Skylark Handbook” saved", "!u undo")
	s.keys("u")
	s.want(t, "nothing to undo", "!u undo")
	if diff := cmp.Diff([]string{"save-queries Skylark Handbook s_1;", "save-queries "}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// Marks are taken back by a message of their own: what is undone is named all the same.
func TestUndoneMarksAreNamed(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	s.keys("/", `"light.png`, "enter", "esc", ":", `"mark it read`, "enter")
	s.want(t, "✓ read · read 1/4", "u undo")
	s.keys("j", "u")
	s.want(t, "✓ undone: read", "◌ + file light.png")
}
