package content

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"

	"github.com/yuin/goldmark/ast"
)

// Expressions of a text: variables anywhere, includes on a line of their own. In front matter and code they are plain
// text.
var (
	variableExpression = regexp.MustCompile(`\{\{[ \t]*(space|page)\.vars\.([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}`)
	includeExpression  = regexp.MustCompile(`(?m)^([ \t]*)\{%[ \t]*include[ \t]+"reusable:([A-Za-z0-9_-]+)"[ \t]*%\}[ \t]*(\r?)$`)
)

// Scope holds the values of expressions.
type Scope struct {
	Space, Page map[string]string // variables by name
	Reusable    map[string][]byte // texts of reusable contents by id
	Limit       int               // maximum size of the evaluated text in bytes; 0 = MaxTextBytes
}

// Evaluate replaces the expressions that scope has values for. Unknown expressions and recursive includes remain as
// text. Values are Markdown, but expressions in them are not evaluated. Expressions that would exceed the limit
// remain, too; left lists those of the text itself.
func Evaluate(markdown []byte, scope Scope) (evaluated []byte, left []Expression) {
	e := evaluation{scope: scope, remaining: cmp.Or(scope.Limit, MaxTextBytes) - len(markdown)}
	evaluated = replace(e.expandIncludes(markdown, nil), variableExpression, func(m [][]byte) ([]byte, bool) {
		value, known := e.variable(string(m[1]), string(m[2]))
		if known && !e.reserve(len(value)-len(m[0])) {
			e.left = append(e.left, newExpression(string(m[1]), string(m[2])))
			known = false
		}
		return []byte(value), known
	})
	return evaluated, e.left
}

type evaluation struct {
	scope     Scope
	remaining int // bytes that may still be added
	left      []Expression
}

// reserve subtracts more bytes from the remaining ones and returns true, or returns false if fewer remain.
func (e *evaluation) reserve(more int) bool {
	if more > max(e.remaining, 0) {
		return false
	}
	e.remaining -= more
	return true
}

func (e *evaluation) variable(scope, name string) (value string, known bool) {
	variables := e.scope.Page
	if scope == ScopeSpace {
		variables = e.scope.Space
	}
	value, known = variables[name]
	return value, known
}

// expandIncludes replaces the includes of a text; inside lists the contents it is nested in.
func (e *evaluation) expandIncludes(markdown []byte, inside []string) []byte {
	return replace(markdown, includeExpression, func(m [][]byte) ([]byte, bool) {
		indent, id := m[1], string(m[2])
		text, known := e.scope.Reusable[id]
		if !known || slices.Contains(inside, id) {
			return nil, false
		}
		included, fits := e.expandReusable(text, indent, append(slices.Clone(inside), id))
		if !fits {
			if len(inside) == 0 {
				e.left = append(e.left, newExpression(ScopeReusable, id))
			}
			return nil, false
		}
		return slices.Concat(included, m[3]), true
	})
}

// expandReusable returns a reusable content with its includes replaced and its lines indented. fits is false if the result
// would exceed the limit.
func (e *evaluation) expandReusable(text, indent []byte, inside []string) (included []byte, fits bool) {
	if !e.reserve(len(text)) {
		return nil, false
	}
	included = e.expandIncludes(TrimEnd(text[bodyStart(text):]), inside)
	if !e.reserve((bytes.Count(included, []byte("\n")) + 1) * len(indent)) {
		return nil, false
	}
	return indentLines(included, indent), true
}

// indentLines prefixes every line that has text with indent.
func indentLines(markdown, indent []byte) []byte {
	if len(indent) == 0 {
		return markdown
	}
	var out []byte
	for line := range bytes.Lines(markdown) {
		if len(TrimEnd(line)) > 0 {
			out = append(out, indent...)
		}
		out = append(out, line...)
	}
	return out
}

// Scopes of expressions.
const (
	ScopeSpace    = "space"    // variables of the space
	ScopePage     = "page"     // variables of the page
	ScopeReusable = "reusable" // reusable contents
)

// Expression is a variable or an include in a text. Text is its canonical form: {{ space.vars.NAME }}, {{
// page.vars.NAME }} or {% include "reusable:ID" %}. Scope is space, page or reusable; Name is the name or id in the
// scope.
type Expression struct {
	Start       int // byte offset in the source
	Text        string
	Scope, Name string
}

// IncludeExpression returns the expression that includes a reusable content.
func IncludeExpression(id string) string { return `{% include "reusable:` + id + `" %}` }

func newExpression(scope, name string) Expression {
	text := "{{ " + scope + ".vars." + name + " }}"
	if scope == ScopeReusable {
		text = IncludeExpression(name)
	}
	return Expression{Scope: scope, Name: name, Text: text}
}

