package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// page is one level of the screen: a list of rows and what can be done with them.
type page interface {
	title() string
	scope() scope
	// load asks the server for everything that the page shows.
	load() tea.Cmd
	// update takes the answers that are the page's own.
	update(msg tea.Msg) tea.Cmd
	// act does what an action means here; the movements are done already.
	act(name string) tea.Cmd
	// condition says how fresh the page is.
	condition() condition
	// rows lays the content out for a width.
	rows(width int) []row
	// space is the space that the page shows something of, or empty.
	space() string

	base() *frame
}

// frame is what every page has: its rows, laid out for a width.
type frame struct {
	s     *session
	list  list
	width int
	stale bool // the rows are not those of the present content
}

func newFrame(s *session) frame { return frame{s: s, stale: true} }

func (f *frame) base() *frame { return f }

func (f *frame) space() string { return "" }

// view draws a page.
func view(p page, width, height int) []text.Line {
	lay(p, width)
	return p.base().list.view(width, height)
}

// lay brings the rows up to date with the content and the width.
func lay(p page, width int) {
	f := p.base()
	if !f.stale && f.width == width {
		return
	}
	f.list.set(p.rows(max(width-gutter, 1)))
	f.stale, f.width = false, width
}

// selected is what stands under the cursor of a page.
func (f *frame) selected() (row, bool) { return f.list.selected() }

// readable is the width beyond which lines of prose are hard to read.
const readable = 100

func measure(width int) int { return min(width, readable) }
