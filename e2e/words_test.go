package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The words that this repository does not use. docs_test.go checks the documentation for unclearWords.
var (
	// refusedPhrases are refused in comments, in the texts of errors and in names of tests.
	refusedPhrases = []string{"anew", "so many", "is what", "is who"}
	// refusedWords are refused as whole words of identifiers: HeadRoom has room, Headroom does not.
	refusedWords = []string{"told", "tell", "standing", "settle", "room", "maker", "party"}
	// countedWords are counted in comments. The limit may only fall.
	countedWords = []string{"behind", "beside"}
	countLimit   = 60
	// unclearWords are refused in the documentation.
	unclearWords = []string{"anew", "so many", "is what", "is who", "paper", "papers", "room", "rooms", "the house", "told"}
)

// finding is a use of a word at a line of a file.
type finding struct {
	position token.Position
	text     string
	name     string // the identifier, for a refused word
}

// findWords returns the refused words and phrases in a Go file, and the number of counted words in its comments.
func findWords(set *token.FileSet, file *ast.File) (findings []finding, counted int) {
	phrases, words := phrasePattern(refusedPhrases), phrasePattern(countedWords)
	add := func(p token.Pos, text, name string) {
		findings = append(findings, finding{set.Position(p), text, name})
	}
	for _, group := range file.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		if m := phrases.FindString(text); m != "" {
			add(group.Pos(), "a comment has "+m, "")
		}
		counted += len(words.FindAllString(text, -1))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, text := range errorTexts(n) {
				if m := phrases.FindString(text.Value); m != "" {
					add(text.Pos(), "the text of an error has "+m, "")
				}
			}
		case *ast.FuncDecl:
			spoken := strings.ToLower(strings.Join(splitName(n.Name.Name), " "))
			if m := phrases.FindString(spoken); m != "" && strings.HasPrefix(n.Name.Name, "Test") {
				add(n.Pos(), "the name of a test has "+m, "")
			}
		case *ast.Ident:
			for _, word := range splitName(n.Name) {
				if slices.Contains(refusedWords, strings.ToLower(word)) {
					add(n.Pos(), "the name "+n.Name+" has "+word, n.Name)
				}
			}
		}
		return true
	})
	return findings, counted
}

func phrasePattern(phrases []string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + strings.Join(phrases, "|") + `)\b`)
}

// errorTexts returns the string literals in the arguments of a call that creates an error, or nil for other calls.
func errorTexts(call *ast.CallExpr) (texts []*ast.BasicLit) {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if isNew := selector.Sel.Name == "New" && isName(selector.X, "errors"); !isNew && !strings.Contains(selector.Sel.Name, "Error") {
		return nil
	}
	for _, argument := range call.Args {
		ast.Inspect(argument, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				texts = append(texts, text)
			}
			return true
		})
	}
	return texts
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// splitName splits an identifier at underscores and where upper case begins.
func splitName(name string) (words []string) {
	begin, runes := 0, []rune(name)
	for i, r := range runes {
		switch {
		case r == '_':
			words, begin = append(words, string(runes[begin:i])), i+1
		case unicode.IsUpper(r) && i > begin && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			words, begin = append(words, string(runes[begin:i])), i
		}
	}
	return append(words, string(runes[begin:]))
}

// TestRefusedWords checks the Go files against the lists. Exported names of client and client/api keep their words, because other
// modules use them; so do generated files.
func TestRefusedWords(t *testing.T) {
	t.Parallel()
	contract, counted := contractNames(t), 0
	eachSource(t, func(name string, set *token.FileSet, file *ast.File) {
		findings, n := findWords(set, file)
		counted += n
		for _, f := range findings {
			if !ast.IsGenerated(file) && !contract[f.name] {
				t.Errorf("%s:%d: %s", name, f.position.Line, f.text)
			}
		}
	})
	if counted > countLimit {
		t.Errorf("comments have %s %d times, at most %d", strings.Join(countedWords, " and "), counted, countLimit)
	}
}

// contractNames returns the exported names of client and client/api, members of types included.
func contractNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	eachSource(t, func(name string, _ *token.FileSet, file *ast.File) {
		if dir := path.Dir(name); dir != "client" && dir != "client/api" || strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, decl := range file.Decls {
			for declared := range declaredNames(decl) {
				if declared = declared[strings.LastIndex(declared, ".")+1:]; ast.IsExported(declared) {
					names[declared] = true
				}
			}
		}
	})
	return names
}

// eachSource calls visit for every Go file, tests included, with its path from the root.
func eachSource(t *testing.T, visit func(name string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	eachGoFilePath(t, func(name string) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		visit(name, set, file)
	})
}

// TestRefusedWordsAreFound checks that every kind of use of a refused word is found in a source that contains one of each.
func TestRefusedWordsAreFound(t *testing.T) {
	t.Parallel()
	const source = `package planted

// Read reads the file anew. It stands behind the other.
func Read() error { return errors.New("there are so many") }

func TestTheRestIsWhatRemains() { makerOfRooms, headroom, partyName, outstanding := 1, 2, 3, 4 }
`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "planted.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	findings, counted := findWords(set, file)
	var got []string
	for _, f := range findings {
		got = append(got, f.text)
	}
	want := []string{
		"a comment has anew", "the text of an error has so many", "the name of a test has is what",
		"the name makerOfRooms has maker", "the name partyName has party",
	}
	if !slices.Equal(got, want) || counted != 1 {
		t.Errorf("found %q and %d, want %q and 1", got, counted, want)
	}
}
