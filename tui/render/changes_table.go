package render

import (
	"regexp"
	"slices"
	"strings"
)

// drawChangedTable draws a changed table. A changed row appears twice, with its differing cells emphasized. If the
// width is too small for the columns, the changed cells are listed at first; scrolled, the table is shown.
func drawChangedTable(cut []diffLine, width int, marks Marks, pan *panner) []Line {
	aligned := alignTableLines(cut)
	if !slices.ContainsFunc(aligned, diffLine.isDelimiter) {
		return rawLines(cut, width, marks, pan)
	}
	if lines, ok := drawTableLines(aligned, width, marks, pan, 1); ok {
		return lines
	}
	return listChangedCells(aligned, width, marks)
}

// isDelimiter reports whether the line is the one below the header of a table.
func (l diffLine) isDelimiter() bool { return delimiterPattern.MatchString(l.text()) }

// drawTableLines draws the lines of a table with their signs. from is the position of the first columns; ok is false before it,
// and for other texts.
func drawTableLines(aligned []diffLine, width int, marks Marks, pan *panner, from int) (lines []Line, ok bool) {
	var rows [][]Line
	var signs []operation
	head := 0
	for _, line := range aligned {
		if line.isDelimiter() {
			if line.op != removed || head == 0 {
				head = len(rows)
			}
			continue
		}
		rows, signs = append(rows, tableCells(line, marks)), append(signs, line.op)
	}
	if head == 0 {
		return nil, false
	}
	g, ok := newGrid(rows, width, pan, from, firstChangedColumn(aligned))
	if !ok {
		return nil, false
	}
	if g.caption != nil {
		lines = prefixSign(same, []Line{g.caption})
	}
	for i, row := range rows {
		if i == head-1 {
			pan.headerLine = len(lines) + 1
		}
		if i == head {
			lines = append(lines, prefixSign(same, []Line{g.rule()})...)
		}
		lines = append(lines, marks.fillLines(signs[i], prefixSign(signs[i], g.draw(row)), width+2)...)
	}
	return lines, true
}

// firstChangedColumn returns the index of the first differing cell of the first changed row.
func firstChangedColumn(cut []diffLine) int {
	for _, line := range cut {
		if line.op != same {
			return max(slices.Index(changedCells(line), true), 0)
		}
	}
	return 0
}

// delimiterPattern matches the line below the header of a table.
var delimiterPattern = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// tableCells splits a line of a table at its bars. Links and emphasis are rendered as in prose.
func tableCells(line diffLine, marks Marks) []Line {
	row := []Line{nil}
	for _, span := range cellSpans(line, marks) {
		parts := splitCells(span.Text())
		for i, part := range parts {
			if i > 0 {
				row = append(row, nil)
			}
			if part != "" {
				row[len(row)-1] = append(row[len(row)-1], NewSpan(span.Style(), part))
			}
		}
	}
	if len(row) > 1 && strings.TrimSpace(row[0].String()) == "" {
		row = row[1:]
	}
	if len(row) > 1 && strings.TrimSpace(row[len(row)-1].String()) == "" {
		row = row[:len(row)-1]
	}
	for i, cell := range row {
		row[i] = cell.Trim()
	}
	return row
}

// cellSpans returns the visible spans of a table line. Differing parts are emphasized.
func cellSpans(line diffLine, marks Marks) Line {
	whole := len(line.parts) == 1
	var spans Line
	for _, p := range visibleSegments(line.parts) {
		style := marks.style(line.op, p.op != same, whole)
		if p.op != same && !whole && strings.TrimSpace(p.text) == "" {
			spans = append(spans, NewSpan(style, visibleSpace(p.text)))
			continue
		}
		spans = append(spans, p.spans(0, len(p.text), style)...)
	}
	return spans
}

// splitCells splits a text at unescaped bars.
func splitCells(s string) (parts []string) {
	start := 0
	for i := range len(s) {
		if s[i] == '|' && (i == 0 || s[i-1] != '\\') {
			parts, start = append(parts, s[start:i]), i+1
		}
	}
	return append(parts, s[start:])
}
