package screens

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// listPage lists things of one kind, a row each, and opens the one under the cursor: revisions, blocks with their
// authors, links, the change requests of a user.
type listPage[T any] struct {
	page.Frame
	title, kind, space, emptyText, command string

	load func(context.Context) ([]T, error)
	line func(item T, width int) render.Line
	open func(item T) tea.Cmd

	fitColumns func(all []T, width int)    // sets the widths of the columns; may be nil
	header     func(width int) render.Line // names of the columns; may be nil
	openHint   func(item T) string         // hint of Open; nil for "open"
	note       string                      // shown above the rows, if not empty
	actions    func() []components.Action  // own actions; may be nil
	startsAt   func(item T) bool           // the cursor starts at the first match; nil for the first row
	signs      [][2]string                 // signs of the rows with their meanings, for the help
	date       func(item T) string         // date if the rows have no space for it, else ""; may be nil

	remote remote.Value[[]T]
}

// newListPage returns the list p with a new frame, whose rows can be filtered.
func newListPage[T any](s *page.Session, p listPage[T]) *listPage[T] {
	p.Frame = page.NewFrame(s)
	p.List.Filter = true
	return &p
}

func (p *listPage[T]) Title() string               { return p.title }
func (p *listPage[T]) Kind() string                { return p.kind }
func (p *listPage[T]) Space() string               { return p.space }
func (p *listPage[T]) Command() string             { return p.command }
func (p *listPage[T]) LoadState() remote.LoadState { return p.remote.LoadState }
func (p *listPage[T]) Signs() [][2]string          { return p.signs }
func (p *listPage[T]) Load() tea.Cmd               { return p.remote.Load(p.Session.Connection, p.load) }

// Actions returns the own actions of the list.
func (p *listPage[T]) Actions() []components.Action {
	if p.actions == nil {
		return nil
	}
	return p.actions()
}

// selectedItem returns the item under the cursor.
func (p *listPage[T]) selectedItem() (item T, ok bool) {
	r, found := p.Selected()
	if !found || r.About.At >= len(p.remote.Latest) || !r.Selectable() {
		return item, false
	}
	return p.remote.Latest[r.About.At], true
}

func (p *listPage[T]) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *listPage[T]) Rows(width int) []components.Row {
	if rows := p.StateRows(p.LoadState(), len(p.remote.Latest) == 0, p.emptyText, width); rows != nil {
		return rows
	}
	if p.fitColumns != nil {
		p.fitColumns(p.remote.Latest, width)
	}
	var rows []components.Row
	if p.note != "" {
		rows = append(rows, skippedRows("note", render.Wrap(render.Line{render.In(render.Warning, p.note)}, width, nil))...)
	}
	if p.header != nil {
		rows = append(rows, components.Row{Key: "head", Line: p.header(width).Cut(width), Skip: true})
	}
	for i, item := range p.remote.Latest {
		line, begin := p.line(item, width), p.startsAt != nil && p.startsAt(item)
		rows = append(rows, components.Row{
			Key: "item/" + line.String(), Line: line.Cut(width), About: components.Subject{At: i}, Begin: begin,
		})
	}
	return rows
}

// CursorPosition returns the position of the cursor among the rows, without the names of the columns.
func (p *listPage[T]) CursorPosition() render.Line {
	r, ok := p.Selected()
	if p.header == nil || !ok || p.List.Searching() {
		return nil
	}
	where := page.RowPosition(r.About.At+1, len(p.remote.Latest))
	if p.date != nil && r.About.At < len(p.remote.Latest) {
		if when := p.date(p.remote.Latest[r.About.At]); when != "" {
			where = render.Join(render.Line{render.In(render.Dim, when+" · ")}, where)
		}
	}
	return where
}

// OpenHint returns the hint of Open.
func (p *listPage[T]) OpenHint() string {
	switch r, ok := p.Selected(); {
	case !ok || r.About.At >= len(p.remote.Latest):
		return ""
	case p.openHint != nil:
		return p.openHint(p.remote.Latest[r.About.At])
	default:
		return "open"
	}
}

func (p *listPage[T]) Open() tea.Cmd {
	if r, ok := p.Selected(); ok && r.About.At < len(p.remote.Latest) {
		return p.open(p.remote.Latest[r.About.At])
	}
	return nil
}
