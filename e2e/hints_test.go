package e2e

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// knownCommand is a command as wsctl commands -o json describes it.
type knownCommand struct {
	Command string `json:"command"`
	Usage   string `json:"usage"`
	Flags   []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	} `json:"flags"`
}

// listCommands returns all commands of wsctl by their names, without wsctl.
func listCommands(t *testing.T) map[string]knownCommand {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binary(t, "wsctl"), "commands", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []knownCommand
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	known := map[string]knownCommand{}
	for _, c := range list {
		known[strings.TrimPrefix(c.Command, "wsctl ")] = c
	}
	return known
}

// hintCommand matches a command in a hint, with what follows it up to the end of a sentence or a bracket.
var hintCommand = regexp.MustCompile(`\bwsctl ([^;,()` + "`" + `]*)`)

// hintArgument matches what stands for a value in a hint: a verb of fmt, or a placeholder.
var hintArgument = regexp.MustCompile(`%[a-z]|^[A-Z]|^<$`)

// wrongHint returns what a command in a hint lacks, or "".
func wrongHint(known map[string]knownCommand, text string) string {
	words := strings.Fields(text)
	if len(words) < 2 {
		return ""
	}
	c, isRow := known[words[0]+" "+strings.TrimSuffix(words[1], ".")]
	if !isRow {
		if _, isCommand := known[words[0]]; isCommand {
			return ""
		}
		return "there is no such command"
	}
	var given []string
	flags := map[string]bool{}
	for at := 2; at < len(words); at++ {
		word := strings.TrimSuffix(words[at], ".")
		switch {
		case strings.HasPrefix(word, "--"):
			name, _, withValue := strings.Cut(strings.TrimPrefix(word, "--"), "=")
			flags[name] = true
			if !withValue && at+1 < len(words) && hintArgument.MatchString(words[at+1]) {
				at++
			}
		case hintArgument.MatchString(word), words[0] == "config": // whose arguments are names and values of settings
			given = append(given, word)
		default:
			at = len(words)
		}
	}
	var lacks []string
	if want := len(regexp.MustCompile(` [A-Z][A-Z-]*`).FindAllString(strings.Split(c.Usage, "[")[0], -1)); len(given) < want {
		lacks = append(lacks, strconv.Itoa(want)+" arguments")
	}
	inSpace := slices.ContainsFunc(given, func(word string) bool { return strings.ContainsAny(word, "#@:") })
	for _, f := range c.Flags {
		if f.Required && !flags[f.Name] && !flags[f.Name+"-file"] && !flags["data"] && (f.Name != "space" || !inSpace) {
			lacks = append(lacks, "--"+f.Name)
		}
	}
	for name := range flags {
		if !slices.ContainsFunc(c.Flags, func(f struct {
			Name     string `json:"name"`
			Required bool   `json:"required"`
		},
		) bool {
			return f.Name == name
		}) {
			return "there is no flag --" + name
		}
	}
	return strings.Join(lacks, ", ")
}

// literal returns the text of the string literals of an expression, one after another.
func literal(e ast.Expr) string {
	var text strings.Builder
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if part, err := strconv.Unquote(lit.Value); err == nil {
				text.WriteString(part)
			}
		}
		return true
	})
	return text.String()
}

// hintOf returns the text of the hint that a node gives, or "".
func hintOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		if selector, ok := n.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == "WithHint" && len(n.Args) > 0 {
			return literal(n.Args[0])
		}
	case *ast.AssignStmt:
		if selector, ok := n.Lhs[0].(*ast.SelectorExpr); ok && selector.Sel.Name == "Hint" {
			return literal(n.Rhs[0])
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Hint" {
			return literal(n.Value)
		}
	}
	return ""
}

// TestHintsAreComplete checks that the commands in the hints of errors exist, and have the arguments and flags that they need.
func TestHintsAreComplete(t *testing.T) {
	t.Parallel()
	known := listCommands(t)
	commands := 0
	eachSource(t, func(_ string, set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			for _, found := range hintCommand.FindAllStringSubmatch(hintOf(n), -1) {
				commands++
				if wrong := wrongHint(known, found[1]); wrong != "" {
					t.Errorf("%s: wsctl %s: %s", set.Position(n.Pos()), found[1], wrong)
				}
			}
			return true
		})
	})
	if commands < 15 {
		t.Errorf("%d commands in hints", commands)
	}
	for text, want := range map[string]string{
		"share-links list":                            "--site",
		"share-links list --site %s":                  "",
		"content list-pages":                          "--space",
		"change-requests merge %s#%d":                 "",
		"change-requests merge":                       "1 arguments, --space",
		"change-requests merge %d --space SPACE.":     "",
		"revisions list shows them":                   "there is no such command",
		"spaces list --no-such":                       "there is no flag --no-such",
		"spaces list --no-such=false":                 "there is no flag --no-such",
		"change-requests merge --space=%s %d":         "",
		"openapi-specs put %s --source-url URL again": "",
	} {
		if got := wrongHint(known, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
