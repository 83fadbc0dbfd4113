package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edit replaces the only occurrence of Old in a file with New. If Old is empty, the file is created.
type edit struct {
	File string `json:"file"` // path from the root of the module, with slashes
	Old  string `json:"old"`
	New  string `json:"new"`
}

// apply returns the text of the file of a source tree after the edit.
func (e edit) apply(tree string) (string, error) {
	before, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(e.File)))
	switch n := strings.Count(string(before), e.Old); {
	case e.Old == "" && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the edit is out of date: %s is not a new file", e.File)
	case e.Old == "":
		return e.New, nil
	case err != nil:
		return "", fmt.Errorf("the edit is out of date: %w", err)
	case n != 1:
		return "", fmt.Errorf("the edit is out of date: %s contains %q %d times, want once", e.File, e.Old, n)
	default:
		return strings.Replace(string(before), e.Old, e.New, 1), nil
	}
}

// writeOverlay returns a flag for the go command, which also applies to the go commands of tests it runs, that replaces the
// edited files of a source tree. The tree itself is unchanged, so unedited packages come from the build cache. Programs that
// read source files themselves get the original ones. The edits of a file apply in their order.
func writeOverlay(t *testing.T, tree string, edits []edit) string {
	t.Helper()
	flag, err := overlayFlag(tree, t.TempDir(), edits)
	if err != nil {
		t.Fatal(err)
	}
	return flag
}

// overlayFlag is like writeOverlay and stores the edited files in dir.
func overlayFlag(tree, dir string, edits []edit) (string, error) {
	absolute, err := filepath.Abs(tree)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, e := range edits {
		source, original := tree, filepath.Join(absolute, filepath.FromSlash(e.File))
		if replace[original] != "" {
			source = dir
		}
		text, err := e.apply(source)
		if err != nil {
			return "", err
		}
		name := filepath.Join(dir, filepath.FromSlash(e.File)) // build errors show this name
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			return "", err
		}
		replace[original] = name
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return "-overlay=" + name, os.WriteFile(name, data, 0o600)
}

// editedCopy returns a copy of a source tree with edits.
func editedCopy(t *testing.T, source string, edits []edit) string {
	t.Helper()
	tree := t.TempDir()
	entries, err := os.ReadDir(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || isIgnored(name) {
			continue
		}
		from, to := filepath.Join(source, name), filepath.Join(tree, name)
		if entry.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else {
			var data []byte
			if data, err = os.ReadFile(from); err == nil {
				writeFile(t, to, string(data))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range edits {
		text, err := e.apply(tree)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(tree, filepath.FromSlash(e.File)), text)
	}
	return tree
}

// writeFile writes a file and creates its directory.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
