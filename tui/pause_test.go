package tui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// typedScreen is a screen with a clock, on which text can be typed without pauses.
type typedScreen struct {
	*tuitest.Screen
	now time.Time
}

func startTyped(o tui.Options) *typedScreen {
	s := &typedScreen{now: tuitest.Clock}
	o.Now = func() time.Time { return s.now }
	s.Screen = tuitest.Start(o, 120, 60)
	return s
}

// wait lets time pass.
func (s *typedScreen) wait(d time.Duration) { s.now = s.now.Add(d) }

// typeText types a text, one key after another.
func (s *typedScreen) typeText(text string) {
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

// Text typed after a refused key is ignored and counted, until a pause or esc.
func TestTextAfterRefusedKeyIsIgnored(t *testing.T) {
	t.Parallel()
	s := startTyped(tuitest.ReviewOptions)
	s.Server.Approved = true
	s.Keys("enter", "g")
	for _, key := range []string{"w", "i", "v"} {
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

// Ignored text is offered when a text field opens.
func TestIgnoredTextIsOffered(t *testing.T) {
	t.Parallel()
	s := startTyped(tuitest.ReviewOptions)
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

// q quits alone. It asks if it follows typed text or begins it.
func TestQuitAsksInTypedText(t *testing.T) {
	t.Parallel()
	s := startTyped(tuitest.ReviewOptions)
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
	alone := startTyped(tuitest.ReviewOptions)
	if alone.Keys("q"); !alone.Quit {
		t.Error("not quit")
	}
}

// textOpeners are the keys that open a text field, and what leads to them.
var textOpeners = []string{"c", "r", "s", "v", "e", "w", "i"}

// isConsequential reports whether a write changes what readers see, deletes, sends or applies something.
func isConsequential(write string) bool {
	verb, _, _ := strings.Cut(write, " ")
	return !slices.Contains([]string{"ask", "create-request", "read"}, verb)
}

// A sentence typed after a key that opens a text field stands in the field or is ignored; typed anywhere, it merges,
// deletes, applies and sends nothing, and does not end the screen.
func TestTypedTextRunsNothing(t *testing.T) {
	t.Parallel()
	failures := []error{nil, nil, nil, tuitest.ErrUnreachable, api.NotFound(), api.Errorf(403, api.ReasonForbidden, "No.")}
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.SampledFrom([]tui.Options{
			tuitest.ReviewOptions, tuitest.ReviewOptions, {Space: "s_1"}, tuitest.InboxOptions,
		}).Draw(t, "page")
		s := startTyped(o)
		tuitest.AddSuggestions(s.Screen)
		s.Server.Approved = rapid.Bool().Draw(t, "approved")
		if rapid.Bool().Draw(t, "own") {
			tuitest.OwnChangeRequest(s.Screen)
		}
		s.wait(time.Second)
		for _, key := range rapid.SampledFrom(startSequences[:4]).Draw(t, "start") {
			s.wait(time.Second)
			s.Keys(key)
		}
		for range rapid.IntRange(0, 12).Draw(t, "moves") {
			s.wait(time.Second)
			s.Keys(rapid.SampledFrom([]string{"down", "up", "n", "]", "pgdown"}).Draw(t, "move"))
		}
		s.Server.Fail["*"] = rapid.SampledFrom(failures).Draw(t, "failure")
		s.wait(time.Second)
		before := len(s.Server.Writes)
		s.Press(rapid.SampledFrom(textOpeners).Draw(t, "key"))
		if rapid.Bool().Draw(t, "answered") {
			s.Drain()
		}
		words := rapid.SliceOfN(rapid.SampledFrom([]string{
			"my", "question", "is", "where", "yes", "no", "merge", "quickly", "A", "X", "Apply", "a1", "3", "2.", "why?", "U", "m", "y",
			"!",
		}), 1, 12).Draw(t, "words")
		s.typeText(strings.Join(words, rapid.SampledFrom([]string{" ", "\n", ", "}).Draw(t, "between")))
		for _, write := range s.Server.Writes[before:] {
			if isConsequential(write) {
				t.Fatalf("typed text wrote %q", write)
			}
		}
		if s.Quit {
			t.Fatal("typed text quit")
		}
	})
}

// Typed text does not confirm the merge that its first letter asks for.
func TestTypedTextDoesNotMerge(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"my question", "m yes", "may yes 1 2 y", "m\nyes\n", "m\n\n\n"} {
		s := startTyped(tuitest.ReviewOptions)
		s.Server.Approved = true
		s.typeText(text)
		if diff := cmp.Diff([]string(nil), s.Server.Writes); diff != "" {
			t.Errorf("%q wrote %s", text, diff)
		}
	}
}
