package screens

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/markdown"
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

// chooses says how one goes on in a change request that changes nothing yet.
const chooses = "⏎ lists the pages, and e edits the one under the cursor"

// canAlways says that there is no reason against it.
func canAlways() string { return "" }

// newRequestIn is the action that begins a change request in a space.
func newRequestIn(s *page.Session, space, whyNot func() string) components.Action {
	return components.Action{Name: "request-new", Keys: []string{"w"}, Help: "new change request", Hint: "new request", WhyNot: whyNot, Do: func() tea.Cmd {
		at := space()
		return page.Ask(s, page.PromptMsg{Question: "Subject of the new change request", Done: func(subject string) tea.Cmd {
			key := s.NewKey()
			return func() tea.Msg {
				made, err := s.Client.CreateRequest(s.Ctx, at, subject, key)
				if err != nil {
					return remote.FailMsg{Err: err}
				}
				to := remote.Target{Space: at, ChangeRequest: made.ID}
				return page.SavedMsg{ChangedMsg: remote.ChangedMsg{Space: at, Done: fmt.Sprintf("#%d was made: %s", made.Number, chooses)}, Made: to}
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
		{Name: "ask-review", Keys: []string{"i"}, Help: "ask somebody for a review", Hint: "ask for review", Do: p.askReview, WhyNot: p.verdict().closed},
		{Name: "subject", Help: "change the subject", Do: p.changeSubject, WhyNot: p.verdict().closed},
		{Name: "description", Help: "describe the change request", Do: p.describe, WhyNot: p.verdict().closed},
		{Name: "status-open", Help: "open it for review", Do: p.become(api.StatusOpen), WhyNot: to(api.StatusOpen)},
		{Name: "status-draft", Help: "make it a draft", Do: p.become(api.StatusDraft), WhyNot: to(api.StatusDraft)},
		{Name: "archive", Help: "archive it", Do: p.become(api.StatusArchived), WhyNot: to(api.StatusArchived)},
		{Name: "page-new", Help: "new page", Do: p.newPage, WhyNot: p.verdict().closed},
		{Name: "page-rename", Help: "rename the page", Do: p.renamePage, WhyNot: p.offPage},
		{Name: "page-move", Help: "move the page", Do: p.movePage, WhyNot: p.notMoving},
		removing{p.Session, p.at, p.pageHere}.action(p.notDeleting),
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
		return p.update("the status is "+string(s)+" now", api.ChangeRequestPatch{Status: api.Some(s)}, back, "--status", string(s))
	}
}

func (p *request) changeSubject() tea.Cmd {
	was := p.remote.Latest.Subject
	return page.Ask(p.Session, page.PromptMsg{Question: "Subject", Text: was, Done: func(subject string) tea.Cmd {
		back := p.update("subject as it was", api.ChangeRequestPatch{Subject: api.Some(was)}, nil, "--subject", was)
		return p.update("subject changed", api.ChangeRequestPatch{Subject: api.Some(subject)}, back, "--subject", subject)
	}})
}

// describe writes what the request is for.
func (p *request) describe() tea.Cmd {
	return page.Ask(p.Session, page.ComposeMsg{Draft: drafts.Draft{Target: p.at, Description: true, About: "description", Text: p.remote.Latest.DescriptionMarkdown}})
}

// askReview asks those whom the row under the cursor waits for, or else somebody.
func (p *request) askReview() tea.Cmd {
	if awaited := p.awaitedHere(); len(awaited) > 0 {
		return p.ask(awaited)
	}
	return p.askSomebody()
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
	return page.Ask(p.Session, page.PromptMsg{Question: "Title of the page", Text: was, Done: func(title string) tea.Cmd {
		change := api.ContentChange{Operation: api.UpdatePage, Page: about.Page, Title: api.Some(title)}
		return p.content(change, p.renamed(about.Page, title), "update-page", about.Page, "--title", title)
	}})
}

// renamed returns what says that a page has another title: its text may have a heading of its own.
func (p *request) renamed(id, title string) func() remote.ChangedMsg {
	s, at := p.Session, p.at
	return func() remote.ChangedMsg {
		done := remote.ChangedMsg{Done: "renamed", Row: pageKey(id)}
		if written, _, err := s.Client.PageText(s.Ctx, at, id); err == nil {
			if own := headingOf(written); own != "" && own != title {
				done.Done += "; the page's own heading still reads “" + own + "”: e edits it"
			}
		}
		return done
	}
}

// headingOf is the heading that a text begins with, "" where it begins with something else.
func headingOf(written string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(written), "\n")
	heading, is := strings.CutPrefix(strings.TrimSpace(first), "# ")
	if !is {
		return ""
	}
	return markdown.Gist(heading)
}

func (p *request) newPage() tea.Cmd {
	return page.Ask(p.Session, page.PromptMsg{Question: "Title of the new page", Done: func(title string) tea.Cmd {
		change := api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{}}
		return p.content(change, p.created(title), "insert-page", "--title", title)
	}})
}

// created returns what says that there is a page, with the cursor on it.
func (p *request) created(title string) func() remote.ChangedMsg {
	s, at := p.Session, p.at
	return func() remote.ChangedMsg {
		done := remote.ChangedMsg{Done: "“" + text.Titled(title) + "” is now " + placeBelow("", "") + ": e on it writes its text, below the title"}
		pages, err := s.Client.Content(at).Pages(s.Ctx)
		if err != nil {
			return done // the row can be found without
		}
		for _, shown := range Documents(pages) {
			if shown.Title == title {
				done.Row = pageKey(shown.ID) // new ones are the last
			}
		}
		return done
	}
}

// says returns what says what was done, and no more.
func says(done string) func() remote.ChangedMsg {
	return func() remote.ChangedMsg { return remote.ChangedMsg{Done: done} }
}

// content changes a page of the request as one revision; done says what that was, when it is.
func (p *request) content(change api.ContentChange, done func() remote.ChangedMsg, command ...string) tea.Cmd {
	return contentOf(p.Session, p.at, []api.ContentChange{change}, done, nil, command...)
}

// contentOf changes pages of a change request as one revision; done says what that was, when it is, and undo takes it back
// where it can be.
func contentOf(s *page.Session, at remote.Target, all []api.ContentChange, done func() remote.ChangedMsg, undo tea.Cmd, command ...string) tea.Cmd {
	key := s.NewKey()
	return func() tea.Msg {
		stood := s.Approvers(at)
		if err := s.Client.Edit(s.Ctx, at, all, "", key); err != nil {
			return remote.FailMsg{Err: err}
		}
		said := done()
		said.Space, said.Done, said.Undo = at.Space, said.Done+s.Lapsed(at, stood), undo
		said.Command = at.Command("", "change-request-content", command...)
		return said
	}
}

// pageHere is the changed page under the cursor, with what is below it.
func (p *request) pageHere() (api.RevisionPage, bool) {
	for _, e := range flatten(p.tree.Latest) {
		if e.page.ID == p.About().Page {
			return e.page, true
		}
	}
	return api.RevisionPage{}, false
}

// notDeleting says why the page under the cursor cannot be deleted.
func (p *request) notDeleting() string {
	if why := p.offPage(); why != "" {
		return why
	}
	if p.remote.Latest.Pages[p.About().At].Deleted {
		return "it is deleted in the change request"
	}
	return ""
}
