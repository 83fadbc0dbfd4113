package screens

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// loadOpenRequests loads the open change requests of a space with the pages that they change. They matter to a reviewer because
// the request that is merged second has to resolve the conflicts. A page that opens changed pages loads the requests once and
// passes them on.
func loadOpenRequests(s *page.Session, to *remote.Value[[]api.QueuedChangeRequest], space string) tea.Cmd {
	client, organization := s.Client, s.Organization
	return to.Load(s.Connection, func(ctx context.Context) ([]api.QueuedChangeRequest, error) {
		all, _, err := client.Queued(ctx, organization, api.SavedQuery{Space: space})
		return all, err
	})
}

// withOpenRequests sets the open change requests that another page has already loaded, and returns p.
func (p *changePage) withOpenRequests(also remote.Value[[]api.QueuedChangeRequest]) *changePage {
	if also.Loaded && !also.Busy {
		p.openRequests = also
	}
	return p
}

// otherRequests returns the other open change requests that change the page, as far as the server has computed their
// changes.
func (p *changePage) otherRequests() []api.QueuedChangeRequest {
	return slices.DeleteFunc(slices.Clone(p.openRequests.Latest), func(r api.QueuedChangeRequest) bool {
		return r.ID == p.target.ChangeRequest || r.Summary.Changes == nil || !slices.Contains(r.Summary.Changes.PageIDs, p.id())
	})
}

// otherRequestLines lists the other change requests for the left pane.
func (p *changePage) otherRequestLines(width int) []render.Line {
	all := p.otherRequests()
	if len(all) == 0 {
		return nil
	}
	lines := []render.Line{nil, render.Section("Also changed by").Cut(width)}
	for _, r := range all {
		lines = append(lines, render.Line{
			render.In(render.Accent, fmt.Sprintf("#%d ", r.Number)), render.Plain(render.Subject(r.ChangeRequest)),
		}.Cut(width))
		if shared := p.overlapNote(r); shared != nil {
			lines = append(lines, render.Join(render.Line{render.Plain("  ")}, shared).Cut(width))
		}
	}
	return lines
}

// otherRequestRows lists the other change requests above the changes if there is no left pane.
func (p *changePage) otherRequestRows(width int) []components.Row {
	all := p.otherRequests()
	if len(all) == 0 || p.SideWidth(p.Window) > 0 {
		return nil
	}
	line := render.Line{render.In(render.Dim, "also changed by")}
	for _, r := range all {
		line = append(line, render.In(render.Accent, fmt.Sprintf(" #%d", r.Number)))
		if shared := p.overlapNote(r); shared != nil {
			line = render.Join(line, render.Line{render.Plain(" (")}, shared, render.Line{render.Plain(")")})
		}
	}
	return []components.Row{{Key: "header", Line: line.Cut(width)}}
}

// noOtherRequestReason returns the reason why there is no other change request to open, or "".
func (p *changePage) noOtherRequestReason() string {
	if len(p.otherRequests()) == 0 {
		return "no other open change request is known to change this page"
	}
	return ""
}

// chooseOtherRequest offers the other change requests.
func (p *changePage) chooseOtherRequest() tea.Cmd {
	var choices []components.Choice
	for _, r := range p.otherRequests() {
		at := remote.Target{Space: r.Space, ChangeRequest: r.ID}
		choices = append(choices, components.Choice{
			Label: fmt.Sprintf("#%d %s · %s", r.Number, render.Subject(r.ChangeRequest), p.Session.UserName(r.CreatedBy)),
			Cmd:   page.Push(newRequestPage(p.Session, at)),
		})
	}
	return components.Send(page.PickMsg{Question: "Also changed by", Choices: choices})
}
