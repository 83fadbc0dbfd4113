// Package text is what pages of the screen are made of: lines of styled spans that know their width in cells, and
// the theme that paints them. Only Theme.Paint writes escape sequences, and a Span holds sanitized text only, so
// that nothing from a server reaches the terminal as it came.
//
// It imports tui/term, termenv and x/ansi.
package render

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"docspace.dev/wsd/tui/term"
)

// Style is how a span looks.
type Style struct {
	Tone                                     Tone
	Ground                                   Ground
	Bold, Italic, Underline, Strike, Reverse bool
}

// Span is a piece of one line in one style. The zero Span is empty.
type Span struct {
	text  string
	style Style
}

// Of returns a span; the text is sanitized and stays on one line.
func Of(style Style, text string) Span { return Span{text: term.Line(text), style: style} }

// Plain returns a span without a style.
func Plain(text string) Span { return Of(Style{}, text) }

// In returns a span in a tone.
func In(tone Tone, text string) Span { return Of(Style{Tone: tone}, text) }

// Text returns what the span says.
func (s Span) Text() string { return s.text }

// Style returns how the span is drawn.
func (s Span) Style() Style { return s.style }

// Line is a line of the screen.
type Line []Span

// Width returns the cells that the line takes.
func (l Line) Width() int {
	total := 0
	for _, s := range l {
		total += ansi.StringWidth(s.text)
	}
	return total
}

// String returns what the line says.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// Join returns the spans of several lines as one line.
func Join(lines ...Line) Line {
	var all Line
	for _, l := range lines {
		all = append(all, l...)
	}
	return all
}

// Cut returns the line shortened to width cells, ending in … when something is lost.
func (l Line) Cut(width int) Line {
	if l.Width() <= width {
		return l
	}
	if width <= 0 {
		return nil
	}
	kept := l.take(width - 1)
	mark := Plain("…")
	if last := len(kept) - 1; last >= 0 {
		mark.style.Ground = kept[last].style.Ground
	}
	return append(kept, mark)
}

// take returns the beginning of the line that fits into width cells.
func (l Line) take(width int) Line {
	var out Line
	for _, s := range l {
		w := ansi.StringWidth(s.text)
		if w > width {
			if kept := ansi.Truncate(s.text, width, ""); kept != "" {
				out = append(out, Span{kept, s.style})
			}
			return out
		}
		out = append(out, s)
		width -= w
	}
	return out
}

// Pad returns the line cut or filled with spaces to exactly width cells.
func (l Line) Pad(width int) Line {
	l = l.Cut(width)
	if missing := width - l.Width(); missing > 0 {
		return append(slices.Clip(l), Span{text: strings.Repeat(" ", missing)})
	}
	return l
}

// On returns the line on a ground; what has one of its own keeps it.
func (l Line) On(ground Ground) Line {
	return l.Restyle(func(s Style) Style {
		if s.Ground == NoGround {
			s.Ground = ground
		}
		return s
	})
}

// Fill returns the line on a ground that reaches over width cells.
func (l Line) Fill(ground Ground, width int) Line {
	l = l.On(ground).Cut(width)
	if missing := width - l.Width(); missing > 0 {
		return append(l, Span{text: strings.Repeat(" ", missing), style: Style{Ground: ground}})
	}
	return l
}

// Trim returns the line without the spaces around it.
func (l Line) Trim() Line {
	out := slices.Clone(l)
	for len(out) > 0 {
		if out[0].text = strings.TrimLeft(out[0].text, " \t"); out[0].text != "" {
			break
		}
		out = out[1:]
	}
	for last := len(out) - 1; last >= 0; last-- {
		if out[last].text = strings.TrimRight(out[last].text, " \t"); out[last].text != "" {
			break
		}
		out = out[:last]
	}
	return out
}

// Restyle returns the line with a change made to the style of each span.
func (l Line) Restyle(change func(Style) Style) Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i] = Span{s.text, change(s.style)}
	}
	return out
}

// Columns returns left at the left and right at the right edge of width cells; right yields when both do not fit.
func Columns(left, right Line, width int) Line {
	room := width - left.Width() - 1
	if right.Width() > room {
		if room < 8 {
			return left.Cut(width)
		}
		right = right.Cut(room)
	}
	gap := width - left.Width() - right.Width()
	return Join(left, Line{{text: strings.Repeat(" ", gap)}}, right)
}

// Mark returns the line with every occurrence of a word, whatever its case, in reverse.
func (l Line) Mark(word string) Line {
	if word == "" {
		return l
	}
	var out Line
	for _, s := range l {
		out = append(out, s.mark(strings.ToLower(word))...)
	}
	return out
}

func (s Span) mark(word string) Line {
	lower := strings.ToLower(s.text)
	if len(lower) != len(s.text) { // folding changed the offsets
		return Line{s}
	}
	var out Line
	rest := 0
	for {
		at := strings.Index(lower[rest:], word)
		if at < 0 {
			return append(out, Span{s.text[rest:], s.style})
		}
		marked := s.style
		marked.Reverse = true
		end := rest + at + len(word)
		out = append(out, Span{s.text[rest : rest+at], s.style}, Span{s.text[rest+at : end], marked})
		rest = end
	}
}

// CutLeft returns the line shortened to width cells at its beginning, starting with … when something is lost.
func (l Line) CutLeft(width int) Line {
	lost := l.Width() - width
	if lost <= 0 {
		return l
	}
	if width <= 0 {
		return nil
	}
	var out Line
	lost++ // for the mark
	for _, s := range l {
		w := ansi.StringWidth(s.text)
		if lost > 0 {
			s.text = ansi.TruncateLeft(s.text, lost, "")
			lost -= w
		}
		if s.text != "" {
			out = append(out, s)
		}
	}
	return append(Line{Plain("…")}, out...).Cut(width)
}
