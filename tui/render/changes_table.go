package render

import (
	"regexp"
	"strings"
)

// tableChanged draws a changed table as a table: a row that changed stands twice, and its cells that differ stand out.
// Where there is no room for the columns, its lines are drawn as they are written.
func tableChanged(cut []cutLine, width int, marks Marks) []Line {
	var rows [][]Line
	var signs []operation
	head := 0
	for _, line := range settled(cut) {
		if delimiter.MatchString(line.text()) {
			if line.op != removed {
				head = len(rows)
			}
			continue
		}
		rows, signs = append(rows, cells(line, marks)), append(signs, line.op)
	}
	drawn, rule := Grid(rows, width)
	if drawn == nil || head == 0 {
		return rawLines(cut, width, marks)
	}
	var out []Line
	for i, lines := range drawn {
		if i == head {
			out = append(out, signed(same, []Line{rule})...)
		}
		out = append(out, marks.over(signs[i], signed(signs[i], lines), width+2)...)
	}
	return out
}

// delimiter matches the line below the head of a table.
var delimiter = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// cells cuts a line of a table at its bars; links and emphasis in it are read as in prose.
func cells(line cutLine, marks Marks) []Line {
	row := []Line{nil}
	for _, span := range readSpans(line, marks) {
		parts := splitCells(span.Text())
		for i, part := range parts {
			if i > 0 {
				row = append(row, nil)
			}
			if part != "" {
				row[len(row)-1] = append(row[len(row)-1], Of(span.Style(), part))
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

// readSpans are the pieces of a line of a table as people read them; what differs in it stands out.
func readSpans(line cutLine, marks Marks) Line {
	whole := len(line.parts) == 1
	var spans Line
	for _, p := range asRead(line.parts) {
		style := marks.style(line.op, p.op != same, whole)
		if p.op != same && !whole && strings.TrimSpace(p.text) == "" {
			spans = append(spans, Of(style, visible(p.text)))
			continue
		}
		spans = append(spans, p.spans(0, len(p.text), style)...)
	}
	return spans
}

// splitCells cuts a text at the bars that are not escaped.
func splitCells(s string) (parts []string) {
	start := 0
	for i := range len(s) {
		if s[i] == '|' && (i == 0 || s[i-1] != '\\') {
			parts, start = append(parts, s[start:i]), i+1
		}
	}
	return append(parts, s[start:])
}
