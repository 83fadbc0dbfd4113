package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/render"
)

// Frame is the common part of all pages: the rows, laid out for a width.
type Frame struct {
	Session *Session

	List   components.List // rows as shown, with the cursor
	Width  int             // width of the rows
	Window int             // width of the window
	Stale  bool            // the rows do not match the content

	pans   map[string]int // positions of items that are scrolled sideways, by key
	byLine bool           // the rows are written line by line
	fits   bool           // the rows were laid out so that nothing is cut
}

// At returns the position of the wide parts of an item, see render.Pan.
func (f *Frame) At(key string) int {
	if f.fits {
		return render.Fit
	}
	return f.pans[key]
}

// Scroll scrolls the item of a row sideways by a number of positions. It reports whether it was not at the end.
func (f *Frame) Scroll(r components.Row, by int) bool {
	to := r.Pan.At + by
	if r.Pan.At == 0 && by > 0 {
		to = r.Pan.Enter
	}
	if to = max(0, min(to, r.Pan.End)); to == r.Pan.At {
		return false
	}
	if here, _ := f.Selected(); here.Change && here.Key == r.Key { // the change may be at another line
		f.List.Aim(func(row components.Row) bool { return row.Change && row.Key == r.Key }, false)
	}
	if f.pans == nil {
		f.pans = map[string]int{}
	}
	f.pans[r.Key], f.Stale = to, true
	return true
}

// NewFrame returns the frame of a page that was not laid out yet.
func NewFrame(s *Session) Frame { return Frame{Session: s, Stale: true} }

// Base implements Page.
func (f *Frame) Base() *Frame { return f }

// Space implements Page for pages that belong to no space.
func (f *Frame) Space() string { return "" }

// Selected returns the row under the cursor.
func (f *Frame) Selected() (components.Row, bool) { return f.List.Selected() }

// About returns the subject of the row under the cursor.
func (f *Frame) About() components.Subject {
	r, _ := f.Selected()
	return r.About
}

// Next returns the function that moves the cursor to the next row for which fits is true, in the direction 1 or -1
// with a wrap around the end; none is the message if there is no such row.
func (f *Frame) Next(direction int, none string, fits func(components.Row) bool) func() tea.Cmd {
	return func() tea.Cmd {
		if f.List.Next(direction, fits) {
			return nil
		}
		return components.Send(components.ToastMsg{Text: none, Tone: render.Dim})
	}
}

// Layout lays out a page if its content or the width of the window has changed. The app calls it before an action, which
// refers to the row under the cursor.
func Layout(p Page, window int) {
	p.Base().Window = window
	layout(p, OwnWidth(p, window))
}

func layout(p Page, width int) {
	f := p.Base()
	fits := f.byLine || f.List.Finding()
	if !f.Stale && f.Width == width && f.fits == fits {
		return
	}
	f.fits = fits
	f.List.Set(p.Rows(max(width-components.Gutter, 1)))
	f.Stale, f.Width = false, width
}

// MarkStale marks the rows of a page and of its preview as stale, so that they are laid out before they are drawn.
func MarkStale(p Page) {
	p.Base().Stale = true
	if c, ok := p.(previewer); ok && c.Preview() != nil {
		c.Preview().Base().Stale = true
	}
}
