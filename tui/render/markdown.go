package render

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api/markdown"
	"docspace.dev/wsd/tui/term"
)

// Render returns the lines of a Markdown text, at most width cells wide, with an empty line between blocks.
func Render(source string, width int) []Line {
	lines, _ := MarkdownAt(source, width, Fit)
	return lines
}

// MarkdownAt is like Render, with tables and code at a position, see Pan.
func MarkdownAt(source string, width, at int) ([]Line, Pan) {
	pan := panner{position: at}
	lines := renderMarkdown(source, width, &pan)
	pan.headerLine = 0 // no head line, because a table may be anywhere in the text
	return lines, pan.pan()
}

func renderMarkdown(source string, width int, pan *panner) []Line {
	source = term.Sanitize(source) // the parser may split an escape sequence, so it is sanitized as a whole
	r := renderer{source: []byte(source), width: max(width, 1), pan: pan}
	return r.children(markdown.Parse(r.source, nil), r.width, false)
}

// minWidthFraction bounds indentation: quotes and lists are no longer indented once less than 1/minWidthFraction of
// the width is left.
const minWidthFraction = 4

type renderer struct {
	source []byte
	width  int
	pan    *panner
}

// children renders the blocks of a node. Tight blocks are not separated by an empty line.
func (r renderer) children(parent ast.Node, width int, tight bool) []Line {
	var out []Line
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := r.block(n, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	return out
}

func (r renderer) block(n ast.Node, width int) []Line {
	switch n := n.(type) {
	case *ast.Heading:
		return r.heading(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return r.paragraph(n, width)
	case *ast.List:
		return r.list(n, width)
	case *ast.Blockquote:
		if width < r.width/minWidthFraction {
			return r.children(n, width, false)
		}
		return prefixLines(r.children(n, width-2, false), Line{In(Quote, "│ ")}, Line{In(Quote, "│ ")})
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return r.code(n, width)
	case *ast.ThematicBreak:
		return []Line{{In(Dim, strings.Repeat("─", max(min(width, 40), 1)))}}
	case *extast.Table:
		return r.table(n, width)
	case *ast.HTMLBlock:
		return r.html(n, width)
	default:
		return r.rawBlock(n, width)
	}
}

func (r renderer) heading(n *ast.Heading, width int) []Line {
	style := Style{Tone: Heading, Bold: true, Underline: n.Level == 1}
	mark := In(Dim, strings.Repeat("#", n.Level)+" ")
	return Wrap(Join(Line{mark}, r.inlines(n, style)), width, nil)
}

// paragraph renders the inline content of a block, and wraps each part between hard breaks separately.
func (r renderer) paragraph(n ast.Node, width int) []Line {
	var out []Line
	for _, part := range splitAtBreaks(r.inlines(n, Style{})) {
		out = append(out, Wrap(part, width, nil)...)
	}
	return out
}

func (r renderer) list(n *ast.List, width int) []Line {
	var out []Line
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, nil)
		}
		first := Line{In(Accent, mark)}
		rest := Line{Plain(strings.Repeat(" ", first.Width()))}
		if width < r.width/minWidthFraction {
			rest = nil
		}
		lines := r.children(item, width-first.Width(), n.IsTight)
		if len(lines) == 0 {
			lines = []Line{nil}
		}
		out = append(out, prefixLines(lines, first, rest)...)
	}
	return out
}

func (r renderer) code(n ast.Node, width int) []Line {
	var out []Line
	var info string
	if fenced, ok := n.(*ast.FencedCodeBlock); ok && fenced.Info != nil {
		info = string(fenced.Info.Segment.Value(r.source))
		out = append(out, Line{In(Dim, "  "+info)}.Cut(width))
	}
	highlighter := NewHighlighter(info)
	var lines []Line
	for _, line := range r.rawLines(n) {
		var spans Line
		for _, token := range highlighter.Line(line) {
			spans = append(spans, In(token.Tone, token.Text))
		}
		lines = append(lines, spans)
	}
	gutter := Line{Plain("  ")}
	if width <= gutter.Width() {
		gutter = nil
	}
	for _, drawn := range r.pan.drawCode(lines, width-gutter.Width(), 0) {
		out = append(out, prefixLines(drawn, gutter, gutter)...)
	}
	return out
}

func (r renderer) html(n *ast.HTMLBlock, width int) []Line {
	lines := r.rawLines(n)
	if n.HasClosure() {
		lines = append(lines, strings.TrimRight(string(n.ClosureLine.Value(r.source)), "\n"))
	}
	return r.pan.drawSource(strings.Join(lines, "\n"), Style{Tone: Dim}, width)
}

// rawBlock shows the source of a block that has no renderer.
func (r renderer) rawBlock(n ast.Node, width int) []Line {
	if n.HasChildren() {
		return r.children(n, width, false)
	}
	if n.Type() == ast.TypeInline || n.Lines() == nil || n.Lines().Len() == 0 {
		return nil
	}
	return r.pan.drawSource(strings.Join(r.rawLines(n), "\n"), Style{Tone: Dim}, width)
}

func (r renderer) rawLines(n ast.Node) []string {
	var out []string
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		out = append(out, strings.TrimRight(string(segment.Value(r.source)), "\r\n"))
	}
	return out
}

// prefixLines adds first to the first line and rest to all others.
func prefixLines(lines []Line, first, rest Line) []Line {
	out := make([]Line, len(lines))
	for i, line := range lines {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		out[i] = Join(prefix, line)
	}
	return out
}
