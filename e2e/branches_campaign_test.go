package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// Environment variables of the campaign of branches.
const (
	branchesVariable        = "WSD_TEST_BRANCHES"    // file that the table is written to
	branchPackagesVariable  = "WSD_TEST_BRANCHES_IN" // packages whose tests are run, separated by commas; default all
	disabledBranchVariable  = "WSD_TEST_BRANCH_OFF"  // number of the disabled branch
	reachedBranchesVariable = "WSD_TEST_BRANCH_SEEN" // file that the numbers of the reached branches are written to
)

// branchTimeout and branchTestTimeout limit the tests of a package and a single test. If a branch is disabled they may block, or
// allocate memory, for ever.
const (
	branchTimeout     = 5 * time.Minute
	branchTestTimeout = 90 * time.Second
)

// branchSwitch is the format of the Go file that is added to each package with branches.
const branchSwitch = `package %s

import (
	branchOS "os"
	branchStrconv "strconv"
	branchSync "sync"
)

var (
	branchOff  = branchOS.Getenv("` + disabledBranchVariable + `")
	branchSeen branchSync.Map
)

func branchHappens(id int, happens bool) bool {
	if !happens {
		return false
	}
	text := branchStrconv.Itoa(id)
	if name := branchOS.Getenv("` + reachedBranchesVariable + `"); name != "" {
		if _, seen := branchSeen.LoadOrStore(id, true); !seen {
			if f, err := branchOS.OpenFile(name, branchOS.O_APPEND|branchOS.O_CREATE|branchOS.O_WRONLY, 0o600); err == nil {
				_, _ = f.WriteString(text + "\n")
				_ = f.Close()
			}
		}
	}
	return text != branchOff
}

func branchError(id int, err error) error {
	if !branchHappens(id, err != nil) {
		return nil
	}
	return err
}
`

// branchCampaign is a source tree in which each branch can be switched off by an environment variable, so that the tests
// of a package are built once for all branches.
type branchCampaign struct {
	branches    []branch
	results     map[string]string // by name of the branch
	overlayFlag string            // overlay
	binaries    string            // directory of test binaries
}

// testedPackage is a package that has tests, with the packages that these depend on.
type testedPackage struct {
	name         string
	dependencies map[string]bool // packages of the module that its tests are built of
}

