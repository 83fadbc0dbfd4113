package tui

import (
	"os"
	"path/filepath"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDraftDir(t *testing.T) {
	t.Parallel()
	dir := DraftDir(filepath.Join(t.TempDir(), "drafts"))
	if all, err := dir.All(); err != nil || len(all) != 0 {
		t.Errorf("before: %v %v", all, err)
	}
	comment := Draft{Place: Place{"s", "c"}, Page: "p", Node: "b", About: "x", Text: "one", Key: "k1"}
	reply := Draft{Place: Place{"s", "c"}, Comment: "c_1", Text: "two", Key: "k2"}
	for _, d := range []Draft{comment, reply} {
		if err := dir.Save(d); err != nil {
			t.Fatal(err)
		}
	}
	comment.Text = "one more"
	if err := dir.Save(comment); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(dir), "torn.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := dir.All()
	byText := cmpopts.SortSlices(func(a, b Draft) bool { return a.Text < b.Text })
	if diff := cmp.Diff([]Draft{comment, reply}, all, byText); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := dir.Delete(comment.ID()); err != nil {
		t.Error(err)
	}
	if err := dir.Delete(comment.ID()); err != nil {
		t.Errorf("again: %v", err)
	}
	if all, _ := dir.All(); len(all) != 1 {
		t.Errorf("left: %v", all)
	}
}

func TestDraftsAreReadableByTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := DraftDir(filepath.Join(t.TempDir(), "drafts"))
	if err := dir.Save(Draft{Text: "secret"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{string(dir): 0o700, dir.path(Draft{}.ID()): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
}

func TestShellWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                          nil,
		"vi":                        {"vi"},
		"code --wait  -n":           {"code", "--wait", "-n"},
		`'/opt/my editor' "a b"c`:   {"/opt/my editor", "a bc"},
		`/opt/my\ editor ""`:        {"/opt/my editor", ""},
		`emacs -eval '(foo "bar")'`: {"emacs", "-eval", `(foo "bar")`},
	} {
		if diff := cmp.Diff(want, shellWords(line)); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}

func TestWhatTheEditorLeft(t *testing.T) {
	t.Parallel()
	path, err := writeTemporary("draft")
	if err != nil {
		t.Fatal(err)
	}
	failed, _ := readBack(path, os.ErrPermission).(editedMsg)
	if failed.err == nil {
		t.Error("a failed editor is no error")
	}
	if err := os.WriteFile(path, []byte("draft, longer\n"), 0o600); err != nil { // it is still there
		t.Fatal(err)
	}
	if got := readBack(path, nil); got != (editedMsg{text: "draft, longer"}) {
		t.Errorf("read %v", got)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file stays")
	}
	if got, _ := Editor(" ")("x")().(editedMsg); got.err == nil {
		t.Error("no editor is no error")
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, start, want string
		single            bool
		keys              []string
	}{
		{"typed", "", "ab c", false, []string{"a", "b", " ", "c"}},
		{"lines", "ab", "a\nb", false, []string{"left", "enter"}},
		{"joined", "a\nb", "ab", false, []string{"home", "backspace"}},
		{"joined from above", "a\nb", "ab", false, []string{"up", "end", "delete"}},
		{"word", "one two", "one ", false, []string{"ctrl+w"}},
		{"line", "one two", "", false, []string{"ctrl+u"}},
		{"in the middle", "ac", "abc", false, []string{"left", `"b`}},
		{"around lines", "a\nb", "a\nxb", false, []string{"home", "left", "right", "x"}},
		{"one line", "a", "a b", true, []string{"enter", `" b`}},
		{"at the ends", "", "", false, []string{"left", "up", "backspace", "delete", "right", "down"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newField(c.start, c.single)
			for _, k := range c.keys {
				f.key(keyMsg(k))
			}
			if got := f.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	f := newField("", false)
	if f.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x"), Alt: true}) {
		t.Error("alt+x is text")
	}
}
