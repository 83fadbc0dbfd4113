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

// A page that is reviewed may be changed by other open change requests, too: whoever merges second has the conflicts.

// loadAlso asks which change requests of a space are open, and what they change; a page has it asked once for all that it leads to.
func loadAlso(s *page.Session, to *remote.Value[[]api.QueuedChangeRequest], space string) tea.Cmd {
	client, organization := s.Client, s.Organization
	return to.Load(s.Connection, func(ctx context.Context) ([]api.QueuedChangeRequest, error) {
		all, _, err := client.Queued(ctx, organization, api.SavedQuery{Space: space})
		return all, err
	})
}

// given is a page of changes that need not ask for what another has asked for.
func (p *change) given(also remote.Value[[]api.QueuedChangeRequest]) *change {
	if also.Loaded && !also.Busy {
		p.also = also
	}
	return p
}

// others are the other open change requests that change the page, as far as it is computed what they change.
func (p *change) others() []api.QueuedChangeRequest {
	return slices.DeleteFunc(slices.Clone(p.also.Latest), func(r api.QueuedChangeRequest) bool {
		return r.ID == p.at.ChangeRequest || r.Summary.Changes == nil || !slices.Contains(r.Summary.Changes.PageIDs, p.id())
	})
}

// alsoLines list them for the left pane.
func (p *change) alsoLines(width int) []render.Line {
	all := p.others()
	if len(all) == 0 {
		return nil
	}
	lines := []render.Line{nil, render.Section("Also changed by").Cut(width)}
	for _, r := range all {
		lines = append(lines, render.Line{render.In(render.Accent, fmt.Sprintf("#%d ", r.Number)), render.Plain(render.Subject(r.ChangeRequest))}.Cut(width))
		if shared := p.overlap(r); shared != nil {
			lines = append(lines, render.Join(render.Line{render.Plain("  ")}, shared).Cut(width))
		}
	}
	return lines
}

// alsoRow names them above the changes, where there is no left pane.
func (p *change) alsoRow(width int) []components.Row {
	all := p.others()
	if len(all) == 0 || p.SideWidth(p.Window) > 0 {
		return nil
	}
	line := render.Line{render.In(render.Dim, "also changed by")}
	for _, r := range all {
		line = append(line, render.In(render.Accent, fmt.Sprintf(" #%d", r.Number)))
		if shared := p.overlap(r); shared != nil {
			line = render.Join(line, render.Line{render.Plain(" (")}, shared, render.Line{render.Plain(")")})
		}
	}
	return []components.Row{{Key: "header", Line: line.Cut(width)}}
}

// alone says why there is no other change request to go to.
func (p *change) alone() string {
	if len(p.others()) == 0 {
		return "no other open change request is known to change this page"
	}
	return ""
}

// toOther offers the other change requests.
func (p *change) toOther() tea.Cmd {
	var choices []components.Choice
	for _, r := range p.others() {
		at := remote.Target{Space: r.Space, ChangeRequest: r.ID}
		choices = append(choices, components.Choice{
			Label: fmt.Sprintf("#%d %s · %s", r.Number, render.Subject(r.ChangeRequest), p.Session.NameOf(r.CreatedBy)), Cmd: page.Push(newRequest(p.Session, at)),
		})
	}
	return components.Send(page.PickMsg{Question: "Also changed by", Choices: choices})
}
