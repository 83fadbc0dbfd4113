package screens_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// movedHeadScripts are the keys that a reviewer presses; poll makes the screen poll for events by others, and yes answers a
// question.
var movedHeadScripts = [][]string{
	{"a", "ctrl+s", "ctrl+s", "ctrl+s"},
	{"S", "shift+tab", "ctrl+s", "ctrl+s", "ctrl+s", "ctrl+s"},
	{"a", "poll", "ctrl+s", "poll", "R", " ", " ", "esc", "esc", "ctrl+s", "ctrl+s"},
	{"enter", " ", " ", " ", " ", "a", "ctrl+s", "R", "enter", " ", " ", "esc", "esc", "ctrl+s", "ctrl+s"},
	{"poll", "R", "a", "ctrl+s", "poll", "ctrl+s", "esc", "R", "a", "ctrl+s", "ctrl+s"},
	{"m", "yes", "poll", "yes", "yes"},
	{"poll", "m", "yes", "R", "m", "yes", "yes"},
	{"U", "yes", "poll", "U", "yes", "yes"},
	{"n", "n", "n", "n", "A", "yes", "poll", "yes", "R", "n", "A", "yes", "yes"},
}

// movedHeadRun plays a script. Another user edits the change request before each server operation whose number, from 0 after
// the start, is in edits. It returns the number of operations, and adds the confirmed ones to counts.
func movedHeadRun(t *testing.T, script []string, edits []int, counts map[string]int) (operations int) {
	t.Helper()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	f := s.Server
	f.HeadShown = true
	suggestion := f.NewComment("c_s", "Better so.", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2"})
	suggestion.Suggestion = &api.Suggestion{Markdown: "New", Original: "Old"}
	f.CommentList = append(f.CommentList, suggestion)
	s.Open(100, 40)
	shown := map[string]bool{}
	f.OnCall = func() {
		if slices.Contains(edits, operations) {
			f.Edit(tuitest.UserGrace)
		}
		operations++
	}
	for at, key := range script {
		recordHeads(s, shown)
		done := len(f.Confirmations)
		switch key {
		case "poll":
			s.Pass(10)
			s.Send(tui.TickMsg{})
			s.Drain()
		case "yes":
			s.Keys(confirmKeys(s.View())...)
		default:
			s.Keys(key)
		}
		for _, c := range f.Confirmations[done:] {
			counts[c.Operation+" of "+map[bool]string{true: "the head", false: "an earlier revision"}[c.Revision == c.Head]]++
			if !shown[c.Revision] {
				t.Errorf("%v, edits %v: step %d, %s: %s of %s, which was not shown", script, edits, at, key, c.Operation, c.Revision)
			}
			if view := s.View(); c.Revision != c.Head && (strings.Contains(view, "✓ approved") || strings.Contains(view, "✓ requested")) {
				t.Errorf("%v, edits %v: step %d, %s: %s of %s is shown as a success at %s\n%s", script, edits, at, key, c.Operation,
					c.Revision,
					c.Head, view)
			}
		}
	}
	return operations
}

// recordHeads records the heads that are named on the screen.
func recordHeads(s *tuitest.Screen, shown map[string]bool) {
	for _, word := range strings.FieldsFunc(s.View(), func(r rune) bool { return !strings.ContainsRune("r_0123456789", r) }) {
		if strings.HasPrefix(word, "r_") {
			shown[word] = true
		}
	}
}

// confirmKeys returns the keys that answer a question with yes, or none if there is no question.
func confirmKeys(view string) []string {
	switch {
	case strings.Contains(view, "▌ no"):
		return []string{"tab", "enter"}
	case strings.Contains(view, "type yes"):
		return []string{`"yes`, "enter"}
	default:
		return nil
	}
}

// TestNothingIsConfirmedForUnseenHead checks that no verdict, merge, update or applied suggestion is confirmed for a head that
// the user was not shown, and that none is shown as a success if it does not count, whenever another user edits the change
// request.
func TestNothingIsConfirmedForUnseenHead(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	counts := map[string]int{} // of confirmed operations
	for _, script := range movedHeadScripts {
		total := movedHeadRun(t, script, nil, counts)
		for at := range total + 1 {
			movedHeadRun(t, script, []int{at}, counts)
		}
		for range 8 {
			movedHeadRun(t, script, []int{random.IntN(total), random.IntN(total), random.IntN(total)}, counts)
		}
	}
	t.Log(counts)
	for _, want := range []string{
		"submit of the head", "submit of an earlier revision", "merge of the head", "pull of the head", "apply of the head",
	} {
		if counts[want] == 0 {
			t.Errorf("no %s", want)
		}
	}
}
