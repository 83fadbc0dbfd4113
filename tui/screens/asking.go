package screens

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// candidate is somebody who may be asked for a review.
type candidate struct {
	user api.User
	note string // behind the name
}

// candidates are those who can review in the space of the request. Who may not see what others may do there is offered the
// members of the organization, those first whom their role lets comment.
func (p *request) candidates() ([]candidate, error) {
	s := p.Session
	permitted, err := s.Client.Permitted(s.Ctx, p.at.Space)
	var out []candidate
	if err == nil {
		for _, u := range permitted {
			if u.Permission.AtLeast(api.RoleComment) {
				out = append(out, candidate{user: u.User})
			}
		}
		return out, nil
	}
	if _, refused := api.AsError(err); !refused || s.Organization == "" {
		return nil, err
	}
	members, err := s.Client.Members(s.Ctx, s.Organization)
	var perhaps []candidate
	for _, m := range members {
		if m.Role != nil && m.Role.AtLeast(api.RoleComment) {
			out = append(out, candidate{user: m.User})
			continue
		}
		perhaps = append(perhaps, candidate{m.User, " (only where they may comment in the space)"})
	}
	return append(out, perhaps...), err
}

// askSomebody offers those who can review the request, and asks one of them.
func (p *request) askSomebody() tea.Cmd {
	of, asked := p.remote.Latest.ChangeRequest, p.reviews.Latest.asked
	return func() tea.Msg {
		all, err := p.candidates()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		var choices []components.Choice
		for _, c := range all {
			if c.user.ID == of.CreatedBy.ID {
				continue
			}
			if slices.ContainsFunc(asked, func(r api.RequestedReviewer) bool { return r.User.ID == c.user.ID }) {
				c.note = " (asked already)"
			}
			choices = append(choices, components.Choice{Label: p.Session.NameOf(c.user) + c.note, Cmd: p.ask([]api.User{c.user})})
		}
		if len(choices) == 0 {
			return components.Told("there is nobody else to ask")
		}
		question := fmt.Sprintf("Ask for a review of #%d", of.Number)
		if of.Status == api.StatusDraft {
			question += "; it is a draft, and asking opens it for review"
		}
		return page.PickMsg{Question: question, Choices: choices}
	}
}
