package render

import (
	"regexp"
	"strings"
)

// ownLine is a line of a text that stays a line wherever the text is wrapped.
type ownLine []piece

// ownLines cuts a text at the ends of lines that mean something: before an item, a tag, a fence, a row, a heading or a
// blank line, behind a heading, a tag or a row, and everywhere within code. Other ends of lines are white space.
func ownLines(pieces []piece) []ownLine {
	var out []ownLine
	var line ownLine
	fenced, joined := false, false
	for i, p := range pieces {
		for rest := p.text; rest != ""; {
			part, after, ended := strings.Cut(rest, "\n")
			rest = after
			part = strings.TrimSuffix(part, "\r")
			if joined {
				part = strings.TrimLeft(part, " \t")
			}
			if part != "" {
				line, joined = joinPiece(line, piece{p.op, part}), false
			}
			if !ended {
				continue
			}
			if opensOrClosesCode.MatchString(line.text()) {
				fenced = !fenced
			}
			if fenced || standsAlone.MatchString(line.text()) || beginsAnew.MatchString(following(rest, pieces[i+1:])) {
				out, line, joined = append(out, line), nil, false
			} else {
				line, joined = joinPiece(line, piece{p.op, " "}), true
			}
		}
	}
	return withoutEmpty(append(out, line))
}

var (
	beginsAnew        = regexp.MustCompile("^[ \t>]*(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|#{1,6}[ \t]|\\||\\{%|```|~~~|<|\r?\n|$)|^[ \t]*>")
	standsAlone       = regexp.MustCompile("^[ \t>]*(?:#{1,6}[ \t]|\\||\\{%|```|~~~|$)|(?:  |\\\\)$")
	opensOrClosesCode = regexp.MustCompile("^[ \t>]*(?:[-*+][ \t]+|[0-9]{1,9}[.)][ \t]+)?(?:```|~~~)")
)

// following is what comes next, whichever side has it.
func following(rest string, pieces []piece) string {
	for _, p := range pieces {
		if strings.Contains(rest, "\n") {
			break
		}
		rest += p.text
	}
	return rest
}

// withoutEmpty leaves out the blank lines at the ends, and all but one of those that follow one another.
func withoutEmpty(lines []ownLine) (out []ownLine) {
	for i, line := range lines {
		blank := strings.TrimSpace(line.text()) == "" && line.operation() == same
		if blank && (len(out) == 0 || i == len(lines)-1 || len(out[len(out)-1]) == 0) {
			continue
		}
		if blank {
			line = nil
		}
		out = append(out, line)
	}
	return out
}

func (l ownLine) text() string {
	var whole strings.Builder
	for _, p := range l {
		whole.WriteString(p.text)
	}
	return whole.String()
}

// operation is what became of the line as a whole.
func (l ownLine) operation() operation {
	op := same
	for i, p := range l {
		if i == 0 {
			op = p.op
		}
		if p.op != op && strings.TrimSpace(p.text) != "" {
			return edited
		}
	}
	return op
}

var lineStart = regexp.MustCompile(`^[ \t>]*(?:[-*+][ \t]+|[0-9]{1,9}[.)][ \t]+)?`)

// draw wraps the line; what follows stands below the text of its first line.
func (l ownLine) draw(width int, marks Marks) []Line {
	indent := Line{Plain(strings.Repeat(" ", len(lineStart.FindString(l.text()))))}
	if indent.Width() > width/2 {
		indent = nil
	}
	spans := inlineDiff(l, marks)
	if op := l.operation(); len(l) == 1 && (op == added || op == removed) { // the sign before the line says it
		spans = nil
		for _, p := range asRead(l) {
			spans = append(spans, p.spans(0, len(p.text), marks.style(op, true, true))...)
		}
	}
	return Wrap(spans, width, indent)
}
