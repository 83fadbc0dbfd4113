package documents

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// formulaByte masks the bytes of formulas while the surrounding text is parsed, so that the parser treats a formula as a word.
const formulaByte = 0x02

// maskFormulas returns source with the formulas and variables within lines masked, or nil if there are none. Offsets do
// not change.
func maskFormulas(source []byte) []byte {
	formulas, variables := bytes.Contains(source, []byte("$$")), bytes.Contains(source, []byte("{{"))
	if !formulas && !variables || bytes.IndexByte(source, formulaByte) >= 0 {
		return nil
	}
	var masked []byte
	if variables {
		masked = maskVariables(source)
	}
	if !formulas {
		return masked
	}
	at := 0
	for line := range bytes.Lines(source) {
		for from := 0; ; {
			start, end, ok := findFormula(line, from)
			if !ok {
				break
			}
			if masked == nil {
				masked = bytes.Clone(source)
			}
			for i := start; i < end; i++ {
				masked[at+i] = formulaByte
			}
			from = end
		}
		at += len(line)
	}
	return masked
}

// maskVariables masks variables that are not preceded by a backslash.
func maskVariables(source []byte) (masked []byte) {
	for _, v := range content.Variables(string(source)) {
		if endsWithEscape(source[:v[0]]) {
			continue
		}
		if masked == nil {
			masked = bytes.Clone(source)
		}
		for i := v[0]; i < v[1]; i++ {
			masked[i] = formulaByte
		}
	}
	return masked
}

// endsWithEscape reports whether the backslashes at the end of a text escape the next character.
func endsWithEscape(before []byte) bool {
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}

// parseMasked returns the node and the length of the variable or formula at the beginning of a masked text.
func parseMasked(stretch []byte) (n api.DocumentNode, length int) {
	if bytes.HasPrefix(stretch, []byte("{{")) {
		length = bytes.Index(stretch, []byte("}}")) + 2
		return inlineVoid("expression", map[string]any{"expression": strings.TrimSpace(string(stretch[2 : length-2]))}), length
	}
	if _, end, ok := findFormula(stretch, 0); ok {
		length = end
	} else {
		length = len(stretch)
	}
	return inlineVoid("inline-math", map[string]any{"formula": string(bytes.Trim(stretch[:length], "$"))}), length
}

// findFormula returns the span of the next formula of a line, delimited by $$ that is not preceded by a backslash.
func findFormula(line []byte, from int) (start, end int, ok bool) {
	open := bytes.Index(line[from:], []byte("$$"))
	if open < 0 {
		return 0, 0, false
	}
	start = from + open
	if endsWithEscape(line[:start]) {
		return findFormula(line, start+1)
	}
	length := bytes.Index(line[start+2:], []byte("$$"))
	if length <= 0 || len(bytes.TrimSpace(line[start+2:start+2+length])) == 0 {
		return 0, 0, false
	}
	return start, start + 2 + length + 2, true
}

// hasMaskedDestination reports whether a formula was masked in a destination or a link title, where formulas are not
// allowed.
func hasMaskedDestination(root ast.Node) (found bool) {
	has := func(b []byte) bool { return bytes.IndexByte(b, formulaByte) >= 0 }
	_ = ast.Walk(root, func(node ast.Node, _ bool) (ast.WalkStatus, error) { // the callback returns no error
		switch n := node.(type) {
		case *ast.Link:
			found = found || has(n.Destination) || has(n.Title)
		case *ast.Image:
			found = found || has(n.Destination) || has(n.Title)
		}
		return ast.WalkContinue, nil
	})
	return found
}
