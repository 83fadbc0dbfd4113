package pack_test

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/pack"
)

// write makes files in a new folder. A text of the form -> TARGET makes a symbolic link.
func write(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "docs")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		target, isLink := strings.CutPrefix(files[name], "-> ")
		var err error
		if isLink {
			err = os.Symlink(target, at)
		} else {
			err = os.WriteFile(at, []byte(files[name]), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func packed(t *testing.T, f *pack.Folder) []byte {
	t.Helper()
	reader, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	data, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// unpack returns the names and the contents of the files in an archive.
func unpack(t *testing.T, data []byte) (names []string, contents map[string]string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	contents = map[string]string{}
	for _, entry := range z.File {
		opened, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(entry.Name, "folder/")
		names, contents[name] = append(names, name), string(text)
	}
	return names, contents
}

func read(t *testing.T, root string) *pack.Folder {
	t.Helper()
	f, err := pack.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestArchiveHasDocumentation checks which files of a folder are in its archive, that they are sorted, and that links are followed
// within the folder only.
func TestArchiveHasDocumentation(t *testing.T) {
	t.Parallel()
	outside := write(t, map[string]string{"secret.md": "secret"})
	root := write(t, map[string]string{
		"SUMMARY.md": "* [A](a.md)\n", "a.md": "# A\n", "b/README.md": "# B\n", "b/picture.png": "picture", "b.md": "# Another\n",
		".git/config": "x", ".wsctl/state.json": "x", ".hidden.md": "x", ".vuepress/config.js": "x", "node_modules/a/README.md": "x",
		"b/node_modules/c.md": "x", ".gitbook/assets/logo.png": "logo", ".gitbook/.cache/x": "x",
		".gitignore": "# made by the build\n_build/\n*.log\n!keep.log\n/top.md\n", "_build/x.md": "x", "b/_build/x.md": "x", "b/x.log": "x",
		"keep.log": "kept", "top.md": "x", "b/top.md": "# Top\n", "b/.gitignore": "private.md\n", "b/private.md": "x",
		"link.md": "-> b/README.md", "out.md": "-> " + filepath.Join(outside, "secret.md"), "up.md": "-> ../../../etc/passwd",
		"broken.md": "-> nowhere.md", "loop": "-> .", "hidden-link.md": "-> .git/config", "ignored-link.md": "-> top.md",
	})
	f := read(t, root)
	names, contents := unpack(t, packed(t, f))
	want := []string{
		".gitbook/assets/logo.png", "SUMMARY.md", "a.md", "b.md", "b/README.md", "b/picture.png", "b/top.md", "keep.log", "link.md",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if contents["link.md"] != "# B\n" {
		t.Errorf("the link has %q", contents["link.md"])
	}
	wantSkipped := []string{
		"broken.md: is a link that leads nowhere", "loop: is a link to a folder", "out.md: is a link out of the folder",
		"up.md: is a link",
	}
	if !slices.EqualFunc(f.Skipped(), wantSkipped, strings.HasPrefix) {
		t.Errorf("skipped: %q", f.Skipped())
	}
	if f.Files() != len(want) || f.Pages() != 6 {
		t.Errorf("%d files, %d pages", f.Files(), f.Pages())
	}
}

// TestArchiveIsSameForSameFiles checks that the archive depends on the names and the contents of the files alone, and has the size that
// is told.
func TestArchiveIsSameForSameFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.md": "# A\n", "b/c.md": strings.Repeat("Text. ", 1000)}
	first := read(t, write(t, files))
	second := read(t, write(t, files))
	data := packed(t, first)
	if !bytes.Equal(data, packed(t, second)) || !bytes.Equal(data, packed(t, first)) {
		t.Error("the archives differ")
	}
	if int64(len(data)) != first.Size() {
		t.Errorf("%d bytes, %d told", len(data), first.Size())
	}
}

// TestChangedFileIsNotSent checks that the archive ends with an error if a file has changed since it was read first, or has become a
// link out of the folder.
func TestChangedFileIsNotSent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(at string) error{
		"changed": func(at string) error { return os.WriteFile(at, []byte("# B\n"), 0o600) },
		"removed": os.Remove,
		"a link out of the folder": func(at string) error {
			if err := os.Remove(at); err != nil {
				return err
			}
			return os.Symlink("/etc/hostname", at)
		},
	} {
		root := write(t, map[string]string{"a.md": "# A\n"})
		f := read(t, root)
		if err := change(filepath.Join(root, "a.md")); err != nil {
			t.Fatal(err)
		}
		reader, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(reader); err == nil || !strings.Contains(err.Error(), "a.md") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefusedFolders checks that an error names all files that are too large or cannot be read.
func TestRefusedFolders(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"a.md": "# A\n", "big/one.bin": "", "big/two.bin": "", "fits.bin": ""})
	for name, size := range map[string]int64{
		"big/one.bin": api.MaxImportDocument + 1, "big/two.bin": 30 << 20, "fits.bin": api.MaxImportDocument,
	} {
		if err := os.Truncate(filepath.Join(root, name), size); err != nil {
			t.Fatal(err)
		}
	}
	_, err := pack.Read(root)
	refused, ok := api.AsError(err)
	want := []api.FieldError{{Path: "big/one.bin", Message: "has 10.1 MiB"}, {Path: "big/two.bin", Message: "has 30 MiB"}}
	if !ok || !cmp.Equal(want, refused.Fields) || !strings.Contains(refused.Message, "at most 10 MiB") {
		t.Errorf("too large: %+v", err)
	}

	unreadable := write(t, map[string]string{"a.md": "# A\n", "b.md": "# B\n", "c/d.md": "# D\n"})
	for name, mode := range map[string]os.FileMode{"b.md": 0, "c": 0} {
		at := filepath.Join(unreadable, name)
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(at, 0o700) }) // so that it can be removed
	}
	if os.Geteuid() != 0 {
		_, err = pack.Read(unreadable)
		if refused, ok = api.AsError(err); !ok || len(refused.Fields) != 1 || refused.Fields[0].Path != "c" {
			t.Errorf("a folder that cannot be read: %+v", err)
		}
	}
	for name, files := range map[string]map[string]string{"no files": {".git/config": "x"}, "nothing but links": {"a.md": "-> b.md"}} {
		if _, err := pack.Read(write(t, files)); err == nil || !strings.Contains(err.Error(), "has no files to import") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pack.Read(filepath.Join(root, "nowhere")); !os.IsNotExist(err) {
		t.Errorf("no folder: %v", err)
	}
}

// TestIgnoredFilesAreThoseOfGit compares the files in the archive with those that git does not ignore, for a folder in a repository.
func TestIgnoredFilesAreThoseOfGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	names := []string{
		"a.md", "a.log", "build/x.md", "build/keep/x.md", "docs/a.md", "docs/a.log", "docs/keep.log", "docs/build/x.md", "docs/out/a.md",
		"docs/out/b/c.md", "docs/deep/er/out/a.md", "docs/tmp1/a.md", "docs/tmp22/a.md", "docs/x/y/z/end.md", "docs/x/end.md", "docs/#a.md",
		"docs/!a.md", "docs/with space.md", "docs/draft/a.md", "docs/draft/keep.md", "docs/sub/a.md", "docs/sub/b.md", "docs/sub/a.log",
		"docs/sub/only.md", "docs/[a].md", "docs/ä.md", "docs/Case.md", "docs/case.md",
	}
	files := map[string]string{
		".gitignore": "*.log\n!keep.log\n/build/\nout/\n\\#a.md\n\\!a.md\nwith space.md   \n# comment\n\ndocs/tmp?/\ndocs/x/**/end.md\r\n" +
			"**/er/\nCase.md\n",
		"docs/.gitignore":     "draft/*\n!draft/keep.md\n/sub/only.md\nä.md\n\\[a\\].md\n",
		"docs/sub/.gitignore": "!a.log\nb.md\n",
	}
	for _, name := range names {
		files[name] = "text"
	}
	top := write(t, files)
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", top, "-c", "core.quotePath=false"}, args...)...).Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return string(out)
	}
	git("init", "-q")
	for _, root := range []string{".", "docs", "docs/sub"} {
		var want []string
		for line := range strings.Lines(git("ls-files", "--others", "--exclude-standard", root)) {
			name, err := filepath.Rel(root, strings.TrimSpace(line))
			if err == nil && !strings.HasSuffix(name, ".gitignore") {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		got, _ := unpack(t, packed(t, read(t, filepath.Join(top, root))))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-git +got):\n%s", root, diff)
		}
	}
	got, _ := unpack(t, packed(t, read(t, filepath.Join(top, "build"))))
	if diff := cmp.Diff([]string{"keep/x.md", "x.md"}, got); diff != "" {
		t.Errorf("a folder that is ignored itself (-want +got):\n%s", diff)
	}
}
