package render

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cell is one grapheme.
type cell struct {
	text  string
	width int
	style Style
}

// Wrap breaks spans into lines of at most width cells, between words where it can; a word that does not fit, as addresses do
// not, behind a / or a hyphen where it has one. Each line after the first begins with indent.
func Wrap(spans Line, width int, indent Line) []Line {
	width = max(width, 1)
	if indent.Width() > width-2 { // a wide character must fit beside it
		indent = nil
	}
	w := wrapper{width: width, indent: indent, breakAt: -1, slashAt: -1, dashAt: -1}
	for _, s := range spans {
		w.span(s)
	}
	return append(w.lines, spansOf(w.indented(), w.cells))
}

type wrapper struct {
	width   int
	indent  Line
	lines   []Line
	cells   []cell
	used    int  // cells of the screen
	begun   bool // something else than spaces is in cells
	breakAt int  // index in cells after which a line may break, -1 for nowhere
	slashAt int  // the same within a word, behind a /
	dashAt  int  // and behind a hyphen
}

// indented is the indent of the line being made.
func (w *wrapper) indented() Line {
	if len(w.lines) == 0 {
		return nil
	}
	return w.indent
}

func (w *wrapper) room() int { return w.width - w.indented().Width() }

func (w *wrapper) span(s Span) {
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
	if w.used+c.width > w.room() {
		if space {
			w.flush(len(w.cells))
			return
		}
		if w.breakAt >= 0 {
			w.flush(w.breakAt)
		}
		for w.used+c.width > w.room() {
			w.flush(w.within())
		}
	}
	w.cells, w.used = append(w.cells, c), w.used+c.width
	w.begun = w.begun || !space
	if w.begun && (space || c.width > 1) { // the indentation of a line stays with its first word
		w.breakAt = len(w.cells)
	}
	switch c.text {
	case "/":
		w.slashAt = len(w.cells)
	case "-":
		if n := len(w.cells); n > 1 && isLetter(w.cells[n-2].text) { // a hyphen, and no sign
			w.dashAt = n
		}
	}
}

func isLetter(cluster string) bool {
	first, _ := utf8.DecodeRuneInString(cluster)
	return unicode.IsLetter(first) || unicode.IsDigit(first)
}

// within is where a word is broken that is longer than the line.
func (w *wrapper) within() int {
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
	w.lines = append(w.lines, spansOf(w.indented(), line))
	w.cells, w.used, w.breakAt, w.slashAt, w.dashAt, w.begun = nil, 0, -1, -1, -1, false
	for _, c := range rest { // again, because the next line may have less room
		w.add(c)
	}
}

// spansOf joins neighbours of one style.
func spansOf(indent Line, cells []cell) Line {
	line := append(Line{}, indent...)
	start := len(line)
	for _, c := range cells {
		if last := len(line) - 1; last >= start && line[last].style == c.style {
			line[last].text += c.text
			continue
		}
		line = append(line, Span{c.text, c.style})
	}
	return line
}
