package render

import (
	"fmt"
	"slices"
	"strings"
)

// tableRow is a row of a changed table.
type tableRow struct {
	op      operation
	number  int    // of the row in its version, from 1; 0 for the header
	cells   []Line // with the differing parts emphasized
	changed []bool // by cell; nil if the whole row was added or removed
}

// listChangedCells draws the changes of a table that is too wide for its columns: each changed cell with the key of its
// row and the head of its column, between its neighbourCells. Unchanged rows are counted.
func listChangedCells(cut []diffLine, width int, marks Marks) []Line {
	rows, heads := tableRows(cut, marks)
	var out []Line
	for i := 0; i < len(rows); i++ {
		if unchanged := countUnchanged(rows[i:]); unchanged > 0 {
			out = append(out, prefixSign(same, []Line{Line{In(Dim, "… "+Plural(unchanged, "row")+" unchanged")}.Cut(width)})...)
			i += unchanged - 1
			continue
		}
		row := rows[i]
		if i+1 < len(rows) && row.changesSameCells(rows[i+1]) {
			for _, line := range row.replacementLines(rows[i+1], heads) {
				out = append(out, prefixSign(edited, Wrap(line, width, continuation))...)
			}
			i++
			continue
		}
		for _, line := range row.changedLines(heads) {
			out = append(out, marks.fillLines(row.op, prefixSign(row.op, Wrap(line, width, continuation)), width+2)...)
		}
	}
	return out
}

// tableRows returns the rows of a table without the line below its header, and the heads of its columns as they are now.
func tableRows(cut []diffLine, marks Marks) (rows []tableRow, heads []string) {
	number := map[operation]int{}
	for _, line := range cut {
		if delimiterPattern.MatchString(line.text()) {
			continue
		}
		row := tableRow{op: line.op, cells: tableCells(line, marks), changed: changedCells(line), number: number[line.op]}
		if number[line.op] = row.number + 1; line.op == same {
			number[removed], number[added] = number[removed]+1, number[added]+1
			row.number = number[added] - 1
			number[same] = number[added]
		} else {
			number[same] = max(number[removed], number[added])
		}
		if rows = append(rows, row); row.number == 0 && row.op != removed || heads == nil {
			heads = make([]string, len(row.cells))
			for i, cell := range row.cells {
				heads[i] = cell.String()
			}
		}
	}
	return rows, heads
}

// changedCells returns which cells of a line differ from the other version, or nil for a line that was added or removed as
// a whole.
func changedCells(line diffLine) []bool {
	if line.op == same || len(line.parts) < 2 {
		return nil
	}
	changed := []bool{false}
	for _, p := range line.parts {
		for i, part := range splitCells(p.text) {
			if i > 0 {
				changed = append(changed, false)
			}
			if p.op != same && strings.TrimSpace(part) != "" {
				changed[len(changed)-1] = true
			}
		}
	}
	if strings.HasPrefix(strings.TrimSpace(line.text()), "|") {
		changed = changed[1:]
	}
	return changed
}

// countUnchanged returns the number of unchanged rows at the beginning of rows.
func countUnchanged(rows []tableRow) int {
	n := slices.IndexFunc(rows, func(r tableRow) bool { return r.op != same })
	if n < 0 {
		return len(rows)
	}
	return n
}

// changesSameCells reports whether a removed row and the added row next are versions of one row that differ in the same cells.
func (r tableRow) changesSameCells(next tableRow) bool {
	return r.op == removed && next.op == added && r.changed != nil && next.changed != nil && len(r.cells) == len(next.cells) &&
		(slices.Equal(r.changed, next.changed) || r.key() == next.key())
}

// key names the row by its first cell, or by its number.
func (r tableRow) key() string {
	switch {
	case r.number == 0:
		return "header"
	case len(r.cells) > 0 && r.cells[0].Width() > 0 && (len(r.changed) == 0 || !r.changed[0]):
		return "row “" + r.cells[0].String() + "”"
	default:
		return fmt.Sprintf("row %d", r.number)
	}
}

// columnHeader returns the head of a column, or its number.
func columnHeader(heads []string, column int) string {
	if column < len(heads) && heads[column] != "" {
		return heads[column]
	}
	return fmt.Sprintf("column %d", column+1)
}

// replacementLines draws the cells in which a row differs from its next version, a line each.
func (r tableRow) replacementLines(next tableRow, heads []string) []Line {
	var lines []Line
	for i := range r.cells {
		if i < len(r.changed) && r.changed[i] || i < len(next.changed) && next.changed[i] {
			line := Join(r.label(heads, i), cellOrEmpty(r.cells[i]), Line{In(Dim, " → ")}, cellOrEmpty(next.cells[i]),
				next.neighbourCells(heads, i))
			lines = append(lines, line)
		}
	}
	return lines
}

// changedLines draws the changed cells of a row, a line each, or the whole row.
func (r tableRow) changedLines(heads []string) []Line {
	if r.changed == nil {
		line := Line{In(Dim, r.key())}
		for i, cell := range r.cells {
			line = Join(line, Line{In(Dim, " · "+columnHeader(heads, i)+": ")}, cellOrEmpty(cell))
		}
		return []Line{line}
	}
	var lines []Line
	for i, cell := range r.cells {
		if i < len(r.changed) && r.changed[i] {
			lines = append(lines, Join(r.label(heads, i), cellOrEmpty(cell), r.neighbourCells(heads, i)))
		}
	}
	return lines
}

// label names a cell by its row and its column.
func (r tableRow) label(heads []string, column int) Line {
	return Line{In(Dim, r.key()+" · "), NewSpan(Style{Bold: true}, columnHeader(heads, column)), In(Dim, ": ")}
}

// neighbourCells draws the cells at both sides of a cell.
func (r tableRow) neighbourCells(heads []string, column int) Line {
	var parts []string
	for _, i := range []int{column - 1, column + 1} {
		if i > 0 && i < len(r.cells) {
			parts = append(parts, columnHeader(heads, i)+": "+cellOrEmpty(r.cells[i]).String())
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return Line{In(Dim, "  (next to "+strings.Join(parts, ", ")+")")}
}

// cellOrEmpty returns cell, or the word "empty" if the cell has no text.
func cellOrEmpty(cell Line) Line {
	if cell.Width() == 0 {
		return Line{In(Dim, "empty")}
	}
	return cell
}
