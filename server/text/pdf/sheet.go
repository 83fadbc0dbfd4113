package pdf

import "fmt"

// bar is a vertical line to the left of a quote or hint.
type bar struct {
	top   float64
	left  float64 // left edge of the surrounding text
	color [3]int
	// hidden is set if there was no space for the bar.
	hidden bool
}

// sheet begins a new sheet.
func (w *writer) sheet() {
	w.pdf.AddPage()
	w.y = marginTop
	text := printable(w.document.Title) + fmt.Sprintf("  ·  %d", w.pdf.PageNo())
	if w.sheets > 0 {
		text += fmt.Sprintf(" / %d", w.sheets)
	}
	footer := w.lines([]span{{text: text, look: look{size: smallSize, grey: true}}}, sheetWidth-2*marginSide)[0]
	w.printAt(footer, (sheetWidth-footer.width)/2, footerY)
}

// width returns the width of the text.
func (w *writer) width() float64 { return sheetWidth - marginSide - w.left }

// remaining returns the remaining height of the sheet.
func (w *writer) remaining() float64 { return sheetHeight - marginBottom - w.y }

// ensure begins a new sheet if the current one has less than the given height left. Content higher than a sheet stays.
func (w *writer) ensure(height float64) {
	if w.remaining() < height && w.y > marginTop {
		w.sheet()
	}
}

// advance moves the position below printed content.
func (w *writer) advance(height float64) {
	w.setDueLinks()
	w.moveDown(height)
}

// moveDown moves the position down and draws the bars.
func (w *writer) moveDown(height float64) {
	for _, b := range w.bars {
		if b.hidden { // and all following ones
			break
		}
		w.pdf.SetFillColor(b.color[0], b.color[1], b.color[2])
		w.pdf.Rect(b.top, w.y, 2.5, height, "F")
	}
	w.y += height
}

// space adds space between blocks, except at the top of a sheet.
func (w *writer) space(height float64) {
	if w.y > marginTop {
		w.moveDown(min(height, max(w.remaining(), 0)))
	}
}

// print prints a line and moves below it.
func (w *writer) print(l line) {
	w.ensure(l.height)
	w.printAt(l, w.left, w.y)
	w.advance(l.height)
}

// printAt prints a line at a position.
func (w *writer) printAt(l line, x, y float64) {
	if l.image != nil {
		w.draw(l.image, x, y)
	}
	for _, p := range l.pieces {
		base := y + l.height*0.5 + p.look.size*0.36
		w.backdrop(p, x, y, l.height)
		w.font(p.face, p.look.size)
		w.color(p.look)
		w.pdf.Text(x, base, p.text)
		if p.look.strike {
			w.stroke(x, base-p.look.size*0.3, p.width)
		}
		w.addLink(p, x, y, l.height)
		x += p.width
	}
}

// backdrop draws the grey background of inline code.
func (w *writer) backdrop(p piece, x, y, height float64) {
	if p.look.style&mono != 0 && !p.look.grey {
		w.pdf.SetFillColor(240, 240, 243)
		w.pdf.Rect(x-1, y+height*0.12, p.width+2, height*0.76, "F")
	}
}

// addLink adds the link of a piece.
func (w *writer) addLink(p piece, x, y, height float64) {
	to := p.look.link
	if w.hasTarget(to) {
		w.pdf.Link(x, y, p.width, height, w.linkID(anchor{to.Page, to.Fragment}))
	} else if to.URL != "" {
		w.pdf.LinkString(x, y, p.width, height, to.URL)
	}
}

func (w *writer) stroke(x, y, width float64) {
	w.pdf.SetDrawColor(90, 90, 90)
	w.pdf.SetLineWidth(0.6)
	w.pdf.Line(x, y, x+width, y)
}

// font selects a font and embeds it in the file.
func (w *writer) font(face *typeface, size float64) {
	if !w.loaded[face] {
		w.pdf.AddUTF8FontFromBytes(face.family, "", face.data)
		w.loaded[face] = true
	}
	w.pdf.SetFont(face.family, "", size)
}

func (w *writer) color(l look) {
	switch {
	case l.link != Target{}:
		w.pdf.SetTextColor(20, 80, 180)
	case l.grey:
		w.pdf.SetTextColor(110, 110, 115)
	default:
		w.pdf.SetTextColor(25, 25, 28)
	}
}
