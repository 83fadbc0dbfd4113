package render

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
)

// signOf returns the prefix of the lines of a change, so that colour is never the only indication.
func signOf(op operation) Line {
	switch op {
	case removed:
		return Line{NewSpan(Style{Tone: Removed, Bold: true}, "- ")}
	case added:
		return Line{NewSpan(Style{Tone: Added, Bold: true}, "+ ")}
	case edited:
		return Line{NewSpan(Style{Tone: Warning, Bold: true}, "~ ")}
	case moved:
		return Line{NewSpan(Style{Tone: Accent, Bold: true}, "> ")}
	case splitOrJoined:
		return Line{NewSpan(Style{Tone: Accent, Bold: true}, "¶ ")}
	case reformatted:
		return Line{In(Dim, "≈ ")}
	default:
		return Line{Plain(noSign)}
	}
}

// Marks selects how changed words are marked.
type Marks int

// Kinds of marks.
const (
	Brackets Marks = iota // [-removed-] and {+added+}, for terminals without backgrounds
	Grounds               // background colours
)

// MarksFor returns the marks for a terminal with or without background colours.
func MarksFor(grounds bool) Marks {
	if grounds {
		return Grounds
	}
	return Brackets
}

// Unified draws the old and the new version of a block in one column.
func (c BlockChange) Unified(width int, marks Marks) []Line {
	inner := max(width-2, 1) // without the sign
	switch c.op {
	case same, reformatted:
		return prefixSign(c.op, c.New.Lines(inner))
	case removed:
		return marks.fillLines(removed, prefixSign(removed, c.Old.Lines(inner)), width)
	case added:
		return marks.fillLines(added, prefixSign(added, c.New.Lines(inner)), width)
	default:
		return drawChanged(c, inner, marks)
	}
}

