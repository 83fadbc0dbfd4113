package render

import (
	"slices"
	"strings"
)

// cutLine is a whole line of a comparison: the same on both sides, or of one side and with something that differs.
type cutLine struct {
	op    operation
	parts []piece // same, and what differs
}

func (l cutLine) text() string {
	var whole strings.Builder
	for _, p := range l.parts {
		whole.WriteString(p.text)
	}
	return whole.String()
}

// lines cuts pieces into whole lines: those that are the same, and those of each side that differ in something.
func lines(pieces []piece) []cutLine {
	l := lineCutter{}
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

// lineCutter is what lines knows of the line that it is in.
type lineCutter struct {
	out        []cutLine
	gone, come []cutLine // that are not written yet
	old, new   []piece
	changed    bool
}

func (l *lineCutter) add(op operation, part string) {
	if part == "" {
		return
	}
	l.changed = l.changed || op != same
	if op != added {
		l.old = append(l.old, piece{op, part})
	}
	if op != removed {
		l.new = append(l.new, piece{op, part})
	}
}

// end ends the line of one side, or of both.
func (l *lineCutter) end(op operation) {
	switch {
	case op == removed:
		l.gone, l.old = append(l.gone, cutLine{removed, l.old}), nil
	case op == added:
		l.come, l.new = append(l.come, cutLine{added, l.new}), nil
	case l.changed:
		l.gone, l.come = append(l.gone, cutLine{removed, l.old}), append(l.come, cutLine{added, l.new})
		l.old, l.new, l.changed = nil, nil, false
	default:
		l.flush()
		l.out = append(l.out, cutLine{same, l.new})
		l.old, l.new = nil, nil
	}
	if op != same {
		l.changed = len(l.old)+len(l.new) > 0
	}
}

// flush writes what went and what came. Lines that both begin or end with are the same: a line that came behind one
// shares its line break.
func (l *lineCutter) flush() {
	gone, come := l.gone, l.come
	var begin, end []cutLine
	for len(gone) > 0 && len(come) > 0 && gone[0].text() == come[0].text() {
		begin, gone, come = append(begin, unchanged(come[0])), gone[1:], come[1:]
	}
	for len(gone) > 0 && len(come) > 0 && gone[len(gone)-1].text() == come[len(come)-1].text() {
		end = append(end, unchanged(come[len(come)-1]))
		gone, come = gone[:len(gone)-1], come[:len(come)-1]
	}
	slices.Reverse(end)
	l.out = slices.Concat(l.out, begin, gone, come, end)
	l.gone, l.come = nil, nil
}

func unchanged(line cutLine) cutLine { return cutLine{same, []piece{{same, line.text()}}} }
