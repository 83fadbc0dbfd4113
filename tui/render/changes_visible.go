package render

import (
	"regexp"
	"strings"
)

// visibleSegment is a piece of a line without the Markdown syntax for emphasis and link targets. It has an inlineStyle
// for each byte.
type visibleSegment struct {
	segment
	styles []inlineStyle
}

// inlineStyle is a set of styles given to a word by the Markdown around it.
type inlineStyle uint8

const (
	bold inlineStyle = 1 << iota
	italic
	inLink // part of a link
)

// apply adds the inline style to s. A word with a background is not drawn as a link.
func (l inlineStyle) apply(s Style) Style {
	s.Bold = s.Bold || l&bold != 0
	s.Italic = s.Italic || l&italic != 0
	if l&inLink != 0 && s == (Style{Bold: s.Bold, Italic: s.Italic}) {
		s.Tone, s.Underline = Link, true
	}
	return s
}

// spans returns the bytes from..to in a style, combined with the inline style of each byte.
func (r visibleSegment) spans(from, to int, style Style) Line {
	var out Line
	for from < to {
		end := from + 1
		for end < to && r.styles[end] == r.styles[from] {
			end++
		}
		out = append(out, NewSpan(r.styles[from].apply(style), r.text[from:end]))
		from = end
	}
	return out
}

// suffix returns the part of the piece that starts at an offset.
func (r visibleSegment) suffix(at int) visibleSegment {
	return visibleSegment{segment{r.op, r.text[at:]}, r.styles[at:]}
}

// trimSpace returns the white space around the words, and the offsets of the words.
func (r visibleSegment) trimSpace() (lead, trail string, from, to int) {
	core := strings.TrimSpace(r.text)
	from = strings.Index(r.text, core)
	to = from + len(core)
	return r.text[:from], r.text[to:], from, to
}

// visibility states whether a byte of the source is shown. If a byte is part of both sides of a change, the greater of the two
// values applies.
type visibility uint8

const (
	undecided visibility = iota
	hiddenByte
	forcedByte  // shown although a link usually hides it
	targetStart // precedes a link target that is shown
)

// visibleReader determines which bytes of a line with both sides of a change are shown, and in which style.
type visibleReader struct {
	text         string
	ops          []operation // of each byte
	visibilities []visibility
	styles       []inlineStyle
}

// visibleSegments removes invisible syntax from pieces. The target of a link is shown only if it changed, and changed
// emphasis syntax is kept, so that every change can be seen.
func visibleSegments(pieces []segment) []visibleSegment {
	r := visibleReader{}
	for _, p := range pieces {
		r.text += p.text
		for range len(p.text) {
			r.ops = append(r.ops, p.op)
		}
	}
	r.visibilities, r.styles = make([]visibility, len(r.text)), make([]inlineStyle, len(r.text))
	if strings.ContainsAny(r.text, "[*_") {
		before, after := r.side(added), r.side(removed)
		before.markLinks(&r, after.countTargets())
		after.markLinks(&r, before.countTargets())
		before.markEmphasis(&r, after.text)
		after.markEmphasis(&r, before.text)
	}
	return r.removeHidden(pieces)
}

// removeHidden returns the pieces without their hidden bytes. A space is inserted before the parenthesis of a link target that
// is shown.
func (r *visibleReader) removeHidden(pieces []segment) []visibleSegment {
	var out []visibleSegment
	offset := 0
	for _, p := range pieces {
		shown := visibleSegment{segment: segment{op: p.op}}
		var b strings.Builder
		for i := range len(p.text) {
			written := p.text[i : i+1]
			switch r.visibilities[offset+i] {
			case hiddenByte:
				continue
			case targetStart:
				written = " ("
			case undecided, forcedByte:
			}
			b.WriteString(written)
			for range len(written) {
				shown.styles = append(shown.styles, r.styles[offset+i])
			}
		}
		offset += len(p.text)
		if shown.text = b.String(); shown.text != "" {
			out = append(out, shown)
		}
	}
	return out
}

// sideText is the text before or after the change. Code is blanked, because it contains no syntax.
type sideText struct {
	text    string
	offsets []int // offset of each byte in the whole text
}

