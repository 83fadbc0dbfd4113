package browse

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// organizations lists the organizations of the caller; it is the top of the screen.
type organizations struct {
	page.Frame
	remote remote.Value[[]api.Organization]
	opened bool // the only organization was gone into already
}

func newOrganizations(s *page.Session) *organizations {
	p := &organizations{Frame: page.NewFrame(s)}
	p.List.Filter = true
	return p
}

func (p *organizations) Title() string                { return "wsctl" }
func (p *organizations) Kind() string                 { return "organizations" }
func (p *organizations) Actions() []components.Action { return nil }
func (p *organizations) Condition() remote.Condition  { return p.remote.Condition }

func (p *organizations) Load() tea.Cmd {
	client := p.Session.Client
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) ([]api.Organization, error) { return client.Organizations(ctx) })
}

func (p *organizations) Update(msg tea.Msg) tea.Cmd {
	if !p.remote.Take(msg) {
		return nil
	}
	p.Stale = true
	if all := p.remote.Latest; len(all) == 1 && !p.opened {
		p.opened = true
		return components.Send(page.EnterMsg{Organization: all[0]})
	}
	return nil
}

func (p *organizations) Rows(width int) []components.Row {
	all := p.remote.Latest
	if rows := page.StateRows(p.Condition(), len(all) == 0, "You are in no organization.", width); rows != nil {
		return rows
	}
	var rows []components.Row
	for i, o := range all {
		rows = append(rows, components.Row{Key: o.ID, Line: render.Line{render.Plain(o.Title)}, About: components.Subject{At: i}})
	}
	return rows
}

func (p *organizations) Open() tea.Cmd {
	if r, ok := p.Selected(); ok && r.About.At < len(p.remote.Latest) {
		return components.Send(page.EnterMsg{Organization: p.remote.Latest[r.About.At]})
	}
	return nil
}
