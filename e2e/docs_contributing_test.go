package e2e

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestContributingCommands runs the commands of the quick loop except its tests, which go test ./... runs anyway, and
// checks that the packages and tests of all go test commands in the documentation exist.
func TestContributingCommands(t *testing.T) {
	t.Parallel()
	commands := consoleCommands(readDocument(t, "CONTRIBUTING.md"))
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
	tests := testsByDirectory(t)
	for _, page := range documentNames(t) {
		for _, c := range goTests(readDocument(t, page)) {
			for _, missing := range c.missingTests(tests) {
				t.Errorf("%s: %s: there is no %s", page, c.text, missing)
			}
		}
	}
}

// codeEdit is Go code of CONTRIBUTING to insert into a file, after the first line that begins with after, or at the end.
type codeEdit struct{ file, after, code string }

var editPosition = regexp.MustCompile(`^// (\S+\.go), (?:after "(.*)"|at the end)$`)

// goEdits returns the edits in all go blocks of a page. Each begins with a comment that names its file.
func goEdits(t *testing.T, page string) (edits []codeEdit) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?ms)^ *```go\n(.*?)^ *```$").FindAllStringSubmatch(readDocument(t, page), -1) {
		placed := false
		for line := range strings.Lines(m[1]) {
			if place := editPosition.FindStringSubmatch(strings.TrimSpace(line)); place != nil {
				edits, placed = append(edits, codeEdit{file: place[1], after: place[2]}), true
			} else if placed {
				edits[len(edits)-1].code += line
			} else {
				t.Fatalf("%s has Go code without a place: %s", page, line)
			}
		}
	}
	return edits
}

// apply returns the text of the file with the code inserted after the line that begins with e.after, or appended if e.after is
// empty. It returns an error if there is no such line.
func (e codeEdit) apply(text string) (string, error) {
	if e.after == "" {
		return text + "\n" + e.code, nil
	}
	offset := 0
	for line := range strings.Lines(text) {
		offset += len(line)
		if strings.HasPrefix(strings.TrimSpace(line), e.after) {
			return text[:offset] + e.code + text[offset:], nil
		}
	}
	return "", fmt.Errorf("%s has no line that begins with %q", e.file, e.after)
}

// TestContributingExamplesBuild builds the sources with the Go code of CONTRIBUTING inserted by an overlay, which
// keeps the tree and the build cache. Test files are only parsed, because compiling those of the server takes a
// minute.
func TestContributingExamplesBuild(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, e := range goEdits(t, "CONTRIBUTING.md") {
		if texts[e.file] == "" {
			if !exists(e.file) {
				t.Fatalf("there is no %s", e.file)
			}
			texts[e.file] = readDocument(t, e.file)
		}
		changed, err := e.apply(texts[e.file])
		if err != nil {
			t.Fatal(err)
		}
		texts[e.file] = changed
	}
	if len(texts) < 5 {
		t.Errorf("the examples change %d files", len(texts))
	}
	replaced := map[string]string{}
	dir, packages := t.TempDir(), map[string]bool{}
	for file, text := range texts {
		absolute, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[absolute] = copied
		if !strings.HasSuffix(file, "_test.go") {
			packages["./"+path.Dir(file)] = true
		} else if _, err := parser.ParseFile(token.NewFileSet(), copied, nil, 0); err != nil {
			t.Error(err)
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"build", "-overlay", filepath.Join(dir, "overlay.json")}, slices.Sorted(maps.Keys(packages))...)
	if out, err := goCommand(t, args...).CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// goTest is a go test command of a page.
type goTest struct {
	text     string
	packages []string
	patterns []string // alternatives of -run
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
			c.patterns = strings.Split(m[1], "|")
		}
		all = append(all, c)
	}
	return all
}

// missingTests returns the packages and tests of the command that do not exist.
func (c goTest) missingTests(there map[string][]string) (missing []string) {
	var tests []string
	for _, p := range c.packages {
		prefix, recursive := strings.CutSuffix(strings.TrimPrefix(p, "./")+"/", ".../")
		found := false
		for directory, names := range there {
			if directory+"/" == prefix || recursive && strings.HasPrefix(directory+"/", prefix) {
				found, tests = true, append(tests, names...)
			}
		}
		if !found {
			missing = append(missing, p)
		}
	}
	for _, alternative := range c.patterns {
		if !slices.ContainsFunc(tests, regexp.MustCompile(alternative).MatchString) {
			missing = append(missing, alternative)
		}
	}
	return missing
}

// testsByDirectory returns the names of the tests of every directory with Go files.
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
