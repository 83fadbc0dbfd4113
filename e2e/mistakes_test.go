package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// mistake is something that a person may do on a bad day, and how it comes to light: testdata/mistakes/*.json.
type mistake struct {
	Why     string   `json:"why"`     // it would be bad
	Edits   []edit   `json:"edits"`   // what is done
	Command []string `json:"command"` // what has to fail then
	Want    string   `json:"want"`    // what it has to say, a regular expression: it must not fail for another reason
}

// edit replaces the only occurrence of Old in a file by New; without Old the file is a new one.
type edit struct {
	File string `json:"file"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// mistakeLimit is for building and running what has to fail.
const mistakeLimit = 8 * time.Minute

// TestDeliberateMistakesCampaign makes mistakes in a copy of the source tree and expects that the build or a test fails:
// a few of them, and in the campaign all. It holds the tests that hold the house.
func TestDeliberateMistakesCampaign(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/mistakes/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d mistakes, %v; want ten at least", len(files), err)
	}
	n, seed := storetest.Campaign(t, "mistakes", 2, len(files))
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(cost(t, a), cost(t, b)) })
	for _, name := range files[:n] {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			t.Parallel()
			m, tree := readMistake(t, name), copyOfTheTree(t)
			for _, e := range m.Edits {
				e.apply(t, tree)
			}
			out, err := m.run(t, tree)
			switch _, failed := errors.AsType[*exec.ExitError](err); {
			case err == nil:
				t.Errorf("%s passes although %s", strings.Join(m.Command, " "), m.Why)
			case !failed:
				t.Fatal(err)
			case !regexp.MustCompile(m.Want).Match(out):
				t.Errorf("%s fails, but for another reason than %q:\n%s", strings.Join(m.Command, " "), m.Want, out)
			}
		})
	}
}

// cost orders mistakes by what has to be built to find them: the client is small.
func cost(t *testing.T, file string) int {
	t.Helper()
	if strings.Contains(strings.Join(readMistake(t, file).Command, " "), "./client") {
		return 0
	}
	return 1
}

func (m mistake) run(t *testing.T, tree string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mistakeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.Command[0], m.Command[1:]...)
	cmd.Dir = tree
	cmd.WaitDelay = time.Second
	// Without paths in the results, what has not changed is built once for all copies and runs. A mistake may also make
	// a test wait for ever.
	cmd.Env = append(environment(), "GOFLAGS=-trimpath -buildvcs=false -timeout=4m")
	return cmd.CombinedOutput()
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

func (e edit) apply(t *testing.T, tree string) {
	t.Helper()
	name := filepath.Join(tree, filepath.FromSlash(e.File))
	before, err := os.ReadFile(name)
	switch n := strings.Count(string(before), e.Old); {
	case e.Old == "" && !errors.Is(err, fs.ErrNotExist):
		t.Fatalf("%s ought to be a new file: %v", e.File, err)
	case e.Old != "" && n != 1:
		t.Fatalf("%s contains %q %d times, want once (%v): bring the mistake up to date", e.File, e.Old, n, err)
	case e.Old == "":
		write(t, name, e.New)
	default:
		write(t, name, strings.Replace(string(before), e.Old, e.New, 1))
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
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
		write(t, filepath.Join(tree, name), string(data))
	}
	return tree
}
