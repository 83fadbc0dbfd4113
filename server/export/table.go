package export

import (
	"slices"

	extast "github.com/yuin/goldmark/extension/ast"
)

const cellPad = 4

// tableRow is a row with its cells laid out.
type tableRow struct {
	cells  [][]line
	header bool
}

// table writes a table; its header is repeated on every sheet.
func (w *writer) table(n *extast.Table, in inliner) {
	in.narrow = true
	var cells [][][]span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		l := look{size: bodySize - 0.8}
		if _, header := row.(*extast.TableHeader); header {
			l.style = bold
		}
		var spans [][]span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			spans = append(spans, in.spans(cell, l))
		}
		cells = append(cells, spans)
	}
	widths := w.columns(cells)
	rows := make([]tableRow, len(cells))
	for i, spans := range cells {
		rows[i].header = i == 0
		for j, s := range spans {
			if j < len(widths) {
				rows[i].cells = append(rows[i].cells, w.lines(s, widths[j]-2*cellPad))
			}
		}
	}
	w.space(8)
	for i, row := range rows {
		w.row(row, rows[0], widths, i > 0)
	}
	w.space(4)
}

// columns divides the width: every column gets what its longest word needs as far as that is possible, the rest goes
// by how much text there is.
func (w *writer) columns(rows [][][]span) []float64 {
	least, whole := make([]float64, len(rows[0])), make([]float64, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row[:min(len(row), len(least))] {
			all := 0.0
			for _, a := range w.atoms(cell) {
				least[i] = max(least[i], a.width+2*cellPad+0.5)
				all += a.spacing() + a.width
			}
			whole[i] = max(whole[i], all+2*cellPad+0.5)
		}
	}
	sum := func(list []float64) (total float64) {
		for _, v := range list {
			total += v
		}
		return total
	}
	room := w.width()
	if sum(whole) <= room {
		return whole
	}
	widths := slices.Clone(least)
	if sum(least) > room { // words will be cut
		for i := range widths {
			widths[i] = max(least[i]*room/sum(least), 2*cellPad+bodySize)
		}
		return widths
	}
	spare, wanted := room-sum(least), sum(whole)-sum(least)
	for i := range widths {
		widths[i] += spare * (whole[i] - least[i]) / wanted
	}
	return widths
}

// height is how many lines the tallest cell has.
func (r tableRow) height() int {
	tallest := 1
	for _, lines := range r.cells {
		tallest = max(tallest, len(lines))
	}
	return tallest
}

// maxRepeated is how many lines a header may have to be repeated.
const maxRepeated = 5

// row writes a row, in parts where the sheet ends.
func (w *writer) row(row, header tableRow, widths []float64, repeat bool) {
	const height = (bodySize - 0.8) * leading
	total, done := row.height(), 0
	for done < total {
		fits := int((w.room() - 2*cellPad) / height)
		if fits < min(total-done, 2) && w.y > marginTop {
			w.sheet()
			if repeat && header.height() <= maxRepeated {
				w.row(header, header, widths, false)
			}
			continue
		}
		part := min(max(fits, 1), total-done)
		w.cells(row, widths, done, part, height)
		done += part
	}
}

// cells writes some lines of a row with their borders.
func (w *writer) cells(row tableRow, widths []float64, from, count int, height float64) {
	x, tall := w.left, float64(count)*height+2*cellPad
	w.pdf.SetDrawColor(205, 205, 210)
	w.pdf.SetLineWidth(0.5)
	for i, width := range widths {
		if row.header {
			w.pdf.SetFillColor(242, 243, 246)
			w.pdf.Rect(x, w.y, width, tall, "F")
		}
		w.pdf.Rect(x, w.y, width, tall, "D")
		if i < len(row.cells) {
			for j := from; j < min(from+count, len(row.cells[i])); j++ {
				w.printAt(row.cells[i][j], x+cellPad, w.y+cellPad+float64(j-from)*height)
			}
		}
		w.pdf.SetDrawColor(205, 205, 210) // a stroke through text has another
		x += width
	}
	w.advance(tall)
}
