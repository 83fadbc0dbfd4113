package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// organizations lists the organizations of the caller; it is the top of the screen.
type organizations struct {
	frame
	remote remote[[]api.Organization]
	opened bool // the only organization was gone into already
}

func newOrganizations(s *session) *organizations {
	p := &organizations{frame: newFrame(s)}
	p.list.filter = true
	return p
}

func (p *organizations) title() string        { return "wsctl" }
func (p *organizations) kind() string         { return "organizations" }
func (p *organizations) actions() []action    { return nil }
func (p *organizations) condition() condition { return p.remote.condition() }

func (p *organizations) load() tea.Cmd {
	client := p.s.client
	return p.remote.load(p.s, func(ctx context.Context) ([]api.Organization, error) { return client.Organizations(ctx) })
}

func (p *organizations) update(msg tea.Msg) tea.Cmd {
	if !p.remote.take(msg) {
		return nil
	}
	p.stale = true
	if all := p.remote.value; len(all) == 1 && !p.opened {
		p.opened = true
		return push(newSpaces(p.s, all[0]))
	}
	return nil
}

func (p *organizations) rows(width int) []row {
	all := p.remote.value
	if rows := stateRows(p.condition(), len(all) == 0, "You are in no organization.", width); rows != nil {
		return rows
	}
	var rows []row
	for i, o := range all {
		rows = append(rows, row{key: o.ID, line: text.Line{text.Plain(o.Title)}, about: subject{at: i}})
	}
	return rows
}

func (p *organizations) open() tea.Cmd {
	if r, ok := p.selected(); ok && r.about.at < len(p.remote.value) {
		return push(newSpaces(p.s, p.remote.value[r.about.at]))
	}
	return nil
}