// Expressions returns the expressions of a text in order.
func Expressions(markdown []byte) []Expression {
	var found []Expression
	add := func(start int, scope, name string) {
		e := newExpression(scope, name)
		e.Start = start
		found = append(found, e)
	}
	for _, at := range matches(markdown, variableExpression) {
		add(at[0], string(markdown[at[2]:at[3]]), string(markdown[at[4]:at[5]]))
	}
	for _, at := range matches(markdown, includeExpression) {
		add(at[3], ScopeReusable, string(markdown[at[4]:at[5]]))
	}
	slices.SortFunc(found, func(a, b Expression) int { return a.Start - b.Start })
	return found
}

// mask replaces the blanks of a variable within a destination; stored texts never contain it.
const mask = '\x01'

// maskedExpression matches a variable whose blanks are masked.
var maskedExpression = regexp.MustCompile("\\{\\{\x01*[a-z]+\\.vars\\.[A-Za-z0-9_-]+\x01*\\}\\}")

// MaskExpressions replaces the blanks within the variables of a text, so that a link destination that contains a
// variable can be parsed. Offsets do not change.
func MaskExpressions(markdown []byte) []byte {
	return swapBytes(markdown, variableExpression, ' ', mask)
}

// UnmaskExpressions restores the blanks that MaskExpressions replaced.
func UnmaskExpressions(text string) string {
	return string(swapBytes([]byte(text), maskedExpression, mask, ' '))
}

// swapBytes returns text with the byte from replaced by the byte to within the matches of a pattern. The bytes of text itself
// do not change.
func swapBytes(text []byte, pattern *regexp.Regexp, from, to byte) []byte {
	found := pattern.FindAllIndex(text, -1)
	if len(found) == 0 {
		return text
	}
	text = bytes.Clone(text)
	for _, at := range found {
		for i := at[0]; i < at[1]; i++ {
			if text[i] == from {
				text[i] = to
			}
		}
	}
	return text
}

// Includes returns the ids of the reusable contents that a text includes, in order.
func Includes(markdown []byte) []string {
	var ids []string
	known := map[string]bool{}
	replace(markdown, includeExpression, func(m [][]byte) ([]byte, bool) {
		if id := string(m[2]); !known[id] {
			known[id] = true
			ids = append(ids, id)
		}
		return nil, false
	})
	return ids
}

// RewriteIncludes replaces the ids of includes for which rename returns true.
func RewriteIncludes(markdown []byte, rename func(id string) (string, bool)) []byte {
	return replace(markdown, includeExpression, func(m [][]byte) ([]byte, bool) {
		id, ok := rename(string(m[2]))
		return bytes.Replace(m[0], []byte(":"+string(m[2])+`"`), []byte(":"+id+`"`), 1), ok
	})
}

// replace replaces the matches of a pattern outside code for which substitute returns true. substitute gets the match
// and its groups.
func replace(markdown []byte, pattern *regexp.Regexp, substitute func(match [][]byte) ([]byte, bool)) []byte {
	var out []byte
	from := 0
	for _, at := range matches(markdown, pattern) {
		groups := make([][]byte, len(at)/2)
		for i := range groups {
			groups[i] = markdown[at[2*i]:at[2*i+1]]
		}
		replacement, ok := substitute(groups)
		if !ok {
			continue
		}
		out = append(append(out, markdown[from:at[0]]...), replacement...)
		from = at[1]
	}
	if from == 0 {
		return markdown
	}
	return append(out, markdown[from:]...)
}

// matches returns the matches of a pattern outside front matter and code, in the form of regexp.FindAllSubmatchIndex.
func matches(markdown []byte, pattern *regexp.Regexp) [][]int {
	found := pattern.FindAllSubmatchIndex(markdown, -1)
	if len(found) == 0 {
		return nil
	}
	literal := LiteralSpans(markdown)
	return slices.DeleteFunc(found, func(at []int) bool { return literal.Contains(at[0]) || literal.Contains(at[1]-1) })
}

// Spans are byte ranges of a text, in order.
type Spans [][2]int

// Contains reports whether one of the spans contains an offset.
func (s Spans) Contains(at int) bool {
	i, starts := slices.BinarySearchFunc(s, at, func(span [2]int, at int) int { return span[0] - at })
	return starts || i > 0 && at < s[i-1][1]
}

// LiteralSpans returns the spans of front matter and code.
func LiteralSpans(markdown []byte) Spans {
	start := bodyStart(markdown)
	source := markdown[start:]
	var found Spans
	add := func(from, to int) {
		if from < to {
			found = append(found, [2]int{from, to})
		}
	}
	add(0, start)
	_ = ast.Walk(parseSyntax(source), func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the callback returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
				add(start+line.Start, start+line.Stop)
			}
		case *ast.Text:
			if n.Parent().Kind() == ast.KindCodeSpan {
				add(start+n.Segment.Start, start+n.Segment.Stop)
			}
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
	return found
}

// Variables returns the spans of the variables in a text that is not code.
func Variables(text string) [][]int { return variableExpression.FindAllStringIndex(text, -1) }

// IncludedID returns the id of the reusable content that a line includes; ok is false for any other line.
func IncludedID(line []byte) (id string, ok bool) {
	m := includeExpression.FindSubmatch(line)
	if m == nil {
		return "", false
	}
	return string(m[2]), true
}
