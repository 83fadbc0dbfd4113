package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/render"
)

// Frame is what every page has: its rows, laid out for a width.
type Frame struct {
	Session *Session

	List   components.List // the rows as they are shown, and the cursor
	Width  int             // that they are laid out for
	Window int             // the width of the window
	Stale  bool            // the rows are not those of the present content
}

// NewFrame returns the frame of a page that was not laid out yet.
func NewFrame(s *Session) Frame { return Frame{Session: s, Stale: true} }

// Base implements Page.
func (f *Frame) Base() *Frame { return f }

// Space implements Page for pages of no space.
func (f *Frame) Space() string { return "" }

// Selected is what stands under the cursor of a page.
func (f *Frame) Selected() (components.Row, bool) { return f.List.Selected() }

// About is what actions on the row under the cursor are about.
func (f *Frame) About() components.Subject {
	r, _ := f.Selected()
	return r.About
}

// Next returns what goes to the next row that fits, around the end, in the direction 1 or -1; none says that there is no
// such row.
func (f *Frame) Next(direction int, none string, fits func(components.Row) bool) func() tea.Cmd {
	return func() tea.Cmd {
		if f.List.Next(direction, fits) {
			return nil
		}
		return components.Send(components.ToastMsg{Text: none, Tone: render.Dim})
	}
}

// Lay brings the rows of a page up to date with its content and the width of the window. The app calls it before an
// action, because the action is about the row under the cursor.
func Lay(p Page, window int) {
	p.Base().Window = window
	lay(p, OwnWidth(p, window))
}

func lay(p Page, width int) {
	f := p.Base()
	if !f.Stale && f.Width == width {
		return
	}
	f.List.Set(p.Rows(max(width-components.Gutter, 1)))
	f.Stale, f.Width = false, width
}

// Renew has the rows of a page and of its preview laid out anew before they are drawn.
func Renew(p Page) {
	p.Base().Stale = true
	if c, ok := p.(previewer); ok && c.Preview() != nil {
		c.Preview().Base().Stale = true
	}
}
