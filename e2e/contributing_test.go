package e2e

import (
	"go/ast"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCONTRIBUTING runs what CONTRIBUTING calls the quick loop, and finds the tests that its commands name. Those that are
// in the quick loop are not run once more: go test ./... runs them beside this one.
func TestCONTRIBUTING(t *testing.T) {
	t.Parallel()
	commands := readmeCommands(t, "CONTRIBUTING.md")
	if len(commands) < 3 {
		t.Fatalf("the quick loop has %d commands", len(commands))
	}
	for _, c := range commands {
		if strings.HasPrefix(c.text, "go test ") {
			continue
		}
		shell := exec.CommandContext(t.Context(), "sh", "-c", c.text)
		shell.Dir, shell.Env = root, environment()
		out, err := shell.CombinedOutput()
		if err != nil || strings.HasPrefix(c.text, "gofmt") && len(out) > 0 {
			t.Errorf("$ %s: %v\n%s", c.text, err, out)
		}
	}
	there := testsByDirectory(t)
	for _, c := range goTests(paper(t, "CONTRIBUTING.md")) {
		for _, missing := range c.missing(there) {
			t.Errorf("%s: there is no %s", c.text, missing)
		}
	}
}

// goTest is a `go test` that a paper names.
type goTest struct {
	text     string
	packages []string
	run      []string // alternatives of -run
}

var (
	testCommand = regexp.MustCompile("go test [^`\n]*")
	testPackage = regexp.MustCompile(`\./[\w./]+`)
	testRun     = regexp.MustCompile(`-run '?([\w|$]+)'?`)
)

func goTests(text string) (all []goTest) {
	for _, command := range testCommand.FindAllString(strings.ReplaceAll(text, `\|`, "|"), -1) {
		c := goTest{text: command, packages: testPackage.FindAllString(command, -1)}
		if m := testRun.FindStringSubmatch(command); m != nil {
			c.run = strings.Split(m[1], "|")
		}
		all = append(all, c)
	}
	return all
}

// missing are the packages and tests of the command that are not there.
func (c goTest) missing(there map[string][]string) (missing []string) {
	var tests []string
	for _, p := range c.packages {
		below, all := strings.CutSuffix(strings.TrimPrefix(p, "./")+"/", ".../")
		found := false
		for directory, names := range there {
			if directory+"/" == below || all && strings.HasPrefix(directory+"/", below) {
				found, tests = true, append(tests, names...)
			}
		}
		if !found {
			missing = append(missing, p)
		}
	}
	for _, alternative := range c.run {
		if !slices.ContainsFunc(tests, regexp.MustCompile(alternative).MatchString) {
			missing = append(missing, alternative)
		}
	}
	return missing
}

// testsByDirectory are the names of the tests of every directory with Go files.
func testsByDirectory(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	eachGoFile(t, func(name string, file *ast.File) {
		directory, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		directory = filepath.ToSlash(directory)
		all[directory] = append(all[directory], "")
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && strings.HasSuffix(name, "_test.go") && goTestName.MatchString(fn.Name.Name) {
				all[directory] = append(all[directory], fn.Name.Name)
			}
		}
	})
	return all
}
