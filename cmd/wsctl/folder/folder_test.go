package folder

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// exportOf returns an export of pages and files by path. The id of each is its path, unless ids names another one.
func exportOf(t *testing.T, revision string, files, ids map[string]string) *Export {
	t.Helper()
	m := api.ExportManifest{Version: 1, Space: "s_1", Title: "Handbook", Revision: revision, Number: len(revision)}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name, text string) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(files)) {
		e := api.ExportEntry{Path: at, Kind: api.ExportFile, IDs: []string{at}, Size: len(files[at]), SHA256: hashOf([]byte(files[at]))}
		if id := ids[at]; id != "" {
			e.IDs = []string{id}
		}
		if isText(at) {
			e.Kind = api.ExportPage
			title := strings.TrimSuffix(at, ".md")
			m.Pages = append(m.Pages, api.ExportedPage{ID: e.IDs[0], Type: api.PageDocument, Title: title, Slug: slugOf(at), Path: at})
		}
		m.Entries = append(m.Entries, e)
		add(at, files[at])
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	add(api.ManifestName, string(data))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var a api.Archive
	a.SetText(b.String())
	x, err := ReadExport(a)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// openFolder opens a folder with a configuration at dir.
func openFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Open(dir, Config{Version: 1, Server: "http://127.0.0.1:8080", Space: "s_1", Name: "docs"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// pullInto pulls an export into the folder at dir and returns the results.
func pullInto(t *testing.T, dir string, x *Export) []Result {
	t.Helper()
	f := openFolder(t, dir)
	defer f.Close()
	p := planPull(t, f, x)
	left, err := f.Apply(p)
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	return p.Results
}

// planPull plans the pull of an export.
func planPull(t *testing.T, f *Folder, x *Export) *Pull {
	t.Helper()
	s, err := f.Scan(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.PlanPull(t.Context(), x, s, Labels{oursLabel, baseLabelStart + "1", "space"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// differencesOf compares the files of a folder with its state.
func differencesOf(t *testing.T, f *Folder) (Scan, []Difference) {
	t.Helper()
	s, err := f.Scan(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	differences, _, err := f.Compare(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, differences
}

// filesOf returns the files below dir without the data of wsctl.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d.Name() == dataName {
				return filepath.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(dir, at)
		data, err := os.ReadFile(at)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPullWritesAndUpdates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := map[string]string{
		"README.md": "# Home\r\n", "a/b.md": "One.\n\nTwo.\n", "img/x.png": "\x89PNG", "gone.md": "Gone.\n", "n.md": "no newline",
	}
	pullInto(t, dir, exportOf(t, "r_1", first, nil))
	if diff := cmp.Diff(first, filesOf(t, dir)); diff != "" {
		t.Fatal(diff)
	}
	if got := pullInto(t, dir, exportOf(t, "r_1", first, nil)); len(got) > 0 {
		t.Errorf("the same again: %v", got)
	}
	write(t, dir, map[string]string{"a/b.md": "One here.\n\nTwo.\n", "own.md": "Mine.\n"})
	second := map[string]string{
		"README.md": "# Home 2\r\n", "c/d.md": "One.\n\nTwo there.\n", "img/x.png": "\x89PNG2", "n.md": "no newline",
	}
	got := pullInto(t, dir, exportOf(t, "r_2", second, map[string]string{"c/d.md": "a/b.md"}))
	want := map[string]string{
		"README.md": "# Home 2\r\n", "c/d.md": "One here.\n\nTwo there.\n", "img/x.png": "\x89PNG2", "n.md": "no newline",
		"own.md": "Mine.\n",
	}
	if diff := cmp.Diff(want, filesOf(t, dir)); diff != "" {
		t.Errorf("%s%v", diff, got)
	}
	if diff := cmp.Diff([]Result{
		{Outcome: Updated, Path: "README.md"},
		{Outcome: Merged, Path: "c/d.md", Was: "a/b.md"},
		{Outcome: Removed, Path: "gone.md"},
		{Outcome: Updated, Path: "img/x.png"},
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPullMarksConflicts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := "# On call\n\nAcknowledge within 15 minutes.\n\nBe kind.\n"
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"on-call.md": base, "edited.md": "Edit.\n", "x.png": "1"}, nil))
	write(t, dir, map[string]string{
		"on-call.md": strings.Replace(base, "15", "12", 1), "edited.md": "Edited here.\n", "x.png": "here", "new.md": "New here.\n",
	})
	got := pullInto(t, dir, exportOf(t, "r_2", map[string]string{
		"on-call.md": strings.ReplaceAll(strings.Replace(base, "15", "10", 1), "kind", "very kind"), "x.png": "there",
		"new.md": "New there.\n",
	}, nil))
	files := filesOf(t, dir)
	want := "# On call\n\n<<<<<<< this folder\nAcknowledge within 12 minutes.\n||||||| before, revision 1\n" +
		"Acknowledge within 15 minutes.\n=======\nAcknowledge within 10 minutes.\n>>>>>>> space\n\nBe very kind.\n"
	if files["on-call.md"] != want || files["x.png"] != "here" || files["edited.md"] != "Edited here.\n" {
		t.Errorf("%q", files)
	}
	for _, side := range []string{"New here.\n", "New there.\n"} {
		if !strings.Contains(files["new.md"], side) {
			t.Errorf("new.md lost %q: %q", side, files["new.md"])
		}
	}
	if len(got) != 4 || slices.ContainsFunc(got, func(r Result) bool { return r.Outcome != Conflicted }) {
		t.Errorf("%v", got)
	}
	if line := undecidedLine([]byte(files["on-call.md"])); line != 3 {
		t.Errorf("undecided at line %d", line)
	}
}

func TestPullSwapsPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"a.md": "A.\n", "b.md": "B.\n"}, nil))
	swapped := map[string]string{"a.md": "b.md", "b.md": "a.md"}
	pullInto(t, dir, exportOf(t, "r_2", map[string]string{"a.md": "B.\n", "b.md": "A.\n"}, swapped))
	if diff := cmp.Diff(map[string]string{"a.md": "B.\n", "b.md": "A.\n"}, filesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestPullLeavesSymbolicLinksAlone(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "a")); err != nil {
		t.Skip(err)
	}
	f := openFolder(t, dir)
	s, err := f.Scan(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.PlanPull(t.Context(), exportOf(t, "r_1", map[string]string{"a/b.md": "B.\n"}, nil), s, Labels{}, "")
	if err == nil {
		_, err = f.Apply(p)
	}
	if err == nil && (len(p.Results) != 1 || p.Results[0].Outcome != Conflicted) || len(filesOf(t, outside)) > 0 {
		t.Errorf("%v, %v; outside: %v", p.Results, err, filesOf(t, outside))
	}
}

func TestReadExportRejectsUnsafePaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../x", ".git/hooks/post-checkout", "/etc/x", "wsctl.yaml", "a\\b", "git~1/x", ".GIT/config", "con"} {
		e := api.ExportEntry{Path: name, Kind: api.ExportFile, SHA256: hashOf(nil)}
		m, _ := json.Marshal(api.ExportManifest{Version: 1, Entries: []api.ExportEntry{e}})
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for at, data := range map[string][]byte{api.ManifestName: m, name: nil} {
			if f, err := w.Create(at); err == nil {
				_, _ = f.Write(data)
			}
		}
		_ = w.Close()
		var a api.Archive
		a.SetText(b.String())
		if _, err := ReadExport(a); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
}

func TestOpenRejectsStateOfAnotherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"a.md": "A.\n"}, nil))
	write(t, dir, map[string]string{stateName: `{"version": 2, "space": "s_1"}`})
	f, err := Open(dir, Config{Version: 1, Space: "s_1", Name: "docs"})
	if err == nil {
		f.Close()
		t.Error("a state of another version was opened")
	}
}

