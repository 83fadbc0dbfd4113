package screens

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// candidate is a user who can be asked for a review.
type candidate struct {
	user api.User
	note string // shown after the name
}

// candidates returns the users who can review in the space of the request. If the user may not list the permissions
// of the space, it returns the members of the organization, those whose role includes commenting first.
func (a *authorActions) candidates() ([]candidate, error) {
	s := a.session
	permitted, err := s.Client.Permitted(s.Ctx, a.target.Space)
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
	var others []candidate
	for _, m := range members {
		if m.Role != nil && m.Role.AtLeast(api.RoleComment) {
			out = append(out, candidate{user: m.User})
			continue
		}
		others = append(others, candidate{m.User, " (only where they may comment in the space)"})
	}
	return append(out, others...), err
}

// priority orders the candidates for a review; lower values are offered first.
type priority int

const (
	reviewAgain priority = iota // their verdict is outdated, or requests changes
	neutral
	stillApproved // their approval still counts
)

// priorityOf returns the priority of a candidate and the candidate with a note, from the last verdict and whether a
// review was requested since.
func (a *authorActions) priorityOf(c candidate) (priority, candidate) {
	r, reviewed := a.lastReview(c.user.ID)
	switch approved := r.Status == api.ReviewApproved; {
	case a.wasAskedSince(c.user.ID):
		c.note = " (asked already)"
		return neutral, c
	case !reviewed:
		return neutral, c
	case approved && r.Outdated:
		c.note = " (approved before the last changes)"
		return reviewAgain, c
	case approved:
		c.note = " (approved)"
		return stillApproved, c
	default:
		c.note = " (requested changes)"
		return reviewAgain, c
	}
}

// sortCandidates returns the candidates by priority, without the author of the request, and the users who have to
// review again.
func (a *authorActions) sortCandidates(all []candidate) (again []api.User, sorted []candidate) {
	var byPriority [stillApproved + 1][]candidate
	for _, c := range all {
		if c.user.ID == a.request().CreatedBy.ID {
			continue
		}
		at, noted := a.priorityOf(c)
		byPriority[at] = append(byPriority[at], noted)
		if at == reviewAgain {
			again = append(again, c.user)
		}
	}
	return again, slices.Concat(byPriority[:]...)
}

// chooseReviewer offers the candidates for a review and requests it from the chosen one, or from all who have to
// review again.
func (a *authorActions) chooseReviewer() tea.Cmd {
	request := a.request()
	return func() tea.Msg {
		all, err := a.candidates()
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		again, sorted := a.sortCandidates(all)
		var choices []components.Choice
		if len(again) > 1 {
			choices = append(choices, components.Choice{
				Label: a.session.UserNames(again) + " (all who have to look again)", Cmd: a.requestReview(again),
			})
		}
		for _, c := range sorted {
			choices = append(choices, components.Choice{
				Label: a.session.UserName(c.user) + c.note, Cmd: a.requestReview([]api.User{c.user}),
			})
		}
		if len(choices) == 0 {
			return components.NewToast("there is nobody else to ask")
		}
		question := fmt.Sprintf("Ask for a review of #%d", request.Number)
		if request.Status == api.StatusDraft {
			question += "; it is a draft, and asking opens it for review"
		}
		return page.PickMsg{Question: question, Choices: choices}
	}
}

// reviewHint returns the hint of the action that requests a review from users: "ask again" if one of them was asked or has
// reviewed before.
func (a *authorActions) reviewHint(users []api.User) string {
	for _, u := range users {
		if _, reviewed := a.lastReview(u.ID); reviewed || a.wasAskedSince(u.ID) {
			return "ask again"
		}
	}
	return "ask for review"
}

// requestReview requests a review from users, including users who were asked before.
func (a *authorActions) requestReview(users []api.User) tea.Cmd {
	s, at, opens := a.session, a.target, ""
	if a.request().Status == api.StatusDraft {
		opens = ": it is open for review now"
	}
	ids := make([]string, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	again := render.Choose(a.reviewHint(users) == "ask again", " again", "")
	done := remote.ChangedMsg{
		Space: at.Space, Done: "asked " + s.UserNames(users) + again + opens, Command: at.RequestCommand("request-review", "--users",
			strings.Join(ids, ",")),
	}
	return s.Write(done, func(ctx context.Context, key string) error {
		for i, id := range ids {
			each := key
			if i > 0 {
				each = fmt.Sprintf("%s-%d", key, i)
			}
			if err := s.Client.AskForReview(ctx, at, id, each); err != nil {
				return err
			}
		}
		return nil
	})
}
