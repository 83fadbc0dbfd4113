package render

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api/markdown"
)

// Runs returns the runs of a Markdown text as rendered, in source order.
func Runs(source string) []Run {
	r := runReader{source: []byte(source), bytes: make([]renderedByte, len(source))}
	r.readChildren(markdown.Parse(r.source, nil), Style{})
	var out []Run
	for i, b := range r.bytes {
		shown := source[i : i+1]
		if b.softened {
			shown = " "
		}
		last := len(out) - 1
		switch {
		case b.hidden:
		case !b.softened && last >= 0 && out[last].To == i && out[last].Style == b.style && !r.bytes[i-1].softened:
			out[last].To, out[last].Shown = i+1, out[last].Shown+shown
		default:
			out = append(out, Run{From: i, To: i + 1, Shown: shown, Style: b.style})
		}
	}
	return out
}

// runReader determines how each byte of a text is rendered.
type runReader struct {
	source []byte
	bytes  []renderedByte
}

type renderedByte struct {
	hidden   bool
	softened bool // a line end rendered as a space
	style    Style
}

// sourceRange is a range of the source. It is unknown if it ends before it begins.
type sourceRange struct{ from, to int }

func (s sourceRange) isKnown() bool { return s.from < s.to }

// readChildren reads the children of a node and returns their range, which is unknown if that of any child is.
func (r *runReader) readChildren(parent ast.Node, style Style) sourceRange {
	whole, known := sourceRange{len(r.source), 0}, true
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		part := r.readNode(n, style)
		known = known && part.isKnown()
		whole = sourceRange{min(whole.from, part.from), max(whole.to, part.to)}
	}
	if !known {
		return sourceRange{}
	}
	return whole
}

// readNode reads a node and returns its range including its delimiters.
func (r *runReader) readNode(n ast.Node, style Style) sourceRange {
	switch n := n.(type) {
	case *ast.Text:
		r.setStyle(n.Segment.Start, n.Segment.Stop, style)
		if n.SoftLineBreak() {
			r.soften(n.Segment.Stop)
		}
		return sourceRange{n.Segment.Start, n.Segment.Stop}
	case *ast.CodeSpan:
		style.Tone = Code
		return r.includeSigns(r.readChildren(n, style), '`')
	case *ast.Emphasis:
		style.Bold = style.Bold || n.Level > 1
		style.Italic = style.Italic || n.Level == 1
		return r.hideDelimiters(r.readChildren(n, style), n.Level, "*_")
	case *extast.Strikethrough:
		style.Strike = true
		in := r.readChildren(n, style)
		if out := r.hideDelimiters(in, 2, "~"); out != in {
			return out
		}
		return r.hideDelimiters(in, 1, "~")
	case *ast.Link:
		return r.hideTarget(r.readChildren(n, linkStyle(style)))
	default:
		r.readChildren(n, style)
		return sourceRange{}
	}
}

func (r *runReader) setStyle(from, to int, style Style) {
	for i := from; i < to && i < len(r.bytes); i++ {
		r.bytes[i].style = style
	}
}

func (r *runReader) hide(from, to int) {
	for i := from; i < to; i++ {
		r.bytes[i].hidden = true
	}
}

// soften renders a line end and the blanks around it as a space. Lines in quotes are left out, because they have
// prefixes.
func (r *runReader) soften(from int) {
	at := bytes.IndexByte(r.source[from:], '\n')
	if at < 0 {
		return
	}
	at += from
	next := at + 1
	for next < len(r.source) && (r.source[next] == ' ' || r.source[next] == '\t') {
		next++
	}
	if len(bytes.TrimSpace(r.source[from:at])) > 0 || next < len(r.source) && r.source[next] == '>' {
		return
	}
	r.hide(from, at)
	r.bytes[at].softened = true
	r.hide(at+1, next)
}

// includeSigns extends a range by the adjacent delimiters sign, which are rendered with it.
func (r *runReader) includeSigns(in sourceRange, sign byte) sourceRange {
	if !in.isKnown() {
		return sourceRange{}
	}
	for in.from > 0 && r.source[in.from-1] == sign {
		in.from--
	}
	for in.to < len(r.source) && r.source[in.to] == sign {
		in.to++
	}
	return in
}

// hideDelimiters hides n delimiters on each side of a range and returns the extended range. It returns the range
// unchanged if the delimiters are not there.
func (r *runReader) hideDelimiters(in sourceRange, n int, signs string) sourceRange {
	if !in.isKnown() || in.from < n || in.to+n > len(r.source) {
		return in
	}
	around := string(r.source[in.from-n:in.from]) + string(r.source[in.to:in.to+n])
	if len(bytes.Trim([]byte(around), signs)) > 0 {
		return in
	}
	r.hide(in.from-n, in.from)
	r.hide(in.to, in.to+n)
	return sourceRange{in.from - n, in.to + n}
}

// hideTarget hides the target of a link and returns the range of the whole link. A link whose end is not found is
// rendered as written.
func (r *runReader) hideTarget(words sourceRange) sourceRange {
	if !words.isKnown() || words.from == 0 || r.source[words.from-1] != '[' || words.to >= len(r.source) || r.source[words.to] != ']' {
		return sourceRange{}
	}
	end := words.to + 1
	if end < len(r.source) {
		switch r.source[end] {
		case '(':
			end = closingOffset(r.source, end, '(', ')')
		case '[':
			end = closingOffset(r.source, end, '[', ']')
		}
	}
	if end < 0 {
		return sourceRange{}
	}
	r.hide(words.from-1, words.from)
	r.hide(words.to, end)
	return sourceRange{words.from - 1, end}
}

// closingOffset returns the offset after the delimiter that closes the one at an offset, or -1. Quoted and escaped
// delimiters are ignored.
func closingOffset(source []byte, at int, opens, shuts byte) int {
	depth, quote := 0, byte(0)
	for i := at; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case opens == '(' && (c == '"' || c == '\'') && (source[i-1] == ' ' || source[i-1] == '\n'):
			quote = c
		case opens == '(' && c == '<' && i == at+1:
			quote = '>'
		case c == opens:
			depth++
		case c == shuts:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
