package screens

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// editPage opens the editor for a page.
func editPage(at remote.Target, p api.RevisionPage, quote string) tea.Cmd {
	if p.Type != "" && p.Type != api.PageDocument {
		return components.Toast("a %s has no text", p.Type)
	}
	return components.Send(page.EditPageMsg{Target: at, Page: p.ID, Title: p.Title, Quote: quote})
}

// emptyRequestHint names the keys that start work in a change request without changes.
const emptyRequestHint = "⏎ lists the pages, and e edits the one under the cursor"

// newRequestAction returns the action that creates a change request in a space.
func newRequestAction(s *page.Session, space, disabledReason func() string) components.Action {
	return components.Action{Name: "request-new", Keys: []string{
		"w",
	}, Help: "new change request", Hint: "new request", DisabledReason: disabledReason, OpensText: true, Do: func() tea.Cmd {
		at := space()
		return page.Ask(s, page.PromptMsg{Question: "Subject of the new change request", Done: func(subject string) tea.Cmd {
			key := s.NewKey()
			return func() tea.Msg {
				created, err := s.Client.CreateRequest(s.Ctx, at, subject, key)
				if err != nil {
					return remote.ErrorMsg{Err: err}
				}
				to := remote.Target{Space: at, ChangeRequest: created.ID}
				return page.SavedMsg{
					ChangedMsg: remote.ChangedMsg{
						Space: at, Done: fmt.Sprintf("#%d was made: %s", created.Number, emptyRequestHint),
					}, Created: to,
				}
			}
		}})
	}}
}

// authorActions are the actions of the author of a change request.
type authorActions struct {
	session *page.Session
	target  remote.Target
	request func() api.ChangeRequest // the request as shown

	selectedChange func() (c render.PageChange, on bool)        // the changed page under the cursor
	pages          func() (pages []api.RevisionPage, done bool) // all pages of the request, once they are loaded
	closedReason   func() string                                // why the request cannot be changed, or ""

	onRequest        func() bool                                  // whether the row under the cursor describes the request as a whole
	awaitedReviewers func() []api.User                            // the users that the row under the cursor waits for
	lastReview       func(user string) (r api.Review, given bool) // the last review of a user
	wasAskedSince    func(user string) bool                       // whether a review was requested since the user's last one
}

// actions returns the rows of the table of actions.
func (a *authorActions) actions() []components.Action {
	to := func(s api.ChangeRequestStatus) func() string {
		return func() string {
			if a.request().Status == s {
				return fmt.Sprintf("already %s", s)
			}
			if a.request().Status == api.StatusMerged {
				return "already merged"
			}
			return ""
		}
	}
	ofPage := a.onRequest == nil || !a.onRequest()
	return []components.Action{
		a.askAction(),
		{Name: "subject", OfPage: ofPage, Help: "change the subject", Do: a.changeSubject, DisabledReason: a.closedReason, OpensText: true},
		{
			Name: "description", OfPage: ofPage, Help: "describe the change request", Do: a.editDescription,
			DisabledReason: a.closedReason, OpensText: true,
		},
		{
			Name: "status-open", OfPage: ofPage, Help: "open it for review", Do: a.setStatus(api.StatusOpen),
			DisabledReason: to(api.StatusOpen), ListQuestion: "Open it for review?",
		},
		{
			Name: "status-draft", OfPage: ofPage, Help: "make it a draft", Do: a.setStatus(api.StatusDraft),
			DisabledReason: to(api.StatusDraft), ListQuestion: "Make it a draft?",
		},
		{
			Name: "archive", OfPage: ofPage, Help: "archive it", Do: a.setStatus(api.StatusArchived),
			DisabledReason: to(api.StatusArchived), ListQuestion: "Archive it?",
		},
		{Name: "page-new", OfPage: ofPage, Help: "new page", Do: a.newPage, DisabledReason: a.closedReason, OpensText: true},
		{Name: "page-rename", Help: "rename the page", Do: a.renamePage, DisabledReason: a.noPageReason, OpensText: true},
		{Name: "page-move", Help: "move the page", Do: a.movePage, DisabledReason: a.noPageReason, OpensText: true},
		pageDeletion{a.session, a.target, a.selectedPage}.action(a.noPageReason),
	}
}