// fillLines applies the background of an added or removed line over the full width.
func (m Marks) fillLines(op operation, lines []Line, width int) []Line {
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

func drawChanged(b BlockChange, width int, marks Marks) []Line {
	switch {
	case b.New.kind == "table":
		return drawChangedTable(diffLines(b.pieces), width, marks)
	case isLineBased(b.New.kind):
		return rawLines(diffLines(b.pieces), width, marks)
	}
	return drawChangedProse(b, b.pieces, width, marks)
}

// drawChangedProse draws a text that may have lines of its own, such as nested list items and the tags of hints.
// Unchanged lines get no sign unless the kind of the whole block changed.
func drawChangedProse(b BlockChange, pieces []piece, width int, marks Marks) []Line {
	var out []Line
	for _, line := range proseLines(pieces) {
		op := b.op
		if op == edited {
			op = line.operation()
		}
		out = append(out, marks.fillLines(op, prefixSign(op, line.draw(width, marks)), width+2)...)
	}
	return out
}

// isLineBased reports whether blocks of a kind are compared line by line, because their line breaks are significant.
func isLineBased(kind string) bool {
	switch kind {
	case "code", "table", "frontmatter", "html":
		return true
	default:
		return false
	}
}

func prefixSign(op operation, lines []Line) []Line {
	out := make([]Line, len(lines))
	for i, line := range lines {
		out[i] = Join(signOf(op), line)
	}
	return out
}

// rawLines draws lines as they are written in the source.
func rawLines(cut []diffLine, width int, marks Marks) []Line {
	var out []Line
	colours := codeHighlighter(cut)
	for _, line := range cut {
		drawn := prefixSign(line.op,
			Wrap(Join(highlightSpans(lineSpans(line, marks), colours.Line(Plain(line.text()).Text())), whitespaceNote(line)), width,
				continuation))
		out = append(out, marks.fillLines(line.op, drawn, width+2)...)
	}
	return out
}

// continuation marks the lines after the first of a line of code that is longer than the width.
var continuation = Line{In(Dim, "↪ ")}

// lineSpans returns the spans of a line. The sign before the line shows its operation; the differing parts are
// emphasized.
func lineSpans(line diffLine, marks Marks) Line {
	whole := len(line.parts) == 1
	spans := make(Line, len(line.parts))
	for i, p := range line.parts {
		style := marks.style(line.op, p.op != same, whole)
		shown := strings.TrimRight(p.text, "\r")
		if p.op != same && !whole && strings.TrimSpace(p.text) == "" {
			shown = visibleSpace(p.text)
		}
		spans[i] = NewSpan(style, shown)
	}
	return spans
}

// style returns the style of a piece of an added, removed or unchanged line.
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

// codeHighlighter returns a highlighter for the language named by the fence of a code block.
func codeHighlighter(cut []diffLine) *Highlighter {
	if len(cut) == 0 {
		return NewHighlighter("")
	}
	return NewHighlighter(strings.TrimLeft(cut[0].text(), "`~ \t"))
}

// highlightSpans applies the tones of tokens to the spans without a tone.
func highlightSpans(spans Line, tokens []Token) Line {
	var out Line
	for _, s := range spans {
		rest := s.Text()
		for len(tokens) > 0 && rest != "" && s.Style().Tone == Normal {
			here := tokens[0].Text
			common := min(len(here), len(rest))
			if here[:common] != rest[:common] { // white space is drawn differently
				break
			}
			style := s.Style()
			style.Tone = tokens[0].Tone
			out = append(out, NewSpan(style, rest[:common]))
			rest = rest[common:]
			if tokens[0].Text = here[common:]; tokens[0].Text == "" {
				tokens = tokens[1:]
			}
		}
		if rest != "" {
			out = append(out, NewSpan(s.Style(), rest))
		}
	}
	return out
}

// Inline draws the runs of a text as one line.
func Inline(runs []api.TextRun, marks Marks) Line { return inlineDiff(textPieces(runs), marks) }

// inlineDiff draws removed and added words within a line, marked with [-removed-] and {+added+} or with backgrounds.
func inlineDiff(pieces []piece, marks Marks) Line {
	var out Line
	var last visiblePiece
	for i, p := range visiblePieces(pieces) {
		replaces := i > 0 && p.op == added && last.op == removed && strings.TrimSpace(p.text) != ""
		if replaces && endsInSpace(last.text) {
			p = p.suffix(len(p.text) - len(strings.TrimLeftFunc(p.text, unicode.IsSpace))) // the space was already written
		}
		if replaces && marks == Grounds && strings.TrimSpace(last.text) != "" && !continuesWord(p.text) {
			// The arrow separates two words that would read as one.
			out = append(out, In(Dim, Choose(endsInSpace(last.text), "→ ", "→")))
		}
		out = append(out, inlinePiece(p, marks)...)
		last = p
	}
	return out
}

// continuesWord reports whether a text begins with punctuation that belongs to the preceding word, where an arrow
// would be misleading.
func continuesWord(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune(".,;:!?…)]}”’»", first)
}

// endsInSpace reports whether a text contains words and ends in white space.
func endsInSpace(s string) bool {
	trimmed := strings.TrimRightFunc(s, unicode.IsSpace)
	return trimmed != "" && trimmed != s
}

func inlinePiece(p visiblePiece, marks Marks) Line {
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
	if strings.TrimSpace(p.text) == "" { // only white space changed
		return Line{NewSpan(mark, opens), NewSpan(style, visibleSpace(p.text)), NewSpan(mark, shut)}
	}
	lead, trail, from, to := p.trimSpace() // white space outside of the signs, so that a line does not break before one
	return Join(Line{Plain(lead), NewSpan(mark, opens)}, p.spans(from, to, style), Line{NewSpan(mark, shut), Plain(trail)})
}

func groundedPiece(p visiblePiece) Line {
	style := Style{Ground: RemovedWord, Strike: true}
	if p.op == added {
		style = Style{Ground: AddedWord}
	}
	if strings.TrimSpace(p.text) == "" {
		return Line{NewSpan(style, visibleSpace(p.text))}
	}
	lead, trail, from, to := p.trimSpace()
	return Join(Line{Plain(lead)}, p.spans(from, to, style), Line{Plain(trail)})
}

// FirstChangedLine returns the index of the first drawn line that was added, removed or changed. In tables and code it is rarely
// the first line of the block. split is true for lines drawn by Split.
func (c BlockChange) FirstChangedLine(drawn []Line, split bool, width int, marks Marks) int {
	switch {
	case !c.Changed():
		return 0
	case !split:
		return max(firstSignedLine(drawn), 0)
	}
	left, right := drawSides(c, max((width-3)/2-2, 1), marks)
	first := max(firstSignedLine(left), 0)
	if at := firstSignedLine(right); at >= 0 && (at < first || firstSignedLine(left) < 0) {
		first = at
	}
	return first
}

// FirstDifferingLine returns the index of the first line that differs from the other version, for a block of which only one
// version is drawn, without signs. Tables and code are compared line by line.
func (c BlockChange) FirstDifferingLine(drawn []Line, of Passage, width int) int {
	other := c.Old
	if of == c.Old {
		other = c.New
	}
	if !c.Changed() || !isLineBased(c.New.kind) || other.Text == "" {
		return 0
	}
	against := other.Lines(width)
	for i, line := range drawn {
		if i >= len(against) || trimLine(line) != trimLine(against[i]) {
			return i
		}
	}
	if len(drawn) == len(against) {
		return 0
	}
	return max(len(drawn)-1, 0) // everything after this line was removed
}

// trimLine returns a line without its padding.
func trimLine(line Line) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(line.String(), "─", "")), " ")
}

