package tui_test

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// runLines runs lines of input and returns the output.
func runLines(t *testing.T, s *tuitest.Screen, said ...string) string {
	t.Helper()
	var out strings.Builder
	if err := tui.Linear(s.Model, strings.NewReader(strings.Join(said, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestLinear checks that a complete review in line mode contains no decoration.
func TestLinear(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	said := []string{
		"nonsense xyz", "99", "", "n", "reply", "It is.", "Two lines.", ".", "]", "]", "c", "Kept.", ".", "esc", "approve", "ctrl+s",
		"ctrl+s", "m", "no", "q", "q",
	}
	var out strings.Builder
	if err := tui.Linear(s.Model, strings.NewReader(strings.Join(said, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	want := []string{"submit approved of r_7\n  p_quick/b_3 at r_7: Kept.\n\n  reply c_1: It is.\nTwo lines.\n"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("drafts %v", s.Journal.Drafts)
	}
	if strings.ContainsAny(out.String(), "┃│█▌\x1b") {
		t.Error("it draws")
	}
	tuitest.Golden(t, "linear.txt", strings.TrimSuffix(out.String(), "\n"))
}

func TestLinearEndsWithInput(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tui.Options{Space: "s_1"})
	var out strings.Builder
	if err := tui.Linear(s.Model, strings.NewReader("99\nspace\n"), &out); err != nil || !strings.Contains(out.String(), "no such number") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestLinearNumberSelectsRow checks that a number selects a row even if digits are keys, which are written with a leading =.
func TestLinearNumberSelectsRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said []string
		want string // expected output
		not  string
	}{
		"row number in the submit form": {[]string{"S", "2"}, "at: (•) comment only, ( ) approve, ( ) request changes", "(•) approve"},
		"key in the submit form":        {[]string{"S", "=2"}, "( ) comment only, (•) approve, ( ) request changes", "no such number"},
		"row number in the conflicts":   {[]string{"m", "yes", "1"}, "at: 2 conflicts, 0 decided", "1 decided"},
		"key in the conflicts":          {[]string{"m", "yes", "=1"}, "2 conflicts, 1 decided", "not known"},
		"key without action":            {[]string{"=4"}, "a digit alone chooses where choices are offered", "no such number"},
		"invalid key":                   {[]string{"=2x"}, "“=2x” is not known here; ? lists the keys", "at: x"},
		"help": {
			[]string{"m", "yes", "?"},
			"= before a digit makes it a key (=1), again writes the page, ? lists the keys, q quits.\nKeys here: conflicts",
			"more lines",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tuitest.NewScreen(tuitest.ReviewOptions)
			s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult()}
			out := runLines(t, s, c.said...)
			if !strings.Contains(out, c.want) || strings.Contains(out, c.not) {
				t.Errorf("want %q and not %q: %s", c.want, c.not, out)
			}
		})
	}
}

// TestLinearIgnoresUnknownInput checks that input that matches no action name is ignored, however many letters it shares with
// one, and that a prefix of a name is sufficient.
func TestLinearIgnoresUnknownInput(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"More": "“More” is not known here; ? lists the keys", "mre": "“mre” is not known here; ? lists the keys",
		"z": "z does nothing here",
	} {
		out := runLines(t, tuitest.NewScreen(tuitest.ReviewOptions), said)
		if !strings.Contains(out, want) || strings.Contains(out, "mouse") {
			t.Errorf("%s: %s", said, out)
		}
	}
	if out := runLines(t, tuitest.NewScreen(tuitest.ReviewOptions), "mous"); !strings.Contains(out, "mouse") {
		t.Errorf("it is not found by the beginning of its name: %s", out)
	}
}

// splitAnswers splits the output at the prompts and returns the part after each line of input.
func splitAnswers(out string) (answers []string) {
	return strings.Split(out, "\n> ")[1:]
}

// TestLinearChoosesWords checks that the words of a block have numbers, and that the chosen words are read back before anything
// is written.
func TestLinearChoosesWords(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	out := runLines(t, s, "", "12", "v", "40", "wait until", "10-8", "c", "Which one?", ".", "S", "ctrl+s", "q", "q")
	for _, want := range []string{
		"Which words? Each has a number.\n1 Plug, 2 the, 3 gateway, 4 in, 5 and, 6 wait", "“40” is not in the text.",
		"“wait until”, words 6 to 7. c comments on it, s suggests other words", "“the light is”, words 8 to 10.", "✓ 1 comment posted",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q: %s", want, out)
		}
	}
	want := []string{"submit  of r_7\n  p_quick/b_1 “the light is”@35 at r_7: Which one?\n"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// The lines written for a suggestion replace the original words.
func TestLinearSuggestsWords(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	out := runLines(t, s, "", "12", "v", "wait until", "s", "wait", "as long as", ".", "S", "ctrl+s", "q", "q")
	for _, want := range []string{
		"suggestion for “wait until”", "Write what the text above should be; a line with . alone ends it (done, not sent yet)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q: %s", want, out)
		}
	}
	want := []string{
		"submit  of r_7\n  p_quick/b_1 “wait\nuntil”@24 suggests " + strconv.Quote("wait\nas long as") + " at r_7: Suggested edit.",
	}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Errorf("%s\n%s", diff, out)
	}
}

