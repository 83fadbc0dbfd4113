// Command sample draws exported names, unexported names, comments and names of tests from the Go files of the module, for a
// review of their language: go run .ci/sample.go [SEED], from the root of the module.
//
// SEED is the first eight hexadecimal digits of the judged commit, by default of HEAD; more digits make no difference. A seed
// draws the same sample from the same files. They are those that git tracks, without generated ones, as they are in the working tree:
// check out the commit to repeat a judgement.
//
// Names are those of declarations at package level, of methods, and of fields in these declarations. Comments have at least four
// words, not counting directives. Names of tests are those of functions and literal names of subtests, also as keys of a map
// literal over which a loop runs them.
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
	size                                  = 60 // items of a section
	exported, unexported, comments, tests = 0, 1, 2, 3
)

var (
	titles   = [...]string{"exported names", "unexported names", "comments", "names of tests"}
	isTest   = regexp.MustCompile(`^(Test|Fuzz|Benchmark)(\P{Ll}|$)`).MatchString
	implicit = []string{"main", "init", "TestMain", "_"} // names that the language or the go command defines
)

// item is a name with its declaration, or a line of code with its comment.
type item struct {
	at         token.Position
	name, text string
}

// sampler holds the items of all files by section, and the file that it reads.
type sampler struct {
	items [len(titles)][]item
	set   *token.FileSet
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
		drawn := rand.New(rand.NewPCG(number, uint64(section))).Perm(len(all))[:min(size, len(all))]
		slices.Sort(drawn)
		fmt.Printf("\n%s: %d of %d\n", titles[section], len(drawn), len(all))
		for i, index := range drawn {
			it := all[index]
			fmt.Printf("\n%d. %s:%d %s\n\t%s\n", i+1, it.at.Filename, it.at.Line, it.name, strings.ReplaceAll(it.text, "\n", "\n\t"))
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
	s.set, s.text = token.NewFileSet(), string(text)
	file, err := parser.ParseFile(s.set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	check(err)
	for _, group := range file.Comments {
		if len(strings.Fields(group.Text())) >= 4 {
			code := s.line(group.Pos())
			if strings.HasPrefix(code, "/") { // the code follows
				code, _, _ = strings.Cut(strings.TrimSpace(s.text[s.set.Position(group.End()).Offset:]), "\n")
			}
			s.add(comments, group.Pos(), code, strings.TrimSpace(group.Text()))
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			s.function(f)
		} else {
			s.declaration(d.(*ast.GenDecl))
		}
	}
}

func (s *sampler) function(d *ast.FuncDecl) {
	at, end := s.set.Position(d.Type.Func), s.set.Position(d.Type.End())
	signature := strings.Join(strings.Fields(s.text[at.Offset:end.Offset]), " ")
	if !strings.HasSuffix(at.Filename, "_test.go") || d.Recv != nil || !isTest(d.Name.Name) || d.Name.Name == "TestMain" {
		s.addNames("", signature, d.Name)
	} else {
		s.add(tests, d.Name.Pos(), d.Name.Name, signature)
	}
	s.subtests(d)
}

// line returns the line of a position without its indentation.
func (s *sampler) line(p token.Pos) string {
	at := s.set.Position(p)
	line, _, _ := strings.Cut(s.text[at.Offset-at.Column+1:], "\n")
	return strings.TrimSpace(line)
}

func (s *sampler) add(section int, p token.Pos, name, text string) {
	s.items[section] = append(s.items[section], item{s.set.Position(p), name, text})
}

func (s *sampler) addNames(prefix, text string, names ...*ast.Ident) {
	for _, id := range names {
		if section := unexported; !slices.Contains(implicit, id.Name) {
			if id.IsExported() {
				section = exported
			}
			s.add(section, id.Pos(), prefix+id.Name, cmp.Or(text, s.line(id.Pos())))
		}
	}
}

// declaration adds the names of a declaration, except in functions.
func (s *sampler) declaration(d *ast.GenDecl) {
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

// subtests adds the literals in calls of Run, and the keys of map literals over which a loop calls it.
func (s *sampler) subtests(f *ast.FuncDecl) {
	values := map[string]ast.Expr{} // of variables; of the key of a loop, the map
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			values[types.ExprString(n.Lhs[0])] = n.Rhs[0]
		case *ast.RangeStmt:
			values[types.ExprString(cmp.Or(n.Key, n.X))] = n.X
		case *ast.CallExpr:
			if run := types.ExprString(n.Fun); len(n.Args) == 2 && (run == "t.Run" || run == "b.Run") {
				s.subtestNames(n.Args[0], values)
			}
		}
		return true
	})
}

func (s *sampler) subtestNames(e ast.Expr, values map[string]ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		value := values[e.Name]
		delete(values, e.Name) // names count once
		s.subtestNames(value, values)
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			s.subtestNames(element, nil)
		}
	case *ast.KeyValueExpr:
		s.subtestNames(e.Key, nil)
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s.add(tests, e.Pos(), e.Value, s.line(e.Pos()))
		}
	}
}
