package render

import (
	"slices"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// minColumnWidth is the least width of a readable column; tables with narrower columns are drawn as lists.
const minColumnWidth = 6

// table draws a table with wrapped cells. If the width is too small for the columns, some of them are drawn or, where
// nothing can be scrolled, each row as a list.
func (r renderer) table(n *extast.Table, width int) []Line {
	rows := r.rows(n)
	if len(rows) == 0 {
		return nil
	}
	g, ok := newGrid(rows, width, r.pan, 0, 0)
	if !ok {
		return stackedRows(rows, width)
	}
	var out []Line
	if g.caption != nil {
		out = append(out, g.caption)
	}
	r.pan.headerLine = len(out) + 1
	for i, row := range rows {
		out = append(out, g.draw(row)...)
		if i == 0 {
			out = append(out, g.rule())
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

// naturalWidths returns the widths of the columns without wrapped cells.
func naturalWidths(rows [][]Line) []int {
	widths := []int{}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], cell.Width())
		}
	}
	return widths
}

// columnWidths distributes width among the columns, shrinking the widest first. It returns nil if they do not fit.
func columnWidths(rows [][]Line, width int) []int {
	widths := naturalWidths(rows)
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
