package pdf

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api/markdown"
	"docspace.dev/wsd/server/text/content"
)

// headingSizes are the font sizes of headings by level; index 0 is the page title.
var headingSizes = []float64{20, 20, 15, 12.5, 11, 10.5, 10}

// writePage writes a page: its text, preceded by its title unless the text begins with a title.
func (w *writer) writePage(p Page) {
	pieces := content.Pieces(p.Markdown)
	if !strings.EqualFold(w.firstHeading(pieces), p.Title) {
		w.heading([]span{{text: p.Title}}, 1)
	}
	w.expectLinks(p)
	for _, piece := range pieces {
		if w.done() {
			break
		}
		w.pieceStart = piece.Start
		w.reachOffset(0)
		if piece.Tag != "" {
			w.tag(piece)
			continue
		}
		w.blocks(markdown.ParseWhile(w.cancelled, piece.Text, nil), piece.Text)
	}
	w.dueLinks = append(w.dueLinks, w.pending...)
	w.setDueLinks()
	w.left, w.bars = marginSide, nil
}

// firstHeading returns the text of the page's leading level-1 heading.
func (w *writer) firstHeading(pieces []content.Piece) string {
	if len(pieces) == 0 || pieces[0].Tag != "" {
		return ""
	}
	source := pieces[0].Text
	heading, ok := markdown.ParseWhile(w.cancelled, source, nil).FirstChild().(*ast.Heading)
	if !ok || heading.Level != 1 {
		return ""
	}
	var text strings.Builder
	for _, s := range (inliner{source: source}).spans(heading, appearance{}) {
		text.WriteString(s.text)
	}
	return text.String()
}

var (
	hintColors = map[string][3]int{
		"info": {70, 120, 220}, "success": {50, 160, 90}, "warning": {225, 160, 40}, "danger": {205, 60, 60},
	}
	tagAttribute = regexp.MustCompile(`([a-zA-Z-]+)="([^"]*)"`)
)

// tag writes the visible form of a tag: a bar for hints, titles for tabs and similar. An unknown tag is printed as
// text.
func (w *writer) tag(piece content.Piece) {
	attributes := map[string]string{}
	for _, m := range tagAttribute.FindAllStringSubmatch(string(piece.Text), -1) {
		attributes[m[1]] = m[2]
	}
	switch piece.Tag {
	case "hint":
		color, ok := hintColors[attributes["style"]]
		if !ok {
			color = hintColors["info"]
		}
		w.addSpace(6)
		w.indent(color)
	case "endhint":
		w.outdent()
	case "tab", "step", "column", "content-ref", "embed":
		title := attributes["title"]
		if url := attributes["url"]; url != "" {
			w.block([]span{{text: url, appearance: appearance{size: bodySize, link: w.resources.Link(w.page, url)}}})
		}
		if title != "" {
			w.block([]span{{text: title, appearance: appearance{size: bodySize, style: bold}}})
		}
	case "tabs", "stepper", "columns", "endtabs", "endtab", "endstepper", "endstep", "endcolumns", "endcolumn",
		"endcontent-ref", "endembed":
	default:
		w.block([]span{{text: string(piece.Text), appearance: appearance{size: codeSize, style: mono, grey: true}}})
	}
}

const (
	barIndent = 12
	// maxIndent is the maximum indentation, so that deeply nested text still has space.
	maxIndent = sheetWidth - marginSide - 150
)

// indent moves the text to the right of a new bar. At the maximum indentation the bar is hidden.
func (w *writer) indent(color [3]int) {
	b := bar{left: w.left, top: w.left, color: color}
	if w.left+barIndent <= maxIndent {
		w.left += barIndent
	} else if len(w.bars) > 0 {
		b.hidden = true
	}
	w.bars = append(w.bars, b)
}

func (w *writer) outdent() {
	if n := len(w.bars); n > 0 {
		w.left = w.bars[n-1].left
		w.bars = w.bars[:n-1]
	}
}

// blocks writes the children of a node.
func (w *writer) blocks(parent ast.Node, source []byte) {
	for node := parent.FirstChild(); node != nil && !w.done(); node = node.NextSibling() {
		w.node(node, source)
	}
}

