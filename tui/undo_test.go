package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The undo hint is part of the message of the action only. A later undo names the action.
func TestUndoHintFollowsAction(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
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

// Undoing marks has a separate message that names them.
func TestUndoNamesReadMarks(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.keys("/", `"light.png`, "enter", "esc", ":", `"mark it read`, "enter")
	s.want(t, "✓ read · read 1/4", "u undo")
	s.keys("j", "u")
	s.want(t, "✓ undone: read", "◌ + file light.png")
}
