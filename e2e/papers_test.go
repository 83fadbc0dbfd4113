package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	code = regexp.MustCompile("`([^`\n]+)`")
	// Names of Go: package.Name, package.Type.Method and tests.
	goName     = regexp.MustCompile(`^[a-z]+(\.[A-Z]\w*)+$`)
	goTestName = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]\w*$`)
	goFile     = regexp.MustCompile(`^\w[\w./-]*\.(go|lua|md|golden|txtar|json|yml)$`)
	link       = regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	fenced     = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// TestPapersNameWhatIsThere finds every file, Go name and link that the papers speak of. What is renamed is renamed there,
// too.
func TestPapersNameWhatIsThere(t *testing.T) {
	t.Parallel()
	known := goNames(t)
	for _, name := range papers(t) {
		text := fenced.ReplaceAllString(paper(t, name), "")
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			word := m[1]
			switch {
			case goName.MatchString(word) && known.packages[strings.Split(word, ".")[0]], goTestName.MatchString(word):
				if !known.names[word] {
					t.Errorf("%s speaks of %s, which is not there", name, word)
				}
			case goFile.MatchString(word) && strings.Contains(word, "/"):
				if !exists(word) {
					t.Errorf("%s speaks of %s, which is not there", name, word)
				}
			}
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			target := path.Join(path.Dir(name), m[1])
			if m[1] == "" {
				target = name
			}
			if !exists(target) || m[2] != "" && !slices.Contains(anchors(paper(t, target)), m[2]) {
				t.Errorf("%s links to %s%s, which is not there", name, m[1], m[2])
			}
		}
	}
}

// citation is a paper that a comment speaks of, and a heading of it.
var citation = regexp.MustCompile(`\b((?:docs/)?\w+\.md)(#[\w-]+)?`)

// TestCommentsCiteWhatIsThere finds the papers and headings that comments of Go files speak of. Nobody can look up what is
// not in the repository.
func TestCommentsCiteWhatIsThere(t *testing.T) {
	t.Parallel()
	elsewhere := regexp.MustCompile(`\((interface|design|decisions|api-facts)[, ]|\b(design|api-facts) sections?\b`)
	for name, text := range comments(t) {
		if m := elsewhere.FindString(text); m != "" {
			t.Errorf("%s: %q cites what is not in the repository", name, m)
		}
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			if m[2] != "" && (!exists(m[1]) || !slices.Contains(anchors(paper(t, m[1])), m[2])) {
				t.Errorf("%s cites %s, which is not there", name, m[0])
			}
		}
	}
}

// goFileName is a Go file that a comment speaks of.
var goFileName = regexp.MustCompile(`[\w./-]*\w\.go\b`)

// TestCommentsNameFilesThatAreThere finds the Go files that comments speak of: beside the file, or by their path from the
// root.
func TestCommentsNameFilesThatAreThere(t *testing.T) {
	t.Parallel()
	found := 0
	for name, text := range comments(t) {
		for _, file := range goFileName.FindAllString(text, -1) {
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), file)); err != nil && !exists(file) {
				t.Errorf("%s speaks of %s, which is not there", name, file)
			}
		}
	}
	if found == 0 {
		t.Error("no comment speaks of a Go file")
	}
}

// comments are the comments of every Go file, tests included.
func comments(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	eachGoFile(t, func(name string, file *ast.File) {
		for _, group := range file.Comments {
			all[name] += group.Text()
		}
	})
	return all
}

// anchors are what links to the headings of a paper end in.
func anchors(text string) []string {
	var all []string
	for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			title = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			all = append(all, "#"+strings.ReplaceAll(title, " ", "-"))
		}
	}
	return all
}

// papers are the texts for people who work on the house.
func papers(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "*/DESIGN.md", "*/*/DESIGN.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			relative, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(relative))
		}
	}
	if len(names) < 4 {
		t.Fatalf("found %v", names)
	}
	return names
}

func paper(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}

// goWords are the names of the source tree.
type goWords struct {
	packages map[string]bool
	names    map[string]bool // package.Name, package.Type.Member, TestName
}

func goNames(t *testing.T) goWords {
	t.Helper()
	w := goWords{map[string]bool{}, map[string]bool{}}
	eachGoFile(t, func(_ string, file *ast.File) {
		w.packages[file.Name.Name] = true
		for _, decl := range file.Decls {
			for declared := range declaredNames(decl) {
				w.names[file.Name.Name+"."+declared] = true
				w.names[declared] = true
			}
		}
	})
	return w
}

// eachGoFile visits every Go file, tests included.
func eachGoFile(t *testing.T, visit func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			visit(name, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// declaredNames are the names of a declaration: of a type its members, too, as Type.Member.
func declaredNames(decl ast.Decl) map[string]bool {
	names := map[string]bool{}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			names[decl.Name.Name] = true
			break
		}
		names[receiver(decl.Recv.List[0].Type)+"."+decl.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			maps.Copy(names, specNames(spec))
		}
	}
	return names
}

func specNames(spec ast.Spec) map[string]bool {
	names := map[string]bool{}
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			names[name.Name] = true
		}
	case *ast.TypeSpec:
		names[spec.Name.Name] = true
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					names[spec.Name.Name+"."+name.Name] = true
				}
			}
		}
	}
	return names
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