// askAction returns the action that asks for a review.
func (a *authorActions) askAction() components.Action {
	return components.Action{
		Name: "ask-review", Keys: []string{"i"}, Help: "ask somebody for a review", Hint: "ask for review", Do: a.askForReview,
		DisabledReason: a.closedReason, OpensText: true, OfPage: a.awaitedReviewers == nil || len(a.awaitedReviewers()) == 0,
	}
}

// update changes the fields of the request; undo reverts the update if it is not nil.
func (a *authorActions) update(done string, patch api.ChangeRequestPatch, undo tea.Cmd, flags ...string) tea.Cmd {
	s, at := a.session, a.target
	return s.Write(remote.ChangedMsg{Space: at.Space, Done: done, Undo: undo, Command: at.RequestCommand("update", flags...)},
		func(ctx context.Context, key string) error {
			return s.Client.UpdateRequest(ctx, at, patch, key)
		})
}

// setStatus returns the function that sets the status of the request.
func (a *authorActions) setStatus(s api.ChangeRequestStatus) func() tea.Cmd {
	return func() tea.Cmd {
		was := a.request().Status
		back := a.update("again "+string(was), api.ChangeRequestPatch{Status: api.Some(was)}, nil, "--status", string(was))
		return a.update("the status is "+string(s)+" now", api.ChangeRequestPatch{Status: api.Some(s)}, back, "--status", string(s))
	}
}

// changeSubject prompts for another subject. The row of a check of the subject also opens it.
func (a *authorActions) changeSubject() tea.Cmd {
	was := a.request().Subject
	return page.Ask(a.session, page.PromptMsg{Question: "Subject", Text: was, Done: func(subject string) tea.Cmd {
		back := a.update("subject as it was", api.ChangeRequestPatch{Subject: api.Some(was)}, nil, "--subject", was)
		return a.update("subject changed", api.ChangeRequestPatch{Subject: api.Some(subject)}, back, "--subject", subject)
	}})
}

// editDescription edits the description of the request.
func (a *authorActions) editDescription() tea.Cmd {
	return page.Ask(a.session, page.ComposeMsg{
		Draft: drafts.Draft{Target: a.target, Description: true, About: "description", Text: a.request().DescriptionMarkdown},
	})
}

// askForReview requests reviews from the users that the row under the cursor waits for, or offers the candidates.
func (a *authorActions) askForReview() tea.Cmd {
	if awaited := a.awaitedReviewers(); len(awaited) > 0 {
		return a.requestReview(awaited)
	}
	return a.chooseReviewer()
}

// noPageReason returns the reason why the row under the cursor has no page to rename, move or delete, or "".
func (a *authorActions) noPageReason() string {
	switch c, on := a.selectedChange(); {
	case !on:
		return "put the cursor on a page first"
	case c.Deleted:
		return "it is deleted in the change request"
	default:
		return a.closedReason()
	}
}

func (a *authorActions) renamePage() tea.Cmd {
	c, _ := a.selectedChange()
	id, was := c.Page.ID, c.Page.Title
	return page.Ask(a.session, page.PromptMsg{Question: "Title of the page", Text: was, Done: func(title string) tea.Cmd {
		called := func(title string) api.ContentChange {
			return api.ContentChange{Operation: api.UpdatePage, Page: id, Title: api.Some(title)}
		}
		return a.changePage(called(title), a.renameMessage(id, title), a.revert(called(was), id, "--title", was), "update-page", id,
			"--title", title)
	}})
}

// renameMessage returns the function that reports a rename. The report mentions a heading in the text that still has
// another title.
func (a *authorActions) renameMessage(id, title string) func() remote.ChangedMsg {
	s, at := a.session, a.target
	return func() remote.ChangedMsg {
		done := remote.ChangedMsg{Done: "renamed", Row: page.ChangeKey(id)}
		if text, _, err := s.Client.PageText(s.Ctx, at, id); err == nil {
			if own := firstHeading(text); own != "" && own != title {
				done.Done += "; the page's own heading still reads “" + own + "”: e edits it"
			}
		}
		return done
	}
}

