package tui

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui/page"
)

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

func TestExternalEditorResult(t *testing.T) {
	t.Parallel()
	path, made, err := writeTempFile("draft")
	if err != nil {
		t.Fatal(err)
	}
	failed, _ := readBack(path, made, os.ErrPermission).(page.EditedMsg)
	if failed.Err == nil {
		t.Error("a failed editor is no error")
	}
	if err := os.WriteFile(path, []byte("draft, longer\n"), 0o600); err != nil { // the file still exists
		t.Fatal(err)
	}
	if err := os.Chtimes(path, made, made.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := readBack(path, made, nil); got != (page.EditedMsg{Text: "draft, longer"}) {
		t.Errorf("read %v", got)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file stays")
	}
	if path, made, err = writeTempFile("draft"); err != nil {
		t.Fatal(err)
	}
	if got := readBack(path, made, nil); got != (page.EditedMsg{Text: "draft", Untouched: true}) {
		t.Errorf("left without saving: %v", got)
	}
	if err := describeNotFound("nano", &exec.Error{
		Name: "nano", Err: exec.ErrNotFound,
	}); err.Error() != "nano was not found: set VISUAL or EDITOR" {
		t.Error(err)
	}
	if got, _ := ExternalEditor(" ", RunOnTerminal)("x")().(page.EditedMsg); got.Err == nil {
		t.Error("no editor is no error")
	}
}

// TestFileArguments checks that known editors open a file at a line.
func TestFileArguments(t *testing.T) {
	t.Parallel()
	for editor, want := range map[string][]string{
		"vim": {"+7", "p.md"}, "/usr/bin/nvim": {"+7", "p.md"}, "nano": {"+7", "p.md"}, "emacsclient": {"+7", "p.md"}, "micro": {
			"+7",
			"p.md",
		},
		"hx": {"p.md:7"}, "code": {"-g", "p.md:7"}, "Code.exe": {"-g", "p.md:7"}, "ed": {"p.md"},
	} {
		if got := fileArguments(editor, "p.md", 7); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", editor, got, want)
		}
		if got := fileArguments(editor, "p.md", 0); !slices.Equal(got, []string{"p.md"}) {
			t.Errorf("%s without a line: %q", editor, got)
		}
	}
}
