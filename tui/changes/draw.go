package changes

import (
	"strings"
	"unicode"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// sign stands before each line of a change, so that nothing is said by colour alone.
func sign(op operation) text.Line {
	switch op {
	case removed:
		return text.Line{text.Of(text.Style{Tone: text.Removed, Bold: true}, "- ")}
	case added:
		return text.Line{text.Of(text.Style{Tone: text.Added, Bold: true}, "+ ")}
	case edited:
		return text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, "~ ")}
	case moved:
		return text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, "> ")}
	case divided:
		return text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, "¶ ")}
	case reformatted:
		return text.Line{text.In(text.Dim, "≈ ")}
	default:
		return text.Line{text.Plain("  ")}
	}
}

// Unified draws a block with what it was and what it is in one column.
func (c BlockChange) Unified(width int) []text.Line {
	inner := max(width-2, 1) // beside the sign
	switch c.op {
	case same, reformatted:
		return signed(c.op, c.New.Lines(inner))
	case removed:
		return signed(removed, c.Old.Lines(inner))
	case added:
		return signed(added, c.New.Lines(inner))
	default:
		return changedLines(c, inner)
	}
}

func changedLines(b BlockChange, width int) []text.Line {
	if lineWise(b.New.kind) {
		return linesChanged(b, width)
	}
	return signed(b.op, text.Wrap(inlineDiff(b.pieces), width, nil))
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

func signed(op operation, lines []text.Line) []text.Line {
	out := make([]text.Line, len(lines))
	for i, line := range lines {
		out[i] = text.Join(sign(op), line)
	}
	return out
}

func linesChanged(b BlockChange, width int) []text.Line {
	var out []text.Line
	for _, line := range lines(b.pieces) {
		out = append(out, signed(line.op, text.Wrap(lineSpans(line), width, nil))...)
	}
	return out
}

// lineSpans are the pieces of a line; the signs before the line carry the meaning, and what differs in it stands out.
func lineSpans(line cutLine) text.Line {
	styles := map[operation]text.Style{same: {Tone: text.Code}, removed: {Tone: text.Removed}, added: {Tone: text.Added}}
	whole := len(line.parts) == 1
	spans := make(text.Line, len(line.parts))
	for i, p := range line.parts {
		style := styles[line.op]
		if p.op != same && !whole {
			style.Bold, style.Underline = true, true
		}
		style.Strike = p.op == removed
		spans[i] = text.Of(style, strings.TrimRight(p.text, "\r"))
	}
	return spans
}

// Inline draws runs of a text within its line.
func Inline(runs []api.TextRun) text.Line { return inlineDiff(pieces(runs)) }

// inlineDiff writes what went as [-so-] and what came as {+so+}: the signs carry the meaning, colours help.
func inlineDiff(pieces []piece) text.Line {
	var out text.Line
	for i, p := range pieces {
		if i > 0 && p.op == added && pieces[i-1].op == removed && endsInSpace(pieces[i-1].text) && strings.TrimSpace(p.text) != "" {
			p.text = strings.TrimLeftFunc(p.text, unicode.IsSpace) // the space is there already
		}
		out = append(out, inlinePiece(p)...)
	}
	return out
}

// endsInSpace reports whether a text with words is followed by white space.
func endsInSpace(s string) bool {
	trimmed := strings.TrimRightFunc(s, unicode.IsSpace)
	return trimmed != "" && trimmed != s
}

func inlinePiece(p piece) text.Line {
	if p.op == same {
		return text.Line{text.Plain(p.text)}
	}
	style, open, shut := text.Style{Tone: text.Removed, Strike: true}, "[-", "-]"
	if p.op == added {
		style, open, shut = text.Style{Tone: text.Added, Underline: true}, "{+", "+}"
	}
	mark := text.Style{Tone: style.Tone, Bold: true}
	core := strings.TrimSpace(p.text)
	if core == "" { // white space is all that changed
		return text.Line{text.Of(mark, open), text.Of(style, p.text), text.Of(mark, shut)}
	}
	lead, trail, _ := strings.Cut(p.text, core) // outside of the signs, so that a line does not break before one
	return text.Line{text.Plain(lead), text.Of(mark, open), text.Of(style, core), text.Of(mark, shut), text.Plain(trail)}
}

// Split draws the old text at the left and the new one at the right.
func (c BlockChange) Split(width int) []text.Line {
	column := (width - 3) / 2
	inner := max(column-2, 1)
	left, right := bothSides(c, inner)
	var out []text.Line
	for i := range max(len(left), len(right)) {
		line := text.Join(text.At(left, i).Pad(column), text.Line{text.In(text.Dim, " │ ")}, text.At(right, i))
		out = append(out, line)
	}
	return out
}

func bothSides(b BlockChange, width int) (left, right []text.Line) {
	switch b.op {
	case same, reformatted:
		lines := signed(b.op, b.New.Lines(width))
		return lines, lines
	case removed:
		return signed(removed, b.Old.Lines(width)), nil
	case added:
		return nil, signed(added, b.New.Lines(width))
	default:
		return changedSides(b, width)
	}
}

func changedSides(b BlockChange, width int) (left, right []text.Line) {
	if lineWise(b.New.kind) {
		cut := lines(b.pieces)
		return lineSide(cut, removed, width), lineSide(cut, added, width)
	}
	return wordSide(b.pieces, removed, width), wordSide(b.pieces, added, width)
}

// wordSide is one side of a changed paragraph: what is the same, and what is only here.
func wordSide(pieces []piece, only operation, width int) []text.Line {
	var shown []piece
	for _, p := range pieces {
		if p.op == same || p.op == only {
			shown = append(shown, p)
		}
	}
	return signed(only, text.Wrap(inlineDiff(shown), width, nil))
}

func lineSide(cut []cutLine, only operation, width int) []text.Line {
	var out []text.Line
	for _, line := range cut {
		if line.op == same || line.op == only {
			out = append(out, signed(line.op, text.Wrap(lineSpans(line), width, nil))...)
		}
	}
	return out
}