func (w *writer) node(node ast.Node, source []byte) {
	w.reachNode(node)
	in := inliner{writer: w, source: source}
	plain := appearance{size: bodySize}
	switch n := node.(type) {
	case *ast.Heading:
		w.heading(in.spans(n, appearance{}), n.Level)
	case *ast.Paragraph:
		w.block(in.spans(n, plain))
	case *ast.TextBlock:
		w.paragraph(in.spans(n, plain))
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		w.code(string(n.Lines().Value(source)))
	case *ast.Blockquote:
		w.addSpace(6)
		w.indent([3]int{190, 190, 196})
		w.blocks(n, source)
		w.outdent()
	case *ast.List:
		w.list(n, source)
	case *extast.Table:
		w.table(n, in)
	case *ast.ThematicBreak:
		w.addSpace(10)
		w.ensureSpace(10)
		w.pdf.SetDrawColor(200, 200, 205)
		w.pdf.Line(w.left, w.y, sheetWidth-marginSide, w.y)
		w.addSpace(6)
	case *ast.HTMLBlock:
		markup := string(n.Lines().Value(source))
		if n.HasClosure() {
			markup += string(n.ClosureLine.Value(source))
		}
		w.block(in.html(markup, plain))
	}
}

// heading writes a heading and keeps it with the next block. Headings below the title are added to the outline.
func (w *writer) heading(spans []span, level int) {
	var title strings.Builder
	for i := range spans {
		spans[i].appearance.style |= bold
		spans[i].appearance.size = headingSizes[min(level, 6)]
		title.WriteString(spans[i].text)
	}
	w.addSpace(6 + headingSizes[min(level, 6)]*0.6)
	w.ensureSpace(headingSizes[min(level, 6)]*leading + 3*bodySize*leading)
	if level > 1 {
		w.bookmark(title.String(), w.page.Level+level-1)
	}
	w.paragraph(spans)
	w.advance(2)
}

// block writes a paragraph with space before it.
func (w *writer) block(spans []span) {
	w.addSpace(6)
	w.paragraph(spans)
}

// paragraph writes spans.
func (w *writer) paragraph(spans []span) {
	if len(spans) == 0 {
		return
	}
	for _, l := range w.lines(spans, w.width()) {
		w.print(l)
	}
}

// code writes a code block on a grey background.
func (w *writer) code(text string) {
	const pad = 6
	w.addSpace(8)
	lines := w.typesetter.code(text, appearance{size: codeSize, style: mono, grey: false}, w.width()-2*pad)
	w.ensureSpace(min(float64(len(lines)), 3)*codeSize*leading + 2*pad)
	left := w.left
	back := func(height float64) {
		w.pdf.SetFillColor(246, 246, 248)
		w.pdf.Rect(left, w.y, sheetWidth-marginSide-left, height, "F")
	}
	back(pad)
	w.advance(pad)
	for _, l := range lines {
		w.ensureSpace(l.height)
		back(l.height + 0.2)
		for i := range l.runs {
			l.runs[i].appearance.style &^= mono // the background is already drawn
		}
		w.printAt(l, left+pad, w.y)
		w.advance(l.height)
	}
	back(pad)
	w.advance(pad)
}

const listIndent = 18

// list writes a list with its markers to the left of the items.
func (w *writer) list(n *ast.List, source []byte) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		w.reachNode(item)
		marker := "•"
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + "."
			number++
		}
		if box, ok := checkBox(item); ok {
			if marker = "☐"; box.IsChecked {
				marker = "☑"
			}
		}
		if n.IsTight && item != n.FirstChild() {
			w.addSpace(2.5)
		} else {
			w.addSpace(6)
		}
		l := w.lines([]span{{text: marker, appearance: appearance{size: bodySize}}}, sheetWidth)[0]
		w.ensureSpace(l.height)
		left := min(w.left+max(listIndent, l.width+5), maxIndent)
		w.printAt(l, left-5-l.width, w.y)
		w.item(item, source, left)
	}
}

// item writes the content of an item, starting on the line of the marker.
func (w *writer) item(item ast.Node, source []byte, at float64) {
	left := w.left
	w.left = at
	for node := item.FirstChild(); node != nil; node = node.NextSibling() {
		if p, ok := node.(*ast.Paragraph); ok && node == item.FirstChild() {
			w.paragraph(inliner{writer: w, source: source}.spans(p, appearance{size: bodySize}))
			continue
		}
		w.node(node, source)
	}
	if item.FirstChild() == nil {
		w.advance(bodySize * leading)
	}
	w.left = left
}

// checkBox returns the check box of a task item, and false for any other item.
func checkBox(item ast.Node) (*extast.TaskCheckBox, bool) {
	if item.FirstChild() == nil {
		return nil, false
	}
	box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box, ok
}
