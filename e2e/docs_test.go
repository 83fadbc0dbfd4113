package e2e

import (
	"encoding/xml"
	"errors"
	"go/ast"
	"go/token"
	"io"
	"io/fs"
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

// TestDocsPictureListsPackages compares the picture in docs/architecture.md, and the table below it, with the
// packages of the module.
func TestDocsPictureListsPackages(t *testing.T) {
	t.Parallel()
	out, err := goCommand(t, "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for name := range strings.FieldsSeq(string(out)) {
		packages = append(packages, strings.TrimPrefix(name, "docspace.dev/wsd/"))
	}
	text := readDocument(t, "docs/architecture.md")
	pictured := diagramPackages(text)
	for _, name := range packages {
		if !slices.Contains(pictured, name) {
			t.Errorf("the picture lacks %s", name)
		}
	}
	for _, name := range pictured {
		if !slices.Contains(packages, name) {
			t.Errorf("the picture has %s, which is not a package", name)
		}
	}
	_, table, _ := strings.Cut(text, "| package | responsibility |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(table, -1) {
		if !slices.Contains(packages, m[1]) {
			t.Errorf("the table has %s, which is not a package", m[1])
		}
	}
}

// diagramPackages returns the packages of the picture: in a cell, the first word is a directory and the words after
// it, also on indented lines below, are packages in it. cmd/wsd, server, store and the like are packages and
// directories; server/app and the other tiers are directories.
func diagramPackages(text string) (packages []string) {
	_, picture, _ := strings.Cut(text, "```text\n")
	picture, _, _ = strings.Cut(picture, "```")
	directories := map[int]string{} // directories by the column of their cell
	for line := range strings.Lines(picture) {
		column := 0
		for cell := range strings.SplitSeq(line, "│") {
			words := strings.Fields(cell)
			if indented := strings.HasPrefix(cell, "  "); len(words) > 0 && !indented &&
				regexp.MustCompile(`^[a-z]`).MatchString(words[0]) {
				directories[column] = words[0]
				if !slices.Contains([]string{"server/app", "server/web", "server/core", "server/text"}, words[0]) {
					packages = append(packages, words[0])
				}
				words = words[1:]
			}
			for _, word := range words {
				if directories[column] != "" && regexp.MustCompile(`^[a-z/]+$`).MatchString(word) {
					packages = append(packages, path.Join(directories[column], word))
				}
			}
			column += len([]rune(cell)) + 1
		}
	}
	return packages
}

// goCommand returns a go command that runs in the root of the module.
func goCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	return cmd
}

// TestDocsScreenshotIsSmallAndWellFormed checks that the picture of the README is small and well-formed.
func TestDocsScreenshotIsSmallAndWellFormed(t *testing.T) {
	t.Parallel()
	text := readDocument(t, "docs/screen.svg")
	const limit = 200_000
	if len(text) > limit {
		t.Errorf("docs/screen.svg has %d bytes, at most %d", len(text), limit)
	}
	for decoder := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocsREADMELength checks the length of the README.
func TestDocsREADMELength(t *testing.T) {
	t.Parallel()
	const limit = 160
	if n := strings.Count(readDocument(t, "README.md"), "\n"); n > limit {
		t.Errorf("README.md has %d lines, at most %d", n, limit)
	}
}

// TestDocsAvoidUnclearWords checks that the documentation has none of unclearWords.
func TestDocsAvoidUnclearWords(t *testing.T) {
	t.Parallel()
	unclear := phrasePattern(unclearWords)
	for _, name := range documentNames(t) {
		if name == "docs/public-api.md" { // generated from calls
			continue
		}
		for i, line := range strings.Split(readDocument(t, name), "\n") {
			if m := unclear.FindString(codeSpan.ReplaceAllString(line, "")); m != "" {
				t.Errorf("%s:%d has %q", name, i+1, m)
			}
		}
	}
}

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	// Go names: package.Name, package.Type.Method and tests.
	goName     = regexp.MustCompile(`^[a-z]+(\.[A-Z]\w*)+$`)
	goTestName = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]\w*$`)
	goFile     = regexp.MustCompile(`^\w[\w./-]*\.(go|lua|md|golden|txtar|json|yml|svg)$`)
	link       = regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	codeFence  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// TestDocsNamesExist checks that every file, Go name and link in the documentation exists.
func TestDocsNamesExist(t *testing.T) {
	t.Parallel()
	declared := goNames(t)
	for _, name := range documentNames(t) {
		text := codeFence.ReplaceAllString(readDocument(t, name), "")
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			word := m[1]
			switch {
			case goName.MatchString(word) && declared.packages[strings.Split(word, ".")[0]], goTestName.MatchString(word):
				if !declared.names[word] {
					t.Errorf("%s mentions %s, which does not exist", name, word)
				}
			case goFile.MatchString(word) && strings.Contains(word, "/"):
				if !exists(word) {
					t.Errorf("%s mentions %s, which does not exist", name, word)
				}
			}
		}
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, ""), -1) {
			target := path.Join(path.Dir(name), m[1])
			if m[1] == "" {
				target = name
			}
			if !exists(target) || m[2] != "" && !slices.Contains(anchors(readDocument(t, target)), m[2]) {
				t.Errorf("%s links to %s%s, which does not exist", name, m[1], m[2])
			}
		}
	}
}

// citation matches a page in a comment, with an optional heading.
var citation = regexp.MustCompile(`\b((?:docs/)?\w+\.md)(#[\w-]+)?`)

// TestCommentsCiteExistingDocs checks that the pages and headings cited in comments exist.
func TestCommentsCiteExistingDocs(t *testing.T) {
	t.Parallel()
	elsewhere := regexp.MustCompile(`\((interface|design|decisions|api-facts)[, ]|\b(design|api-facts) sections?\b`)
	for name, text := range comments(t) {
		if m := elsewhere.FindString(text); m != "" {
			t.Errorf("%s: %q cites a document outside of the repository", name, m)
		}
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			if m[2] != "" && (!exists(m[1]) || !slices.Contains(anchors(readDocument(t, m[1])), m[2])) {
				t.Errorf("%s cites %s, which does not exist", name, m[0])
			}
		}
	}
}

