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

// newSheet begins a new sheet.
func (w *writer) newSheet() {
	w.pdf.AddPage()
	w.y = marginTop
	text := printableTitle(w.document.Title) + fmt.Sprintf("  ·  %d", w.pdf.PageNo())
	if w.sheets > 0 {
		text += fmt.Sprintf(" / %d", w.sheets)
	}
	footer := w.lines([]span{{text: text, appearance: appearance{size: smallSize, grey: true}}}, sheetWidth-2*marginSide)[0]
	w.printAt(footer, (sheetWidth-footer.width)/2, footerY)
}

// width returns the width of the text.
func (w *writer) width() float64 { return sheetWidth - marginSide - w.left }

// remaining returns the remaining height of the sheet.
func (w *writer) remaining() float64 { return sheetHeight - marginBottom - w.y }

// ensureSpace begins a new sheet if the current one has less than the given height left. It does nothing at the top of a sheet.
func (w *writer) ensureSpace(height float64) {
	if w.remaining() < height && w.y > marginTop {
		w.newSheet()
	}
}

// advance sets the targets of due links to the printed content and moves the position below it.
func (w *writer) advance(height float64) {
	w.setDueLinks()
	w.moveDown(height)
}

// moveDown extends the visible bars by the given height and moves the position down.
func (w *writer) moveDown(height float64) {
	for _, b := range w.bars {
		if b.hidden { // the following bars are hidden, too
			break
		}
		w.pdf.SetFillColor(b.color[0], b.color[1], b.color[2])
		w.pdf.Rect(b.top, w.y, 2.5, height, "F")
	}
	w.y += height
}

// addSpace adds space between blocks, except at the top of a sheet.
func (w *writer) addSpace(height float64) {
	if w.y > marginTop {
		w.moveDown(min(height, max(w.remaining(), 0)))
	}
}

// print prints a line and moves below it.
func (w *writer) print(l line) {
	w.ensureSpace(l.height)
	w.printAt(l, w.left, w.y)
	w.advance(l.height)
}

// printAt prints a line at a position.
func (w *writer) printAt(l line, x, y float64) {
	if l.image != nil {
		w.draw(l.image, x, y)
	}
	for _, p := range l.runs {
		base := y + l.height*0.5 + p.appearance.size*0.36
		w.drawBackdrop(p, x, y, l.height)
		w.setFont(p.face, p.appearance.size)
		w.setColor(p.appearance)
		w.pdf.Text(x, base, p.text)
		if p.appearance.strike {
			w.stroke(x, base-p.appearance.size*0.3, p.width)
		}
		w.addLink(p, x, y, l.height)
		x += p.width
	}
}

// drawBackdrop draws the grey background of inline code.
func (w *writer) drawBackdrop(p textRun, x, y, height float64) {
	if p.appearance.style&mono != 0 && !p.appearance.grey {
		w.pdf.SetFillColor(240, 240, 243)
		w.pdf.Rect(x-1, y+height*0.12, p.width+2, height*0.76, "F")
	}
}

// addLink adds the link of a text run.
func (w *writer) addLink(p textRun, x, y, height float64) {
	to := p.appearance.link
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

// setFont selects a font and embeds it in the file.
func (w *writer) setFont(face *typeface, size float64) {
	if !w.loaded[face] {
		w.pdf.AddUTF8FontFromBytes(face.family, "", face.data)
		w.loaded[face] = true
	}
	w.pdf.SetFont(face.family, "", size)
}

func (w *writer) setColor(l appearance) {
	switch {
	case l.link != Target{}:
		w.pdf.SetTextColor(20, 80, 180)
	case l.grey:
		w.pdf.SetTextColor(110, 110, 115)
	default:
		w.pdf.SetTextColor(25, 25, 28)
	}
}
