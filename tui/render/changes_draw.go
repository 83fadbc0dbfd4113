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

// View specifies how a changed block is drawn.
type View struct {
	Width int
	Marks Marks
	Split bool // the old text at the left, the new text at the right
	At    int  // position of tables and code, see Pan
}

// Drawn is a block as it is drawn.
type Drawn struct {
	Lines []Line
	Pan   Pan
	First int // index of the first line that was added, removed or changed; in tables and code it is rarely 0
}

// Draw draws a block with its changes.
func (c BlockChange) Draw(v View) Drawn {
	pan := panner{position: v.At}
	d := Drawn{}
	if v.Split {
		d = c.drawSplit(v.Width, v.Marks, &pan)
	} else {
		d.Lines = c.drawUnified(v.Width, v.Marks, &pan)
		d.First = max(firstSignedLine(d.Lines), 0)
	}
	if d.Pan = pan.pan(); !c.Changed() {
		d.First = 0
	}
	return d
}

// drawUnified draws the old and the new version of a block in one column.
func (c BlockChange) drawUnified(width int, marks Marks, pan *panner) []Line {
	inner := max(width-2, 1) // without the sign
	switch c.op {
	case same, reformatted:
		return prefixSign(c.op, c.New.lines(inner, pan))
	case removed:
		return marks.fillLines(removed, prefixSign(removed, c.Old.lines(inner, pan)), width)
	case added:
		return marks.fillLines(added, prefixSign(added, c.New.lines(inner, pan)), width)
	default:
		return drawChanged(c, inner, marks, pan)
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

func drawChanged(b BlockChange, width int, marks Marks, pan *panner) []Line {
	switch {
	case b.New.kind == "table":
		return drawChangedTable(diffLines(b.segments), width, marks, pan)
	case isLineBased(b.New.kind):
		return rawLines(diffLines(b.segments), width, marks, pan)
	}
	return drawChangedProse(b, b.segments, width, marks)
}

// drawChangedProse draws a text that may contain separate lines, such as nested list items and the tags of hints. Unchanged
// lines get no sign unless the kind of the whole block changed.
func drawChangedProse(b BlockChange, pieces []segment, width int, marks Marks) []Line {
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

// rawLines draws lines as they are written in the source. The signs are kept when the lines are scrolled.
func rawLines(cut []diffLine, width int, marks Marks, pan *panner) []Line {
	colours := codeHighlighter(cut)
	lines := make([]Line, len(cut))
	for i, line := range cut {
		lines[i] = Join(highlightSpans(lineSpans(line, marks), colours.Line(Plain(line.text()).Text())), whitespaceNote(line))
	}
	var out []Line
	for i, drawn := range pan.drawCode(lines, width, firstChangeEnd(cut, width)) {
		out = append(out, marks.fillLines(cut[i].op, prefixSign(cut[i].op, drawn), width+2)...)
	}
	return out
}

// firstChangeEnd returns the cell at which the first differing part of a line ends, or where as much of it as fits into half of
// a width ends.
func firstChangeEnd(cut []diffLine, width int) int {
	for _, line := range cut {
		at := 0
		for _, p := range line.parts {
			size := Line{Plain(p.text)}.Width()
			if p.op != same {
				return at + min(size, width/2)
			}
			at += size
		}
	}
	return 0
}

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
			if here[:common] != rest[:common] { // the span draws white space differently from the token
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
func Inline(runs []api.TextRun, marks Marks) Line { return inlineDiff(textSegments(runs), marks) }

// inlineDiff draws removed and added words within a line, marked with [-removed-] and {+added+} or with backgrounds.
func inlineDiff(pieces []segment, marks Marks) Line {
	var out Line
	var last visibleSegment
	for i, p := range visibleSegments(pieces) {
		replaces := i > 0 && p.op == added && last.op == removed && strings.TrimSpace(p.text) != ""
		if replaces && endsInSpace(last.text) {
			p = p.suffix(len(p.text) - len(strings.TrimLeftFunc(p.text, unicode.IsSpace))) // the removed text already ends in white space
		}
		if replaces && marks == Grounds && strings.TrimSpace(last.text) != "" && !continuesWord(p.text) {
			// The arrow separates two words that would read as one.
			out = append(out, In(Dim, Choose(endsInSpace(last.text), "→ ", "→")))
		}
		out = append(out, inlineSegment(p, marks)...)
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

func inlineSegment(p visibleSegment, marks Marks) Line {
	switch {
	case p.op == same:
		return p.spans(0, len(p.text), Style{})
	case marks == Grounds:
		return groundedSegment(p)
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

func groundedSegment(p visibleSegment) Line {
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

// noSign is the prefix of unchanged lines.
const noSign = "  "

// firstSignedLine returns the index of the first line with a sign, or -1 if there is none.
func firstSignedLine(lines []Line) int {
	return slices.IndexFunc(lines, func(line Line) bool { return len(line) > 0 && !strings.HasPrefix(line.String(), noSign) })
}

// drawSplit draws the old text at the left and the new text at the right.
func (c BlockChange) drawSplit(width int, marks Marks, pan *panner) Drawn {
	column := (width - 3) / 2
	left, right := drawSides(c, max(column-2, 1), marks, pan)
	d := Drawn{First: max(firstSignedLine(left), 0)}
	if at := firstSignedLine(right); at >= 0 && (at < d.First || firstSignedLine(left) < 0) {
		d.First = at
	}
	for i := range max(len(left), len(right)) {
		d.Lines = append(d.Lines, Join(LineAt(left, i).Pad(column), Line{In(Dim, " │ ")}, LineAt(right, i)))
	}
	return d
}

func drawSides(b BlockChange, width int, marks Marks, pan *panner) (left, right []Line) {
	switch b.op {
	case same, reformatted:
		lines := prefixSign(b.op, b.New.lines(width, pan))
		return lines, lines
	case removed:
		return marks.fillLines(removed, prefixSign(removed, b.Old.lines(width, pan)), width+2), nil
	case added:
		return nil, marks.fillLines(added, prefixSign(added, b.New.lines(width, pan)), width+2)
	default:
		return drawChangedSides(b, width, marks, pan)
	}
}

func drawChangedSides(b BlockChange, width int, marks Marks, pan *panner) (left, right []Line) {
	draw := rawLines
	switch {
	case b.New.kind == "table":
		draw = drawChangedTable
	case !isLineBased(b.New.kind):
		return drawSide(b.segments, removed, width, marks), drawSide(b.segments, added, width, marks)
	}
	cut := diffLines(b.segments)
	return draw(linesOfSide(cut, removed), width, marks, pan), draw(linesOfSide(cut, added), width, marks, pan)
}

// drawSide draws one side of a changed paragraph: the unchanged words and, of the changed ones, those whose operation is the
// given one.
func drawSide(pieces []segment, only operation, width int, marks Marks) []Line {
	var shown []segment
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

// linesOfSide returns the unchanged lines and the lines of one operation, which form one side of the change.
func linesOfSide(cut []diffLine, only operation) []diffLine {
	return slices.DeleteFunc(slices.Clone(cut), func(line diffLine) bool { return line.op != same && line.op != only })
}
