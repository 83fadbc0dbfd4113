package tui

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Markers around the two sides of a conflict in a merged text.
const (
	mineMarker   = "<<<<<<< yours\n"
	middleMarker = "=======\n"
	theirsMarker = ">>>>>>> in the request now\n"
)

// hasMarkers reports whether a text contains conflict markers.
func hasMarkers(text string) bool {
	return strings.Contains(text, mineMarker) || strings.Contains(text, theirsMarker)
}

// hunk replaces a range of lines of the base.
type hunk struct {
	start, end int // line range of the base
	lines      []string
}

// mergeLines merges two versions of a text line by line. Passages changed differently by both sides are written
// between markers; conflicts is their number.
func mergeLines(base, mine, theirs string) (text string, conflicts int) {
	lines := strings.SplitAfter(base, "\n")
	m := merger{lines: lines, mine: diffHunks(base, mine), theirs: diffHunks(base, theirs)}
	for m.line <= len(lines) && (m.line < len(lines) || len(m.mine)+len(m.theirs) > 0) {
		conflicts += m.step()
	}
	return m.out.String(), conflicts
}

// merger is the state of mergeLines.
type merger struct {
	lines        []string
	mine, theirs []hunk
	line         int
	out          strings.Builder
}

// step consumes the next unchanged line or changed passage, and returns 1 if the passage is a conflict.
func (m *merger) step() int {
	start, end := m.line, m.line
	var mine, theirs []hunk
	for grown := true; grown; { // extend by all overlapping hunks
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
		m.out.WriteString(m.lines[m.line])
		m.line++
		return 0
	}
	m.line = end
	base := strings.Join(m.lines[start:end], "")
	a, b := m.sideText(mine, start, end), m.sideText(theirs, start, end)
	switch {
	case a == b || b == base:
		m.out.WriteString(a)
	case a == base:
		m.out.WriteString(b)
	default:
		m.out.WriteString(mineMarker + withNewline(a) + middleMarker + withNewline(b) + theirsMarker)
		return 1
	}
	return 0
}

// touches reports whether a hunk begins within or at the end of a range.
func touches(h hunk, start, end int) bool { return h.start == start || h.start < end }

// sideText returns the lines of a base range in the version of one side.
func (m *merger) sideText(changes []hunk, start, end int) string {
	var out strings.Builder
	line := start
	for _, h := range changes {
		out.WriteString(strings.Join(m.lines[line:h.start], "") + strings.Join(h.lines, ""))
		line = h.end
	}
	out.WriteString(strings.Join(m.lines[line:end], ""))
	return out.String()
}

func withNewline(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// diffHunks returns the hunks between base and text.
func diffHunks(base, text string) []hunk {
	d := diffmatchpatch.New()
	a, b, lines := d.DiffLinesToRunes(base, text)
	var out []hunk
	line := 0
	open := false
	for _, part := range d.DiffMainRunes(a, b, false) {
		runes := []rune(part.Text)
		if part.Type == diffmatchpatch.DiffEqual {
			line, open = line+len(runes), false
			continue
		}
		if !open {
			out, open = append(out, hunk{start: line, end: line}), true
		}
		h := &out[len(out)-1]
		if part.Type == diffmatchpatch.DiffDelete {
			line += len(runes)
			h.end = line
			continue
		}
		for _, r := range runes {
			h.lines = append(h.lines, lines[r])
		}
	}
	return out
}
