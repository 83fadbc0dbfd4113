package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// mistakeFiles are the planted mistakes. All paths of the source tree that they need are in these files.
const mistakeFiles = "testdata/mistakes/*.json"

// mistake is a change to the source tree that a build or a test has to refuse.
type mistake struct {
	Why     string   `json:"why"`     // it would be bad
	Test    string   `json:"test"`    // that fails; none where the build or the start of the test binary fails
	Copy    bool     `json:"copy"`    // the test reads source files, so it runs in a copy of the tree
	Edits   []edit   `json:"edits"`   // what is changed
	Command []string `json:"command"` // that has to fail then
	Want    string   `json:"want"`    // what its output matches, so that it does not fail for another reason
}

// mistakeLimit is for building and running one command.
const mistakeLimit = 8 * time.Minute

// TestDeliberateMistakesCampaign plants mistakes and expects that the build or the test that they name fails. It tests
// the tests that hold the rules of the source tree.
func TestDeliberateMistakesCampaign(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(mistakeFiles)
	if err != nil || len(files) < 10 {
		t.Fatalf("%d mistakes, %v; want ten at least", len(files), err)
	}
	n, seed := storetest.LongCampaign(t, "mistakes", len(files), len(files))
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, name := range files[:n] {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			t.Parallel()
			m := readMistake(t, name)
			out, err := m.run(t)
			command := strings.Join(m.Command, " ")
			switch _, failed := errors.AsType[*exec.ExitError](err); {
			case err == nil:
				t.Errorf("%s (%s) passes although %s", command, m.Test, m.Why)
			case !failed:
				t.Fatal(err)
			case m.Test != "" && !regexp.MustCompile(`(?m)^\s*--- FAIL: `+regexp.QuoteMeta(m.Test)+`\b`).Match(out):
				t.Errorf("%s fails, but not in %s:\n%s", command, m.Test, out)
			case !regexp.MustCompile(m.Want).Match(out):
				t.Errorf("%s (%s) fails, but for another reason than %q:\n%s", command, m.Test, m.Want, out)
			default:
				t.Logf("found by %s", cmp.Or(m.Test, command))
			}
		})
	}
}

// run plants the mistake and returns what its command prints.
func (m mistake) run(t *testing.T) ([]byte, error) {
	t.Helper()
	flags, tree := os.Getenv("GOFLAGS"), root
	if m.Copy {
		tree = editedCopy(t, root, m.Edits)
	} else {
		flags += " " + overlay(t, root, m.Edits)
	}
	ctx, cancel := context.WithTimeout(t.Context(), mistakeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.Command[0], m.Command[1:]...)
	cmd.Dir = tree
	cmd.WaitDelay = time.Second
	// A mistake may make a test wait for ever; a copy may lack the repository that the go command looks for.
	cmd.Env = append(environment(), "GOFLAGS="+strings.TrimSpace(flags+" -buildvcs=false -timeout=4m"))
	return cmd.CombinedOutput()
}

func readMistake(t *testing.T, name string) mistake {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var m mistake
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}
