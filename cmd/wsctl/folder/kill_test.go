package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// errKilled ends a killed process: runKilled panics with it.
var errKilled = errors.New("killed")

// runKilled runs a command in the folder at dir, which is killed before its n-th change of the file system, counted from 0. killed is
// false if it makes fewer changes.
func runKilled(t *testing.T, dir string, n int, command func(f *Folder)) (killed bool) {
	t.Helper()
	f := openFolder(t, dir)
	defer f.Close()
	defer func() {
		f.beforeChange = nil
		if failure := recover(); failure != nil {
			if failure != errKilled { //nolint:errorlint // the same value
				panic(failure)
			}
			killed = true
		}
	}()
	f.beforeChange = func() {
		if n == 0 {
			panic(errKilled)
		}
		n--
	}
	command(f)
	return false
}

// pullKilled pulls an export as the command pull does, and is killed before the n-th change.
func pullKilled(t *testing.T, dir string, n int, x *Export) (killed bool) {
	t.Helper()
	return runKilled(t, dir, n, func(f *Folder) {
		p := planPull(t, f, x)
		if err := errors.Join(f.makeData(), f.writeConfig(x.Title)); err != nil {
			t.Fatal(err)
		}
		if left, err := f.Apply(p); err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
	})
}

// checkKills kills a command in copies of a directory before each change of the file system, completes it, and compares the content with
// that after a command that was not killed. It is an error if there are fewer changes than least.
func checkKills(t *testing.T, from string, want map[string]string, least int, kill func(dir string, n int) (killed bool),
	complete func(dir string),
) {
	t.Helper()
	n := 0
	for ; ; n++ {
		dir := copyOf(t, from)
		if !kill(dir, n) {
			break
		}
		complete(dir)
		if diff := gocmp.Diff(want, contentOf(t, dir)); diff != "" {
			t.Fatalf("killed before change %d: %s", n, diff)
		}
	}
	t.Logf("killed before each of %d changes", n)
	if n < least {
		t.Errorf("%d changes, want at least %d", n, least)
	}
}

// contentOf returns the files, the directories and the data of wsctl below dir, without what depends on the time.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, at)
		if found[filepath.ToSlash(name)] = "directory"; d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(at)
		found[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	f := openFolder(t, dir)
	defer f.Close()
	var entries strings.Builder
	for _, e := range f.State.Entries {
		fmt.Fprintln(&entries, e.Kind, e.Path, e.SHA256, e.IDs, e.IsStale, e.IsUndecided)
	}
	found[stateName] = entries.String()
	delete(found, lockName)
	return found
}

// copyOf returns a copy of a directory.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestKilledPullIsCompleted kills a first pull and one with changes of every kind before each change of the file system, and runs it
// again.
func TestKilledPullIsCompleted(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"gone/only.md": "Gone.\n", "moved.md": "Moved.\n", "a.md": "A.\n", "b.md": "B.\n", "same.md": "Same.\n",
		"merged.md": "# Merged\n\nOne.\n\nTwo.\n\nThree.\n", "both.md": "# Both\n\nIn 15 minutes.\n\nAll is well.\n",
		"x.png": "1", "y.png": "1",
	}
	first := exportOf(t, "r_1", base, nil)
	second := exportOf(t, "r_2", map[string]string{
		"there/moved.md": "Moved.\n", "a.md": "B.\n", "b.md": "A.\n", "same.md": "Same.\n", "new/new.md": "New.\n",
		"merged.md": "# Merged\n\nOne there.\n\nTwo.\n\nThree.\n", "both.md": "# Both\n\nIn 10 minutes.\n\nAll is well.\n",
		"x.png": "there", "y.png": "there",
	}, map[string]string{"there/moved.md": "moved.md", "a.md": "b.md", "b.md": "a.md"})
	ours := map[string]string{
		"merged.md": "# Merged\n\nOne.\n\nTwo.\n\nThree here.\n", "both.md": "# Both\n\nIn 12 minutes.\n\nAll is well.\n", "y.png": "here",
		"own.md": "Mine.\n",
	}
	linked := t.TempDir()
	pullKilled(t, linked, -1, first)
	write(t, linked, ours)
	for name, from := range map[string]string{"first pull": t.TempDir(), "pull": linked} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := copyOf(t, from)
			pullKilled(t, whole, -1, second)
			pullKilled(t, whole, -1, second)
			want := contentOf(t, whole)
			checkKills(t, from, want, 40, func(dir string, n int) bool { return pullKilled(t, dir, n, second) }, func(dir string) {
				pullKilled(t, dir, -1, second)
			})
		})
	}
}