// TestEachBranchIsTestedCampaign disables each branch and expects a test of its package or of its importers to fail. A sample
// run repeats only tests that caught a branch before, of one package, so that little is compiled for it.
func TestEachBranchIsTestedCampaign(t *testing.T) {
	t.Parallel()
	found := findBranches(t)
	n, seed := storetest.LongCampaign(t, "branches", 3, len(found))
	c := &branchCampaign{branches: found, binaries: t.TempDir()}
	c.results, _ = readBranchTable(t)
	var chosen []int
	for id, b := range found {
		result := c.results[b.name()]
		if n == len(found) && !strings.HasPrefix(result, branchCannotHappen) || strings.HasPrefix(result, branchCaught) {
			chosen = append(chosen, id)
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	switched := allBranches(found)
	if n < len(found) {
		directory := found[chosen[0]].directory()
		chosen = slices.DeleteFunc(chosen, func(id int) bool { return found[id].directory() != directory })
		chosen = chosen[:min(n, len(chosen))]
		switched = chosen
	}
	c.overlayFlag = writeOverlay(t, root, branchSwitches(t, found, switched))
	var open []int
	for _, id := range chosen {
		b := found[id]
		switch directory, test, caught := caughtBy(c.results[b.name()]); {
		case !caught:
			open = append(open, id)
		case c.skips(directory):
		case c.catchingTest(t, directory, test, id) != "":
			t.Logf("%s: caught by %s %s", b.name(), directory, test)
		case os.Getenv(branchesVariable) == "":
			t.Errorf("%s: is not caught by %s %s any more", b.name(), directory, test)
		default:
			open = append(open, id)
		}
	}
	c.search(t, open)
}

// skips reports whether branchPackagesVariable excludes the package in a directory.
func (c *branchCampaign) skips(directory string) bool {
	wanted := os.Getenv(branchPackagesVariable)
	return wanted != "" && !slices.Contains(strings.Split(wanted, ","), directory)
}

// search runs the tests of all packages in the order of their imports. For every branch that its tests reach and that no test
// has caught so far, they are run once with the branch disabled.
func (c *branchCampaign) search(t *testing.T, open []int) {
	t.Helper()
	if len(open) == 0 {
		return
	}
	half := map[int]bool{} // branches that the tests of some importers were not run for
	for _, p := range testedPackages(t) {
		var candidates []int
		for _, id := range open {
			if p.dependencies[c.branches[id].directory()] {
				candidates = append(candidates, id)
			}
		}
		if len(candidates) == 0 {
			continue
		}
		slices.SortStableFunc(candidates, func(a, b int) int { // branches of the package first
			return distance(p, c.branches[a]) - distance(p, c.branches[b])
		})
		if c.skips(p.name) {
			for _, id := range candidates {
				half[id] = true
			}
			continue
		}
		happened, err := c.reachedBranches(t, p.name)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			for _, id := range candidates {
				half[id] = true
			}
			continue
		}
		for _, id := range candidates {
			name := c.branches[id].name()
			test := ""
			if happened[id] {
				test = c.catchingTest(t, p.name, "", id)
				t.Logf("%s: the tests of %s fail in %q", name, p.name, test)
			}
			switch {
			case test != "":
				c.results[name] = branchCaught + p.name + " " + test
				open = slices.DeleteFunc(open, func(other int) bool { return other == id })
			case p.name == c.branches[id].directory():
				c.results[name] = branchHalfRun
			}
			c.write(t)
		}
	}
	for _, id := range open {
		b := c.branches[id]
		if !half[id] {
			c.results[b.name()] = branchMissed
			t.Errorf("%s: no test fails without it", b.name())
		}
	}
	c.write(t)
}

// distance returns 0 for a branch of the package and 1 for others.
func distance(p testedPackage, b branch) int {
	if p.name == b.directory() {
		return 0
	}
	return 1
}

func (c *branchCampaign) write(t *testing.T) {
	t.Helper()
	if file := os.Getenv(branchesVariable); file != "" {
		writeBranchTable(t, file, c.branches, c.results)
	}
}

// reachedBranches returns the branches that the tests of a package execute.
func (c *branchCampaign) reachedBranches(t *testing.T, directory string) (map[int]bool, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "happened")
	if out, err := c.run(t, directory, "", reachedBranchesVariable+"="+file); err != nil {
		return nil, fmt.Errorf("fails with all branches: %w\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	ids := map[int]bool{}
	for line := range strings.Lines(string(data)) {
		var id int
		if _, err := fmt.Sscan(line, &id); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return ids, nil
}

var (
	failedTest   = regexp.MustCompile(`(?m)^--- FAIL: (Test\w+)`)
	panickedTest = regexp.MustCompile(`(?s)(?:^|\n)panic: .*?\b(Test\w+)`)
)

// catchingTest runs the tests of a package, or a single test, without a branch. It returns the name of a test that fails, or
// "" if none does.
func (c *branchCampaign) catchingTest(t *testing.T, directory, test string, id int) (failed string) {
	t.Helper()
	out, err := c.run(t, directory, test, fmt.Sprint(disabledBranchVariable, "=", id))
	if err == nil {
		return ""
	}
	if _, ran := errors.AsType[*exec.ExitError](err); !ran {
		t.Fatal(err)
	}
	for _, pattern := range []*regexp.Regexp{failedTest, panickedTest} {
		if m := pattern.FindSubmatch(out); m != nil && (test != "" || c.confirms(t, directory, string(m[1]), id)) {
			return string(m[1])
		} else if m != nil {
			t.Logf("%s: %s %s fails without it, but not alone", c.branches[id].name(), directory, m[1])
			return ""
		}
	}
	t.Errorf("%s: fails in no test:\n%s", c.branches[id].name(), out)
	return ""
}

// confirms reports whether a single test fails without a branch and passes with it, because a failure may be accidental.
func (c *branchCampaign) confirms(t *testing.T, directory, test string, id int) bool {
	t.Helper()
	if c.catchingTest(t, directory, test, id) != test {
		return false
	}
	_, err := c.run(t, directory, test, reachedBranchesVariable+"=")
	return err == nil
}

// run runs the tests of a package, or one of them.
func (c *branchCampaign) run(t *testing.T, directory, test, variable string) ([]byte, error) {
	t.Helper()
	binary := filepath.Join(c.binaries, strings.ReplaceAll(directory, "/", "_"))
	if _, err := os.Stat(binary); err != nil {
		build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", c.overlayFlag, "-o", binary, "./"+directory)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build the tests of %s: %v\n%s", directory, err, out)
		}
	}
	limit, arguments := branchTimeout, []string{"-test.failfast"}
	if test != "" {
		limit, arguments = branchTestTimeout, append(arguments, "-test.run=^"+test+"$")
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(arguments, fmt.Sprint("-test.timeout=", limit))...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(directory))
	cmd.WaitDelay = time.Second
	cmd.Env = append(environment(), variable)
	return cmd.CombinedOutput()
}

// allBranches returns the indexes of all branches.
func allBranches(found []branch) (ids []int) {
	for id := range found {
		ids = append(ids, id)
	}
	return ids
}

// branchSwitches returns the edits that make the switched branches depend on an environment variable.
func branchSwitches(t *testing.T, found []branch, switched []int) (edits []edit) {
	t.Helper()
	byFile := map[string][]int{}
	for _, id := range slices.Sorted(slices.Values(switched)) {
		byFile[found[id].file] = append(byFile[found[id].file], id)
	}
	added := map[string]bool{}
	for _, f := range sourceFiles(t) {
		ids := byFile[f.path]
		if len(ids) == 0 {
			continue
		}
		before, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, edit{File: f.path, Old: string(before), New: insertSwitches(string(before), found, ids)})
		if directory := path.Dir(f.path); !added[directory] {
			added[directory] = true
			edits = append(edits, edit{File: directory + "/branches_campaign.go", New: fmt.Sprintf(branchSwitch, f.syntax.Name.Name)})
		}
	}
	return edits
}

