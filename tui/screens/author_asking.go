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
)

// candidate is somebody who may be asked for a review.
type candidate struct {
	user api.User
	note string // behind the name
}

// candidates are those who can review in the space of the request. Who may not see what others may do there is offered the
// members of the organization, those first whom their role lets comment.
func (w *Work) candidates() ([]candidate, error) {
	s := w.Session
	permitted, err := s.Client.Permitted(s.Ctx, w.At.Space)
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

// turn is how soon somebody is offered to be asked for a review.
type turn int

const (
	looksAgain turn = iota // their verdict is on what has changed since, or asks for changes
	others
	stands // their approval still counts
)

// standingOf says how soon somebody is offered, and why: by the last verdict, and whether they were asked since.
func (w *Work) standingOf(c candidate) (turn, candidate) {
	r, reviewed := w.Verdict(c.user.ID)
	switch approved := r.Status == api.ReviewApproved; {
	case w.Asked(c.user.ID):
		c.note = " (asked already)"
		return others, c
	case !reviewed:
		return others, c
	case approved && r.Outdated:
		c.note = " (approved before the last changes)"
		return looksAgain, c
	case approved:
		c.note = " (approved)"
		return stands, c
	default:
		c.note = " (requested changes)"
		return looksAgain, c
	}
}

// offered are the candidates but for whom made the request: those first who have to look again, those last whose approval
// still counts.
func (w *Work) offered(all []candidate) (again []api.User, inTurn []candidate) {
	var of [stands + 1][]candidate
	for _, c := range all {
		if c.user.ID == w.Of().CreatedBy.ID {
			continue
		}
		at, noted := w.standingOf(c)
		of[at] = append(of[at], noted)
		if at == looksAgain {
			again = append(again, c.user)
		}
	}
	return again, slices.Concat(of[:]...)
}

// AskSomebody offers those who can review the request, and asks one of them, or all who have to look again.
func (w *Work) AskSomebody() tea.Cmd {
	of := w.Of()
	return func() tea.Msg {
		all, err := w.candidates()
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		again, inTurn := w.offered(all)
		var choices []components.Choice
		if len(again) > 1 {
			choices = append(choices, components.Choice{Label: w.Session.NamesOf(again) + " (all who have to look again)", Cmd: w.Ask(again)})
		}
		for _, c := range inTurn {
			choices = append(choices, components.Choice{Label: w.Session.NameOf(c.user) + c.note, Cmd: w.Ask([]api.User{c.user})})
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

// AskHint is what asking some people is called.
func (w *Work) AskHint(users []api.User) string {
	for _, u := range users {
		if _, reviewed := w.Verdict(u.ID); reviewed || w.Asked(u.ID) {
			return "ask again"
		}
	}
	return "ask for review"
}

// Ask asks some people for a review, again where they were asked before.
func (w *Work) Ask(users []api.User) tea.Cmd {
	s, at, opens := w.Session, w.At, ""
	if w.Of().Status == api.StatusDraft {
		opens = ": it is open for review now"
	}
	ids := make([]string, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	again := map[bool]string{true: " again"}[w.AskHint(users) == "ask again"]
	done := remote.ChangedMsg{Space: at.Space, Done: "asked " + s.NamesOf(users) + again + opens, Command: at.RequestCommand("request-review", "--users", strings.Join(ids, ","))}
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
