package e2e

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "docspace.dev/wsd"

// Limits of Go files. Packages have no limit.
const (
	maxFileLines     = 500
	maxFunctionLines = 80 // outside of tests
	maxGinFiles      = 1
)

const gin = "github.com/gin-gonic/gin"

// topLevel lists the entries of the root directory, without hidden and ignored ones.
var topLevel = []string{
	".ci", ".dockerignore", ".gitattributes", ".gitignore", ".golangci.yml", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "LICENSE",
	"Makefile", "README.md", "SECURITY.md", "client", "cmd", "compose.yaml", "docs", "e2e", "go.mod", "go.sum", "server", "store", "tui",
}

type goPackage struct {
	ImportPath string   `json:"ImportPath"`
	Imports    []string `json:"Imports"`
	Deps       []string `json:"Deps"`
}

func (p goPackage) name() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

type importRule struct {
	directory string
	allowed   []string
}

// importRules lists, by directory, the packages of the module that its packages may import in addition to each other. The first
// rule that matches a package applies.
var importRules = []importRule{
	{"server/text", []string{"client/api"}},
	{"server/core", []string{"server/text", "store", "client/api"}},
	{"server/web", []string{"server/core", "server/text", "store", "client/api"}},
	{"server/app", []string{"server/web", "server/core", "server/text", "store", "client/api"}},
	{"server", []string{"store", "client/api"}},
	{"store/cache", nil},
	{"store", []string{"client/api"}},
	{"client/api", nil},
	{"client", []string{"client/api"}},
	{"tui/components", []string{"tui/render", "tui/term"}},
	{"tui/term", nil},
	{"tui", []string{"client/api"}},
	{"cmd/wsctl", []string{"client", "tui", "server/text"}},
	{"cmd/wsd", []string{"server", "store", "client/api"}},
}

// appImports lists the imports between the packages of server/app. A package that imports another one needs a line here.
var appImports = map[string][]string{
	"comments":     {"orgs"},
	"imports":      {"review"},
	"inbox":        {"review"},
	"integrations": {"events", "orgs"},
	"lifecycle":    {"orgs", "sites", "spaces"},
	"operator":     {"orgs"},
	"pages":        {"orgs", "review", "spaces"},
	"repair":       {"review"},
	"review":       {"comments", "orgs"},
	"signin":       {"oidc", "orgs", "saml"},
	"sites":        {"orgs", "pages", "review", "spaces"},
	"spaces":       {"orgs"},
	"specs":        {"pages"},
}

// forbiddenImports lists, by directory, the packages that its packages must not import directly.
var forbiddenImports = map[string][]string{
	"server/text": {"net", "net/http", "os", "math/rand", "math/rand/v2"},
	"store":       {gin},
	"tui":         {"net/http"},
}

// TestImports checks that the imports of all packages, except those of tests, follow the rules above.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if isTestHelper(p.name()) {
			continue
		}
		for _, imported := range p.Imports {
			name, ours := strings.CutPrefix(imported, module+"/")
			if ours && !mayImport(p.name(), name) {
				t.Errorf("%s imports %s", p.name(), name)
			}
			for directory, barred := range forbiddenImports {
				if isWithin(p.name(), directory) && slices.Contains(barred, imported) {
					t.Errorf("%s imports %s", p.name(), imported)
				}
			}
		}
	}
}

// mayImport reports whether a package may import another one of the module.
func mayImport(name, imported string) bool {
	rule := slices.IndexFunc(importRules, func(r importRule) bool { return isWithin(name, r.directory) })
	switch {
	case isTestHelper(imported) || rule < 0:
		return false
	case importRules[rule].directory == "server/app" && isWithin(imported, "server/app"):
		return slices.Contains(appImports[path.Base(name)], path.Base(imported))
	}
	return isWithin(imported, importRules[rule].directory) ||
		slices.ContainsFunc(importRules[rule].allowed, func(directory string) bool { return isWithin(imported, directory) })
}

// isWithin reports whether name is the directory or below it.
func isWithin(name, directory string) bool {
	return name == directory || strings.HasPrefix(name, directory+"/")
}

// isTestHelper reports whether a package is made for tests.
func isTestHelper(name string) bool {
	return strings.HasSuffix(name, "test") || path.Base(name) == "hostile"
}

func TestContractImportsOnlyStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.name() != "client/api" {
			continue
		}
		for _, dep := range p.Deps {
			if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") && dep != p.ImportPath {
				t.Errorf("client/api imports %s", dep)
			}
		}
	}
}

func TestGinStaysInOneFile(t *testing.T) {
	t.Parallel()
	var users []string
	for _, f := range sourceFiles(t) {
		if f.imports(gin) && !isTestHelper(path.Dir(f.path)) {
			users = append(users, f.path)
			if path.Dir(f.path) != "server" {
				t.Errorf("%s imports gin; only files of package server may", f.path)
			}
		}
	}
	if len(users) > maxGinFiles {
		t.Errorf("gin is imported by %d files, %d may: %s", len(users), maxGinFiles, strings.Join(users, ", "))
	}
}

func TestFileAndFunctionSizes(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		n := f.fset.File(f.syntax.FileStart).LineCount()
		if n > maxFileLines {
			t.Errorf("%s has %d lines, at most %d", f.path, n, maxFileLines)
		}
		if f.isTest() {
			continue
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d", f.path, fn.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

// TestFutureErrorsAreNotDiscarded checks that no caller assigns the error of a Get to _: it reports corrupt data.
func TestFutureErrorsAreNotDiscarded(t *testing.T) {
	t.Parallel()
	for _, f := range sourceFiles(t) {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			assigned, ok := n.(*ast.AssignStmt)
			if !ok || len(assigned.Lhs) != 3 || len(assigned.Rhs) != 1 || !isCallOf(assigned.Rhs[0], "Get") {
				return true
			}
			if name, ok := assigned.Lhs[2].(*ast.Ident); ok && name.Name == "_" {
				t.Errorf("%s:%d drops the error of what was read", f.path, f.line(assigned.Pos()))
			}
			return true
		})
	}
}

// isCallOf reports whether an expression calls a method of the given name without arguments.
func isCallOf(expression ast.Expr, method string) bool {
	call, ok := expression.(*ast.CallExpr)
	if !ok || len(call.Args) != 0 {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == method
}

func TestOnePackageCommentPerPackage(t *testing.T) {
	t.Parallel()
	commented := map[string][]string{}
	for _, f := range sourceFiles(t) {
		dir := path.Dir(f.path)
		if f.syntax.Doc != nil {
			commented[dir] = append(commented[dir], f.path)
		} else if _, seen := commented[dir]; !seen {
			commented[dir] = nil
		}
	}
	for dir, files := range commented {
		if len(files) != 1 {
			t.Errorf("package %s has its comment in %d files %v, want one", dir, len(files), files)
		}
	}
}

func TestRootLayout(t *testing.T) {
	t.Parallel()
	entries, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := filepath.Base(entry)
		if !slices.Contains(topLevel, name) && !isIgnored(name) {
			t.Errorf("%s does not belong into the root directory", name)
		}
	}
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// isIgnored reports whether .gitignore excludes name.
func isIgnored(name string) bool {
	for _, pattern := range []string{"bin", "dist", "*.test", "*.out", "coverage.*"} {
		if matches(pattern, name) {
			return true
		}
	}
	return strings.HasPrefix(name, ".")
}

// packages lists the packages of the module with their non-test imports.
func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// sourceFile is a parsed Go file.
type sourceFile struct {
	path   string // from the root, with slashes
	fset   *token.FileSet
	syntax *ast.File
}

func (f sourceFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

func (f sourceFile) line(p token.Pos) int { return f.fset.Position(p).Line }

func (f sourceFile) imports(name string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(s *ast.ImportSpec) bool {
		imported := strings.Trim(s.Path.Value, `"`)
		return imported == name || strings.HasPrefix(imported, name+"/")
	})
}

// sourceFiles returns the Go files without those of tests.
func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	return slices.DeleteFunc(goFiles(t), sourceFile.isTest)
}

// goFiles returns all Go files, without those in testdata and in hidden directories.
func goFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base == "testdata" || name != root && strings.HasPrefix(base, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		files = append(files, sourceFile{filepath.ToSlash(relative), set, syntax})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no source files found")
	}
	return files
}
