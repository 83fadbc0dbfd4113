package pdf

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// look is what a stretch of text looks like, and where it leads.
type look struct {
	style  style
	size   float64
	grey   bool
	strike bool
	link   Target
}

// span is a stretch of text with one look, or an image.
type span struct {
	text  string // a line feed is a line break
	look  look
	image *picture
}

// piece is a part of a line that is printed at once: one font, one look.
type piece struct {
	text  string
	face  *typeface
	look  look
	width float64
}

// line is a laid out line: text, or an image.
type line struct {
	pieces []piece
	image  *picture
	height float64
	width  float64
}

const leading = 1.42 // height of a line, in sizes

// atom is what a line is not broken within: the pieces of a word, and the space before it.
type atom struct {
	pieces []piece
	width  float64
	space  []piece // in front; dropped at the start of a line
	broken bool    // begins a new line
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
	ctx   context.Context // of who waits for it: without them a text has no words
}

// gone reports whether nobody waits any more.
func (t typesetter) gone() bool { return t.ctx.Err() != nil }

// patience is how many characters are set before one looks whether somebody still waits.
const patience = 1 << 12

// lines lays spans out in a width; images stand on lines of their own.
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

// text lays spans of text out in a width. Every character of theirs is in some line; white space collapses.
func (t typesetter) text(spans []span, width float64) []line {
	var lines []line
	var now line
	end := func() {
		lines = append(lines, now)
		now = line{}
	}
	for _, a := range t.atoms(spans) {
		if a.broken {
			end()
		}
		if len(now.pieces) > 0 && now.width+a.spacing()+a.width > width {
			end()
		}
		if len(now.pieces) > 0 {
			now.add(a.space...)
		}
		for _, p := range a.pieces {
			for now.width+p.width > width {
				head, rest := p.cut(width - now.width)
				if head.text == "" && len(now.pieces) == 0 {
					break // narrower than a character: let it stand out
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
			lines[i].height = spans[0].look.size * leading
		}
	}
	return lines
}

// add appends pieces to the line, joined to the one before where they look the same.
func (l *line) add(pieces ...piece) {
	for _, p := range pieces {
		if p.text == "" {
			continue
		}
		l.width += p.width
		l.height = max(l.height, p.look.size*leading)
		if n := len(l.pieces); n > 0 && l.pieces[n-1].face == p.face && l.pieces[n-1].look == p.look {
			l.pieces[n-1].text += p.text
			l.pieces[n-1].width += p.width
			continue
		}
		l.pieces = append(l.pieces, p)
	}
}

// cut splits a piece where a width is full.
func (p piece) cut(width float64) (head, rest piece) {
	head, rest = p, p
	used, at := 0.0, 0
	for i, r := range p.text {
		w := p.face.width(string(r), p.look.size)
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
		if len(now.pieces) > 0 {
			atoms, now = append(atoms, now), atom{}
		}
	}
	set := 0
	for _, s := range spans {
		for _, r := range s.text {
			if set++; set%patience == 0 && t.gone() {
				return nil
			}
			switch {
			case r == '\n':
				end()
				if now.broken { // an empty line
					atoms = append(atoms, now)
				}
				now = atom{broken: true}
			case unicode.IsSpace(r) && r != '\u00a0' && r != '\u202f':
				end()
				now.space = t.pieces(" ", s.look)
			default:
				if wraps(r) {
					end()
				}
				for _, p := range t.pieces(string(r), s.look) {
					now.pieces, now.width = join(now.pieces, p), now.width+p.width
				}
			}
		}
	}
	end()
	return atoms
}

// wraps reports whether a line may be broken before a character without a space: in Chinese and Japanese.
func wraps(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// pieceBytes bounds a piece, for one is copied with every character that joins it: a word may be a page long.
const pieceBytes = 256

func join(pieces []piece, p piece) []piece {
	if n := len(pieces); n > 0 && pieces[n-1].face == p.face && pieces[n-1].look == p.look && len(pieces[n-1].text) < pieceBytes {
		pieces[n-1].text += p.text
		pieces[n-1].width += p.width
		return pieces
	}
	return append(pieces, p)
}

// pieces chooses the fonts for a text. What no font has becomes its code point; control characters that have no
// look of their own, too.
func (t typesetter) pieces(text string, l look) []piece {
	var pieces []piece
	for _, r := range text {
		written := string(r)
		face := t.fonts.face(l.style, r)
		if face == nil || unicode.IsControl(r) {
			face, written = t.fonts.face(l.style, 'U'), fmt.Sprintf("[U+%04X]", r)
		}
		pieces = join(pieces, piece{text: written, face: face, look: l, width: face.width(written, l.size)})
	}
	return pieces
}

// code makes lines of a text whose white space stands: what is too long goes on below.
func (t typesetter) code(text string, l look, width float64) []line {
	var lines []line
	for source := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		now := line{height: l.size * leading}
		for _, p := range t.pieces(strings.ReplaceAll(strings.TrimSuffix(source, "\r"), "\t", "    "), l) {
			for now.width+p.width > width {
				head, rest := p.cut(width - now.width)
				if head.text == "" && len(now.pieces) == 0 {
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