// noSign is the prefix of unchanged lines.
const noSign = "  "

// firstSignedLine returns the index of the first line with a sign, or -1 if there is none.
func firstSignedLine(lines []Line) int {
	return slices.IndexFunc(lines, func(line Line) bool { return len(line) > 0 && !strings.HasPrefix(line.String(), noSign) })
}

// Split draws the old text on the left and the new text on the right.
func (c BlockChange) Split(width int, marks Marks) []Line {
	column := (width - 3) / 2
	inner := max(column-2, 1)
	left, right := drawSides(c, inner, marks)
	var out []Line
	for i := range max(len(left), len(right)) {
		line := Join(LineAt(left, i).Pad(column), Line{In(Dim, " │ ")}, LineAt(right, i))
		out = append(out, line)
	}
	return out
}

func drawSides(b BlockChange, width int, marks Marks) (left, right []Line) {
	switch b.op {
	case same, reformatted:
		lines := prefixSign(b.op, b.New.Lines(width))
		return lines, lines
	case removed:
		return marks.fillLines(removed, prefixSign(removed, b.Old.Lines(width)), width+2), nil
	case added:
		return nil, marks.fillLines(added, prefixSign(added, b.New.Lines(width)), width+2)
	default:
		return drawChangedSides(b, width, marks)
	}
}

func drawChangedSides(b BlockChange, width int, marks Marks) (left, right []Line) {
	if b.New.kind == "table" {
		cut := diffLines(b.pieces)
		return drawChangedTable(linesOfSide(cut, removed), width, marks), drawChangedTable(linesOfSide(cut, added), width, marks)
	}
	if isLineBased(b.New.kind) {
		cut := diffLines(b.pieces)
		return rawLines(linesOfSide(cut, removed), width, marks), rawLines(linesOfSide(cut, added), width, marks)
	}
	return drawSide(b.pieces, removed, width, marks), drawSide(b.pieces, added, width, marks)
}

// drawSide draws one side of a changed paragraph: the unchanged words and those with the operation only.
func drawSide(pieces []piece, only operation, width int, marks Marks) []Line {
	var shown []piece
	for _, p := range pieces {
		if p.op == same || p.op == only {
			shown = append(shown, p)
		}
	}
	var out []Line
	for _, line := range proseLines(shown) {
		op := line.operation()
		if op != same {
			op = only
		}
		out = append(out, marks.fillLines(op, prefixSign(op, line.draw(width, marks)), width+2)...)
	}
	return out
}

// linesOfSide returns the lines that exist on the side of the operation only.
func linesOfSide(cut []diffLine, only operation) []diffLine {
	return slices.DeleteFunc(slices.Clone(cut), func(line diffLine) bool { return line.op != same && line.op != only })
}