// TestKilledRecordIsCompleted kills a push before each change of the file system that it makes when it has its change request, and
// after it was sent. The request has everything then, and there is nothing to push.
func TestKilledRecordIsCompleted(t *testing.T) {
	t.Parallel()
	base := map[string]string{"gone.md": "Gone.\n", "moved.md": "Moved.\n", "edited.md": "Edited.\n", "x.png": "1"}
	pushed := map[string]string{
		"there/moved.md": "Moved.\n", "edited.md": "Edited here.\n", "new/new.md": "New.\n", "x.png": "2", "own.png": "3",
	}
	document := func(id, parent string) api.ExportedPage {
		return api.ExportedPage{ID: id, Type: api.PageDocument, Parent: parent, Path: id, Slug: slugOf(id)}
	}
	first := exportOf(t, "r_1", base, nil)
	first.Pages = []api.ExportedPage{document("edited.md", ""), document("gone.md", ""), document("moved.md", "")}
	request := exportOf(t, "r_2", pushed, map[string]string{"there/moved.md": "moved.md"})
	request.Pages = []api.ExportedPage{
		document("edited.md", ""),
		{ID: "g_1", Type: api.PageGroup, Title: "new"},
		document("new/new.md", "g_1"),
		{ID: "g_2", Type: api.PageGroup, Title: "there"},
		document("moved.md", "g_2"),
	}
	edited := t.TempDir()
	pullKilled(t, edited, -1, first)
	for at := range base {
		if err := os.Remove(filepath.Join(edited, at)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, edited, pushed)
	whole := copyOf(t, edited)
	recordKilled(t, whole, -1)
	want := contentOf(t, whole)
	checkKills(t, edited, want, 15, func(dir string, n int) bool { return recordKilled(t, dir, n) }, func(dir string) {
		f := openFolder(t, dir)
		defer f.Close()
		s := &session{folder: f}
		if f.State.Request == nil || f.State.Request.Unfinished { // as the next push goes on
			if err := s.adoptExport(request); err != nil {
				t.Fatal(err)
			}
		}
		if p := planPush(t, f); !p.IsEmpty() {
			t.Fatalf("%+v", p.Changes)
		}
		f.noteTimes(f.State.Entries)
		if err := f.saveState(); err != nil {
			t.Fatal(err)
		}
	})
}

// recordKilled records a push of the folder at dir as the command push does, and is killed before the n-th change.
func recordKilled(t *testing.T, dir string, n int) (killed bool) {
	t.Helper()
	return runKilled(t, dir, n, func(f *Folder) {
		p := planPush(t, f)
		f.State.Creation = &Creation{Key: "key"}
		f.State.Request = &Request{Number: 2, Unfinished: true}
		if err := f.saveState(); err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{} // the id of a new page or file is its path, as in exportOf
		for _, o := range p.operations {
			if o.path != "" && (o.change.Operation == api.InsertPage || o.change.Operation == api.InsertFiles) {
				ids[o.path] = o.path
			}
			if o.change.Ref != "" {
				ids[o.change.Ref] = cmp.Or(o.path, o.change.Ref)
			}
		}
		request := &api.ChangeRequest{}
		request.Number, request.Revision = 2, "r_2"
		s := &session{folder: f}
		if err := s.record(p, request, ids); err != nil {
			t.Fatal(err)
		}
	})
}

// planPush plans the push of all changes of a folder, with deletions.
func planPush(t *testing.T, f *Folder) *Push {
	t.Helper()
	_, differences := differencesOf(t, f)
	p, err := f.PlanPush(differences, PushOptions{Delete: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
