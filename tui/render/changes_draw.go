package render

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// sign stands before each line of a change, so that nothing is said by colour alone.
func sign(op operation) Line {
	switch op {
	case removed:
		return Line{Of(Style{Tone: Removed, Bold: true}, "- ")}
	case added:
		return Line{Of(Style{Tone: Added, Bold: true}, "+ ")}
	case edited:
		return Line{Of(Style{Tone: Warning, Bold: true}, "~ ")}
	case moved:
		return Line{Of(Style{Tone: Accent, Bold: true}, "> ")}
	case divided:
		return Line{Of(Style{Tone: Accent, Bold: true}, "¶ ")}
	case reformatted:
		return Line{In(Dim, "≈ ")}
	default:
		return Line{Plain(unsigned)}
	}
}

// Marks say how changed words are told from others.
type Marks int

// The marks.
const (
	Brackets Marks = iota // [-so-] and {+so+}, for where there is no ground to show
	Grounds               // what lies behind the words
)

// MarksOn are those for a terminal that shows grounds, or none.
func MarksOn(grounds bool) Marks {
	if grounds {
		return Grounds
	}
	return Brackets
}

// Unified draws a block with what it was and what it is in one column.
func (c BlockChange) Unified(width int, marks Marks) []Line {
	inner := max(width-2, 1) // beside the sign
	switch c.op {
	case same, reformatted:
		return signed(c.op, c.New.Lines(inner))
	case removed:
		return marks.over(removed, signed(removed, c.Old.Lines(inner)), width)
	case added:
		return marks.over(added, signed(added, c.New.Lines(inner)), width)
	default:
		return changedLines(c, inner, marks)
	}
}

// over lays the ground of a whole line that came or went under it.
func (m Marks) over(op operation, lines []Line, width int) []Line {
	ground := map[operation]Ground{added: AddedLine, removed: RemovedLine}[op]
	if m == Brackets || ground == NoGround {
		return lines
	}
	out := make([]Line, len(lines))
	for i, line := range lines {
		out[i] = line.Fill(ground, width)
	}
	return out
}

func changedLines(b BlockChange, width int, marks Marks) []Line {
	switch {
	case b.New.kind == "table":
		return tableChanged(lines(b.pieces), width, marks)
	case lineWise(b.New.kind):
		return rawLines(lines(b.pieces), width, marks)
	}
	return proseChanged(b, b.pieces, width, marks)
}

// proseChanged draws a text that may have lines of its own: the items of nested lists, the tags of hints. A line that
// stayed as it is has no sign, unless the block as a whole has become something else.
func proseChanged(b BlockChange, pieces []piece, width int, marks Marks) []Line {
	var out []Line
	for _, line := range ownLines(pieces) {
		op := b.op
		if op == edited {
			op = line.operation()
		}
		out = append(out, marks.over(op, signed(op, line.draw(width, marks)), width+2)...)
	}
	return out
}

// lineWise reports whether a kind of block is compared line by line, because its lines mean something.
func lineWise(kind string) bool {
	switch kind {
	case "code", "table", "frontmatter", "html":
		return true
	default:
		return false
	}
}

func signed(op operation, lines []Line) []Line {
	out := make([]Line, len(lines))
	for i, line := range lines {
		out[i] = Join(sign(op), line)
	}
	return out
}

// rawLines draws lines as they are written.
func rawLines(cut []cutLine, width int, marks Marks) []Line {
	var out []Line
	colours := colouring(cut)
	for _, line := range cut {
		drawn := signed(line.op, Wrap(Join(coloured(lineSpans(line, marks), colours.Line(Plain(line.text()).Text())), whitespaceNote(line)), width, nil))
		out = append(out, marks.over(line.op, drawn, width+2)...)
	}
	return out
}

// lineSpans are the pieces of a line; the signs before the line carry the meaning, and what differs in it stands out.
func lineSpans(line cutLine, marks Marks) Line {
	whole := len(line.parts) == 1
	spans := make(Line, len(line.parts))
	for i, p := range line.parts {
		style := marks.style(line.op, p.op != same, whole)
		shown := strings.TrimRight(p.text, "\r")
		if p.op != same && !whole && strings.TrimSpace(p.text) == "" {
			shown = visible(p.text)
		}
		spans[i] = Of(style, shown)
	}
	return spans
}

