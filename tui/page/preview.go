package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// previewer is a page with a preview pane at its right, which shows the item under the cursor if the window is wide
// enough.
type previewer interface {
	Page
	// Follow updates the preview to the item under the cursor. The app calls it after every message.
	Follow() tea.Cmd
	// Preview returns the page to draw in the pane, or nil.
	Preview() Page
}

// LayoutLines lays out the rows of a page for writing line by line, in a width that is independent of the width of the window.
func LayoutLines(p Page, window, width int) {
	p.Base().Window, p.Base().byLine = window, true
	layout(p, width)
}

// previewWidth is the minimum width of the window for a preview pane.
const previewWidth = 100

// View draws a page, with its preview pane if the window is wide enough.
func View(p Page, width, height int) []render.Line {
	left := OwnWidth(p, width)
	p.Base().Window = width
	layout(p, left)
	mine := p.Base().List.View(left, height)
	c, ok := p.(previewer)
	if !ok || left == width {
		return joinSide(p, width, height, mine)
	}
	between := render.Line{render.In(render.Faint, " │")}
	right := width - left - between.Width()
	var pane []render.Line
	if c.Preview() != nil {
		layout(c.Preview(), right)
		pane = c.Preview().Base().List.Peek(right, height)
	}
	lines := make([]render.Line, 0, height)
	for i := range height {
		lines = append(lines, render.Join(render.LineAt(mine, i).Pad(left), between, render.LineAt(pane, i)))
	}
	return lines
}

// OwnWidth returns the width of the page without its panes.
func OwnWidth(p Page, width int) int {
	if _, ok := p.(previewer); !ok || !HasPane(width) {
		return width - Offset(p, width)
	}
	if s, ok := p.(sharer); ok {
		part, total := s.Share()
		return width * part / total
	}
	return max(width*2/5, 52) - 1
}

// sharer is a page that sets its share of the width next to the preview pane: part/total.
type sharer interface{ Share() (part, total int) }

// HasPane reports whether a window is wide enough for a preview pane.
func HasPane(window int) bool { return window >= previewWidth }

// Previews caches the pages that a preview pane has shown, by key, because the cursor returns to items.
type Previews struct {
	Shown Page // the page in the pane; may be nil

	all map[string]Page
}

// maxPreviews is the size of the cache.
const maxPreviews = 50

// Show shows the page for a key in the pane; a new one is built and loaded.
func (v *Previews) Show(key string, build func() Page) tea.Cmd {
	if known := v.all[key]; known != nil {
		v.Shown = known
		return nil
	}
	if v.all == nil || len(v.all) >= maxPreviews {
		v.all = map[string]Page{}
	}
	v.Shown = build()
	v.all[key] = v.Shown
	return v.Shown.Load()
}

// Each calls do for all cached pages.
func (v *Previews) Each(do func(Page)) {
	for _, p := range v.all {
		do(p)
	}
}

// Forget empties the cache.
func (v *Previews) Forget() { v.all, v.Shown = nil, nil }

// Update passes a message to all cached pages: a response may belong to a page that is no longer shown.
func (v *Previews) Update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range v.all {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}

// Follow updates the preview pane of a page to the item under the cursor, if the window is wide enough.
func Follow(p Page, window int) tea.Cmd {
	c, ok := p.(previewer)
	if !ok || window < previewWidth {
		return nil
	}
	Layout(c, window)
	return c.Follow()
}
