package components

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// finder searches a list while the user types.
type finder struct {
	list      *List
	field     Field
	start     int
	searchAll func(words string) tea.Cmd
}

// NewFinder returns the overlay that searches a list; elsewhere continues the search outside of the list.
func NewFinder(l *List, elsewhere func(words string) tea.Cmd) Overlay {
	return &finder{list: l, field: NewField(l.term, true), start: l.cursor, searchAll: elsewhere}
}

func (f *finder) bindings() []binding {
	return []binding{
		{keys: []string{"enter"}, hint: "⏎ go", do: f.finish},
		{keys: []string{"tab"}, hint: "tab everywhere", do: f.searchElsewhere},
		{keys: []string{"esc"}, hint: "esc clear", do: f.cancel},
	}
}

// searchElsewhere ends the search of the list and continues it outside of the list with the same words.
func (f *finder) searchElsewhere() (tea.Cmd, bool) {
	words := f.field.String()
	f.cancel()
	return f.searchAll(words), true
}

// finish closes the finder and keeps the search term.
func (f *finder) finish() (tea.Cmd, bool) {
	f.list.finding = false
	return closeOverlay()
}

// cancel closes the finder, removes the search term and restores the position of the cursor.
func (f *finder) cancel() (tea.Cmd, bool) {
	f.list.finding = false
	f.list.Search("")
	f.list.cursor = f.start
	f.list.Move(0)
	return nil, true
}

func (f *finder) handleKey(k tea.KeyMsg) bool {
	f.field.Key(k)
	f.list.Search(strings.TrimSpace(f.field.String()))
	return false
}

func (f *finder) View(width, _ int) ([]render.Line, bool) {
	found := 0
	for _, r := range f.list.rows {
		if f.list.IsMatch(r) {
			found++
		}
	}
	line := render.Join(render.Line{render.In(render.Accent, "/")}, withCursor(f.field.lines[0], f.field.column))
	return []render.Line{render.Columns(line, render.Line{render.In(render.Dim, strconv.Itoa(found)+" lines")}, width)}, false
}