// style is that of a piece of a line that came, went or stayed.
func (m Marks) style(op operation, differs, whole bool) Style {
	if m == Grounds {
		ground := map[operation]Ground{removed: RemovedWord, added: AddedWord}[op]
		if !differs || whole {
			ground = NoGround
		}
		return Style{Ground: ground}
	}
	style := map[operation]Style{same: {Tone: Code}, removed: {Tone: Removed}, added: {Tone: Added}}[op]
	if differs && !whole {
		style.Bold, style.Underline = true, true
	}
	style.Strike = differs && op == removed
	return style
}

// colouring is what tells the pieces of code apart, in the language that its fence names.
func colouring(cut []cutLine) *Highlighter {
	if len(cut) == 0 {
		return NewHighlighter("")
	}
	return NewHighlighter(strings.TrimLeft(cut[0].text(), "`~ \t"))
}

// coloured gives spans that have no tone of their own those of the code that they are.
func coloured(spans Line, tokens []Token) Line {
	var out Line
	for _, s := range spans {
		rest := s.Text()
		for len(tokens) > 0 && rest != "" && s.Style().Tone == Normal {
			here := tokens[0].Text
			common := min(len(here), len(rest))
			if here[:common] != rest[:common] { // white space is drawn otherwise
				break
			}
			style := s.Style()
			style.Tone = tokens[0].Tone
			out = append(out, Of(style, rest[:common]))
			rest = rest[common:]
			if tokens[0].Text = here[common:]; tokens[0].Text == "" {
				tokens = tokens[1:]
			}
		}
		if rest != "" {
			out = append(out, Of(s.Style(), rest))
		}
	}
	return out
}

// Inline draws runs of a text within its line.
func Inline(runs []api.TextRun, marks Marks) Line { return inlineDiff(pieces(runs), marks) }

// inlineDiff draws what went and what came within a line: as [-so-] and {+so+}, or on grounds of their own.
func inlineDiff(pieces []piece, marks Marks) Line {
	var out Line
	var last read
	for i, p := range asRead(pieces) {
		replaces := i > 0 && p.op == added && last.op == removed && strings.TrimSpace(p.text) != ""
		if replaces && endsInSpace(last.text) {
			p = p.from(len(p.text) - len(strings.TrimLeftFunc(p.text, unicode.IsSpace))) // the space is there already
		}
		if replaces && marks == Grounds && strings.TrimSpace(last.text) != "" && !goesOn(p.text) {
			out = append(out, In(Dim, map[bool]string{true: "→ ", false: "→"}[endsInSpace(last.text)])) // or two words read as one
		}
		out = append(out, inlinePiece(p, marks)...)
		last = p
	}
	return out
}

// goesOn reports whether a text begins with a sign that belongs to the words before: an arrow to it would point at nothing.
func goesOn(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune(".,;:!?…)]}”’»", first)
}

// endsInSpace reports whether a text with words is followed by white space.
func endsInSpace(s string) bool {
	trimmed := strings.TrimRightFunc(s, unicode.IsSpace)
	return trimmed != "" && trimmed != s
}

func inlinePiece(p read, marks Marks) Line {
	switch {
	case p.op == same:
		return p.spans(0, len(p.text), Style{})
	case marks == Grounds:
		return groundedPiece(p)
	}
	style, opens, shut := Style{Tone: Removed, Strike: true}, "[-", "-]"
	if p.op == added {
		style, opens, shut = Style{Tone: Added, Underline: true}, "{+", "+}"
	}
	mark := Style{Tone: style.Tone, Bold: true}
	if strings.TrimSpace(p.text) == "" { // white space is all that changed
		return Line{Of(mark, opens), Of(style, visible(p.text)), Of(mark, shut)}
	}
	lead, trail, from, to := p.trimmed() // outside of the signs, so that a line does not break before one
	return Join(Line{Plain(lead), Of(mark, opens)}, p.spans(from, to, style), Line{Of(mark, shut), Plain(trail)})
}