// Choices are numbered, and answered by number or words. Any other input is reported as none of them.
func TestLinearAnswersChoices(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	out := runLines(t, s, "29", "x", "maybe", "answered", "q", "q")
	for _, want := range []string{"1: done", "2: answered", "“maybe” is none of the choices.", "✓ resolved"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q: %s", want, out)
		}
	}
	out = runLines(t, tuitest.NewScreen(tui.Options{Space: "s_1"}), ":", "qqzz", "quick start", "1", "q", "q")
	for _, want := range []string{"Go where, or do what?", "Nothing is called that.", "Plug the gateway in"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q: %s", want, out)
		}
	}
}

// TestLinearWritesOnlyChanges checks that only the changes are written after an action: at most 12 lines, unless another page
// is opened.
func TestLinearWritesOnlyChanges(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	input := []string{
		"", "]", "c", "A comment.", ".", "n", "r", "A reply.", ".", "x", "1", "V", "z", "u", "30", "99", "nonsense", "y",
		"d", ".",
	}
	out := runLines(t, s, append(input, "", "q", "q")...)
	for i, answer := range splitAnswers(out) {
		if n := strings.Count(answer, "\n"); i > 0 && i < len(input) && n > 12 && input[i] != "V" && input[i] != "z" {
			t.Errorf("%q writes %d lines: %s", input[i], n, answer)
		}
	}
}

// Changes by others are written between the prompts, once.
func TestLinearReportsNews(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	reads := 0
	in := readFunc(func(p []byte) (int, error) {
		if reads++; reads == 1 {
			s.Server.Edit(tuitest.UserGrace)
		}
		if reads > 4 {
			return 0, io.EOF
		}
		s.Pass(10)
		return copy(p, "n\n"), nil
	})
	var out strings.Builder
	if err := tui.Linear(s.Model, in, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "new: Grace edited Power and battery; R shows it"); n != 1 {
		t.Errorf("the edit is reported %d times: %s", n, out.String())
	}
}

// readFunc is an io.Reader.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestLinearNamesList checks that the name of the list that is shown is written.
func TestLinearNamesList(t *testing.T) {
	t.Parallel()
	out := runLines(t, tuitest.NewScreen(tuitest.InboxOptions), "tab", "again", "q")
	for _, want := range []string{"Inbox, Needs you (list 1 of ", "Waiting (list 2 of "} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q: %s", want, out)
		}
	}
}

// In line mode, the words of its help run every action of the screen.
func TestLinearReachesEveryAction(t *testing.T) {
	t.Parallel()
	for _, problem := range tui.UnreachableActions() {
		t.Error(problem)
	}
}
