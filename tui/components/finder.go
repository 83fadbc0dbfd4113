package components

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// finder reads what to search for and searches while it is typed.
type finder struct {
	list      *List
	field     Field
	start     int
	elsewhere func(words string) tea.Cmd
}

// NewFinder returns what searches a list; elsewhere goes on with the words in other places.
func NewFinder(l *List, elsewhere func(words string) tea.Cmd) Overlay {
	return &finder{list: l, field: NewField(l.find, true), start: l.cursor, elsewhere: elsewhere}
}

func (f *finder) gestures() []gesture {
	return []gesture{
		{keys: []string{"enter"}, hint: "⏎ go", do: closed(nil)},
		{keys: []string{"tab"}, hint: "tab everywhere", do: f.widen},
		{keys: []string{"esc"}, hint: "esc clear", do: f.end},
	}
}

// widen looks for the words elsewhere.
func (f *finder) widen() (tea.Cmd, bool) {
	words := f.field.String()
	f.end()
	return f.elsewhere(words), true
}

// end forgets the search and goes back to where it began.
func (f *finder) end() (tea.Cmd, bool) {
	f.list.Search("")
	f.list.cursor = f.start
	f.list.Move(0)
	return nil, true
}

func (f *finder) typed(k tea.KeyMsg) {
	f.field.Key(k)
	f.list.Search(strings.TrimSpace(f.field.String()))
}

func (f *finder) View(width, _ int) ([]render.Line, bool) {
	found := 0
	for _, r := range f.list.rows {
		if f.list.Found(r) {
			found++
		}
	}
	line := render.Join(render.Line{render.In(render.Accent, "/")}, withCursor(f.field.lines[0], f.field.column))
	return []render.Line{render.Columns(line, render.Line{render.In(render.Dim, strconv.Itoa(found)+" lines")}, width)}, false
}
