package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// branchTable lists the branches and what the campaign found. It has two lines for each branch: its name, and after a
// tab one of
//
//	caught by PACKAGE TEST     the test fails without the branch
//	missed                     no test of the package and its importers fails
//	not run                    the campaign has not run it yet
//	not run by importers       no test of the package fails; not all importers have been run
//	cannot happen: REASON      nothing would be observed without the branch
const branchTable = "testdata/branches.list"

// Results of the campaign.
const (
	branchCaught       = "caught by "
	branchMissed       = "missed"
	branchNotRun       = "not run"
	branchHalfRun      = "not run by importers"
	branchCannotHappen = "cannot happen: "
)

// maxUncaught is the maximum number of branches that are not caught although they can happen. It may only be lowered.
const maxUncaught = 0

// readBranchTable returns the results by name of the branch, and the names in the order of the table.
func readBranchTable(t *testing.T) (results map[string]string, names []string) {
	t.Helper()
	data, err := os.ReadFile(branchTable)
	if err != nil {
		t.Fatal(err)
	}
	results = map[string]string{}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		name, result := lines[i], strings.TrimPrefix(lines[i+1], "\t")
		if results[name] != "" || result == lines[i+1] {
			t.Errorf("%s:%d: a name that is new, and a result after a tab are expected", branchTable, i+1)
		}
		results[name] = result
		names = append(names, name)
	}
	return results, names
}

// writeBranchTable writes the results of the branches; a branch without one is not run.
func writeBranchTable(t *testing.T, file string, found []branch, results map[string]string) {
	t.Helper()
	var b strings.Builder
	for _, at := range found {
		result := results[at.name()]
		if result == "" {
			result = branchNotRun
		}
		fmt.Fprintf(&b, "%s\n\t%s\n", at.name(), result)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestBranchTableIsComplete checks that the table lists exactly the branches of the source. `make campaign NAME=branches` with
// WSD_TEST_BRANCHES adds the missing ones.
func TestBranchTableIsComplete(t *testing.T) {
	t.Parallel()
	results, names := readBranchTable(t)
	var inSource []string
	for _, b := range findBranches(t) {
		inSource = append(inSource, b.name())
	}
	for _, name := range inSource {
		if results[name] == "" {
			t.Errorf("%s: is not in %s (see CONTRIBUTING.md, Campaigns)", name, branchTable)
		}
	}
	uncaught := 0
	for _, name := range names {
		if !slices.Contains(inSource, name) {
			t.Errorf("%s: is in %s, but not in the source", name, branchTable)
		}
		switch result := results[name]; {
		case result == branchMissed || result == branchNotRun || result == branchHalfRun:
			uncaught++
		case strings.HasPrefix(result, branchCannotHappen) && len(result) > len(branchCannotHappen):
		case strings.HasPrefix(result, branchCaught):
			checkCaught(t, name, result)
		default:
			t.Errorf("%s: unknown result %q", name, result)
		}
	}
	if uncaught > maxUncaught {
		t.Errorf("%d branches are not caught, at most %d", uncaught, maxUncaught)
	}
}

// checkCaught checks that the test that catches a branch exists.
func checkCaught(t *testing.T, name, result string) {
	t.Helper()
	directory, test, ok := caughtBy(result)
	if !ok {
		t.Errorf("%s: %q names no package and test", name, result)
		return
	}
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(directory), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), "func "+test+"(") {
			return
		}
	}
	t.Errorf("%s: %s has no test %s", name, directory, test)
}

// caughtBy returns the package and the test that a result names. It returns false if the result is not that of a caught branch.
func caughtBy(result string) (directory, test string, ok bool) {
	rest, caught := strings.CutPrefix(result, branchCaught)
	directory, test, ok = strings.Cut(rest, " ")
	return directory, test, caught && ok
}
