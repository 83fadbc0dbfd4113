package tui_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui/tuitest"
)

// TestUndoResolve checks that the message of an action contains its command and, if available, the undo hint.
func TestUndoResolve(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("enter", "u")
	s.Want(t, "nothing to undo")
	s.Keys("n", "x")
	// Ada replied
	s.Want(t, "Resolve it as (⏎: answered)", "  1 done: the text says it now", "▌ 2 answered: the replies say it", "  3 declined")
	s.Keys("enter")
	s.Want(t, "✓ resolved as answered", "┃ ✓ answered · comment by Grace 3h ago",
		"same as: wsctl change-request-comments update c_1 --resolved=true --outcome answered --space s_1 --change-request cr_2", "u undo")
	s.Keys("u")
	s.Want(t, "✓ undone: resolved as answered", "!u undo", "● open Grace")
	want := []string{"update-comment c_1 resolved true answered", "update-comment c_1 resolved false"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestUndoHintFollowsAction checks that the undo hint is part of the message of the action only, and that a later undo names
// the action.
func TestUndoHintFollowsAction(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("tab", "tab", "g", ":", `"requests of this space`, "enter", "enter")
	s.Want(t, "✓ the tab “Skylark Handbook” saved", "u undo")
	s.Keys("j")
	s.Want(t, "!u undo")
	s.Keys("y")
	s.Want(t, "copied", "!u undo")
	s.Keys(":", `"mouse on or off`, "enter")
	s.Want(t, "mouse on", "!u undo")
	s.Keys("/", `"Wind`)
	s.Want(t, "!u undo")
	s.Keys("esc", "u")
	s.Want(t, "✓ undone: the tab “Skylark Handbook” saved", "!u undo")
	s.Keys("u")
	s.Want(t, "nothing to undo", "!u undo")
	if diff := cmp.Diff([]string{"save-queries Skylark Handbook s_1;", "save-queries "}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestUndoNamesReadMarks checks that undoing marks has a separate message that names them.
func TestUndoNamesReadMarks(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("/", `"light.png`, "enter", "esc", ":", `"mark it read`, "enter")
	s.Want(t, "✓ read · read 1/4", "u undo")
	s.Keys("j", "u")
	s.Want(t, "✓ undone: read", "◌ + file light.png")
}