func (r *visibleReader) side(without operation) sideText {
	var s sideText
	var b strings.Builder
	for i := range len(r.text) {
		if r.ops[i] != without {
			b.WriteByte(r.text[i])
			s.offsets = append(s.offsets, i)
		}
	}
	s.text = codeSpan.ReplaceAllStringFunc(b.String(), func(code string) string { return strings.Repeat("`", len(code)) })
	return s
}

// linkParts matches a link or an image: its prefix, text and target.
var linkParts = regexp.MustCompile(`(!?)\[([^\]\[]*)\]\(([^()\s]+)(?:\s+"[^"]*")?\)`)

// countTargets counts the links by target.
func (s sideText) countTargets() map[string]int {
	all := map[string]int{}
	for _, found := range linkParts.FindAllStringSubmatch(s.text, -1) {
		all[found[3]]++
	}
	return all
}

func (s sideText) markLinks(r *visibleReader, other map[string]int) {
	own := s.countTargets()
	for _, m := range linkParts.FindAllStringSubmatchIndex(s.text, -1) {
		picture, words, address := m[2] < m[3], m[4] < m[5], s.text[m[6]:m[7]]
		stays := s.isUniform(r, m[0], m[4], same) && s.isUniform(r, m[5], m[1], same)
		// the changed text shows the difference
		follows := own[address] == other[address] && s.isUniform(r, m[0], m[1], r.ops[s.offsets[m[0]]]) && other[address] > 0
		s.mark(r, m[0], m[4], hiddenByte)
		for i := m[4]; i < m[5] && !picture; i++ {
			r.styles[s.offsets[i]] |= inLink
		}
		if words && !picture && (stays || follows) {
			s.mark(r, m[5], m[1], hiddenByte)
			continue
		}
		s.mark(r, m[5], m[5]+1, targetStart)
		s.mark(r, m[5]+1, m[5]+2, hiddenByte)
		s.mark(r, m[6], m[1], forcedByte)
	}
}

// emphasisPatterns match emphasized words.
var emphasisPatterns = []struct {
	pattern *regexp.Regexp
	width   int
	style   inlineStyle
}{
	{regexp.MustCompile(`\*\*[^\s*](?:[^*]*[^\s*\\])?\*\*`), 2, bold},
	{regexp.MustCompile(`\b__[^\s_](?:[^_]*[^\s_\\])?__\b`), 2, bold},
	{regexp.MustCompile(`\*[^\s*](?:[^*]*[^\s*\\])?\*`), 1, italic},
	{regexp.MustCompile(`\b_[^\s_](?:[^_]*[^\s_\\])?_\b`), 1, italic},
}

// markEmphasis hides unchanged emphasis syntax, and that of words which were added or removed as a whole. other is the
// text of the other side.
func (s sideText) markEmphasis(r *visibleReader, other string) {
	rest := []byte(linkParts.ReplaceAllStringFunc(s.text, func(link string) string { // link targets have no emphasis
		end := strings.LastIndex(link, "](")
		return link[:end] + strings.Repeat("`", len(link)-end)
	}))
	for _, sign := range emphasisPatterns {
		for _, m := range sign.pattern.FindAllIndex(rest, -1) {
			from, to := m[0]+sign.width, m[1]-sign.width
			if m[0] > 0 && rest[m[0]-1] == '\\' {
				continue
			}
			stays := s.isUniform(r, m[0], from, same) && s.isUniform(r, to, m[1], same)
			whole := s.isUniform(r, m[0], m[1], r.ops[s.offsets[m[0]]]) && !strings.Contains(other, s.text[from:to])
			if !stays && !whole {
				s.mark(r, m[0], from, forcedByte)
				s.mark(r, to, m[1], forcedByte)
				continue
			}
			s.mark(r, m[0], from, hiddenByte)
			s.mark(r, to, m[1], hiddenByte)
			for i := m[0]; i < m[1]; i++ {
				r.styles[s.offsets[i]] |= sign.style
				if i < from || i >= to {
					rest[i] = '`'
				}
			}
		}
	}
}

// isUniform reports whether all bytes from..to have the operation op.
func (s sideText) isUniform(r *visibleReader, from, to int, op operation) bool {
	for i := from; i < to; i++ {
		if r.ops[s.offsets[i]] != op {
			return false
		}
	}
	return true
}

func (s sideText) mark(r *visibleReader, from, to int, f visibility) {
	for i := from; i < to; i++ {
		r.visibilities[s.offsets[i]] = max(r.visibilities[s.offsets[i]], f)
	}
}
