package render

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// hardBreak separates the spans of two lines that must not be joined. It cannot occur in a text, because NewSpan replaces
// newlines by spaces.
const hardBreak = "\u2424"

// inlines returns the spans of a block.
func (r renderer) inlines(parent ast.Node, style Style) Line {
	var out Line
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = append(out, r.inline(n, style)...)
	}
	return out
}

func (r renderer) inline(n ast.Node, style Style) Line {
	switch n := n.(type) {
	case *ast.Text:
		return r.text(n, style)
	case *ast.String:
		return Line{NewSpan(style, string(n.Value))}
	case *ast.Emphasis:
		style.Bold = style.Bold || n.Level > 1
		style.Italic = style.Italic || n.Level == 1
		return r.inlines(n, style)
	case *extast.Strikethrough:
		style.Strike = true
		return r.inlines(n, style)
	case *ast.CodeSpan:
		style.Tone = Code
		return Join(Line{NewSpan(style, "`")}, r.inlines(n, style), Line{NewSpan(style, "`")})
	case *ast.Link:
		return r.link(r.inlines(n, linkStyle(style)), string(n.Destination))
	case *ast.Image:
		return r.link(Join(Line{In(Dim, "🖼 ")}, r.inlines(n, linkStyle(style))), string(n.Destination))
	case *ast.AutoLink:
		return Line{NewSpan(linkStyle(style), string(n.URL(r.source)))}
	case *ast.RawHTML:
		return r.rawHTML(n)
	case *extast.TaskCheckBox:
		return checkBox(n.IsChecked)
	default:
		return r.inlines(n, style)
	}
}

func (r renderer) text(n *ast.Text, style Style) Line {
	written := n.Segment.Value(r.source)
	if !n.IsRaw() {
		written = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(written)))
	}
	out := Line{NewSpan(style, string(written))}
	switch {
	case n.HardLineBreak():
		return append(out, Plain(hardBreak))
	case n.SoftLineBreak():
		return append(out, NewSpan(style, " "))
	default:
		return out
	}
}

func linkStyle(style Style) Style {
	style.Tone, style.Underline = Link, true
	return style
}

// link returns the label of a link and its destination, unless they are equal.
func (r renderer) link(label Line, destination string) Line {
	if label.String() == destination {
		return label
	}
	return append(label, In(Dim, " ("+destination+")"))
}

func (r renderer) rawHTML(n *ast.RawHTML) Line {
	var b strings.Builder
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		b.Write(segment.Value(r.source))
	}
	return Line{In(Dim, b.String())}
}

func checkBox(checked bool) Line {
	if checked {
		return Line{In(Accent, "[x] ")}
	}
	return Line{In(Accent, "[ ] ")}
}

// splitAtBreaks splits spans at hard breaks.
func splitAtBreaks(spans Line) []Line {
	parts := []Line{nil}
	for _, s := range spans {
		if s == Plain(hardBreak) {
			parts = append(parts, nil)
			continue
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], s)
	}
	return parts
}
