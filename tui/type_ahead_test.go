package tui_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// TestJoinedKeysAreSplit checks that keys that arrive as one message, because they are typed faster than they are read, are
// split, and that pasted text does not run actions.
func TestJoinedKeysAreSplit(t *testing.T) {
	t.Parallel()
	apart, together, pasted := tuitest.Start(tui.Options{}, 80, 24), tuitest.Start(tui.Options{}, 80, 24), tuitest.Start(tui.Options{}, 80,
		24)
	first := apart.View()
	apart.Keys("j", "j", "b")
	together.Keys(`"jjb`)
	if diff := cmp.Diff(apart.View(), together.View()); diff != "" || together.View() == first {
		t.Errorf("one by one (-) and together (+):\n%s", diff)
	}
	pasted.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjc"), Paste: true})
	pasted.Drain()
	if diff := cmp.Diff(first, pasted.View()); diff != "" {
		t.Errorf("a paste did something:\n%s", diff)
	}
}

// TestTypeAheadIsText checks that text typed before the composer is open does not run actions, and that keys that arrive in one
// message do not either.
func TestTypeAheadIsText(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string][]string{
		"one by one": {"c", "m", " ", "X", "x", "ctrl+s"}, "together": {`"cm Xx`, "ctrl+s"}, "on words": {"v", "v", "c", `"m Xx`, "ctrl+s"},
	} {
		s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
		s.Keys("enter", "]")
		for _, key := range typed {
			s.Press(key)
		}
		s.Drain()
		if s.Want(t, "┆ m Xx", "1 draft not sent"); len(s.Server.Writes) > 0 {
			t.Errorf("%s: wrote %q", name, s.Server.Writes)
		}
	}
}

// TestTypeAheadAnswersQuestion checks that an answer typed before the question is shown is not interpreted as keys for copy,
// edit and suggest.
func TestTypeAheadAnswersQuestion(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	for _, key := range []string{"m", "y", "e", "s", "enter"} {
		s.Press(key)
	}
	s.Drain()
	if diff := cmp.Diff([]string{"merge "}, s.Server.Writes); diff != "" || s.Copied != "" {
		t.Errorf("copied %q, and wrote %s", s.Copied, diff)
	}
}

// TestTypeAheadIsDroppedOnFailure checks that text typed for a composer that cannot open is dropped, and that esc closes a
// composer before it is open.
func TestTypeAheadIsDroppedOnFailure(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("enter", "]")
	s.Press("c")
	s.Press("esc")
	s.Press("n")
	s.Drain()
	s.Want(t, "!comment on")
	d := tuitest.NewReviewer(t)
	one, other := d.DraftReview(), d.OpenScreen()
	one.Keys("/", `"On a block.`, "enter", "esc", "e")
	other.Keys("enter", "/", `"On a block.`, "enter", "esc")
	for _, key := range []string{"e", "X", "x"} {
		other.Press(key)
	}
	other.Drain()
	other.Want(t, "being written on another screen of yours", "┆ On a block.", "3 drafts not sent")
}
