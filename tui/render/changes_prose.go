package render

import (
	"regexp"
	"strings"
)

// proseLine is a line that stays a separate line when the text is wrapped.
type proseLine []segment

// proseLines splits a text at significant line ends: before a list item, tag, fence, table row, heading or blank
// line, after a heading, tag or row, and everywhere within code. Other line ends are white space.
func proseLines(pieces []segment) []proseLine {
	var out []proseLine
	var line proseLine
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
				line, joined = appendSegment(line, segment{p.op, part}), false
			}
			if !ended {
				continue
			}
			if codeFence.MatchString(line.text()) {
				fenced = !fenced
			}
			if fenced || ownLinePattern.MatchString(line.text()) || lineStartPattern.MatchString(nextText(rest, pieces[i+1:])) {
				out, line, joined = append(out, line), nil, false
			} else {
				line, joined = appendSegment(line, segment{p.op, " "}), true
			}
		}
	}
	return trimBlankLines(append(out, line))
}

var (
	lineStartPattern = regexp.MustCompile("^[ \t>]*(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|#{1,6}[ \t]|\\||\\{%|```|~~~|<|\r?\n|$)|^[ \t]*>")
	ownLinePattern   = regexp.MustCompile("^[ \t>]*(?:#{1,6}[ \t]|\\||\\{%|```|~~~|$)|(?:  |\\\\)$")
	codeFence        = regexp.MustCompile("^[ \t>]*(?:[-*+][ \t]+|[0-9]{1,9}[.)][ \t]+)?(?:```|~~~)")
)

// nextText returns rest followed by the texts of pieces, up to the piece with the next line end.
func nextText(rest string, pieces []segment) string {
	for _, p := range pieces {
		if strings.Contains(rest, "\n") {
			break
		}
		rest += p.text
	}
	return rest
}

// trimBlankLines removes blank lines at both ends and collapses consecutive ones into one.
func trimBlankLines(lines []proseLine) (out []proseLine) {
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

func (l proseLine) text() string {
	var whole strings.Builder
	for _, p := range l {
		whole.WriteString(p.text)
	}
	return whole.String()
}

// operation returns the operation of the line as a whole.
func (l proseLine) operation() operation {
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

var linePrefix = regexp.MustCompile(`^[ \t>]*(?:[-*+][ \t]+|[0-9]{1,9}[.)][ \t]+)?`)

// draw wraps the line. Continuation lines are indented to the text of the first one.
func (l proseLine) draw(width int, marks Marks) []Line {
	indent := Line{Plain(strings.Repeat(" ", len(linePrefix.FindString(l.text()))))}
	if indent.Width() > width/2 {
		indent = nil
	}
	spans := inlineDiff(l, marks)
	if op := l.operation(); len(l) == 1 && (op == added || op == removed) { // the sign before the line shows the operation
		spans = nil
		for _, p := range visibleSegments(l) {
			spans = append(spans, p.spans(0, len(p.text), marks.style(op, true, true))...)
		}
	}
	return Wrap(spans, width, indent)
}
