package pdf

import (
	"slices"

	extast "github.com/yuin/goldmark/extension/ast"
)

const (
	// longWordWidth is the width above which a word of a table is cut instead of shrinking the text or separating the columns.
	longWordWidth = 90.0
	minWidth      = 30.0
)

// columnMetrics holds the widths of a column's longest word and of its longest text on one line.
type columnMetrics struct{ longestWord, fullWidth float64 }

func (w *writer) measureColumns(rows [][][]span, pad float64) []columnMetrics {
	demands := make([]columnMetrics, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			all := 0.0
			for _, a := range w.atoms(cell) {
				demands[i].longestWord = max(demands[i].longestWord, a.width+2*pad+0.5)
				all += a.spacing() + a.width
			}
			for _, s := range cell {
				if s.image != nil {
					demands[i].longestWord = max(demands[i].longestWord, min(s.image.width, minWidth)+2*pad+0.5)
					all = max(all, s.image.width)
				}
			}
			demands[i].longestWord = max(demands[i].longestWord, 2*pad+0.5)
			demands[i].fullWidth = max(demands[i].fullWidth, all+2*pad+0.5)
		}
	}
	return demands
}

// tableTextSize returns the largest size and padding at which the columns of a table fit, at least the smallest
// readable one.
func (w *writer) tableTextSize(n *extast.Table, in inliner) (size, pad float64) {
	words := 0.0
	demands := w.measureColumns(in.cells(n, cellSize), 0)
	for _, d := range demands {
		words += min(d.longestWord, longWordWidth)
	}
	columns := float64(len(demands))
	if words+columns*2*cellPad <= w.width() {
		return cellSize, cellPad
	}
	return max(minCellSize, cellSize*(w.width()-columns*2*smallPad)/words), smallPad
}

// columnGroup holds the indexes of columns that are printed together.
type columnGroup []int

// selectColumns returns rows with only the columns of the group.
func (g columnGroup) selectColumns(rows [][][]span) [][][]span {
	some := make([][][]span, len(rows))
	for i, row := range rows {
		for _, column := range g {
			some[i] = append(some[i], row[column])
		}
	}
	return some
}

func (g columnGroup) selectAlignments(alignments []extast.Alignment) (some []extast.Alignment) {
	for _, column := range g {
		if column < len(alignments) {
			some = append(some, alignments[column])
		}
	}
	return some
}

// groups divides columns into groups that fit on the sheet. Every group begins with the first column.
func (w *writer) groups(rows [][][]span, pad float64) []columnGroup {
	demands := w.measureColumns(rows, pad)
	need := func(column int) float64 { return min(demands[column].longestWord, minWidth) }
	now, used := columnGroup{0}, need(0)
	var groups []columnGroup
	for column := 1; column < len(demands); column++ {
		if used+need(column) > w.width() && len(now) > 1 {
			groups = append(groups, now)
			now, used = columnGroup{0}, need(0)
		}
		now, used = append(now, column), used+need(column)
	}
	return append(groups, now)
}

// columnWidths divides the width: a column that needs less than its share gets the width it needs, and the rest is divided by
// the amount of text. Words are cut only if unavoidable.
func (w *writer) columnWidths(rows [][][]span, pad float64) []float64 {
	demands, available := w.measureColumns(rows, pad), w.width()
	widths := make([]float64, len(demands))
	most := maxWordWidth(demands, available)
	for i := range demands {
		demands[i].longestWord = min(demands[i].longestWord, most)
	}
	open := make([]int, len(demands))
	for i := range open {
		open[i] = i
	}
	for reduced := true; reduced && len(open) > 0; {
		share, before := available/float64(len(open)), len(open)
		open = slices.DeleteFunc(open, func(i int) bool {
			if demands[i].fullWidth > share && demands[i].longestWord < share {
				return false
			}
			widths[i] = min(demands[i].fullWidth, max(demands[i].longestWord, share))
			available -= widths[i]
			return true
		})
		reduced = len(open) < before
	}
	wanted := 0.0
	for _, i := range open {
		available -= demands[i].longestWord
		wanted += demands[i].fullWidth - demands[i].longestWord
	}
	for _, i := range open {
		widths[i] = demands[i].longestWord + available*(demands[i].fullWidth-demands[i].longestWord)/wanted
	}
	return widths
}

// maxWordWidth returns the maximum width of words, equal for all columns, at which the columns fit into the available
// width.
func maxWordWidth(demands []columnMetrics, available float64) float64 {
	least := make([]float64, len(demands))
	for i, d := range demands {
		least[i] = d.longestWord
	}
	slices.Sort(least)
	for i, width := range least {
		share := available / float64(len(least)-i)
		if width > share {
			return share
		}
		available -= width
	}
	return sheetWidth
}
