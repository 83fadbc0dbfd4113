package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// page is one level of the screen: a list of rows and what can be done with them.
type page interface {
	title() string
	// kind is what pages like this one are called where keys are listed.
	kind() string
	// load asks the server for everything that the page shows.
	load() tea.Cmd
	// update takes the answers that are the page's own.
	update(msg tea.Msg) tea.Cmd
	// open goes into what is under the cursor.
	open() tea.Cmd
	// actions are what else can be done here, beside what all pages share.
	actions() []action
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

// companion is a page that shows what is under its cursor beside it, where there is room.
type companion interface {
	page
	// follow makes what is beside the page fit its cursor.
	follow() tea.Cmd
	// beside is the page to draw at the right, or nil.
	beside() page
}

// writer is a page that may wait for the answer to a write.
type writer interface{ pending() bool }

// besideWidth is the width of the window from which two pages stand side by side.
const besideWidth = 120

// view draws a page, and its companion where there is room.
func view(p page, width, height int) []text.Line {
	left := ownWidth(p, width)
	lay(p, left)
	mine := p.base().list.view(left, height)
	c, ok := p.(companion)
	if !ok || left == width {
		return mine
	}
	between := text.Line{text.In(text.Dim, " │")}
	right := width - left - between.Width()
	var others []text.Line
	if c.beside() != nil {
		lay(c.beside(), right)
		others = c.beside().base().list.peek(right, height)
	}
	lines := make([]text.Line, 0, height)
	for i := range height {
		lines = append(lines, text.Join(lineAt(mine, i).Pad(left), between, lineAt(others, i)))
	}
	return lines
}

// ownWidth is the part of the window that a page has for itself.
func ownWidth(p page, width int) int {
	if _, ok := p.(companion); ok && width >= besideWidth {
		return max(width*2/5, 56) - 1
	}
	return width
}

// sides are pages that were shown beside another, by what they show.
type sides struct {
	all   map[string]page
	shown page
}

// manySides is how many are kept.
const manySides = 50

// show makes the page for a key the one beside; a new one is loaded.
func (s *sides) show(key string, build func() page) tea.Cmd {
	if kept := s.all[key]; kept != nil {
		s.shown = kept
		return nil
	}
	if s.all == nil || len(s.all) >= manySides {
		s.all = map[string]page{}
	}
	s.shown = build()
	s.all[key] = s.shown
	return s.shown.load()
}

// forget makes everything be loaded again.
func (s *sides) forget() { s.all, s.shown = nil, nil }

func (s *sides) update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range s.all {
		cmds = append(cmds, p.update(msg))
	}
	return tea.Batch(cmds...)
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

// about is what actions on the row under the cursor are about.
func (f *frame) about() subject {
	r, _ := f.selected()
	return r.about
}

// next returns what goes to the next row that fits, around the end, in the direction 1 or -1.
func (f *frame) next(direction int, fits func(row) bool) func() tea.Cmd {
	return func() tea.Cmd {
		if f.list.next(direction, fits) {
			return nil
		}
		return send(toastMsg{"there is none here", text.Dim})
	}
}

// readable is the width beyond which lines of prose are hard to read.
const readable = 100

func measure(width int) int { return min(width, readable) }
