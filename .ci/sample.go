// Command sample draws exported names, unexported names, comments and names of tests from the Go files of the module, for a
// review of their language: go run .ci/sample.go [SEED], from the root of the module.
//
// SEED is the first eight hexadecimal digits of the judged commit, by default of HEAD; further digits are ignored. The same
// seed and files give the same sample. The files are those of the working tree that git tracks, without generated ones: check
// out the commit to repeat a judgement.
//
// Names are those of declarations at package level, of methods, and of fields in these declarations. Comments have at least
// four words, not counting directives. Names of tests are those of test functions, and literal names of subtests, including the
// keys of a map literal if a loop over it runs the subtests.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	sampleSize                            = 60 // number of items drawn for each section
	exported, unexported, comments, tests = 0, 1, 2, 3
)

var (
	titles        = [...]string{"exported names", "unexported names", "comments", "names of tests"}
	isTest        = regexp.MustCompile(`^(Test|Fuzz|Benchmark)(\P{Ll}|$)`).MatchString
	implicitNames = []string{"main", "init", "TestMain", "_"} // names that the language or the go command defines
)

// item is a name with its declaration, or a line of code with its comment.
type item struct {
	pos        token.Position
	name, text string
}

// sampler collects the items of all files by section. fset and text belong to the file being read.
type sampler struct {
	items [len(titles)][]item
	fset  *token.FileSet
	text  string
}

func main() {
	log.SetFlags(0)
	seed := cmp.Or(strings.Join(os.Args[1:], " "), strings.TrimSpace(git("rev-parse", "HEAD")))
	seed = seed[:min(8, len(seed))]
	number, err := strconv.ParseUint(seed, 16, 32)
	check(err)
	s := &sampler{}
	for name := range strings.FieldsSeq(git("ls-files", "*.go", ":!*_gen.go")) {
		s.read(name)
	}
	fmt.Println("seed", seed)
	for section, all := range s.items {
		drawn := rand.New(rand.NewPCG(number, uint64(section))).Perm(len(all))[:min(sampleSize, len(all))]
		slices.Sort(drawn)
		fmt.Printf("\n%s: %d of %d\n", titles[section], len(drawn), len(all))
		for i, index := range drawn {
			it := all[index]
			fmt.Printf("\n%d. %s:%d %s\n\t%s\n", i+1, it.pos.Filename, it.pos.Line, it.name, strings.ReplaceAll(it.text, "\n", "\n\t"))
		}
	}
}

func git(args ...string) string {
	out, err := exec.Command("git", args...).Output()
	check(err)
	return string(out)
}

func check(err error) {
	if err != nil {
		log.Fatal("sample: ", err)
	}
}

func (s *sampler) read(name string) {
	text, err := os.ReadFile(name)
	check(err)
	s.fset, s.text = token.NewFileSet(), string(text)
	file, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	check(err)
	for _, group := range file.Comments {
		if len(strings.Fields(group.Text())) >= 4 {
			code := s.line(group.Pos())
			if strings.HasPrefix(code, "/") { // the code follows
				code, _, _ = strings.Cut(strings.TrimSpace(s.text[s.fset.Position(group.End()).Offset:]), "\n")
			}
			s.add(comments, group.Pos(), code, strings.TrimSpace(group.Text()))
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			s.addFunction(f)
		} else {
			s.addDeclaration(d.(*ast.GenDecl))
		}
	}
}

func (s *sampler) addFunction(d *ast.FuncDecl) {
	at, end := s.fset.Position(d.Type.Func), s.fset.Position(d.Type.End())
	signature := strings.Join(strings.Fields(s.text[at.Offset:end.Offset]), " ")
	if !strings.HasSuffix(at.Filename, "_test.go") || d.Recv != nil || !isTest(d.Name.Name) || d.Name.Name == "TestMain" {
		s.addNames("", signature, d.Name)
	} else {
		s.add(tests, d.Name.Pos(), d.Name.Name, signature)
	}
	s.addSubtests(d)
}

// line returns the line of a position without its indentation.
func (s *sampler) line(p token.Pos) string {
	at := s.fset.Position(p)
	line, _, _ := strings.Cut(s.text[at.Offset-at.Column+1:], "\n")
	return strings.TrimSpace(line)
}

func (s *sampler) add(section int, p token.Pos, name, text string) {
	s.items[section] = append(s.items[section], item{s.fset.Position(p), name, text})
}

func (s *sampler) addNames(prefix, text string, names ...*ast.Ident) {
	for _, id := range names {
		if section := unexported; !slices.Contains(implicitNames, id.Name) {
			if id.IsExported() {
				section = exported
			}
			s.add(section, id.Pos(), prefix+id.Name, cmp.Or(text, s.line(id.Pos())))
		}
	}
}

// addDeclaration adds the names of a declaration, except in functions.
func (s *sampler) addDeclaration(d *ast.GenDecl) {
	owner := ""
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			s.addNames(d.Tok.String()+" ", "", n.Name)
			owner, n.TypeParams = n.Name.Name+".", nil
		case *ast.ValueSpec:
			s.addNames(d.Tok.String()+" ", "", n.Names...)
			owner = n.Names[0].Name + "."
		case *ast.Field:
			s.addNames(owner, "", n.Names...)
		case *ast.FuncType, *ast.FuncLit:
			return false
		}
		return true
	})
}

// addSubtests adds the names of subtests: literals in calls of Run, and the keys of map literals if a loop over them calls Run.
func (s *sampler) addSubtests(f *ast.FuncDecl) {
	values := map[string]ast.Expr{} // by variable: the assigned value or, for the key of a loop, the map
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			values[types.ExprString(n.Lhs[0])] = n.Rhs[0]
		case *ast.RangeStmt:
			values[types.ExprString(cmp.Or(n.Key, n.X))] = n.X
		case *ast.CallExpr:
			if run := types.ExprString(n.Fun); len(n.Args) == 2 && (run == "t.Run" || run == "b.Run") {
				s.addSubtestNames(n.Args[0], values)
			}
		}
		return true
	})
}

func (s *sampler) addSubtestNames(e ast.Expr, values map[string]ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		value := values[e.Name]
		delete(values, e.Name) // names count once
		s.addSubtestNames(value, values)
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			s.addSubtestNames(element, nil)
		}
	case *ast.KeyValueExpr:
		s.addSubtestNames(e.Key, nil)
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s.add(tests, e.Pos(), e.Value, s.line(e.Pos()))
		}
	}
}
