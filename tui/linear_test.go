package tui_test

import (
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

// A complete review in line mode contains no decoration.
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

// A number selects a row even if digits are keys, which are written with a leading =.
func TestLinearNumberSelectsRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said []string
		want string // expected output
		not  string
	}{
		"a line of the submit form":    {[]string{"S", "2"}, "at: (•) comment only   ( ) approve   ( ) request changes", "(•) approve"},
		"a key of the submit form":     {[]string{"S", "=2"}, "( ) comment only   (•) approve   ( ) request changes", "no such number"},
		"a line of the conflicts":      {[]string{"m", "yes", "1"}, "at: 2 conflicts, 0 decided", "1 decided"},
		"a key of the conflicts":       {[]string{"m", "yes", "=1"}, "2 conflicts, 1 decided", "not known"},
		"a key without an action here": {[]string{"=4"}, "a digit alone chooses where choices are offered", "no such number"},
		"letters after the sign":       {[]string{"=2x"}, "“=2x” is not known here; ? lists the keys", "at: x"},
		"the keys, with how to type": {
			[]string{"m", "yes", "?"},
			"= before a digit makes it a key (=1), ? lists the keys, q quits.\nKeys here: conflicts",
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

// Input that matches no action name is ignored, however many letters it shares with one. A prefix is sufficient.
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
