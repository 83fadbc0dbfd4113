package pdf

import (
	extast "github.com/yuin/goldmark/extension/ast"
)

const (
	cellSize     = bodySize - 0.8
	cellPad      = 4.0
	minCellSize  = 6.3 // font size of a table with wide words
	smallPad     = 2.5
	maxCellImage = 300 // maximum height of an image in a cell
	// maxRepeatedHeader is the maximum height of a header that is repeated.
	maxRepeatedHeader = 5 * cellSize * leading
)

// grid is the common layout of a table's rows.
type grid struct {
	widths []float64
	align  []extast.Alignment
	pad    float64
	size   float64 // font size
	header tableRow
}

// tableRow is a row or a part of one, with the lines of its cells.
type tableRow struct {
	cells  [][]line
	header bool
}

// table writes a table. If not all columns fit, the others are printed below, each group with the first column.
func (w *writer) table(n *extast.Table, in inliner) {
	size, pad := w.tableTextSize(n, in)
	cells := in.cells(n, size)
	for _, group := range w.groups(cells, pad) {
		w.part(group.selectColumns(cells), grid{align: group.selectAlignments(n.Alignments), pad: pad, size: size})
	}
}

// part writes the table of some columns and repeats its header on every sheet.
func (w *writer) part(cells [][][]span, g grid) {
	g.widths = w.columnWidths(cells, g.pad)
	rows := make([]tableRow, len(cells))
	for i, row := range cells {
		rows[i].header = i == 0
		for j, s := range row {
			rows[i].cells = append(rows[i].cells, w.lines(s, g.widths[j]-2*g.pad))
		}
	}
	g.header = rows[0]
	w.addSpace(8)
	if len(rows) > 1 {
		first, _, _ := rows[1].split(2*cellSize*leading, true)
		w.ensureSpace(g.height(g.header) + g.height(first))
	}
	for i, row := range rows {
		w.row(g, row, i > 0)
	}
	w.addSpace(4)
}

// cells returns the texts of the cells by row; all rows have as many columns as the header.
func (in inliner) cells(n *extast.Table, size float64) (cells [][][]span) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		l := appearance{size: size}
		if _, header := row.(*extast.TableHeader); header {
			l.style = bold
		}
		var spans [][]span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			spans = append(spans, fitImages(in.spans(cell, l)))
		}
		if len(cells) > 0 {
			for len(spans) < len(cells[0]) {
				spans = append(spans, nil)
			}
			spans = spans[:len(cells[0])]
		}
		cells = append(cells, spans)
	}
	return cells
}

// fitImages scales images down to fit a row.
func fitImages(spans []span) []span {
	for i, s := range spans {
		if s.image != nil {
			spans[i].image = s.image.scaleToFit(sheetWidth, maxCellImage)
		}
	}
	return spans
}

// split divides a row at a height. ok is false if that would leave less than two lines of a cell; with forced, it
// always divides and each part has at least one line of every cell.
func (r tableRow) split(available float64, forced bool) (part, rest tableRow, ok bool) {
	part.header, rest.header, ok = r.header, r.header, true
	for _, lines := range r.cells {
		n, height := 0, 0.0
		for n < len(lines) && (height+lines[n].height <= available || forced && n == 0) {
			height += lines[n].height
			n++
		}
		ok = ok && n >= min(2, len(lines))
		part.cells, rest.cells = append(part.cells, lines[:n]), append(rest.cells, lines[n:])
	}
	return part, rest, ok
}

func (r tableRow) empty() bool {
	for _, lines := range r.cells {
		if len(lines) > 0 {
			return false
		}
	}
	return true
}

// height returns the height of a row.
func (g grid) height(r tableRow) float64 {
	tallest := g.size * leading
	for _, lines := range r.cells {
		height := 0.0
		for _, l := range lines {
			height += l.height
		}
		tallest = max(tallest, height)
	}
	return tallest + 2*g.pad
}

// row writes a row, divided at the end of the sheet.
func (w *writer) row(g grid, r tableRow, repeat bool) {
	for forced := false; ; {
		part, rest, ok := r.split(w.remaining()-2*g.pad, forced)
		if !forced && (!ok || w.remaining() < g.height(part)) {
			if w.y > marginTop {
				w.newSheet()
				if repeat && g.height(g.header) <= maxRepeatedHeader {
					w.cells(g, g.header)
				}
			}
			forced = true
			continue
		}
		w.cells(g, part)
		if rest.empty() {
			return
		}
		r, forced = rest, false
	}
}

// cells writes a row, or a part of one, with its borders.
func (w *writer) cells(g grid, r tableRow) {
	x, tall := w.left, g.height(r)
	for i, width := range g.widths {
		if r.header {
			w.pdf.SetFillColor(242, 243, 246)
			w.pdf.Rect(x, w.y, width, tall, "F")
		}
		w.pdf.SetDrawColor(205, 205, 210) // strike-through lines use another color
		w.pdf.SetLineWidth(0.5)
		w.pdf.Rect(x, w.y, width, tall, "D")
		y := w.y + g.pad
		for _, l := range r.cells[i] {
			w.printAt(l, x+g.pad+g.alignmentOffset(i, width-2*g.pad-l.width), y)
			y += l.height
		}
		x += width
	}
	w.advance(tall)
}

// alignmentOffset returns the horizontal offset of a line in a column, given its remaining space.
func (g grid) alignmentOffset(column int, available float64) float64 {
	if column >= len(g.align) {
		return 0
	}
	switch g.align[column] {
	case extast.AlignRight:
		return max(available, 0)
	case extast.AlignCenter:
		return max(available, 0) / 2
	case extast.AlignLeft, extast.AlignNone:
	}
	return 0
}
