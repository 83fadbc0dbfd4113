package folder

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pulledFolder returns a folder with local changes, and an export that changes files of every kind in it.
func pulledFolder(t *testing.T) (dir string, x *Export) {
	t.Helper()
	base := map[string]string{
		"gone/only.md": "Gone.\n", "moved.md": "Moved.\n", "a.md": "A.\n", "b.md": "B.\n", "same.md": "Same.\n",
		"merged.md": "# Merged\n\nOne.\n\nTwo.\n\nThree.\n", "both.md": "# Both\n\nIn 15 minutes.\n\nAll is well.\n",
		"x.png": "1", "y.png": "1", "crlf.md": "# Lines\n\nOne.\n",
	}
	dir = t.TempDir()
	pullInto(t, dir, exportOf(t, "r_1", base, nil))
	write(t, dir, map[string]string{
		"merged.md": "# Merged\n\nOne.\n\nTwo.\n\nThree here.\n", "both.md": "# Both\n\nIn 12 minutes.\n\nAll is well.\n",
		"y.png": "here", "own.md": "Mine.\n", "crlf.md": "# Lines\r\n\r\nOne.\r\n",
	})
	return dir, exportOf(t, "r_2", map[string]string{
		"there/moved.md": "Moved.\n", "a.md": "B.\n", "b.md": "A.\n", "same.md": "Same.\n", "new/new.md": "New.\n",
		"merged.md": "# Merged\n\nOne there.\n\nTwo.\n\nThree.\n", "both.md": "# Both\n\nIn 10 minutes.\n\nAll is well.\n",
		"x.png": "there", "y.png": "there", "crlf.md": "# Lines\n\nOne there.\n",
	}, map[string]string{"there/moved.md": "moved.md", "a.md": "b.md", "b.md": "a.md"})
}

// undoIn undoes the last pull of the folder at dir and returns the results.
func undoIn(t *testing.T, dir string) []Result {
	t.Helper()
	f := openFolder(t, dir)
	defer f.Close()
	p, err := f.planUndo()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := f.undo(p); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	return p.Results
}

// TestUndoRestoresFilesAndState undoes pulls that create, replace, merge, mark, move, exchange and remove files.
func TestUndoRestoresFilesAndState(t *testing.T) {
	t.Parallel()
	dir, second := pulledFolder(t)
	before := contentOf(t, dir)
	delete(before, undoName) // of the first pull
	pullInto(t, dir, second)
	if diff := cmp.Diff(before, contentOf(t, dir)); diff == "" {
		t.Fatal("the pull changed nothing")
	}
	pullInto(t, dir, second) // changes nothing, and the first one can still be undone
	results := undoIn(t, dir)
	if diff := cmp.Diff(before, contentOf(t, dir)); diff != "" {
		t.Error("after undo, the folder differs from that before the pull:", diff)
	}
	if len(results) < 10 {
		t.Errorf("%d results, want one for each changed file: %v", len(results), results)
	}
	f := openFolder(t, dir)
	if _, err := f.planUndo(); !errors.Is(err, errNoPull) {
		t.Errorf("the pull was undone twice: %v", err)
	}
}

// TestUndoOfFirstPull checks that the first pull is undone, so that no file of it and no state is left.
func TestUndoOfFirstPull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"own.md": "Mine.\n"})
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"a.md": "A.\n", "part/b.md": "B.\n"}, nil))
	undoIn(t, dir)
	for _, at := range []string{"a.md", "part", stateName, undoName} {
		if _, err := os.Lstat(filepath.Join(dir, at)); err == nil {
			t.Errorf("%s is left", at)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "own.md")); err != nil || string(data) != "Mine.\n" {
		t.Error(string(data), err)
	}
}

