package page

import "docspace.dev/wsd/tui/render"

// sided is a page with a pane at its left, where there is room: where one is among its neighbours. The pane has no cursor.
type sided interface {
	Page
	// SideWidth is the width of the pane in a window, 0 for none.
	SideWidth(window int) int
	// Side draws it, in at most a height.
	Side(width, height int) []render.Line
}

// between parts a pane from the page.
var between = render.Line{render.In(render.Faint, " │ ")}

// Offset is where the page begins in the window: behind its left pane, if it has one.
func Offset(p Page, window int) int {
	if s, ok := p.(sided); ok && s.SideWidth(window) > 0 {
		return s.SideWidth(window) + between.Width()
	}
	return 0
}

// beside draws the left pane of a page beside its lines.
func beside(p Page, window, height int, lines []render.Line) []render.Line {
	s, ok := p.(sided)
	if !ok || s.SideWidth(window) == 0 {
		return lines
	}
	width := s.SideWidth(window)
	side := s.Side(width, height)
	out := make([]render.Line, 0, height)
	for i := range height {
		out = append(out, render.Join(render.At(side, i).Pad(width), between, render.At(lines, i)))
	}
	return out
}
