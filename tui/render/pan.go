package render

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Fit is the position at which nothing is cut: tables that are too wide are lists, code is wrapped. It is for output that
// cannot be scrolled, and for searches.
const Fit = -1

// Pan is the position at which the wide parts of a block, its tables and code, are drawn. It is at most End, the position
// at which their right edges are shown, and 0 or Fit at first. End is 0 if nothing can be scrolled.
// The first step from 0 leads to Enter, where the first change is shown. Head is the number of the line with the heads of
// the columns, from 1, if the block is a table.
type Pan struct{ At, End, Enter, Head int }

// panner draws wide parts at a position, and records the last position.
//
// Code is wrapped at position 0; from 1 on, each of its lines is one line of the screen, of which a part is shown. A table
// keeps its first row and its first column, and the other columns scroll.
type panner struct{ position, end, changePosition, headerLine int }

func (p *panner) pan() Pan {
	return Pan{min(p.position, p.end), p.end, max(p.changePosition, 1), p.headerLine}
}

// recordChange records the position at which a change is shown, if it is the first one.
func (p *panner) recordChange(position int) {
	if p.changePosition == 0 {
		p.changePosition = position
	}
}

// recordEnd records that a part can be scrolled to a position.
func (p *panner) recordEnd(position int) {
	if p.position != Fit {
		p.end = max(p.end, position)
	}
}

// drawCode draws lines that must not be joined, each in one line or, at the first position, wrapped with marks. The first change
// ends at the cell changeEnd.
func (p *panner) drawCode(lines []Line, width, changeEnd int) [][]Line {
	width = max(width, 1)
	widest := 0
	for _, line := range lines {
		widest = max(widest, line.Width())
	}
	step := max(width/2, 1)
	steps := func(cells int) int { return max(cells+step-1, 0) / step }
	if widest > width {
		p.recordEnd(1 + steps(widest-width))
		p.recordChange(1 + steps(changeEnd-width))
	}
	from := max(min((p.position-1)*step, widest-width), 0)
	drawn := make([][]Line, len(lines))
	for i, line := range lines {
		if p.position > 0 {
			drawn[i] = []Line{line.Window(from, width)}
			continue
		}
		drawn[i] = Wrap(line, width, continuation)
	}
	return drawn
}

// drawSource draws a text as it is written, in one style.
func (p *panner) drawSource(source string, style Style, width int) []Line {
	var lines []Line
	for line := range strings.SplitSeq(strings.TrimRight(source, "\n"), "\n") {
		lines = append(lines, Line{NewSpan(style, line)})
	}
	var out []Line
	for _, drawn := range p.drawCode(lines, width, 0) {
		out = append(out, drawn...)
	}
	return out
}

// continuation marks the lines after the first of a line of code that is wrapped.
var continuation = Line{In(Dim, "↪ ")}

// Signs of text that is cut at the left and at the right.
const (
	moreLeft  = "‹"
	moreRight = "›"
)

// Window returns the cells of the line from a position on, at most width. Signs replace the first and the last cell where
// the line is cut.
func (l Line) Window(from, width int) Line {
	var cells []cell
	end := 0
	for _, s := range l {
		for rest := s.text; rest != ""; {
			cluster, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if cluster == "" {
				break
			}
			rest = rest[len(cluster):]
			start := end
			end += w
			switch {
			case end <= from || start >= from+width:
			case start < from || end > from+width: // a wide character at the edge
				cells = append(cells, cell{" ", 1, s.style})
			default:
				cells = append(cells, cell{cluster, w, s.style})
			}
		}
	}
	if from > 0 && end > 0 {
		if len(cells) == 0 {
			cells = []cell{{" ", 1, Style{}}}
		}
		cells[0] = signCell(moreLeft, cells[0])
	}
	if last := len(cells) - 1; end > from+width && last >= 0 {
		cells[last] = signCell(moreRight, cells[last])
	}
	return joinCells(nil, cells)
}

// signCell returns a sign with the ground and the width of the cell that it replaces.
func signCell(sign string, c cell) cell {
	return cell{sign + strings.Repeat(" ", max(c.width-1, 0)), max(c.width, 1), Style{Tone: Accent, Bold: true, Ground: c.style.Ground}}
}
