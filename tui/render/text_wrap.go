package render

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cell is a grapheme cluster with its width.
type cell struct {
	text  string
	width int
	style Style
}

// Wrap breaks spans into lines of at most width cells, preferably between words. Words longer than a line, such as
// URLs, are broken after a / or a hyphen if possible. Each line after the first begins with indent.
func Wrap(spans Line, width int, indent Line) []Line {
	width = max(width, 1)
	if indent.Width() > width-2 { // leaves two cells for a wide character
		indent = nil
	}
	w := wrapper{width: width, indent: indent, breakAt: -1, slashAt: -1, dashAt: -1}
	for _, s := range spans {
		w.addSpan(s)
	}
	return append(w.lines, joinCells(w.lineIndent(), w.cells))
}

type wrapper struct {
	width     int
	indent    Line
	lines     []Line
	cells     []cell
	usedWidth int  // width of cells
	hasText   bool // cells contains something other than spaces
	breakAt   int  // index in cells after which the line may break, or -1
	slashAt   int  // like breakAt, after a / within a word
	dashAt    int  // like breakAt, after a hyphen
}

// lineIndent returns the indent of the current line.
func (w *wrapper) lineIndent() Line {
	if len(w.lines) == 0 {
		return nil
	}
	return w.indent
}

func (w *wrapper) available() int { return w.width - w.lineIndent().Width() }

func (w *wrapper) addSpan(s Span) {
	for rest := s.text; rest != ""; {
		cluster, width := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if cluster == "" {
			return
		}
		w.add(cell{cluster, width, s.style})
		rest = rest[len(cluster):]
	}
}

func (w *wrapper) add(c cell) {
	if c.width > w.width {
		c = cell{"?", 1, c.style}
	}
	space := c.text == " "
	if w.usedWidth+c.width > w.available() {
		if space {
			w.flush(len(w.cells))
			return
		}
		if w.breakAt >= 0 {
			w.flush(w.breakAt)
		}
		for w.usedWidth+c.width > w.available() {
			w.flush(w.breakInWord())
		}
	}
	w.cells, w.usedWidth = append(w.cells, c), w.usedWidth+c.width
	w.hasText = w.hasText || !space
	if w.hasText && (space || c.width > 1) { // the indentation of a line stays with its first word
		w.breakAt = len(w.cells)
	}
	switch c.text {
	case "/":
		w.slashAt = len(w.cells)
	case "-":
		if n := len(w.cells); n > 1 && isAlphanumeric(w.cells[n-2].text) { // a hyphen between letters, not a minus sign
			w.dashAt = n
		}
	}
}

func isAlphanumeric(cluster string) bool {
	first, _ := utf8.DecodeRuneInString(cluster)
	return unicode.IsLetter(first) || unicode.IsDigit(first)
}

// breakInWord returns the index at which a word longer than the line is broken.
func (w *wrapper) breakInWord() int {
	switch {
	case w.slashAt > 0:
		return w.slashAt
	case w.dashAt > 0:
		return w.dashAt
	default:
		return len(w.cells)
	}
}

// flush ends the line before cells[n].
func (w *wrapper) flush(n int) {
	rest := w.cells[n:]
	line := w.cells[:n]
	for len(line) > 0 && line[len(line)-1].text == " " {
		line = line[:len(line)-1]
	}
	w.lines = append(w.lines, joinCells(w.lineIndent(), line))
	w.cells, w.usedWidth, w.breakAt, w.slashAt, w.dashAt, w.hasText = nil, 0, -1, -1, -1, false
	for _, c := range rest { // measured again, because the next line may be narrower
		w.add(c)
	}
}

// joinCells merges cells of the same style into spans.
func joinCells(indent Line, cells []cell) Line {
	line := append(Line{}, indent...)
	start := len(line)
	for _, c := range cells {
		if last := len(line) - 1; last >= start && line[last].style == c.style {
			line[last].text += c.text
			continue
		}
		line = append(line, Span{text: c.text, style: c.style})
	}
	return line
}
