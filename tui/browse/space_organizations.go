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

// organizationsPage lists the organizations of the user; it is the top of the screen.
type organizationsPage struct {
	page.Frame
	remote  remote.Value[[]api.Organization]
	entered bool // the only organization was entered once
}

func newOrganizationsPage(s *page.Session) *organizationsPage {
	p := &organizationsPage{Frame: page.NewFrame(s)}
	p.List.Filter = true
	return p
}

func (p *organizationsPage) Title() string                { return "wsctl" }
func (p *organizationsPage) Kind() string                 { return "organizations" }
func (p *organizationsPage) Actions() []components.Action { return nil }
func (p *organizationsPage) LoadState() remote.LoadState  { return p.remote.LoadState }

func (p *organizationsPage) Load() tea.Cmd {
	client := p.Session.Client
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) ([]api.Organization, error) { return client.Organizations(ctx) })
}

func (p *organizationsPage) Update(msg tea.Msg) tea.Cmd {
	if !p.remote.Take(msg) {
		return nil
	}
	p.Stale = true
	if all := p.remote.Latest; len(all) == 1 && !p.entered {
		p.entered = true
		return components.Send(page.EnterMsg{Organization: all[0]})
	}
	return nil
}

// OnlyOne reports whether the user is in one organization, so that there is nothing to choose.
func (p *organizationsPage) OnlyOne() bool { return p.remote.Loaded && len(p.remote.Latest) == 1 }

// SkipEntering makes the page show the list even if it contains only one organization.
func (p *organizationsPage) SkipEntering() { p.entered = true }

func (p *organizationsPage) Rows(width int) []components.Row {
	all := p.remote.Latest
	if rows := p.StateRows(p.LoadState(), len(all) == 0, "You are in no organization.", width); rows != nil {
		return rows
	}
	var rows []components.Row
	for i, o := range all {
		rows = append(rows, components.Row{Key: o.ID, Line: render.Line{render.Plain(o.Title)}, About: components.Subject{At: i}})
	}
	return rows
}

func (p *organizationsPage) Open() tea.Cmd {
	if r, ok := p.Selected(); ok && r.About.At < len(p.remote.Latest) {
		return components.Send(page.EnterMsg{Organization: p.remote.Latest[r.About.At]})
	}
	return nil
}
