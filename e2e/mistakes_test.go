package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mistake is something that a person may do on a bad day, and how it comes to light: testdata/mistakes/*.json.
type mistake struct {
	Why     string   // it would be bad
	Edits   []edit   // what is done
	Command []string // what has to fail then
	Want    string   // what it has to say, a regular expression: it must not fail for another reason
}

// edit replaces the only occurrence of Old in a file by New; without Old the file is a new one.
type edit struct{ File, Old, New string }

// TestDeliberateMistakes makes each mistake in a copy of the source tree and expects that the build or a test fails.
// It holds the tests that hold the house.
func TestDeliberateMistakes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/mistakes/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d mistakes, %v; want ten at least", len(files), err)
	}
	tree := copyOfTheTree(t)
	for _, name := range files { // one after the other: they share the copy
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) { //nolint:paralleltest // see above
			m := readMistake(t, name)
			for _, e := range m.Edits {
				e.apply(t, tree)
			}
			cmd := exec.CommandContext(t.Context(), m.Command[0], m.Command[1:]...)
			cmd.Dir = tree
			// Without paths in the results, what has not changed is built once for all mistakes and runs.
			cmd.Env = append(environment(), "GOFLAGS=-trimpath -buildvcs=false")
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			switch {
			case err == nil:
				t.Errorf("%s passes although %s", strings.Join(m.Command, " "), m.Why)
			case !errors.As(err, &exit):
				t.Fatal(err)
			case !regexp.MustCompile(m.Want).Match(out):
				t.Errorf("%s fails, but for another reason than %q:\n%s", strings.Join(m.Command, " "), m.Want, out)
			}
		})
	}
}

func readMistake(t *testing.T, name string) mistake {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var m mistake
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

// apply makes the edit and takes it back at the end of the test.
func (e edit) apply(t *testing.T, tree string) {
	t.Helper()
	name := filepath.Join(tree, filepath.FromSlash(e.File))
	before, err := os.ReadFile(name)
	if e.Old == "" {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s ought to be a new file: %v", e.File, err)
		}
		write(t, name, []byte(e.New))
		t.Cleanup(func() { remove(t, name) })
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(before), e.Old); n != 1 {
		t.Fatalf("%s contains %q %d times, want once: bring the mistake up to date", e.File, e.Old, n)
	}
	write(t, name, []byte(strings.Replace(string(before), e.Old, e.New, 1)))
	t.Cleanup(func() { write(t, name, before) })
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// copyOfTheTree copies what the go command reads.
func copyOfTheTree(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	for _, part := range []string{"client", "cmd", "e2e", "server", "store", "tui"} {
		from := filepath.Join(root, part)
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.CopyFS(filepath.Join(tree, part), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(tree, name), data)
	}
	return tree
}
