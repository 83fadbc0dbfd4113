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

// mistakeFiles matches the files of planted mistakes. They contain all source paths that they depend on.
const mistakeFiles = "testdata/mistakes/*.json"

// mistake is a change to the source tree that a build or a test must refuse.
type mistake struct {
	Why     string   `json:"why"`     // the reason why it is a mistake
	Test    string   `json:"test"`    // the test that fails; empty if the build or the start of the test binary fails
	Copy    bool     `json:"copy"`    // run in a copy of the tree because the test reads source files
	Edits   []edit   `json:"edits"`   // the change
	Command []string `json:"command"` // must fail after the change
	Want    string   `json:"want"`    // matches its output, to rule out other failures
}

// mistakeTimeout limits building and running one command.
const mistakeTimeout = 15 * time.Minute

// TestChecksDetectMistakesCampaign plants mistakes and expects the named build or test to fail. It tests the tests that
// enforce the rules of the source tree. Each compiles the packages that depend on the changed ones.
func TestChecksDetectMistakesCampaign(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(mistakeFiles)
	if err != nil || len(files) < 10 {
		t.Fatalf("%d mistakes, %v; want ten at least", len(files), err)
	}
	n, seed := storetest.LongCampaign(t, "mistakes", 5, len(files))
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

// run plants the mistake and returns the output of its command.
func (m mistake) run(t *testing.T) ([]byte, error) {
	t.Helper()
	flags, tree := os.Getenv("GOFLAGS"), root
	if m.Copy {
		tree = editedCopy(t, root, m.Edits)
	} else {
		flags += " " + writeOverlay(t, root, m.Edits)
	}
	ctx, cancel := context.WithTimeout(t.Context(), mistakeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.Command[0], m.Command[1:]...)
	cmd.Dir = tree
	cmd.WaitDelay = time.Second
	// A mistake may block a test for ever, and a copy may lack the git repository that the go command looks for.
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
