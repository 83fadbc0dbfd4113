package render

import (
	"slices"
	"strings"
)

// diffLine is a whole line of a comparison: unchanged, or of one side with at least one difference.
type diffLine struct {
	op    operation
	parts []segment // unchanged and differing parts
}

func (l diffLine) text() string {
	var whole strings.Builder
	for _, p := range l.parts {
		whole.WriteString(p.text)
	}
	return whole.String()
}

// diffLines splits pieces into whole lines: unchanged lines, and the differing lines of each side.
func diffLines(pieces []segment) []diffLine {
	l := lineSplitter{}
	for _, p := range pieces {
		for rest := p.text; rest != ""; {
			part, after, ended := strings.Cut(rest, "\n")
			l.add(p.op, part)
			if ended {
				l.end(p.op)
			}
			rest = after
		}
	}
	l.end(same)
	l.flush()
	return l.out
}

// lineSplitter is the state of diffLines.
type lineSplitter struct {
	out              []diffLine
	removed, added   []diffLine // lines not yet written to out
	oldLine, newLine []segment
	changed          bool
}

func (l *lineSplitter) add(op operation, part string) {
	if part == "" {
		return
	}
	l.changed = l.changed || op != same
	if op != added {
		l.oldLine = append(l.oldLine, segment{op, part})
	}
	if op != removed {
		l.newLine = append(l.newLine, segment{op, part})
	}
}

// end ends the current line of one side or of both.
func (l *lineSplitter) end(op operation) {
	switch {
	case op == removed:
		l.removed, l.oldLine = append(l.removed, diffLine{removed, l.oldLine}), nil
	case op == added:
		l.added, l.newLine = append(l.added, diffLine{added, l.newLine}), nil
	case l.changed:
		l.removed, l.added = append(l.removed, diffLine{removed, l.oldLine}), append(l.added, diffLine{added, l.newLine})
		l.oldLine, l.newLine, l.changed = nil, nil, false
	default:
		l.flush()
		l.out = append(l.out, diffLine{same, l.newLine})
		l.oldLine, l.newLine = nil, nil
	}
	if op != same {
		l.changed = len(l.oldLine)+len(l.newLine) > 0
	}
}

// flush writes the pending removed and added lines. Lines equal at the start or the end of both lists are written as
// unchanged, because an inserted line shares its line break with its neighbour.
func (l *lineSplitter) flush() {
	oldLines, newLines := l.removed, l.added
	var begin, end []diffLine
	for len(oldLines) > 0 && len(newLines) > 0 && oldLines[0].text() == newLines[0].text() {
		begin, oldLines, newLines = append(begin, unchangedLine(newLines[0])), oldLines[1:], newLines[1:]
	}
	for len(oldLines) > 0 && len(newLines) > 0 && oldLines[len(oldLines)-1].text() == newLines[len(newLines)-1].text() {
		end = append(end, unchangedLine(newLines[len(newLines)-1]))
		oldLines, newLines = oldLines[:len(oldLines)-1], newLines[:len(newLines)-1]
	}
	slices.Reverse(end)
	l.out = slices.Concat(l.out, begin, oldLines, newLines, end)
	l.removed, l.added = nil, nil
}

func unchangedLine(line diffLine) diffLine { return diffLine{same, []segment{{same, line.text()}}} }
