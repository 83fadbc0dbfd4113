package e2e

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noRaceFile lists the packages that .ci/run does not test with the race detector.
const noRaceFile = ".ci/no-race"

// TestNoRacePackages checks that the packages that are tested without the race detector do not write package
// variables after the start of the program.
func TestNoRacePackages(t *testing.T) {
	t.Parallel()
	checked, set := loadPackages(t, noRacePatterns(t))
	for _, p := range checked {
		for _, w := range writesAfterStart(p) {
			position := set.Position(w.position)
			t.Errorf("%s:%d: %s.%s is written after start", position.Filename, position.Line, p.path, w.variable.Name())
		}
	}
	if len(checked) < 5 {
		t.Errorf("%d packages are checked, want more", len(checked))
	}
}

// TestPlantedWritesAfterStartAreFound checks that each kind of planted write is found.
func TestPlantedWritesAfterStartAreFound(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, "testdata/races/planted.go.txt", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	p := &checkedPackage{path: "planted", files: []*ast.File{syntax}}
	_, imports := listPackages(t, set, []string{"slices", "sync"})
	if err := p.check(set, imports); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, name := range p.scope.Names() {
		if strings.HasPrefix(name, "written") {
			want = append(want, name)
		}
	}
	for _, w := range writesAfterStart(p) {
		got = append(got, w.variable.Name())
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("written are %v, want %v", got, want)
	}
}

func noRacePatterns(t *testing.T) (patterns []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, noRaceFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, line)
		}
	}
	return patterns
}

// checkedPackage is a type-checked package.
type checkedPackage struct {
	path  string
	files []*ast.File
	info  types.Info
	scope *types.Scope
}

func (p *checkedPackage) check(set *token.FileSet, imports types.Importer) error {
	p.info = types.Info{
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: imports}
	checked, err := config.Check(p.path, set, p.files, &p.info)
	if err == nil {
		p.scope = checked.Scope()
	}
	return err
}

// listedPackage is the output of go list for a package.
type listedPackage struct {
	ImportPath string   `json:"ImportPath"`
	Dir        string   `json:"Dir"`
	Export     string   `json:"Export"`
	GoFiles    []string `json:"GoFiles"`
	DepOnly    bool     `json:"DepOnly"`
}

// listPackages lists packages, and returns an importer for their dependencies that uses the build cache.
func listPackages(t *testing.T, set *token.FileSet, patterns []string) (listed []listedPackage, imports types.Importer) {
	t.Helper()
	arguments := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly"}
	cmd := exec.CommandContext(t.Context(), "go", append(arguments, patterns...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			listed = append(listed, p)
		}
	}
	return listed, importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

// loadPackages type-checks packages of the module. The directory of every pattern must exist.
func loadPackages(t *testing.T, patterns []string) (all []*checkedPackage, set *token.FileSet) {
	t.Helper()
	for _, pattern := range patterns {
		if dir := strings.TrimSuffix(pattern, "/..."); !exists(dir) {
			t.Fatalf("%s: there is no %s", noRaceFile, dir)
		}
	}
	set = token.NewFileSet()
	listed, imports := listPackages(t, set, patterns)
	for _, l := range listed {
		p := &checkedPackage{path: strings.TrimPrefix(l.ImportPath, module+"/")}
		for _, name := range l.GoFiles {
			syntax, err := parser.ParseFile(set, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			p.files = append(p.files, syntax)
		}
		if err := p.check(set, imports); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all, set
}

// serialMarker marks a test that does thousands of sequential steps. The race detector makes it ten times slower and
// cannot find anything, so .ci/run skips it in the run with the detector.
const serialMarker = "//wsd:serial"

// TestSerialMarkersPrecedeTests checks that each marker is directly above a test, where .ci/run looks for it, and
// that no unmarked test has the name of a marked one, as tests are skipped by name.
func TestSerialMarkersPrecedeTests(t *testing.T) {
	t.Parallel()
	marked, others := map[string]bool{}, map[string]string{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		lines := strings.Split(string(data), "\n")
		for i, line := range lines {
			test, isTest := strings.CutPrefix(line, "func Test")
			test, _, _ = strings.Cut("Test"+test, "(")
			switch {
			case isTest && lines[i-1] == serialMarker:
				marked[test] = true
			case isTest && strings.HasSuffix(name, "_test.go"):
				others[test] = name
			case strings.HasPrefix(line, serialMarker) && (line != serialMarker || !strings.HasPrefix(lines[i+1], "func Test")):
				t.Errorf("%s:%d: %q is not directly above a test", name, i+1, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for test := range marked {
		if name, ok := others[test]; ok {
			t.Errorf("%s has the name of a test with the marker %s: give it another name", name, test)
		}
	}
	if len(marked) < 10 {
		t.Errorf("%d tests are marked, want more", len(marked))
	}
}