func groundedPiece(p read) Line {
	style := Style{Ground: RemovedWord, Strike: true}
	if p.op == added {
		style = Style{Ground: AddedWord}
	}
	if strings.TrimSpace(p.text) == "" {
		return Line{Of(style, visible(p.text))}
	}
	lead, trail, from, to := p.trimmed()
	return Join(Line{Plain(lead)}, p.spans(from, to, style), Line{Plain(trail)})
}

// First is which of the drawn lines of a block is the first that came, went or changed: of a table and of code it is seldom the
// one that begins it. split says that they are drawn side by side.
func (c BlockChange) First(drawn []Line, split bool, width int, marks Marks) int {
	switch {
	case !c.Changed():
		return 0
	case !split:
		return max(firstSigned(drawn), 0)
	}
	left, right := bothSides(c, max((width-3)/2-2, 1), marks)
	first := max(firstSigned(left), 0)
	if at := firstSigned(right); at >= 0 && (at < first || firstSigned(left) < 0) {
		first = at
	}
	return first
}

// FirstDrawn is which line of a block that is drawn as it was or as it is, without signs, is the first that differs from the
// other version: of a table and of code, whose lines are read one by one.
func (c BlockChange) FirstDrawn(drawn []Line, of Passage, width int) int {
	other := c.Old
	if of == c.Old {
		other = c.New
	}
	if !c.Changed() || !lineWise(c.New.kind) || other.Text == "" {
		return 0
	}
	against := other.Lines(width)
	for i, line := range drawn {
		if i >= len(against) || bareLine(line) != bareLine(against[i]) {
			return i
		}
	}
	if len(drawn) == len(against) {
		return 0
	}
	return max(len(drawn)-1, 0) // what follows is gone
}

// bareLine is a line without what makes it as wide as others.
func bareLine(line Line) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(line.String(), "─", "")), " ")
}

// unsigned begins a line that stayed as it is, in place of its sign.
const unsigned = "  "

// firstSigned is the first line with a sign, -1 where none has one.
func firstSigned(lines []Line) int {
	return slices.IndexFunc(lines, func(line Line) bool { return len(line) > 0 && !strings.HasPrefix(line.String(), unsigned) })
}

// Split draws the old text at the left and the new one at the right.
func (c BlockChange) Split(width int, marks Marks) []Line {
	column := (width - 3) / 2
	inner := max(column-2, 1)
	left, right := bothSides(c, inner, marks)
	var out []Line
	for i := range max(len(left), len(right)) {
		line := Join(At(left, i).Pad(column), Line{In(Dim, " │ ")}, At(right, i))
		out = append(out, line)
	}
	return out
}

func bothSides(b BlockChange, width int, marks Marks) (left, right []Line) {
	switch b.op {
	case same, reformatted:
		lines := signed(b.op, b.New.Lines(width))
		return lines, lines
	case removed:
		return marks.over(removed, signed(removed, b.Old.Lines(width)), width+2), nil
	case added:
		return nil, marks.over(added, signed(added, b.New.Lines(width)), width+2)
	default:
		return changedSides(b, width, marks)
	}
}

func changedSides(b BlockChange, width int, marks Marks) (left, right []Line) {
	if b.New.kind == "table" {
		cut := lines(b.pieces)
		return tableChanged(sideOf(cut, removed), width, marks), tableChanged(sideOf(cut, added), width, marks)
	}
	if lineWise(b.New.kind) {
		cut := lines(b.pieces)
		return rawLines(sideOf(cut, removed), width, marks), rawLines(sideOf(cut, added), width, marks)
	}
	return wordSide(b.pieces, removed, width, marks), wordSide(b.pieces, added, width, marks)
}

// wordSide is one side of a changed paragraph: what is the same, and what is only here.
func wordSide(pieces []piece, only operation, width int, marks Marks) []Line {
	var shown []piece
	for _, p := range pieces {
		if p.op == same || p.op == only {
			shown = append(shown, p)
		}
	}
	var out []Line
	for _, line := range ownLines(shown) {
		op := line.operation()
		if op != same {
			op = only
		}
		out = append(out, marks.over(op, signed(op, line.draw(width, marks)), width+2)...)
	}
	return out
}

// sideOf are the lines of one side.
func sideOf(cut []cutLine, only operation) []cutLine {
	return slices.DeleteFunc(slices.Clone(cut), func(line cutLine) bool { return line.op != same && line.op != only })
}
