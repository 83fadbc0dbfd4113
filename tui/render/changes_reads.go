package render

import (
	"regexp"
	"strings"
)

// read is a piece of a line as people read it: without the signs of Markdown that only say how words look or where they
// lead. Each of its bytes has looks.
type read struct {
	piece
	looks []looks
}

// looks is how a word looks by the Markdown around it.
type looks uint8

const (
	bold looks = 1 << iota
	italic
	leads // it is a link
)

// over returns a style with the looks; on a ground of its own a word does not look like a link, too.
func (l looks) over(s Style) Style {
	s.Bold = s.Bold || l&bold != 0
	s.Italic = s.Italic || l&italic != 0
	if l&leads != 0 && s == (Style{Bold: s.Bold, Italic: s.Italic}) {
		s.Tone, s.Underline = Link, true
	}
	return s
}

// spans are the bytes from one to another in a style, each with its looks.
func (r read) spans(from, to int, style Style) Line {
	var out Line
	for from < to {
		end := from + 1
		for end < to && r.looks[end] == r.looks[from] {
			end++
		}
		out = append(out, Of(r.looks[from].over(style), r.text[from:end]))
		from = end
	}
	return out
}

// from is the piece from a byte on.
func (r read) from(at int) read {
	return read{piece{r.op, r.text[at:]}, r.looks[at:]}
}

// trimmed are the white space around the words, and where they begin and end.
func (r read) trimmed() (lead, trail string, from, to int) {
	core := strings.TrimSpace(r.text)
	from = strings.Index(r.text, core)
	to = from + len(core)
	return r.text[:from], r.text[to:], from, to
}

// fate is what becomes of a byte on the way to the reader; the greater one wins where both sides have it.
type fate uint8

const (
	open fate = iota
	dropped
	kept  // though a link usually hides it
	parts // stands before an address that is shown
)

// reader finds what is not read in a line of which both sides are known.
type reader struct {
	whole string
	ops   []operation // of each byte
	fates []fate
	looks []looks
}

// asRead are pieces as people read them. A link shows where it leads only where that changed; signs of emphasis that
// changed stay, or nobody would see the change.
func asRead(pieces []piece) []read {
	r := reader{}
	for _, p := range pieces {
		r.whole += p.text
		for range len(p.text) {
			r.ops = append(r.ops, p.op)
		}
	}
	r.fates, r.looks = make([]fate, len(r.whole)), make([]looks, len(r.whole))
	if strings.ContainsAny(r.whole, "[*_") {
		before, after := r.side(added), r.side(removed)
		before.links(&r, after.addresses())
		after.links(&r, before.addresses())
		before.emphasis(&r, after.text)
		after.emphasis(&r, before.text)
	}
	return r.cut(pieces)
}

// cut are the pieces without what is not read.
func (r *reader) cut(pieces []piece) []read {
	var out []read
	at := 0
	for _, p := range pieces {
		shown := read{piece: piece{op: p.op}}
		var b strings.Builder
		for i := range len(p.text) {
			written := p.text[i : i+1]
			switch r.fates[at+i] {
			case dropped:
				continue
			case parts:
				written = " ("
			case open, kept:
			}
			b.WriteString(written)
			for range len(written) {
				shown.looks = append(shown.looks, r.looks[at+i])
			}
		}
		at += len(p.text)
		if shown.text = b.String(); shown.text != "" {
			out = append(out, shown)
		}
	}
	return out
}

// side is the text before or after, with code left blank: nothing in it is a sign.
type side struct {
	text string
	at   []int // where each byte stands in the whole
}

func (r *reader) side(without operation) side {
	var s side
	var b strings.Builder
	for i := range len(r.whole) {
		if r.ops[i] != without {
			b.WriteByte(r.whole[i])
			s.at = append(s.at, i)
		}
	}
	s.text = codeSpan.ReplaceAllStringFunc(b.String(), func(code string) string { return strings.Repeat("`", len(code)) })
	return s
}

