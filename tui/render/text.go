package render

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"docspace.dev/wsd/tui/term"
)

// Style is the appearance of a span.
type Style struct {
	Tone                                     Tone
	Ground                                   Ground
	Bold, Italic, Underline, Strike, Reverse bool
}

// Span is a part of a line in one style. The zero Span is empty.
type Span struct {
	text   string
	style  Style
	target string // target of a click on it, see Linked; lost when a line is wrapped
}

// NewSpan returns a span with a style. The text is sanitized and newlines are replaced by spaces.
func NewSpan(style Style, text string) Span { return Span{text: term.Line(text), style: style} }

// Plain returns a span without a style.
func Plain(text string) Span { return NewSpan(Style{}, text) }

// In returns a span with a tone.
func In(tone Tone, text string) Span { return NewSpan(Style{Tone: tone}, text) }

// Linked returns the span with a target for clicks: KeyTarget of a key, or a name that the page defines.
func (s Span) Linked(target string) Span {
	s.target = target
	return s
}

// KeyTarget returns the target of a click that presses a key.
func KeyTarget(key string) string { return keyTargetPrefix + key }

// TargetKey returns the key that a click on a target presses. ok is false for targets other than those of KeyTarget.
func TargetKey(target string) (key string, ok bool) {
	return strings.CutPrefix(target, keyTargetPrefix)
}

const keyTargetPrefix = "key:"

// TargetAt returns the target of the span at a cell of the line, counted from 0, or "".
func (l Line) TargetAt(cell int) string {
	for _, s := range l {
		if cell -= ansi.StringWidth(s.text); cell < 0 {
			return s.target
		}
	}
	return ""
}

// Text returns the text of the span.
func (s Span) Text() string { return s.text }

// Style returns the style of the span.
func (s Span) Style() Style { return s.style }

// Line is a line of styled text.
type Line []Span

// Width returns the width of the line in cells.
func (l Line) Width() int {
	total := 0
	for _, s := range l {
		total += ansi.StringWidth(s.text)
	}
	return total
}

// String returns the text of the line without styles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// Join returns the concatenation of several lines.
func Join(lines ...Line) Line {
	var all Line
	for _, l := range lines {
		all = append(all, l...)
	}
	return all
}

// Cut returns the line truncated to width cells. A truncated line ends in ….
func (l Line) Cut(width int) Line {
	if l.Width() <= width {
		return l
	}
	if width <= 0 {
		return nil
	}
	prefix := l.take(width - 1)
	mark := Plain("…")
	if last := len(prefix) - 1; last >= 0 {
		mark.style.Ground = prefix[last].style.Ground
	}
	return append(prefix, mark)
}

// take returns the longest prefix of the line that fits into width cells.
func (l Line) take(width int) Line {
	var out Line
	for _, s := range l {
		w := ansi.StringWidth(s.text)
		if w > width {
			if prefix := ansi.Truncate(s.text, width, ""); prefix != "" {
				out = append(out, Span{prefix, s.style, s.target})
			}
			return out
		}
		out = append(out, s)
		width -= w
	}
	return out
}

// Pad returns the line truncated or padded with spaces to exactly width cells.
func (l Line) Pad(width int) Line {
	l = l.Cut(width)
	if missing := width - l.Width(); missing > 0 {
		return append(slices.Clip(l), Span{text: strings.Repeat(" ", missing)})
	}
	return l
}

// AlignRight returns the line cut or padded with spaces at its beginning to exactly width cells.
func AlignRight(l Line, width int) Line {
	l = l.Cut(width)
	return Join(Line{Plain(strings.Repeat(" ", max(width-l.Width(), 0)))}, l)
}

// On returns the line with a ground. Spans that have a ground keep it.
func (l Line) On(ground Ground) Line {
	return l.Restyle(func(s Style) Style {
		if s.Ground == NoGround {
			s.Ground = ground
		}
		return s
	})
}

// Fill returns the line with a ground, padded to width cells.
func (l Line) Fill(ground Ground, width int) Line {
	l = l.On(ground).Cut(width)
	if missing := width - l.Width(); missing > 0 {
		return append(l, Span{text: strings.Repeat(" ", missing), style: Style{Ground: ground}})
	}
	return l
}

// Trim returns the line without leading and trailing spaces.
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

// Restyle returns the line with change applied to the style of each span.
func (l Line) Restyle(change func(Style) Style) Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i] = Span{s.text, change(s.style), s.target}
	}
	return out
}

// Columns aligns left and right at the edges of a line of width cells. right is cut if both do not fit.
func Columns(left, right Line, width int) Line {
	available := width - left.Width() - 1
	if right.Width() > available {
		if available < 8 {
			return left.Cut(width)
		}
		right = right.Cut(available)
	}
	gap := width - left.Width() - right.Width()
	return Join(left, Line{{text: strings.Repeat(" ", gap)}}, right)
}

// Mark returns the line with every occurrence of a word, ignoring case, in reverse video.
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
	if len(lower) != len(s.text) { // case folding changed the offsets
		return Line{s}
	}
	var out Line
	rest := 0
	for {
		at := strings.Index(lower[rest:], word)
		if at < 0 {
			return append(out, Span{s.text[rest:], s.style, s.target})
		}
		marked := s.style
		marked.Reverse = true
		end := rest + at + len(word)
		out = append(out, Span{s.text[rest : rest+at], s.style, s.target}, Span{s.text[rest+at : end], marked, s.target})
		rest = end
	}
}

// CutLeft returns the line truncated to width cells at its beginning. A truncated line starts with ….
func (l Line) CutLeft(width int) Line {
	lost := l.Width() - width
	if lost <= 0 {
		return l
	}
	if width <= 0 {
		return nil
	}
	var out Line
	lost++ // reserved for the …
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
