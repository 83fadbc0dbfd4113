package tui_test

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// typingScreen is a screen with a clock, on which text can be typed without pauses.
type typingScreen struct {
	*tuitest.Screen
	now     time.Time
	delayed []delayedMsg
}

// delayedMsg is a message that the screen gets at a time.
type delayedMsg struct {
	due time.Time
	msg tea.Msg
}

// delay is the time after which the screen gets delayed messages.
const delay = 150 * time.Millisecond

// delayMessages sets options so that delayed messages wait for the time to pass.
func (s *typingScreen) delayMessages(o *tui.Options) {
	o.Delay = func(msg tea.Msg) tea.Cmd {
		return func() tea.Msg {
			s.delayed = append(s.delayed, delayedMsg{s.now.Add(delay), msg})
			return nil
		}
	}
}

func startTypingScreen(o tui.Options) *typingScreen {
	s := &typingScreen{now: tuitest.Clock}
	o.Now = func() time.Time { return s.now }
	s.Screen = tuitest.Start(o, 120, 60)
	return s
}

// wait lets time pass, and delivers the messages that are due.
func (s *typingScreen) wait(d time.Duration) {
	s.now = s.now.Add(d)
	for len(s.delayed) > 0 && !s.delayed[0].due.After(s.now) {
		next := s.delayed[0]
		s.delayed = s.delayed[1:]
		s.Send(next.msg)
		s.Drain()
	}
}

// typeText types a text, one key after another.
func (s *typingScreen) typeText(text string) {
	for _, r := range text {
		s.wait(50 * time.Millisecond)
		switch r {
		case '\n':
			s.Press("enter")
		case ' ':
			s.Press(" ")
		default:
			s.Press(`"` + string(r))
		}
		s.Drain()
	}
}

// TestTextAfterRefusedKeyIsIgnored checks that text typed after a refused key is ignored and counted, until a pause or esc.
func TestTextAfterRefusedKeyIsIgnored(t *testing.T) {
	t.Parallel()
	s := startTypingScreen(tuitest.ReviewOptions)
	s.Server.Approved = true
	s.Keys("enter", "g")
	for _, key := range []string{"w", "r", "v"} {
		s.wait(time.Second)
		s.Keys(key)
		s.typeText("my question is: why?\nquit")
		s.Want(t, "25 keys ignored: wait a moment, or press esc")
		s.Keys("down")
		s.typeText("m")
		s.Want(t, "26 keys ignored")
		s.Keys("esc")
		s.Want(t, "!ignored")
	}
	s.wait(time.Second)
	s.Keys("v")
	s.wait(typingPause)
	s.Keys("esc", "U")
	s.Want(t, "Update #2", "▌ no")
	s.Keys("j")
	s.typeText("ust a moment")
	s.Want(t, "12 keys ignored", "!Update #2")
	if len(s.Server.Writes) > 0 || s.Quit {
		t.Errorf("wrote %q, quit %v", s.Server.Writes, s.Quit)
	}
}

// TestIgnoredTextIsOffered checks that ignored text is offered when a text field opens.
func TestIgnoredTextIsOffered(t *testing.T) {
	t.Parallel()
	s := startTypingScreen(tuitest.ReviewOptions)
	s.Keys("enter", "g")
	s.wait(time.Second)
	s.Keys("w")
	s.typeText("My question.")
	s.Keys("esc")
	s.wait(time.Second)
	s.Keys("c")
	s.Want(t, "ctrl+r inserts what you typed before: “My question.”")
	s.Keys("ctrl+r")
	s.Want(t, "My question.█")
	s.Keys("ctrl+r")
	s.Want(t, "no typed text was ignored")
}

// typingPause is the pause after which keys run actions again.
const typingPause = 600 * time.Millisecond

// q without other text quits. After typed text or at its beginning, q asks for confirmation.
func TestQuitInTypedTextNeedsConfirmation(t *testing.T) {
	t.Parallel()
	s := startTypingScreen(tuitest.ReviewOptions)
	s.Press("q")
	s.Press("u")
	s.Drain()
	s.Want(t, "Quit?", "▌ no")
	s.Keys("enter")
	s.Want(t, "!Quit?")
	s.wait(time.Second)
	s.Keys("j")
	s.wait(100 * time.Millisecond)
	s.Keys("q")
	s.Want(t, "Quit?")
	s.Keys("tab")
	s.Want(t, "▌ yes")
	if s.Quit {
		t.Error("quit before an answer")
	}
	s.Keys("enter")
	if !s.Quit {
		t.Error("not quit after yes")
	}
	alone := startTypingScreen(tuitest.ReviewOptions)
	if alone.Keys("q"); !alone.Quit {
		t.Error("not quit")
	}
}

// TestOtherTextClosesQuestion checks that a letter that does not belong to the word yes closes the question for that word.
func TestOtherTextClosesQuestion(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"m yes\n", "may yes\n", "myesterday\n", "m\nyes\n"} {
		s := startTypingScreen(tuitest.ReviewOptions)
		s.typeText("m")
		s.Want(t, "type yes and ⏎")
		s.typeText(text[1:])
		s.Want(t, "!type yes")
		if len(s.Server.Writes) > 0 {
			t.Errorf("%q wrote %q", text, s.Server.Writes)
		}
	}
	s := startTypingScreen(tuitest.ReviewOptions)
	s.typeText("mno")
	s.Want(t, "nothing done", "1 key ignored")
}

// Typed text does not confirm the merge whose question its first letter opens.
func TestTypedTextDoesNotMerge(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"my question", "m yes", "may yes 1 2 y", "m\nyes\n", "m\n\n\n"} {
		s := startTypingScreen(tuitest.ReviewOptions)
		s.Server.Approved = true
		s.typeText(text)
		if diff := cmp.Diff([]string(nil), s.Server.Writes); diff != "" {
			t.Errorf("%q wrote %s", text, diff)
		}
	}
}
