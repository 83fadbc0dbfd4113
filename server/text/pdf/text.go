package pdf

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// appearance is the formatting of a text, and its link target.
type appearance struct {
	style  style
	size   float64
	grey   bool
	strike bool
	link   Target
}

// span is a text with one appearance, or an image.
type span struct {
	text       string // a line feed is a line break
	appearance appearance
	image      *picture
}

// textRun is a part of a line with one font and one appearance.
type textRun struct {
	text       string
	face       *typeface
	appearance appearance
	width      float64
}

// line is a laid-out line: text, or an image.
type line struct {
	runs   []textRun
	image  *picture
	height float64
	width  float64
}

const leading = 1.42 // line height, relative to the font size

// atom is an unbreakable part of a line: the runs of a word, and the space before it.
type atom struct {
	runs      []textRun
	width     float64
	space     []textRun // space before the word; dropped at the start of a line
	lineBreak bool      // begins a new line
}

func (a atom) spacing() (width float64) {
	for _, p := range a.space {
		width += p.width
	}
	return width
}

// typesetter breaks text into lines.
type typesetter struct {
	fonts Fonts
	ctx   context.Context // context of the request; after it is cancelled, all text is empty
}

// cancelled reports whether the context is cancelled.
func (t typesetter) cancelled() bool { return t.ctx.Err() != nil }

// checkInterval is the number of characters between checks of the context.
const checkInterval = 1 << 12

// lines lays out spans in a width; images have lines of their own.
func (t typesetter) lines(spans []span, width float64) (lines []line) {
	from := 0
	text := func(some []span) {
		if len(t.atoms(some)) > 0 {
			lines = append(lines, t.text(some, width)...)
		}
	}
	for i, s := range spans {
		if s.image != nil {
			text(spans[from:i])
			lines = append(lines, s.image.line(width))
			from = i + 1
		}
	}
	if from == 0 {
		return t.text(spans, width)
	}
	text(spans[from:])
	return lines
}

// text lays out text spans in a width. Every character is part of a line; white space is collapsed.
func (t typesetter) text(spans []span, width float64) []line {
	var lines []line
	var now line
	end := func() {
		lines = append(lines, now)
		now = line{}
	}
	for _, a := range t.atoms(spans) {
		if a.lineBreak {
			end()
		}
		if len(now.runs) > 0 && now.width+a.spacing()+a.width > width {
			end()
		}
		if len(now.runs) > 0 {
			now.add(a.space...)
		}
		for _, p := range a.runs {
			for now.width+p.width > width {
				head, rest := p.cut(width - now.width)
				if head.text == "" && len(now.runs) == 0 {
					break // narrower than a character: let it overflow
				}
				now.add(head)
				end()
				p = rest
			}
			now.add(p)
		}
	}
	end()
	for i := range lines {
		if lines[i].height == 0 && len(spans) > 0 {
			lines[i].height = spans[0].appearance.size * leading
		}
	}
	return lines
}

// add appends text runs to the line and joins those with the same appearance.
func (l *line) add(pieces ...textRun) {
	for _, p := range pieces {
		if p.text == "" {
			continue
		}
		l.width += p.width
		l.height = max(l.height, p.appearance.size*leading)
		if n := len(l.runs); n > 0 && l.runs[n-1].face == p.face && l.runs[n-1].appearance == p.appearance {
			l.runs[n-1].text += p.text
			l.runs[n-1].width += p.width
			continue
		}
		l.runs = append(l.runs, p)
	}
}

// cut splits a text run at a width.
func (p textRun) cut(width float64) (head, rest textRun) {
	head, rest = p, p
	used, at := 0.0, 0
	for i, r := range p.text {
		w := p.face.width(string(r), p.appearance.size)
		if used+w > width {
			break
		}
		used, at = used+w, i+utf8.RuneLen(r)
	}
	head.text, head.width = p.text[:at], used
	rest.text, rest.width = p.text[at:], p.width-used
	return head, rest
}

// atoms cuts spans into words.
func (t typesetter) atoms(spans []span) []atom {
	var atoms []atom
	var now atom
	end := func() {
		if len(now.runs) > 0 {
			atoms, now = append(atoms, now), atom{}
		}
	}
	set := 0
	for _, s := range spans {
		for _, r := range s.text {
			if set++; set%checkInterval == 0 && t.cancelled() {
				return nil
			}
			switch {
			case r == '\n':
				end()
				if now.lineBreak { // an empty line
					atoms = append(atoms, now)
				}
				now = atom{lineBreak: true}
			case unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f':
				end()
				now.space = t.runs(" ", s.appearance)
			default:
				if breakable(r) {
					end()
				}
				for _, p := range t.runs(string(r), s.appearance) {
					now.runs, now.width = appendRun(now.runs, p), now.width+p.width
				}
			}
		}
	}
	end()
	return atoms
}

// breakable reports whether a line may be broken before a character without a space, as in Chinese and Japanese.
func breakable(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// maxRunBytes limits the size of a text run, since a run is copied for every character added and a word may be a page long.
const maxRunBytes = 256

func appendRun(pieces []textRun, p textRun) []textRun {
	if n := len(pieces); n > 0 && pieces[n-1].face == p.face && pieces[n-1].appearance == p.appearance &&
		len(pieces[n-1].text) < maxRunBytes {
		pieces[n-1].text += p.text
		pieces[n-1].width += p.width
		return pieces
	}
	return append(pieces, p)
}

// runs selects the fonts for a text. Characters that no font has, and control characters, are printed as code
// points.
func (t typesetter) runs(text string, l appearance) []textRun {
	var pieces []textRun
	for _, r := range text {
		written := string(r)
		face := t.fonts.face(l.style, r)
		if face == nil || unicode.IsControl(r) {
			face, written = t.fonts.face(l.style, 'U'), fmt.Sprintf("[U+%04X]", r)
		}
		pieces = appendRun(pieces, textRun{text: written, face: face, appearance: l, width: face.width(written, l.size)})
	}
	return pieces
}

// code returns the lines of preformatted text; long lines are wrapped.
func (t typesetter) code(text string, l appearance, width float64) []line {
	var lines []line
	for source := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		now := line{height: l.size * leading}
		for _, p := range t.runs(strings.ReplaceAll(strings.TrimSuffix(source, "\r"), "\t", "    "), l) {
			for now.width+p.width > width {
				head, rest := p.cut(width - now.width)
				if head.text == "" && len(now.runs) == 0 {
					break
				}
				now.add(head)
				lines = append(lines, now)
				now = line{height: l.size * leading}
				p = rest
			}
			now.add(p)
		}
		lines = append(lines, now)
	}
	return lines
}
