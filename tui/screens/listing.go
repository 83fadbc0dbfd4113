package screens

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// listing is a page that lists things of one kind, a row each, and opens one: revisions, blocks with who wrote them, links,
// the change requests of somebody.
type listing[T any] struct {
	page.Frame
	title, kind, space, nothing, command string

	load func(context.Context) ([]T, error)
	line func(item T, width int) render.Line
	open func(item T) tea.Cmd

	fit   func(all []T, width int)    // gives the columns their widths; nil where they have none
	head  func(width int) render.Line // names the columns; nil for none
	opens func(item T) string         // what open does; nil for: open
	note  string                      // is said above all; "" for nothing
	begin func(item T) bool           // the cursor begins at the first of these; nil for the first of all
	when  func(item T) string         // its date where the rows have no room for it, "" where they have; nil for none

	remote remote.Value[[]T]
}

// listed prepares a listing to be shown.
func listed[T any](s *page.Session, p listing[T]) *listing[T] {
	p.Frame = page.NewFrame(s)
	p.List.Filter = true
	return &p
}

func (p *listing[T]) Title() string                { return p.title }
func (p *listing[T]) Kind() string                 { return p.kind }
func (p *listing[T]) Space() string                { return p.space }
func (p *listing[T]) Command() string              { return p.command }
func (p *listing[T]) Condition() remote.Condition  { return p.remote.Condition }
func (p *listing[T]) Actions() []components.Action { return nil }
func (p *listing[T]) Load() tea.Cmd                { return p.remote.Load(p.Session.Connection, p.load) }

func (p *listing[T]) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *listing[T]) Rows(width int) []components.Row {
	if rows := page.StateRows(p.Condition(), len(p.remote.Latest) == 0, p.nothing, width); rows != nil {
		return rows
	}
	if p.fit != nil {
		p.fit(p.remote.Latest, width)
	}
	var rows []components.Row
	if p.note != "" {
		rows = append(rows, skipped("note", render.Wrap(render.Line{render.In(render.Warning, p.note)}, width, nil))...)
	}
	if p.head != nil {
		rows = append(rows, components.Row{Key: "head", Line: p.head(width).Cut(width), Skip: true})
	}
	for i, item := range p.remote.Latest {
		line, begin := p.line(item, width), p.begin != nil && p.begin(item)
		rows = append(rows, components.Row{Key: "item/" + line.String(), Line: line.Cut(width), About: components.Subject{At: i}, Begin: begin})
	}
	return rows
}

// Where says at which of the rows the cursor is; the names of the columns are none.
func (p *listing[T]) Where() render.Line {
	r, ok := p.Selected()
	if p.head == nil || !ok || p.List.Searching() {
		return nil
	}
	where := page.RowOf(r.About.At+1, len(p.remote.Latest))
	if p.when != nil && r.About.At < len(p.remote.Latest) {
		if when := p.when(p.remote.Latest[r.About.At]); when != "" {
			where = render.Join(render.Line{render.In(render.Dim, when+" · ")}, where)
		}
	}
	return where
}

// Opens says what Open does.
func (p *listing[T]) Opens() string {
	switch r, ok := p.Selected(); {
	case !ok || r.About.At >= len(p.remote.Latest):
		return ""
	case p.opens != nil:
		return p.opens(p.remote.Latest[r.About.At])
	default:
		return "open"
	}
}

func (p *listing[T]) Open() tea.Cmd {
	if r, ok := p.Selected(); ok && r.About.At < len(p.remote.Latest) {
		return p.open(p.remote.Latest[r.About.At])
	}
	return nil
}
