package pdf

import (
	"slices"

	extast "github.com/yuin/goldmark/extension/ast"
)

const (
	// A word of a table is cut rather than that its text shrinks for it, or its columns are torn apart.
	longWord   = 90.0
	leastWidth = 30.0
)

// demand is what a column asks for: room for its longest word, and for its longest text on one line.
type demand struct{ least, whole float64 }

func (w *writer) demands(rows [][][]span, pad float64) []demand {
	demands := make([]demand, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			all := 0.0
			for _, a := range w.atoms(cell) {
				demands[i].least = max(demands[i].least, a.width+2*pad+0.5)
				all += a.spacing() + a.width
			}
			for _, s := range cell {
				if s.image != nil {
					demands[i].least = max(demands[i].least, min(s.image.width, leastWidth)+2*pad+0.5)
					all = max(all, s.image.width)
				}
			}
			demands[i].least = max(demands[i].least, 2*pad+0.5)
			demands[i].whole = max(demands[i].whole, all+2*pad+0.5)
		}
	}
	return demands
}

// textOfTable is the size at which the words of a table fit beside each other, if there is one that can be read.
func (w *writer) textOfTable(n *extast.Table, in inliner) (size, pad float64) {
	words := 0.0
	demands := w.demands(in.cells(n, cellSize), 0)
	for _, d := range demands {
		words += min(d.least, longWord)
	}
	columns := float64(len(demands))
	if words+columns*2*cellPad <= w.width() {
		return cellSize, cellPad
	}
	return max(smallest, cellSize*(w.width()-columns*2*smallPad)/words), smallPad
}

// group are the columns that are printed beside each other.
type group []int

// of takes the columns out of rows.
func (g group) of(rows [][][]span) [][][]span {
	some := make([][][]span, len(rows))
	for i, row := range rows {
		for _, column := range g {
			some[i] = append(some[i], row[column])
		}
	}
	return some
}

func (g group) align(alignments []extast.Alignment) (some []extast.Alignment) {
	for _, column := range g {
		if column < len(alignments) {
			some = append(some, alignments[column])
		}
	}
	return some
}

// groups divides columns into those that fit beside each other. Every group begins with the first column.
func (w *writer) groups(rows [][][]span, pad float64) []group {
	demands := w.demands(rows, pad)
	need := func(column int) float64 { return min(demands[column].least, leastWidth) }
	now, used := group{0}, need(0)
	var groups []group
	for column := 1; column < len(demands); column++ {
		if used+need(column) > w.width() && len(now) > 1 {
			groups = append(groups, now)
			now, used = group{0}, need(0)
		}
		now, used = append(now, column), used+need(column)
	}
	return append(groups, now)
}

// columns divides the width: a column that asks for less than its share gets what it asks for, and what is left goes
// to the others by how much text there is. Words are cut where there is no other way.
func (w *writer) columns(rows [][][]span, pad float64) []float64 {
	demands, room := w.demands(rows, pad), w.width()
	widths := make([]float64, len(demands))
	most := longest(demands, room)
	for i := range demands {
		demands[i].least = min(demands[i].least, most)
	}
	open := make([]int, len(demands))
	for i := range open {
		open[i] = i
	}
	for settled := true; settled && len(open) > 0; {
		share, before := room/float64(len(open)), len(open)
		open = slices.DeleteFunc(open, func(i int) bool {
			if demands[i].whole > share && demands[i].least < share {
				return false
			}
			widths[i] = min(demands[i].whole, max(demands[i].least, share))
			room -= widths[i]
			return true
		})
		settled = len(open) < before
	}
	wanted := 0.0
	for _, i := range open {
		room -= demands[i].least
		wanted += demands[i].whole - demands[i].least
	}
	for _, i := range open {
		widths[i] = demands[i].least + room*(demands[i].whole-demands[i].least)/wanted
	}
	return widths
}

// longest is how long words may be, so that those of all columns fit into a width: the same for all.
func longest(demands []demand, room float64) float64 {
	least := make([]float64, len(demands))
	for i, d := range demands {
		least[i] = d.least
	}
	slices.Sort(least)
	for i, width := range least {
		share := room / float64(len(least)-i)
		if width > share {
			return share
		}
		room -= width
	}
	return sheetWidth
}