// TestTakeDecidesConflictsOnly checks that a side is taken of what both sides changed, and that other changes of both stay.
func TestTakeDecidesConflictsOnly(t *testing.T) {
	t.Parallel()
	base := "# On call\n\nAcknowledge within 15 minutes.\n\nBe kind.\n\nSleep well.\n"
	ours := strings.NewReplacer("15", "12", "kind", "very kind").Replace(base)
	theirs := strings.NewReplacer("15", "10", "Sleep well", "Sleep very well").Replace(base)
	for side, minutes := range map[Side]string{TakeFolder: "12", TakeSpace: "10"} {
		dir := t.TempDir()
		pullInto(t, dir, exportOf(t, "r_1", map[string]string{"a.md": base}, nil))
		write(t, dir, map[string]string{"a.md": ours})
		f := openFolder(t, dir)
		s, err := f.Scan(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.PlanPull(t.Context(), exportOf(t, "r_2", map[string]string{"a.md": theirs}, nil), s, Labels{}, side)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Apply(p); err != nil {
			t.Fatal(err)
		}
		f.Close()
		want := strings.NewReplacer("15", minutes, "kind", "very kind", "Sleep well", "Sleep very well").Replace(base)
		if got := filesOf(t, dir)["a.md"]; got != want {
			t.Errorf("%s: %q, want %q", side, got, want)
		}
	}
}

// comparedKinds returns the differences of the folder at dir as kind, path before and path now.
func comparedKinds(t *testing.T, dir string) (kinds []string) {
	t.Helper()
	f := openFolder(t, dir)
	defer f.Close()
	s, err := f.Scan(time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	differences, _, err := f.Compare(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		kinds = append(kinds, fmt.Sprintf("%s %s %s", d.Kind, d.Entry.Path, d.File.Path))
	}
	return kinds
}

func TestCompareMatchesFiles(t *testing.T) {
	t.Parallel()
	base := map[string]string{"a.md": "Text of A.\n", "b.md": "Text of B.\n", "x.png": "X", "y.png": "Y"}
	for name, test := range map[string]struct {
		files map[string]string // other than base; "" is removed
		want  []string
	}{
		"unchanged": {nil, []string{"same a.md a.md", "same b.md b.md", "same x.png x.png", "same y.png y.png"}},
		"pages swap names": {
			map[string]string{"a.md": "Text of B.\n", "b.md": "Text of A.\n"},
			[]string{"moved b.md a.md", "moved a.md b.md", "same x.png x.png", "same y.png y.png"},
		},
		"a page moves to the name of a moved one": {
			map[string]string{"a.md": "Text of B.\n", "b.md": "", "z.md": "Text of A.\n"},
			[]string{"moved b.md a.md", "same x.png x.png", "same y.png y.png", "moved a.md z.md"},
		},
		"a copy of an edited page is new": {
			map[string]string{"a.md": "Edited A.\n", "z.md": "Text of A.\n"},
			[]string{"modified a.md a.md", "same b.md b.md", "same x.png x.png", "same y.png y.png", "added  z.md"},
		},
		"a page is replaced by a copy of another": {
			map[string]string{"a.md": "Text of B.\n"},
			[]string{"modified a.md a.md", "same b.md b.md", "same x.png x.png", "same y.png y.png"},
		},
		"pictures do not swap names": {
			map[string]string{"x.png": "Y", "y.png": "X"},
			[]string{"same a.md a.md", "same b.md b.md", "modified x.png x.png", "modified y.png y.png"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pullInto(t, dir, exportOf(t, "r_1", base, nil))
			for at, text := range test.files {
				if text == "" {
					if err := os.Remove(filepath.Join(dir, at)); err != nil {
						t.Fatal(err)
					}
					continue
				}
				write(t, dir, map[string]string{at: text})
			}
			if diff := cmp.Diff(test.want, comparedKinds(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUndecidedFileIsNotSent checks that a picture that both sides changed stays undecided over pulls, is not sent, and is decided by
// a side.
func TestUndecidedFileIsNotSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"x.png": "1"}, nil))
	write(t, dir, map[string]string{"x.png": "here"})
	there := exportOf(t, "r_2", map[string]string{"x.png": "there"}, nil)
	for range 2 {
		if got := pullInto(t, dir, there); len(got) != 1 || got[0].Outcome != Conflicted {
			t.Fatalf("%v", got)
		}
		f := openFolder(t, dir)
		_, differences := differencesOf(t, f)
		if _, err := f.PlanPush(differences, PushOptions{}); err == nil || !strings.Contains(err.Error(), "x.png") {
			t.Errorf("an undecided file is sent: %v", err)
		}
		f.Close()
	}
	f := openFolder(t, dir)
	s, err := f.Scan(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.PlanPull(t.Context(), there, s, Labels{}, TakeFolder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(p); err != nil || len(p.Results) > 0 {
		t.Fatal(p.Results, err)
	}
	if e := f.State.Entries[0]; e.IsUndecided || e.SHA256 != hashOf([]byte("there")) || filesOf(t, dir)["x.png"] != "here" {
		t.Errorf("%+v", e)
	}
}

func TestUndecidedLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"a\n":                          0,
		"a\n<<<<<<< this folder\nb\n":  2,
		"||||||| before, revision 3\n": 1,
		"<<<<<<< HEAD\nb\n":            0,
		"x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n":            2,
		"```text\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```\n": 0,
		"Title\n=======\n":               0,
		"<<<<<<< this folder\r\na\r\n":   1,
		"a\n=======\nb\n>>>>>>> space\n": 4,
		">>>>>>> #12\n":                  1,
		">>>>>>> #a\n>>>>>>> a quote\n":  0,
	} {
		if got := undecidedLine([]byte(text)); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}
