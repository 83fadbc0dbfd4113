package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// previewer is a page that has a preview pane at its right, where there is room: what is under the cursor.
type previewer interface {
	Page
	// Follow makes the preview that of what is under the cursor. The app calls it after every message.
	Follow() tea.Cmd
	// Preview is the page to draw in the pane, or nil.
	Preview() Page
}

// previewWidth is the width of the window from which there is a preview pane.
const previewWidth = 100

// View draws a page, and its preview pane where there is room.
func View(p Page, width, height int) []render.Line {
	left := OwnWidth(p, width)
	p.Base().Window = width
	lay(p, left)
	mine := p.Base().List.View(left, height)
	c, ok := p.(previewer)
	if !ok || left == width {
		return beside(p, width, height, mine)
	}
	between := render.Line{render.In(render.Faint, " │")}
	right := width - left - between.Width()
	var pane []render.Line
	if c.Preview() != nil {
		lay(c.Preview(), right)
		pane = c.Preview().Base().List.Peek(right, height)
	}
	lines := make([]render.Line, 0, height)
	for i := range height {
		lines = append(lines, render.Join(render.At(mine, i).Pad(left), between, render.At(pane, i)))
	}
	return lines
}

// OwnWidth is the part of the window that a page has for itself.
func OwnWidth(p Page, width int) int {
	if _, ok := p.(previewer); !ok || !HasPane(width) {
		return width - Offset(p, width)
	}
	if s, ok := p.(sharing); ok {
		mine, of := s.Share()
		return width * mine / of
	}
	return max(width*2/5, 52) - 1
}

// sharing is a page that says itself which part of the window it has, beside its preview pane.
type sharing interface{ Share() (mine, of int) }

// HasPane reports whether a window has room for a preview pane.
func HasPane(window int) bool { return window >= previewWidth }

// Previews are the pages that a preview pane has shown, by what they show: they are kept, because a cursor comes back.
type Previews struct {
	Shown Page // the one in the pane, nil if there is none

	all map[string]Page
}

// manyPreviews is how many are kept.
const manyPreviews = 50

// Show makes the page for a key the one in the pane; a new one is loaded.
func (v *Previews) Show(key string, build func() Page) tea.Cmd {
	if known := v.all[key]; known != nil {
		v.Shown = known
		return nil
	}
	if v.all == nil || len(v.all) >= manyPreviews {
		v.all = map[string]Page{}
	}
	v.Shown = build()
	v.all[key] = v.Shown
	return v.Shown.Load()
}

// Each hands all pages that are kept to do.
func (v *Previews) Each(do func(Page)) {
	for _, p := range v.all {
		do(p)
	}
}

// Forget makes everything be loaded again.
func (v *Previews) Forget() { v.all, v.Shown = nil, nil }

// Update hands a message to all pages that are kept: an answer may be for one that is not shown any more.
func (v *Previews) Update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range v.all {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}

// Follow makes the preview pane of a page that of what is under its cursor, where there is room for one.
func Follow(p Page, window int) tea.Cmd {
	c, ok := p.(previewer)
	if !ok || window < previewWidth {
		return nil
	}
	Lay(c, window)
	return c.Follow()
}
