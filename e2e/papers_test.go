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

// roomLine is a line of the picture of the house: a package, and what it owns.
var roomLine = regexp.MustCompile(`(?m)^([a-z][a-z0-9/]*) {2,}\S`)

// TestPicture holds the picture in docs/architecture.md against the code: it has every room, and every room stands above
// those that it imports.
func TestPicture(t *testing.T) {
	t.Parallel()
	_, block, _ := strings.Cut(paper(t, "docs/architecture.md"), "```text\n")
	block, _, _ = strings.Cut(block, "```")
	var rooms []string
	for _, m := range roomLine.FindAllStringSubmatch(block, -1) {
		rooms = append(rooms, m[1])
	}
	for room := range layers {
		if !slices.Contains(rooms, room) {
			t.Errorf("the picture lacks %s", room)
		}
	}
	for i, room := range rooms {
		if _, known := layers[room]; !known || slices.Index(rooms, room) < i {
			t.Errorf("the picture has %s, which is no room or stands there before", room)
		}
	}
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			below, ours := strings.CutPrefix(imported, module+"/")
			if ours && slices.Index(rooms, below) < slices.Index(rooms, p.name()) {
				t.Errorf("the picture has %s below %s, which imports it", p.name(), below)
			}
		}
	}
}

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

var (
	mayImport = regexp.MustCompile(`\b[Ii]t may import ([^.;:]*)`)
	roomWord  = regexp.MustCompile(`[\w/-]+`)
)

// TestPackageCommentsSayWhatIsImported holds "It may import ..." of every room below the server against the rooms that it
// imports itself, and against whether it imports the store.
func TestPackageCommentsSayWhatIsImported(t *testing.T) {
	t.Parallel()
	docs, list := packageComments(t), packages(t)
	rooms := map[string]bool{}
	for _, p := range list {
		rooms[importWord(p.ImportPath)] = true
	}
	delete(rooms, "")
	for _, p := range list {
		if !strings.HasPrefix(p.name(), "server/") {
			continue
		}
		said, imported := map[string]bool{}, map[string]bool{}
		if m := mayImport.FindStringSubmatch(strings.Join(strings.Fields(docs[p.name()]), " ")); m != nil {
			for _, name := range roomWord.FindAllString(m[1], -1) {
				said[name] = rooms[name]
			}
		}
		maps.DeleteFunc(said, func(_ string, room bool) bool { return !room })
		for _, name := range p.Imports {
			imported[importWord(name)] = true
		}
		delete(imported, "")
		if !maps.Equal(said, imported) {
			t.Errorf("%s says that it may import %v; it imports %v", p.name(), slices.Sorted(maps.Keys(said)), slices.Sorted(maps.Keys(imported)))
		}
	}
}

// importWord is what a package comment calls an import: a room below the server by its name, all of the store "store";
// "" is for what it need not speak of.
func importWord(imported string) string {
	name, ours := strings.CutPrefix(imported, module+"/")
	first, _, _ := strings.Cut(name, "/")
	switch {
	case ours && first == "store":
		return first
	case ours && first == "server":
		return path.Base(name)
	}
	return ""
}

// packageComments are the comments of packages, by directory.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, f := range sourceFiles(t) {
		docs[path.Dir(f.path)] += f.syntax.Doc.Text()
	}
	return docs
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
