package render

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// minColumnWidth is the least width of a readable column; tables with narrower columns are drawn as lists.
const minColumnWidth = 6

// table draws a table with wrapped cells, or each row as a list if the width is too small for the columns.
func (r renderer) table(n *extast.Table, width int) []Line {
	rows := r.rows(n)
	if len(rows) == 0 {
		return nil
	}
	widths := columnWidths(rows, width)
	if widths == nil {
		return stackedRows(rows, width)
	}
	var out []Line
	for i, row := range rows {
		out = append(out, drawRow(row, widths)...)
		if i == 0 {
			out = append(out, rule(widths))
		}
	}
	return out
}

// rows returns the cells of a table; the first row is the header.
func (r renderer) rows(n *extast.Table) [][]Line {
	var rows [][]Line
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := Style{Bold: row.Kind() == extast.KindTableHeader}
		rows = append(rows, r.cells(row, style))
	}
	return rows
}

func (r renderer) cells(row ast.Node, style Style) []Line {
	var cells []Line
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		cells = append(cells, r.inlines(cell, style))
	}
	return cells
}

// Grid draws the rows of a table, each in as many lines as its cells need, and the rule below the header. It returns
// nil if the width is too small for the columns.
func Grid(rows [][]Line, width int) (drawn [][]Line, below Line) {
	if len(rows) == 0 {
		return nil, nil
	}
	widest := rows[0]
	for _, row := range rows {
		if len(row) > len(widest) {
			widest = row
		}
	}
	widths := columnWidths(append([][]Line{widest}, rows...), width)
	if widths == nil {
		return nil, nil
	}
	for _, row := range rows {
		drawn = append(drawn, drawRow(row, widths))
	}
	return drawn, rule(widths)
}

// columnWidths distributes width among the columns, shrinking the widest first. It returns nil if they do not fit.
func columnWidths(rows [][]Line, width int) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range min(len(row), len(widths)) {
			widths[i] = max(widths[i], row[i].Width(), 1)
		}
	}
	available := width - 3*(len(widths)-1)
	for sum(widths) > available {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= minColumnWidth {
			return nil
		}
		widths[widest]--
	}
	return widths
}

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}

func drawRow(row []Line, widths []int) []Line {
	columns := make([][]Line, len(widths))
	height := 1
	for i, w := range widths {
		if i < len(row) {
			columns[i] = Wrap(row[i], w, nil)
		}
		height = max(height, len(columns[i]))
	}
	out := make([]Line, height)
	for y := range out {
		for i, w := range widths {
			if i > 0 {
				out[y] = append(out[y], In(Dim, " │ "))
			}
			var cell Line
			if y < len(columns[i]) {
				cell = columns[i][y]
			}
			out[y] = append(out[y], cell.Pad(w)...)
		}
	}
	return out
}

func rule(widths []int) Line {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	return Line{In(Dim, strings.Join(parts, "─┼─"))}
}

// stackedRows draws each row as "heading: cell" lines.
func stackedRows(rows [][]Line, width int) []Line {
	var out []Line
	for n, row := range rows[1:] {
		if n > 0 {
			out = append(out, nil)
		}
		for i, cell := range row {
			var label Line
			if i < len(rows[0]) {
				label = append(append(label, rows[0][i]...), Plain(": "))
			}
			out = append(out, Wrap(Join(label, cell), width, Line{Plain("  ")})...)
		}
	}
	if len(out) == 0 {
		return Wrap(Join(rows[0]...), width, nil)
	}
	return out
}