// goFileName matches a Go file in a comment.
var goFileName = regexp.MustCompile(`[\w./-]*\w\.go\b`)

// TestCommentsNameExistingFiles checks that Go files named in comments exist in the directory of the comment or, with
// a path, below the root.
func TestCommentsNameExistingFiles(t *testing.T) {
	t.Parallel()
	found := 0
	for name, text := range comments(t) {
		for _, file := range goFileName.FindAllString(text, -1) {
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), file)); err != nil && !exists(file) {
				t.Errorf("%s mentions %s, which does not exist", name, file)
			}
		}
	}
	if found == 0 {
		t.Error("no comment mentions a Go file")
	}
}

// comments returns the comments of every Go file by file name, tests included.
func comments(t *testing.T) map[string]string {
	t.Helper()
	byFile := map[string]string{}
	eachGoFile(t, func(name string, file *ast.File) {
		for _, group := range file.Comments {
			byFile[name] += group.Text()
		}
	})
	return byFile
}

// anchors returns the fragments of the headings of a page.
func anchors(text string) []string {
	var all []string
	for line := range strings.Lines(codeFence.ReplaceAllString(text, "")) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			title = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			all = append(all, "#"+strings.ReplaceAll(title, " ", "-"))
		}
	}
	return all
}

// documentNames returns the names of the Markdown pages of the repository, without test data and the pages of the demo.
func documentNames(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		other := base == "testdata" || path.Base(path.Dir(filepath.ToSlash(name))) == "demo" || strings.HasPrefix(base, ".")
		if entry.IsDir() && other && name != root {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			relative, err := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(relative))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 10 {
		t.Fatalf("found %v", names)
	}
	return names
}

// readDocument returns the text of a file of the repository.
func readDocument(t *testing.T, name string) string {
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

// goSymbols holds the packages and names of the source tree.
type goSymbols struct {
	packages map[string]bool
	names    map[string]bool // package.Name, package.Type.Member, TestName
}

func goNames(t *testing.T) goSymbols {
	t.Helper()
	w := goSymbols{map[string]bool{}, map[string]bool{}}
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

// eachGoFile calls visit for every Go file, tests included, with its path from this directory.
func eachGoFile(t *testing.T, visit func(name string, file *ast.File)) {
	t.Helper()
	eachSource(t, func(name string, _ *token.FileSet, file *ast.File) { visit(filepath.Join(root, name), file) })
}

// eachGoFilePath calls visit with the path from the root of every Go file, tests included.
func eachGoFilePath(t *testing.T, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata") {
			return err
		}
		name, err = filepath.Rel(root, name)
		if err == nil {
			visit(filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// declaredNames returns the names that a declaration introduces, members of types as Type.Member.
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
