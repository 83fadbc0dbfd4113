package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A review by the line: read, answered, commented, judged, and no sign of what is only drawn.
func TestPagesByTheLine(t *testing.T) {
	t.Parallel()
	s := newStage(review)
	said := []string{
		"nonsense xyz", "99", "", "n", "reply", "It is.", "Two lines.", ".", "]", "]", "c", "Kept.", ".", "esc", "approve", "ctrl+s", "ctrl+s", "m", "no", "q", "q",
	}
	var out strings.Builder
	if err := Linear(s.model, strings.NewReader(strings.Join(said, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	want := []string{"submit approved of r_7\n  p_quick/b_3 at r_7: Kept.\n\n  reply c_1: It is.\nTwo lines.\n"}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	if len(s.drafts.all) != 0 {
		t.Errorf("drafts %v", s.drafts.all)
	}
	if strings.ContainsAny(out.String(), "┃│█▌\x1b") {
		t.Error("it draws")
	}
	golden(t, "linear.txt", strings.TrimSuffix(out.String(), "\n"))
}

func TestLinesEndWithTheInput(t *testing.T) {
	t.Parallel()
	s := newStage(Options{Space: "s_1"})
	var out strings.Builder
	if err := Linear(s.model, strings.NewReader("99\nspace\n"), &out); err != nil || !strings.Contains(out.String(), "no such number") {
		t.Errorf("%v: %s", err, out.String())
	}
}