// firstHeading returns the heading at the beginning of a Markdown text, or "".
func firstHeading(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	heading, ok := strings.CutPrefix(strings.TrimSpace(first), "# ")
	if !ok {
		return ""
	}
	return render.Gist(heading)
}

func (a *authorActions) newPage() tea.Cmd {
	return page.Ask(a.session, page.PromptMsg{Question: "Title of the new page", Done: func(title string) tea.Cmd {
		change := api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{}}
		return a.changePage(change, a.createMessage(title), nil, "insert-page", "--title", title)
	}})
}

// createMessage returns the function that reports a new page, with its row and the command that undoes the creation.
func (a *authorActions) createMessage(title string) func() remote.ChangedMsg {
	s, at := a.session, a.target
	return func() remote.ChangedMsg {
		done := remote.ChangedMsg{
			Done: "“" + render.DisplayTitle(title) + "” is now " + describePosition("", "") + ": e on it writes its text, below the title",
		}
		pages, err := s.Client.Content(at).Pages(s.Ctx)
		if err != nil {
			return done // without the row, which is optional
		}
		for _, shown := range remote.ReadingOrder(pages) {
			if shown.Page.Title == title && shown.Page.Type == api.PageDocument {
				drop := []api.ContentChange{{Operation: api.DeletePage, Page: shown.Page.ID}}
				done.Row = page.ChangeKey(shown.Page.ID) // new pages come last
				done.Undo = changePages(s, at, drop, doneMessage(""), nil, "delete-page", shown.Page.ID)
			}
		}
		return done
	}
}

// doneMessage returns a function that reports done and nothing else.
func doneMessage(done string) func() remote.ChangedMsg {
	return func() remote.ChangedMsg { return remote.ChangedMsg{Done: done} }
}

// revert returns the command that undoes a change of a page.
func (a *authorActions) revert(change api.ContentChange, id string, flags ...string) tea.Cmd {
	return changePages(a.session, a.target, []api.ContentChange{change}, doneMessage(""), nil,
		append([]string{"update-page", id}, flags...)...)
}

// changePage changes a page of the request in one revision; done reports the change. It asks for confirmation if the
// request belongs to another author or an approval may lapse.
func (a *authorActions) changePage(change api.ContentChange, done func() remote.ChangedMsg, undo tea.Cmd, command ...string) tea.Cmd {
	s, at := a.session, a.target
	write := changePages(s, at, []api.ContentChange{change}, done, undo, command...)
	return page.AskAfter(s, func() tea.Msg {
		request, err := s.ChangeRequest(s.Ctx, at)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		if question := s.ConfirmQuestion(at, request, "change its pages", "Change it?"); question != "" {
			return page.ConfirmMsg{Question: question, Yes: write}
		}
		return write()
	})
}

// changePages changes pages of a change request in one revision. done reports the change after it has succeeded; undo
// reverts it and may be nil.
func changePages(
	s *page.Session, at remote.Target, all []api.ContentChange, done func() remote.ChangedMsg, undo tea.Cmd, command ...string,
) tea.Cmd {
	key := s.NewKey()
	return func() tea.Msg {
		approvers := s.Approvers(at)
		if err := s.Client.Edit(s.Ctx, at, all, "", key); err != nil {
			return remote.ErrorMsg{Err: err}
		}
		msg := done()
		msg.Space, msg.Done = at.Space, msg.Done+s.ApprovalNote(at, approvers)
		if undo != nil {
			msg.Undo = undo
		}
		msg.Command = at.Command("", "change-request-content", command...)
		return msg
	}
}

// selectedPage returns the changed page under the cursor with its subpages.
func (a *authorActions) selectedPage() (api.RevisionPage, bool) {
	c, on := a.selectedChange()
	pages, _ := a.pages()
	for _, e := range remote.ReadingOrder(pages) {
		if on && e.Page.ID == c.Page.ID {
			return e.Page, true
		}
	}
	return api.RevisionPage{}, false
}