// insertSwitches returns the text of a file in which the branches can be switched off.
func insertSwitches(text string, found []branch, ids []int) string {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b int) int { return found[b].from - found[a].from })
	for _, id := range ids {
		b := found[id]
		expression := text[b.from:b.to]
		switch {
		case b.isError:
			expression = fmt.Sprintf("branchError(%d, %s)", id, expression)
		case b.isEqual:
			expression = fmt.Sprintf("!branchHappens(%d, !(%s))", id, expression)
		default:
			expression = fmt.Sprintf("branchHappens(%d, %s)", id, expression)
		}
		text = text[:b.from] + expression + text[b.to:]
	}
	return text
}

// testedPackages lists the packages that have tests, except for those of programs, in the order of their imports.
func testedPackages(t *testing.T) (tested []testedPackage) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Deps,TestImports,XTestImports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	depends := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p struct {
			ImportPath   string   `json:"ImportPath"`
			Deps         []string `json:"Deps"`
			TestImports  []string `json:"TestImports"`
			XTestImports []string `json:"XTestImports"`
		}
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(p.ImportPath, module+"/")
		if !ours {
			continue
		}
		depends[p.ImportPath] = p.Deps
		if len(p.TestImports)+len(p.XTestImports) == 0 || name == "e2e" {
			continue
		}
		all := map[string]bool{name: true}
		for _, imported := range slices.Concat(p.Deps, p.TestImports, p.XTestImports) {
			all[strings.TrimPrefix(imported, module+"/")] = true
		}
		tested = append(tested, testedPackage{name, all})
	}
	for _, p := range tested {
		for name := range p.dependencies {
			for _, imported := range depends[module+"/"+name] {
				p.dependencies[strings.TrimPrefix(imported, module+"/")] = true
			}
		}
	}
	return tested
}