// TestUndoKeepsLaterChanges checks that files which were changed since the pull stay, and with them those whose paths they have
// exchanged.
func TestUndoKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	dir, second := pulledFolder(t)
	pullInto(t, dir, second)
	later := map[string]string{
		"both.md": "# Both\n\nIn 11 minutes.\n\nAll is well.\n", "there/moved.md": "Moved and edited.\n", "a.md": "B, edited.\n",
	}
	write(t, dir, later)
	results := undoIn(t, dir)
	want := map[string]string{
		"b.md": "A.\n", "x.png": "1", "y.png": "here", "merged.md": "# Merged\n\nOne.\n\nTwo.\n\nThree here.\n", "gone/only.md": "Gone.\n",
		"crlf.md": "# Lines\r\n\r\nOne.\r\n",
	}
	maps.Copy(want, later)
	for at, text := range want {
		if data, err := os.ReadFile(filepath.Join(dir, at)); err != nil || string(data) != text {
			t.Errorf("%s is %q (%v), want %q", at, data, err, text)
		}
	}
	for _, at := range []string{"moved.md", "new"} {
		if _, err := os.Lstat(filepath.Join(dir, at)); err == nil {
			t.Errorf("%s is there", at)
		}
	}
	stay := 0
	for _, r := range results {
		if r.Outcome == Conflicted {
			stay++
		}
	}
	if stay != len(later) {
		t.Errorf("%d files are reported to stay, want %d: %v", stay, len(later), results)
	}
	f := openFolder(t, dir)
	_, differences := differencesOf(t, f)
	for _, d := range differences {
		if d.Kind == Added && d.Path() != "own.md" || d.Kind == Deleted {
			t.Errorf("%s is %s after undo", d.Path(), d.Kind)
		}
	}
	f.Close()
	pullInto(t, dir, second) // merges it again
	if data, err := os.ReadFile(filepath.Join(dir, "both.md")); err != nil || string(data) != later["both.md"] {
		t.Errorf("the decided conflict was marked again: %s (%v)", data, err)
	}
}

// TestKilledUndoIsCompleted kills undo before each change of the file system, and runs it again.
func TestKilledUndoIsCompleted(t *testing.T) {
	t.Parallel()
	from, second := pulledFolder(t)
	want := contentOf(t, from)
	delete(want, undoName) // of the first pull
	pullInto(t, from, second)
	undo := func(f *Folder) {
		p, err := f.planUndo()
		if errors.Is(err, errNoPull) { // it was undone, and texts that are not used may be left
			err = f.dropUnusedTexts()
		} else if err == nil {
			_, err = f.undo(p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	checkKills(t, from, want, 40, func(dir string, n int) bool { return runKilled(t, dir, n, undo) }, func(dir string) {
		runKilled(t, dir, -1, undo)
	})
}

// TestDamagedUndoChangesNothing checks that undo changes no file if one of the earlier texts is damaged or missing.
func TestDamagedUndoChangesNothing(t *testing.T) {
	t.Parallel()
	dir, second := pulledFolder(t)
	pullInto(t, dir, second)
	kept := filepath.Join(dir, baseName, hashOf([]byte("# Both\n\nIn 12 minutes.\n\nAll is well.\n")))
	for name, damage := range map[string]func() error{
		"cut off": func() error { return os.WriteFile(kept, []byte("# Bo"), 0o600) },
		"missing": func() error { return os.Remove(kept) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		before := contentOf(t, dir)
		f := openFolder(t, dir)
		p, err := f.planUndo()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.undo(p); err == nil || !strings.Contains(err.Error(), "nothing was undone: the text that both.md had") {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
		if diff := cmp.Diff(before, contentOf(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestJournalPathsAreChecked checks that the journals of a hostile folder write nothing outside the content.
func TestJournalPathsAreChecked(t *testing.T) {
	t.Parallel()
	for _, at := range []string{".git/config", ".GIT/config", "../x.md", "wsctl.yaml", ".wsctl/state.json", "a/../../x", "nul"} {
		dir, second := pulledFolder(t)
		pullInto(t, dir, second)
		text := hashOf([]byte("New.\n"))
		data := `{"steps":[{"path":"` + at + `","old":"","new":"` + text + `"}],"state":null,"undo":true}`
		write(t, dir, map[string]string{undoName: data})
		f := openFolder(t, dir)
		if _, err := f.planUndo(); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("undo of %s: %v", at, err)
		}
		f.Close()
		write(t, dir, map[string]string{undoName: `{}`, journalName: data})
		if _, err := Open(dir, f.Config); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("journal of %s: %v", at, err)
		}
	}
}
