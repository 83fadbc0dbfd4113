package render

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api/markdown"
)

// Runs are the pieces of a text as it is read, in their order.
func Runs(source string) []Run {
	r := reading{source: []byte(source), bytes: make([]readByte, len(source))}
	r.inside(markdown.Parse(r.source, nil), Style{})
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

// reading finds how each byte of a text is read.
type reading struct {
	source []byte
	bytes  []readByte
}

type readByte struct {
	hidden   bool
	softened bool // an end of line that is read as a space
	style    Style
}

// span is where a part of a text is written; it is unknown where it ends before it begins.
type span struct{ from, to int }

func (s span) known() bool { return s.from < s.to }

// inside reads what is in a node, and returns where that is written; unknown, where that is not known of all of it.
func (r *reading) inside(parent ast.Node, style Style) span {
	whole, known := span{len(r.source), 0}, true
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		part := r.node(n, style)
		known = known && part.known()
		whole = span{min(whole.from, part.from), max(whole.to, part.to)}
	}
	if !known {
		return span{}
	}
	return whole
}

// node reads a node, with the signs around what is in it.
func (r *reading) node(n ast.Node, style Style) span {
	switch n := n.(type) {
	case *ast.Text:
		r.styled(n.Segment.Start, n.Segment.Stop, style)
		if n.SoftLineBreak() {
			r.soften(n.Segment.Stop)
		}
		return span{n.Segment.Start, n.Segment.Stop}
	case *ast.CodeSpan:
		style.Tone = Code
		return r.around(r.inside(n, style), '`')
	case *ast.Emphasis:
		style.Bold = style.Bold || n.Level > 1
		style.Italic = style.Italic || n.Level == 1
		return r.without(r.inside(n, style), n.Level, "*_")
	case *extast.Strikethrough:
		style.Strike = true
		in := r.inside(n, style)
		if out := r.without(in, 2, "~"); out != in {
			return out
		}
		return r.without(in, 1, "~")
	case *ast.Link:
		return r.link(r.inside(n, linked(style)))
	default:
		r.inside(n, style)
		return span{}
	}
}

func (r *reading) styled(from, to int, style Style) {
	for i := from; i < to && i < len(r.bytes); i++ {
		r.bytes[i].style = style
	}
}

func (r *reading) hide(from, to int) {
	for i := from; i < to; i++ {
		r.bytes[i].hidden = true
	}
}

// soften has the end of a line be read as a space, with what is blank around it; not in a quote, whose lines have signs.
func (r *reading) soften(from int) {
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

// around is a part with the signs of one kind around it, which are read with it.
func (r *reading) around(in span, sign byte) span {
	if !in.known() {
		return span{}
	}
	for in.from > 0 && r.source[in.from-1] == sign {
		in.from--
	}
	for in.to < len(r.source) && r.source[in.to] == sign {
		in.to++
	}
	return in
}

// without hides so many signs before a part and behind it, and returns the part with them; where they do not stand there, it
// is the part alone.
func (r *reading) without(in span, n int, signs string) span {
	if !in.known() || in.from < n || in.to+n > len(r.source) {
		return in
	}
	around := string(r.source[in.from-n:in.from]) + string(r.source[in.to:in.to+n])
	if len(bytes.Trim([]byte(around), signs)) > 0 {
		return in
	}
	r.hide(in.from-n, in.from)
	r.hide(in.to, in.to+n)
	return span{in.from - n, in.to + n}
}

// link hides where a link leads, and returns all of the link; one whose end is not found is read as it is written.
func (r *reading) link(words span) span {
	if !words.known() || words.from == 0 || r.source[words.from-1] != '[' || words.to >= len(r.source) || r.source[words.to] != ']' {
		return span{}
	}
	end := words.to + 1
	if end < len(r.source) {
		switch r.source[end] {
		case '(':
			end = closing(r.source, end, '(', ')')
		case '[':
			end = closing(r.source, end, '[', ']')
		}
	}
	if end < 0 {
		return span{}
	}
	r.hide(words.from-1, words.from)
	r.hide(words.to, end)
	return span{words.from - 1, end}
}

// closing is behind the sign that closes the one at a byte, -1 where none does; those in quotes and escaped ones close nothing.
func closing(source []byte, at int, opens, shuts byte) int {
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
