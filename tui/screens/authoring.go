package screens

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
)

// edited asks the app to have a page edited.
func edited(at remote.Target, p api.RevisionPage) tea.Cmd {
	if p.Type != "" && p.Type != api.PageDocument {
		return components.Toast("a %s has no text", p.Type)
	}
	return components.Send(page.EditPageMsg{Target: at, Page: p.ID, Title: p.Title})
}

// canAlways says that there is no reason against it.
func canAlways() string { return "" }

// newRequestIn is the action that begins a change request in a space.
func newRequestIn(s *page.Session, space, whyNot func() string) components.Action {
	return components.Action{Name: "request-new", Keys: []string{"w"}, Help: "new change request", WhyNot: whyNot, Do: func() tea.Cmd {
		at := space()
		return components.Send(page.PromptMsg{Question: "What does the new change request do?", Done: func(subject string) tea.Cmd {
			key := s.NewKey()
			return func() tea.Msg {
				made, err := s.Client.CreateRequest(s.Ctx, at, subject, key)
				if err != nil {
					return remote.FailMsg{Err: err}
				}
				return page.PushMsg{Page: newRequest(s, remote.Target{Space: at, ChangeRequest: made.ID})}
			}
		}})
	}}
}

// authoring are the actions of who looks after a change request.
func (p *request) authoring() []components.Action {
	to := func(s api.ChangeRequestStatus) func() string {
		return func() string {
			if p.remote.Latest.Status == s {
				return fmt.Sprintf("already %s", s)
			}
			if p.remote.Latest.Status == api.StatusMerged {
				return "already merged"
			}
			return ""
		}
	}
	return []components.Action{
		{Name: "ask-review", Keys: []string{"i"}, Help: "ask somebody for a review", Do: p.askSomebody, WhyNot: p.verdict().closed},
		{Name: "subject", Help: "change the subject", Do: p.changeSubject, WhyNot: p.verdict().closed},
		{Name: "status-open", Help: "open it for review", Do: p.become(api.StatusOpen), WhyNot: to(api.StatusOpen)},
		{Name: "status-draft", Help: "make it a draft", Do: p.become(api.StatusDraft), WhyNot: to(api.StatusDraft)},
		{Name: "archive", Help: "archive it", Do: p.become(api.StatusArchived), WhyNot: to(api.StatusArchived)},
		{Name: "page-new", Help: "new page", Do: p.newPage, WhyNot: p.verdict().closed},
		{Name: "page-rename", Help: "rename the page", Do: p.renamePage, WhyNot: p.offPage},
		{Name: "page-move", Help: "move the page", Do: p.movePage, WhyNot: p.notMoving},
	}
}

// update changes the request itself; undo takes that back where it can be.
func (p *request) update(done string, patch api.ChangeRequestPatch, undo tea.Cmd, flags ...string) tea.Cmd {
	s, at := p.Session, p.at
	return s.Write(remote.ChangedMsg{Space: at.Space, Done: done, Undo: undo, Command: at.RequestCommand("update", flags...)}, func(ctx context.Context, key string) error {
		return s.Client.UpdateRequest(ctx, at, patch, key)
	})
}

// become returns what gives the request another status.
func (p *request) become(s api.ChangeRequestStatus) func() tea.Cmd {
	return func() tea.Cmd {
		was := p.remote.Latest.Status
		back := p.update("again "+string(was), api.ChangeRequestPatch{Status: api.Some(was)}, nil, "--status", string(was))
		return p.update("now "+string(s), api.ChangeRequestPatch{Status: api.Some(s)}, back, "--status", string(s))
	}
}

func (p *request) changeSubject() tea.Cmd {
	was := p.remote.Latest.Subject
	return components.Send(page.PromptMsg{Question: "Subject", Text: was, Done: func(subject string) tea.Cmd {
		back := p.update("subject as it was", api.ChangeRequestPatch{Subject: api.Some(was)}, nil, "--subject", was)
		return p.update("subject changed", api.ChangeRequestPatch{Subject: api.Some(subject)}, back, "--subject", subject)
	}})
}

// askSomebody offers the members of the organization, and asks one for a review.
func (p *request) askSomebody() tea.Cmd {
	s, at := p.Session, p.at
	if s.Organization == "" {
		return components.Toast("open it from its organization to see who can be asked")
	}
	return func() tea.Msg {
		members, err := s.Client.Members(s.Ctx, s.Organization)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		var choices []components.Choice
		for _, m := range members {
			if m.User.ID == p.remote.Latest.CreatedBy.ID {
				continue
			}
			done := remote.ChangedMsg{Space: at.Space, Done: "asked " + m.User.DisplayName, Command: at.RequestCommand("request-review", "--users", m.User.ID)}
			ask := s.Write(done, func(ctx context.Context, key string) error { return s.Client.AskForReview(ctx, at, m.User.ID, key) })
			choices = append(choices, components.Choice{Label: m.User.DisplayName, Cmd: ask})
		}
		if len(choices) == 0 {
			return components.Told("there is nobody to ask")
		}
		return page.PickMsg{Question: fmt.Sprintf("Ask for a review of #%d", p.remote.Latest.Number), Choices: choices}
	}
}

// offPage says why there is no page to rename under the cursor.
func (p *request) offPage() string {
	if about := p.About(); about.Page == "" || about.At >= len(p.remote.Latest.Pages) {
		return "put the cursor on a page first"
	}
	return p.verdict().closed()
}

func (p *request) renamePage() tea.Cmd {
	about := p.About()
	was := p.remote.Latest.Pages[about.At].Page.Title
	return components.Send(page.PromptMsg{Question: "Title of the page", Text: was, Done: func(title string) tea.Cmd {
		return p.content("renamed", api.ContentChange{Operation: api.UpdatePage, Page: about.Page, Title: api.Some(title)}, "update-page", about.Page, "--title", title)
	}})
}

func (p *request) newPage() tea.Cmd {
	return components.Send(page.PromptMsg{Question: "Title of the new page", Done: func(title string) tea.Cmd {
		change := api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{}}
		return p.content(text.Titled(title)+" is there; e writes it", change, "insert-page", "--title", title)
	}})
}

// content changes the pages of the request as one revision.
func (p *request) content(done string, change api.ContentChange, command ...string) tea.Cmd {
	s, at := p.Session, p.at
	return s.Write(remote.ChangedMsg{Space: at.Space, Done: done, Command: at.Command("", "change-request-content", command...)}, func(ctx context.Context, key string) error {
		return s.Client.Edit(ctx, at, []api.ContentChange{change}, "", key)
	})
}
