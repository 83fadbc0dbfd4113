package tui_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// linearReview is the input of a complete review in line mode: every page is read, a block, a phrase and a suggestion are
// drafted, a thread is answered and another resolved, and changes are requested with a summary. Input that opens a page is
// marked, because it may write the whole page.
var linearReview = []struct {
	input string
	opens bool
}{
	{"4", false},
	{"", true}, // the request
	{"21", false},
	{"", true},    // its first page
	{"12", false}, // a changed paragraph
	{"v", false},
	{"wait until", false},
	{"c", false},
	{"Until when?", false},
	{".", false}, // a phrase
	{"s", false},
	{"Plug the gateway in and wait for the green light.", false},
	{".", false}, // a suggestion
	{"]", false},
	{"c", false},
	{"Which version is current?", false},
	{".", false}, // a block
	{"n", false},
	{"r", false},
	{"It is.", false},
	{".", false}, // a reply
	{"n", false},
	{"x", false},
	{"done", false}, // a resolved thread
	{"space", true},
	{"space", true},
	{"space", true},
	{"space", true}, // marks the page as read and opens the next
	{"S", true},
	{"=3", false},
	{"4", false},
	{"", false},
	{"Please check the figures.", false},
	{".", false},
	{"ctrl+s", true}, // changes are requested
}

// recordLines runs lines of input and returns the output at the start and after each line.
func recordLines(t *testing.T, s *tuitest.Screen, said []string) (answers []string) {
	t.Helper()
	var out strings.Builder
	answer := func() {
		answers = append(answers, out.String())
		out.Reset()
	}
	in := readFunc(func(p []byte) (int, error) {
		answer()
		if len(answers) > len(said) {
			return 0, io.EOF
		}
		return copy(p, said[len(answers)-1]+"\n"), nil
	})
	if err := tui.Linear(s.Model, in, &out); err != nil {
		t.Fatal(err)
	}
	if len(answers) <= len(said) {
		answer()
	}
	return answers
}

// A complete review takes at most 70 lines of input, and each line of input writes at most 12 lines unless it opens a page.
func TestLinearReview(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	var said []string
	for _, act := range linearReview {
		said = append(said, act.input)
	}
	answers := recordLines(t, s, said)
	if len(said) > 70 || len(answers) != len(said)+1 {
		t.Errorf("%d lines of input, %d answers", len(said), len(answers))
	}
	transcript := answers[0]
	for i, answer := range answers[1:] {
		transcript += said[i] + "\n" + answer
		if n := strings.Count(answer, "\n"); n > 12 && !linearReview[i].opens {
			t.Errorf("%q writes %d lines: %s", said[i], n, answer)
		}
	}
	want := []string{
		"update-comment c_4 resolved true done",
		"submit changes-requested of r_7: Please check the figures.\n\n  p_quick/b_3 at r_7: Which version is current?\n\n" +
			"  p_quick/b_1 “wait\nuntil”@24 at r_7: Until when?\n\n  reply c_1: It is.\n\n" +
			"  p_quick/b_1 suggests \"Plug the gateway in and wait for the green light.\" at r_7: Suggested edit.",
	}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	tuitest.Golden(t, "linear-review.txt", strings.TrimSuffix(transcript, "\n"))
}
