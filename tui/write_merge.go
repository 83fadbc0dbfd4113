package tui

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// The lines between which both sides of a passage stand that both have changed, for who edits them.
const (
	mineMark   = "<<<<<<< yours\n"
	middleMark = "=======\n"
	theirsMark = ">>>>>>> in the request now\n"
)

// marked reports whether a text has such lines left.
func marked(text string) bool {
	return strings.Contains(text, mineMark) || strings.Contains(text, theirsMark)
}

// hunk is a run of lines of a text that stand in place of lines of another one.
type hunk struct {
	start, end int // lines of the base
	lines      []string
}

// merged is what both sides made of a text, line by line: what one side changed is taken, and what both changed
// differently stands between marks. It reports how often that was.
func merged(base, mine, theirs string) (text string, conflicts int) {
	lines := strings.SplitAfter(base, "\n")
	m := merger{lines: lines, mine: hunks(base, mine), theirs: hunks(base, theirs)}
	for m.at <= len(lines) && (m.at < len(lines) || len(m.mine)+len(m.theirs) > 0) {
		conflicts += m.step()
	}
	return m.out.String(), conflicts
}

// merger is how far a merge is.
type merger struct {
	lines        []string
	mine, theirs []hunk
	at           int
	out          strings.Builder
}

// step takes the next line that nobody changed, or the next passage that somebody did; 1 is a conflict.
func (m *merger) step() int {
	start, end := m.at, m.at
	var mine, theirs []hunk
	for grown := true; grown; { // all hunks that touch one another
		grown = false
		for len(m.mine) > 0 && touches(m.mine[0], start, end) {
			mine, end, grown = append(mine, m.mine[0]), max(end, m.mine[0].end), true
			m.mine = m.mine[1:]
		}
		for len(m.theirs) > 0 && touches(m.theirs[0], start, end) {
			theirs, end, grown = append(theirs, m.theirs[0]), max(end, m.theirs[0].end), true
			m.theirs = m.theirs[1:]
		}
	}
	if len(mine)+len(theirs) == 0 {
		m.out.WriteString(m.lines[m.at])
		m.at++
		return 0
	}
	m.at = end
	was := strings.Join(m.lines[start:end], "")
	a, b := m.side(mine, start, end), m.side(theirs, start, end)
	switch {
	case a == b || b == was:
		m.out.WriteString(a)
	case a == was:
		m.out.WriteString(b)
	default:
		m.out.WriteString(mineMark + ended(a) + middleMark + ended(b) + theirsMark)
		return 1
	}
	return 0
}

// touches reports whether a hunk begins within or right at what was taken so far.
func touches(h hunk, start, end int) bool { return h.start == start || h.start < end }

// side is what one side made of some lines of the base.
func (m *merger) side(changes []hunk, start, end int) string {
	var out strings.Builder
	at := start
	for _, h := range changes {
		out.WriteString(strings.Join(m.lines[at:h.start], "") + strings.Join(h.lines, ""))
		at = h.end
	}
	out.WriteString(strings.Join(m.lines[at:end], ""))
	return out.String()
}

func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// hunks are what became of the lines of a text.
func hunks(base, text string) []hunk {
	d := diffmatchpatch.New()
	a, b, lines := d.DiffLinesToRunes(base, text)
	var out []hunk
	at := 0
	open := false
	for _, part := range d.DiffMainRunes(a, b, false) {
		runes := []rune(part.Text)
		if part.Type == diffmatchpatch.DiffEqual {
			at, open = at+len(runes), false
			continue
		}
		if !open {
			out, open = append(out, hunk{start: at, end: at}), true
		}
		h := &out[len(out)-1]
		if part.Type == diffmatchpatch.DiffDelete {
			at += len(runes)
			h.end = at
			continue
		}
		for _, r := range runes {
			h.lines = append(h.lines, lines[r])
		}
	}
	return out
}
