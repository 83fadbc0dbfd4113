package render

import (
	"regexp"
	"strings"
)

// drawChangedTable draws a changed table. A changed row appears twice, with its differing cells emphasized. If the
// width is too small for the columns, the changed cells are listed.
func drawChangedTable(cut []diffLine, width int, marks Marks) []Line {
	var rows [][]Line
	var signs []operation
	head := 0
	aligned := alignTableLines(cut)
	for _, line := range aligned {
		if delimiter.MatchString(line.text()) {
			if line.op != removed {
				head = len(rows)
			}
			continue
		}
		rows, signs = append(rows, tableCells(line, marks)), append(signs, line.op)
	}
	drawn, rule := Grid(rows, width)
	switch {
	case head == 0:
		return rawLines(cut, width, marks)
	case drawn == nil:
		return listChangedCells(aligned, width, marks)
	}
	var out []Line
	for i, lines := range drawn {
		if i == head {
			out = append(out, prefixSign(same, []Line{rule})...)
		}
		out = append(out, marks.fillLines(signs[i], prefixSign(signs[i], lines), width+2)...)
	}
	return out
}

// delimiter matches the line below the header of a table.
var delimiter = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

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
	for _, p := range visiblePieces(line.parts) {
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
