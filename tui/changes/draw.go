package changes

import (
	"slices"
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
	switch {
	case b.New.kind == "table":
		return tableChanged(lines(b.pieces), width)
	case lineWise(b.New.kind):
		return rawLines(lines(b.pieces), width)
	}
	return proseChanged(b, b.pieces, width)
}

// proseChanged draws a text that may have lines of its own: the items of nested lists, the tags of hints. A line that
// stayed as it is has no sign, unless the block as a whole has become something else.
func proseChanged(b BlockChange, pieces []piece, width int) []text.Line {
	var out []text.Line
	for _, line := range ownLines(pieces) {
		op := b.op
		if op == edited {
			op = line.operation()
		}
		out = append(out, signed(op, line.draw(width))...)
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

func signed(op operation, lines []text.Line) []text.Line {
	out := make([]text.Line, len(lines))
	for i, line := range lines {
		out[i] = text.Join(sign(op), line)
	}
	return out
}

// rawLines draws lines as they are written.
func rawLines(cut []cutLine, width int) []text.Line {
	var out []text.Line
	for _, line := range cut {
		out = append(out, signed(line.op, text.Wrap(text.Join(lineSpans(line), whitespaceNote(line)), width, nil))...)
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
		shown := strings.TrimRight(p.text, "\r")
		if p.op != same && !whole && strings.TrimSpace(p.text) == "" {
			shown = visible(p.text)
		}
		spans[i] = text.Of(style, shown)
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
		return text.Line{text.Of(mark, open), text.Of(style, visible(p.text)), text.Of(mark, shut)}
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
	if b.New.kind == "table" {
		cut := lines(b.pieces)
		return tableChanged(sideOf(cut, removed), width), tableChanged(sideOf(cut, added), width)
	}
	if lineWise(b.New.kind) {
		cut := lines(b.pieces)
		return rawLines(sideOf(cut, removed), width), rawLines(sideOf(cut, added), width)
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
	var out []text.Line
	for _, line := range ownLines(shown) {
		op := line.operation()
		if op != same {
			op = only
		}
		out = append(out, signed(op, line.draw(width))...)
	}
	return out
}

// sideOf are the lines of one side.
func sideOf(cut []cutLine, only operation) []cutLine {
	return slices.DeleteFunc(slices.Clone(cut), func(line cutLine) bool { return line.op != same && line.op != only })
}
