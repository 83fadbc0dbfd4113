package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// walkSteps is the number of repetitions of the measured step. It exceeds the number of occurrences of any background event
// during the measurement.
const walkSteps = 25

// backgroundEdits removes the work of wsd that no request causes, such as jobs and store checks. The go command does
// not combine coverage with an overlay, so the edits are made in a copy.
var backgroundEdits = []edit{
	{File: "cmd/wsd/serve.go", Old: "\tjobs.Go(func() { srv.RunJobs(ctx) })\n"},
	{File: "cmd/wsd/serve.go", Old: "\tjobs.Go(func() { srv.WatchStore(ctx) })\n"},
}

// samplePackage is not counted, as it replaces the clock of the machine.
const samplePackage = module + "/server/demo/"

// walk is a code path to measure. run makes the measured step only if with is set, and its preparation in any case.
type walk struct {
	name    string
	command string // binary whose counters are read: wsd or wsctl
	run     func(ctx context.Context, s *sample, with bool) error
}

// TestPrintCalledFunctionsCampaign counts the packages, files and functions that run for a request or a key, as a measure of
// the code to read in order to understand it. wsd and wsctl are built with coverage counters and do the same work twice, with
// and without the step. It counts the functions that ran at least once more per step, except those of the contract and of
// generated files. To compare two checkouts, set WSD_TEST_WALKS to the other one; make campaign NAME=walks counts in this one.
func TestPrintCalledFunctionsCampaign(t *testing.T) { //nolint:paralleltest // it builds for minutes
	all := []walk{
		{"GET /v1/spaces/{space}", "wsd", walkGetSpace},
		{"merge of a change request", "wsd", mergeRequests},
		{"x in the screen", "wsctl", pressResolve},
	}
	n, _ := storetest.LongCampaign(t, "walks", 1, len(all))
	dir, bin := cmp.Or(os.Getenv("WSD_TEST_WALKS"), ".."), t.TempDir()
	dir = editedCopy(t, dir, backgroundEdits)
	counted := module + "/..."
	if n < len(all) { // that of the first walk, and the program that writes the counts: few packages are compiled for a sample
		counted = module + "/server/app/spaces," + module + "/cmd/wsd"
	}
	args := []string{"build", "-buildvcs=false", "-cover", "-covermode=atomic", "-coverpkg=" + counted, "-o", bin, "./cmd/wsd"}
	if slices.ContainsFunc(all[:n], func(w walk) bool { return w.command == "wsctl" }) {
		args = append(args, "./cmd/wsctl")
	}
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, w := range all[:n] {
		ran := w.measure(t, dir, bin)
		packages, files := map[string]bool{}, map[string]bool{}
		for _, f := range ran {
			packages[filepath.Dir(f.file)], files[f.file] = true, true
			t.Log(f.file, f.name)
		}
		if fmt.Printf("%-26s %3d packages %3d files %4d functions\n", w.name, len(packages), len(files), len(ran)); len(ran) == 0 {
			t.Errorf("nothing ran for %s", w.name)
		}
	}
}

// measure returns the functions that ran for every step.
func (w walk) measure(t *testing.T, dir, bin string) []functionID {
	t.Helper()
	var runs [2]map[functionID]int
	for i, with := range []bool{false, true} {
		s := serveSample(t, bin)
		if err := errors.Join(w.run(t.Context(), s, with), s.stop()); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		var err error
		if runs[i], err = readCounters(t.Context(), dir, filepath.Join(s.counters, w.command)); err != nil {
			t.Fatal(err)
		}
	}
	var ran []functionID
	for f, n := range runs[1] {
		if n-runs[0][f] >= walkSteps && !strings.HasPrefix(f.file, samplePackage) {
			ran = append(ran, f)
		}
	}
	slices.SortFunc(ran, func(a, b functionID) int { return strings.Compare(a.file+a.name, b.file+b.name) })
	return ran
}

