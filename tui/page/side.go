package page

import "docspace.dev/wsd/tui/render"

// sidePage is a page with a left pane, which shows the page among its neighbours if the window is wide enough. The
// pane has no cursor.
type sidePage interface {
	Page
	// SideWidth returns the width of the pane in a window, or 0 for no pane.
	SideWidth(window int) int
	// Side draws the pane with at most height lines.
	Side(width, height int) []render.Line
}

// separator is drawn between a pane and the page.
var separator = render.Line{render.In(render.Faint, " │ ")}

// Offset returns the column at which the page starts in the window, after its left pane.
func Offset(p Page, window int) int {
	if s, ok := p.(sidePage); ok && s.SideWidth(window) > 0 {
		return s.SideWidth(window) + separator.Width()
	}
	return 0
}

// joinSide returns height lines with the left pane of a page before lines. Without a left pane it returns lines.
func joinSide(p Page, window, height int, lines []render.Line) []render.Line {
	s, ok := p.(sidePage)
	if !ok || s.SideWidth(window) == 0 {
		return lines
	}
	width := s.SideWidth(window)
	side := s.Side(width, height)
	out := make([]render.Line, 0, height)
	for i := range height {
		out = append(out, render.Join(render.LineAt(side, i).Pad(width), separator, render.LineAt(lines, i)))
	}
	return out
}
