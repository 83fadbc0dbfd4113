package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPullMergesWhatIsNewAtThePath pulls a space in which a page was deleted and another one made at its path. An edited file is merged
// with the new page, one that was not edited becomes it.
func TestPullMergesWhatIsNewAtThePath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := map[string]string{"a.md": "# A\n\nOne.\n\nTwo.\n\nThree.\n", "b.md": "# B\n\nOne.\n"}
	pullInto(t, dir, exportOf(t, "1", before, nil))
	write(t, dir, map[string]string{"a.md": "# A\n\nOne here.\n\nTwo.\n\nThree.\n"})
	after := map[string]string{"a.md": "# A\n\nOne.\n\nTwo.\n\nThree there.\n", "b.md": "# B\n\nTwo.\n"}
	results := pullInto(t, dir, exportOf(t, "12", after, map[string]string{"a.md": "a2", "b.md": "b2"}))
	want := []Result{{Outcome: Merged, Path: "a.md"}, {Outcome: Updated, Path: "b.md"}}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Error(diff)
	}
	files := map[string]string{"a.md": "# A\n\nOne here.\n\nTwo.\n\nThree there.\n", "b.md": "# B\n\nTwo.\n"}
	if diff := cmp.Diff(files, filesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	f := openFolder(t, dir)
	if e, _ := f.State.Entry("a.md"); e.Key() != "a2" {
		t.Errorf("the entry of a.md is %v", e)
	}
}

// TestPullWritesBesideOtherFile pulls a new page whose path a page that was moved here has.
func TestPullWritesBesideOtherFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "1", map[string]string{"a.md": "# A\n\nOne.\n", "c-2.md": "# C\n"}, nil))
	if err := os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	x := exportOf(t, "12", map[string]string{"a.md": "# A\n\nOne.\n", "c-2.md": "# C\n", "c.md": "# New\n"}, nil)
	results := pullInto(t, dir, x)
	if len(results) != 1 || results[0].Outcome != Conflicted || results[0].Path != "c-3.md" ||
		!strings.Contains(results[0].Reason, "c.md is another") {
		t.Errorf("the results are %+v", results)
	}
	files := map[string]string{"c.md": "# A\n\nOne.\n", "c-2.md": "# C\n", "c-3.md": "# New\n"}
	if diff := cmp.Diff(files, filesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	if results := pullInto(t, dir, x); len(results) > 0 {
		t.Errorf("the second pull has %v", results)
	}
	moved := map[string]string{}
	for _, c := range planPush(t, openFolder(t, dir)).Changes {
		moved[c.Was] = string(c.Kind) + " " + c.Path
	}
	if diff := cmp.Diff(map[string]string{"a.md": "moved c.md", "c.md": "moved c-3.md"}, moved); diff != "" {
		t.Error(diff)
	}
}

// TestUndecidedDeletionIsNotSent pulls the deletion of an edited page, and pushes without a decision.
func TestUndecidedDeletionIsNotSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "1", map[string]string{"a.md": "# A\n\nOne.\n", "b.md": "# B\n"}, nil))
	write(t, dir, map[string]string{"a.md": "# A\n\nTwo.\n"})
	pullInto(t, dir, exportOf(t, "12", map[string]string{"b.md": "# B\n"}, nil))
	f := openFolder(t, dir)
	_, differences := differencesOf(t, f)
	if _, err := f.PlanPush(differences, PushOptions{}); err == nil || !strings.Contains(err.Error(), "was changed here and in the space") {
		t.Errorf("the push is planned: %v", err)
	}
}