// linkParts matches a link or a picture: its sign, its words, where it leads.
var linkParts = regexp.MustCompile(`(!?)\[([^\]\[]*)\]\(([^()\s]+)(?:\s+"[^"]*")?\)`)

// addresses counts where the links of a side lead.
func (s side) addresses() map[string]int {
	all := map[string]int{}
	for _, found := range linkParts.FindAllStringSubmatch(s.text, -1) {
		all[found[3]]++
	}
	return all
}

func (s side) links(r *reader, other map[string]int) {
	own := s.addresses()
	for _, m := range linkParts.FindAllStringSubmatchIndex(s.text, -1) {
		picture, words, address := m[2] < m[3], m[4] < m[5], s.text[m[6]:m[7]]
		stays := s.one(r, m[0], m[4], same) && s.one(r, m[5], m[1], same)
		follows := own[address] == other[address] && s.one(r, m[0], m[1], r.ops[s.at[m[0]]]) && other[address] > 0 // the words say that it changed
		s.mark(r, m[0], m[4], dropped)
		for i := m[4]; i < m[5] && !picture; i++ {
			r.looks[s.at[i]] |= leads
		}
		if words && !picture && (stays || follows) {
			s.mark(r, m[5], m[1], dropped)
			continue
		}
		s.mark(r, m[5], m[5]+1, parts)
		s.mark(r, m[5]+1, m[5]+2, dropped)
		s.mark(r, m[6], m[1], kept)
	}
}

// signsOf match words with emphasis.
var signsOf = []struct {
	pattern *regexp.Regexp
	width   int
	looks   looks
}{
	{regexp.MustCompile(`\*\*[^\s*](?:[^*]*[^\s*\\])?\*\*`), 2, bold},
	{regexp.MustCompile(`\b__[^\s_](?:[^_]*[^\s_\\])?__\b`), 2, bold},
	{regexp.MustCompile(`\*[^\s*](?:[^*]*[^\s*\\])?\*`), 1, italic},
	{regexp.MustCompile(`\b_[^\s_](?:[^_]*[^\s_\\])?_\b`), 1, italic},
}

// emphasis hides signs that stay, and those of words that came or went as a whole; other tells whether the words stay.
func (s side) emphasis(r *reader, other string) {
	rest := []byte(linkParts.ReplaceAllStringFunc(s.text, func(link string) string { // addresses have no emphasis
		end := strings.LastIndex(link, "](")
		return link[:end] + strings.Repeat("`", len(link)-end)
	}))
	for _, sign := range signsOf {
		for _, m := range sign.pattern.FindAllIndex(rest, -1) {
			from, to := m[0]+sign.width, m[1]-sign.width
			if m[0] > 0 && rest[m[0]-1] == '\\' {
				continue
			}
			stays := s.one(r, m[0], from, same) && s.one(r, to, m[1], same)
			whole := s.one(r, m[0], m[1], r.ops[s.at[m[0]]]) && !strings.Contains(other, s.text[from:to])
			if !stays && !whole {
				s.mark(r, m[0], from, kept)
				s.mark(r, to, m[1], kept)
				continue
			}
			s.mark(r, m[0], from, dropped)
			s.mark(r, to, m[1], dropped)
			for i := m[0]; i < m[1]; i++ {
				r.looks[s.at[i]] |= sign.looks
				if i < from || i >= to {
					rest[i] = '`'
				}
			}
		}
	}
}

// one reports whether one thing became of all bytes from one to another.
func (s side) one(r *reader, from, to int, op operation) bool {
	for i := from; i < to; i++ {
		if r.ops[s.at[i]] != op {
			return false
		}
	}
	return true
}

func (s side) mark(r *reader, from, to int, f fate) {
	for i := from; i < to; i++ {
		r.fates[s.at[i]] = max(r.fates[s.at[i]], f)
	}
}
