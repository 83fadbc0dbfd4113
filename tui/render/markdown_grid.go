package render

import (
	"fmt"
	"slices"
	"strings"
)

// maxPannedColumn is the maximum width of a column of a table that is scrolled.
const maxPannedColumn = 32

// grid draws the rows of a table: all columns or, if they do not fit, the first one and some of the others.
type grid struct {
	widths      []int
	first, last int  // columns shown after column 0, first to last-1
	caption     Line // which columns are shown; nil for all
}

// newGrid returns the grid of a table at the position of pan; from is the position of the first columns, and changed the index
// of the column to show first. ok is false if the table is to be drawn as a list: before that position, and if the width is too small.
func newGrid(rows [][]Line, width int, pan *panner, from, changed int) (g grid, ok bool) {
	if widths := columnWidths(rows, width); widths != nil {
		return grid{widths: widths, first: 1, last: len(widths)}, true
	}
	g = grid{widths: naturalWidths(rows)}
	if len(g.widths) < 2 {
		return g, false
	}
	g.widths[0] = min(g.widths[0], max(width/3, minColumnWidth))
	available := width - g.widths[0] - 3 - 2 // the bar after the first column and the sign at the right
	if available < minColumnWidth {
		return g, false
	}
	for i := range g.widths[1:] {
		g.widths[i+1] = min(g.widths[i+1], maxPannedColumn, available)
	}
	starts := g.startColumns(available)
	pan.recordEnd(from + len(starts) - 1)
	pan.recordChange(from + max(slices.IndexFunc(starts, func(first int) bool { return changed < g.endColumn(first, available) }), 0))
	if pan.position < from {
		return g, false
	}
	g.first = starts[min(pan.position-from, len(starts)-1)]
	g.last = g.endColumn(g.first, available)
	shown := g.first + 1
	if g.first == 1 {
		shown = 1
	}
	g.caption = Line{In(Dim, fmt.Sprintf("columns %d–%d of %d", shown, g.last, len(g.widths)))}.Cut(width)
	return g, true
}

// endColumn returns the index after the last column that fits if the columns from first on are shown.
func (g grid) endColumn(first, available int) int {
	at := first
	for used := -3; at < len(g.widths) && used+3+g.widths[at] <= available; at++ {
		used += 3 + g.widths[at]
	}
	return at
}

// startColumns returns the first shown column of each position. Half of the columns of a position remain visible in the next
// one.
func (g grid) startColumns(available int) []int {
	var starts []int
	for at := 1; ; {
		starts = append(starts, at)
		end := g.endColumn(at, available)
		if end == len(g.widths) {
			return starts
		}
		next := at + max((end-at)/2, 1)
		for next > at+1 && g.endColumn(next-1, available) == len(g.widths) { // no blank space at the right
			next--
		}
		at = next
	}
}

// isCut reports whether columns are missing at the left and at the right.
func (g grid) isCut() (left, right bool) { return g.first > 1, g.last < len(g.widths) }

// columns returns the indices of the drawn columns.
func (g grid) columns() []int {
	columns := []int{0}
	for i := g.first; i < g.last; i++ {
		columns = append(columns, i)
	}
	return columns
}

// draw draws a row in as many lines as its cells need. The bars of the lines after the first are dashed, because they
// continue the row.
func (g grid) draw(row []Line) []Line {
	columns := g.columns()
	cells := make([][]Line, len(columns))
	height := 1
	for i, c := range columns {
		if c < len(row) {
			cells[i] = Wrap(row[c], g.widths[c], nil)
		}
		height = max(height, len(cells[i]))
	}
	left, right := g.isCut()
	out := make([]Line, height)
	for y := range out {
		bar := In(Dim, Choose(y == 0, " │ ", " ┆ "))
		for i, c := range columns {
			switch {
			case i == 1 && left:
				out[y] = append(out[y], In(Accent, " "+moreLeft+" "))
			case i > 0:
				out[y] = append(out[y], bar)
			}
			out[y] = append(out[y], LineAt(cells[i], y).Pad(g.widths[c])...)
		}
		if right {
			out[y] = append(out[y], In(Accent, " "+moreRight))
		}
	}
	return out
}

// rule returns the line below the header.
func (g grid) rule() Line {
	columns := g.columns()
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = strings.Repeat("─", g.widths[c])
	}
	return Line{In(Dim, strings.Join(parts, "─┼─"))}
}