// object is the id of an object in a response.
type object struct {
	ID string `json:"id"`
}

// space returns the id of the first space of the sample.
func (s *sample) space(ctx context.Context) (string, error) {
	var spaces struct {
		Items []object `json:"items"`
	}
	if err := s.call(ctx, "GET", "/orgs/"+s.Organization+"/spaces", nil, &spaces); err != nil {
		return "", err
	}
	return spaces.Items[0].ID, nil
}

func walkGetSpace(ctx context.Context, s *sample, with bool) error {
	space, err := s.space(ctx)
	for range walkSteps {
		if with && err == nil {
			err = s.call(ctx, "GET", "/spaces/"+space, nil, &object{})
		}
	}
	return err
}

// mergeRequests creates change requests that differ from their space and merges them.
func mergeRequests(ctx context.Context, s *sample, with bool) error {
	space, err := s.space(ctx)
	for i := range walkSteps {
		if err != nil {
			return err
		}
		var request object
		if err = s.call(ctx, "POST", "/spaces/"+space+"/change-requests", map[string]string{"subject": "a page"}, &request); err != nil {
			return err
		}
		path := "/spaces/" + space + "/change-requests/" + request.ID
		page := map[string]any{"changes": []any{map[string]any{
			"operation": "insert_page", "title": fmt.Sprint("Page ", i), "document": map[string]string{"markdown": "Text.\n"},
		}}}
		if err = s.call(ctx, "POST", path+"/content", page, &object{}); err == nil && with {
			err = s.call(ctx, "POST", path+"/merge", nil, &object{})
		}
	}
	return err
}

// pressResolve opens the comments of a change request on the screen, and resolves and reopens one of them. The run
// without the step presses a key without effect.
func pressResolve(ctx context.Context, s *sample, with bool) error {
	space, err := s.space(ctx)
	if err != nil {
		return err
	}
	socket := filepath.Join(s.counters, "tmux")
	tmux := func(arguments ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", socket}, arguments...)...).CombinedOutput()
		return string(out), err
	}
	command := fmt.Sprintf("env GOCOVERDIR=%s WSCTL_URL=%s WSCTL_TOKEN=%s %s tui --space %s --change-request 2",
		filepath.Join(s.counters, "wsctl"), s.URL, s.Token, filepath.Join(s.bin, "wsctl"), space)
	if _, err := tmux("new-session", "-d", "-x", "120", "-y", "40", command); err != nil {
		return fmt.Errorf("tmux: %w", err)
	}
	defer func() { _, _ = tmux("kill-server") }() // in case the screen does not end
	shows := func(text string) error {
		for range 100 {
			if screen, _ := tmux("capture-pane", "-p"); strings.Contains(screen, text) {
				return nil
			}
			time.Sleep(100 * time.Millisecond)
		}
		return errors.New("the screen never showed " + text)
	}
	if err := shows("Changed pages"); err != nil {
		return err
	}
	_, _ = tmux("send-keys", "C")
	if err := errors.Join(shows("› comments"), shows("┃")); err != nil {
		return err
	}
	for i := range walkSteps {
		if !with {
			_, _ = tmux("send-keys", "F9")
			if err := shows("› comments"); err != nil {
				return err
			}
			continue
		}
		_, _ = tmux("send-keys", "x")
		message, row := "\n✓ reopened", "▏ ┃ ● open"
		if i%2 == 0 { // the screen asks for the outcome
			if err := shows("Resolve it as"); err != nil {
				return err
			}
			_, _ = tmux("send-keys", "Enter")
			message, row = "\n✓ resolved", "▏ ┃ ✓ done"
		}
		// The next key applies to the new state of the thread, so wait until the row under the cursor shows it.
		if err := errors.Join(shows(message), shows(row)); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	_, _ = tmux("send-keys", "C-c") // q would require a confirmation if another key was typed just before
	for range 100 {
		if _, err := tmux("has-session"); err != nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the screen did not end")
}
