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

// Edit asks the app to have a page edited.
func Edit(at remote.Target, p api.RevisionPage) tea.Cmd {
	if p.Type != "" && p.Type != api.PageDocument {
		return components.Toast("a %s has no text", p.Type)
	}
	return components.Send(page.EditPageMsg{Target: at, Page: p.ID, Title: p.Title})
}

// Chooses says how one goes on in a change request that changes nothing yet.
const Chooses = "⏎ lists the pages, and e edits the one under the cursor"

// NewRequestAction is the action that begins a change request in a space.
func NewRequestAction(s *page.Session, space, whyNot func() string) components.Action {
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
				return page.SavedMsg{ChangedMsg: remote.ChangedMsg{Space: at, Done: fmt.Sprintf("#%d was made: %s", made.Number, Chooses)}, Made: to}
			}
		}})
	}}
}

// Work is what the author of a change request does with it.
type Work struct {
	Session *page.Session
	At      remote.Target
	Of      func() api.ChangeRequest // as it is shown

	Here   func() (c render.PageChange, on bool)        // the changed page under the cursor
	Tree   func() (pages []api.RevisionPage, done bool) // all pages of the request, once they are loaded
	Closed func() string                                // why nothing can be done with it any more

	Awaited func() []api.User                            // those whom the row under the cursor waits for
	Verdict func(user string) (r api.Review, given bool) // the last of somebody
	Asked   func(user string) bool                       // whether somebody was asked since
}

// Actions are the actions of who looks after the change request.
func (w *Work) Actions() []components.Action {
	to := func(s api.ChangeRequestStatus) func() string {
		return func() string {
			if w.Of().Status == s {
				return fmt.Sprintf("already %s", s)
			}
			if w.Of().Status == api.StatusMerged {
				return "already merged"
			}
			return ""
		}
	}
	return []components.Action{
		{Name: "ask-review", Keys: []string{"i"}, Help: "ask somebody for a review", Hint: "ask for review", Do: w.askReview, WhyNot: w.Closed},
		{Name: "subject", Help: "change the subject", Do: w.ChangeSubject, WhyNot: w.Closed},
		{Name: "description", Help: "describe the change request", Do: w.Describe, WhyNot: w.Closed},
		{Name: "status-open", Help: "open it for review", Do: w.become(api.StatusOpen), WhyNot: to(api.StatusOpen)},
		{Name: "status-draft", Help: "make it a draft", Do: w.become(api.StatusDraft), WhyNot: to(api.StatusDraft)},
		{Name: "archive", Help: "archive it", Do: w.become(api.StatusArchived), WhyNot: to(api.StatusArchived)},
		{Name: "page-new", Help: "new page", Do: w.newPage, WhyNot: w.Closed},
		{Name: "page-rename", Help: "rename the page", Do: w.renamePage, WhyNot: w.offPage},
		{Name: "page-move", Help: "move the page", Do: w.movePage, WhyNot: w.offPage},
		Removing{w.Session, w.At, w.pageHere}.Action(w.notDeleting),
	}
}

// update changes the request itself; undo takes that back where it can be.
func (w *Work) update(done string, patch api.ChangeRequestPatch, undo tea.Cmd, flags ...string) tea.Cmd {
	s, at := w.Session, w.At
	return s.Write(remote.ChangedMsg{Space: at.Space, Done: done, Undo: undo, Command: at.RequestCommand("update", flags...)}, func(ctx context.Context, key string) error {
		return s.Client.UpdateRequest(ctx, at, patch, key)
	})
}

// become returns what gives the request another status.
func (w *Work) become(s api.ChangeRequestStatus) func() tea.Cmd {
	return func() tea.Cmd {
		was := w.Of().Status
		back := w.update("again "+string(was), api.ChangeRequestPatch{Status: api.Some(was)}, nil, "--status", string(was))
		return w.update("the status is "+string(s)+" now", api.ChangeRequestPatch{Status: api.Some(s)}, back, "--status", string(s))
	}
}

// ChangeSubject asks for another subject. It is also what leads to a check of the subject.
func (w *Work) ChangeSubject() tea.Cmd {
	was := w.Of().Subject
	return page.Ask(w.Session, page.PromptMsg{Question: "Subject", Text: was, Done: func(subject string) tea.Cmd {
		back := w.update("subject as it was", api.ChangeRequestPatch{Subject: api.Some(was)}, nil, "--subject", was)
		return w.update("subject changed", api.ChangeRequestPatch{Subject: api.Some(subject)}, back, "--subject", subject)
	}})
}

// Describe writes what the request is for.
func (w *Work) Describe() tea.Cmd {
	return page.Ask(w.Session, page.ComposeMsg{Draft: drafts.Draft{Target: w.At, Description: true, About: "description", Text: w.Of().DescriptionMarkdown}})
}

// askReview asks those whom the row under the cursor waits for, or else somebody.
func (w *Work) askReview() tea.Cmd {
	if awaited := w.Awaited(); len(awaited) > 0 {
		return w.Ask(awaited)
	}
	return w.AskSomebody()
}

// offPage says why there is no page to rename or move under the cursor.
func (w *Work) offPage() string {
	if _, on := w.Here(); !on {
		return "put the cursor on a page first"
	}
	return w.Closed()
}

func (w *Work) renamePage() tea.Cmd {
	c, _ := w.Here()
	id, was := c.Page.ID, c.Page.Title
	return page.Ask(w.Session, page.PromptMsg{Question: "Title of the page", Text: was, Done: func(title string) tea.Cmd {
		called := func(title string) api.ContentChange {
			return api.ContentChange{Operation: api.UpdatePage, Page: id, Title: api.Some(title)}
		}
		return w.content(called(title), w.renamed(id, title), w.back(called(was), id, "--title", was), "update-page", id, "--title", title)
	}})
}

// renamed returns what says that a page has another title: its text may have a heading of its own.
func (w *Work) renamed(id, title string) func() remote.ChangedMsg {
	s, at := w.Session, w.At
	return func() remote.ChangedMsg {
		done := remote.ChangedMsg{Done: "renamed", Row: page.ChangeKey(id)}
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
	return render.Gist(heading)
}

func (w *Work) newPage() tea.Cmd {
	return page.Ask(w.Session, page.PromptMsg{Question: "Title of the new page", Done: func(title string) tea.Cmd {
		change := api.ContentChange{Operation: api.InsertPage, Title: api.Some(title), Document: &api.Document{}}
		return w.content(change, w.created(title), nil, "insert-page", "--title", title)
	}})
}

// created returns what says that there is a page, with the cursor on it.
func (w *Work) created(title string) func() remote.ChangedMsg {
	s, at := w.Session, w.At
	return func() remote.ChangedMsg {
		done := remote.ChangedMsg{Done: "“" + render.Titled(title) + "” is now " + placeBelow("", "") + ": e on it writes its text, below the title"}
		pages, err := s.Client.Content(at).Pages(s.Ctx)
		if err != nil {
			return done // the row can be found without
		}
		for _, shown := range remote.InOrder(pages) {
			if shown.Page.Title == title && shown.Page.Type == api.PageDocument {
				drop := []api.ContentChange{{Operation: api.DeletePage, Page: shown.Page.ID}}
				done.Row = page.ChangeKey(shown.Page.ID) // new ones are the last
				done.Undo = contentOf(s, at, drop, says(""), nil, "delete-page", shown.Page.ID)
			}
		}
		return done
	}
}

// says returns what says what was done, and no more.
func says(done string) func() remote.ChangedMsg {
	return func() remote.ChangedMsg { return remote.ChangedMsg{Done: done} }
}

// back takes back what was done to a page.
func (w *Work) back(change api.ContentChange, id string, flags ...string) tea.Cmd {
	return contentOf(w.Session, w.At, []api.ContentChange{change}, says(""), nil, append([]string{"update-page", id}, flags...)...)
}

// content changes a page of the request as one revision; done says what that was, when it is. Whose request it is, and whose
// approval may lapse, is said before.
func (w *Work) content(change api.ContentChange, done func() remote.ChangedMsg, undo tea.Cmd, command ...string) tea.Cmd {
	s, at := w.Session, w.At
	write := contentOf(s, at, []api.ContentChange{change}, done, undo, command...)
	return func() tea.Msg {
		of, err := s.Client.ChangeRequest(s.Ctx, at)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		if question := s.Against(at, of, "change its pages", "Change it?"); question != "" {
			return page.ConfirmMsg{Question: question, Yes: write}
		}
		return write()
	}
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
		said.Space, said.Done = at.Space, said.Done+s.Lapsed(at, stood)
		if undo != nil {
			said.Undo = undo
		}
		said.Command = at.Command("", "change-request-content", command...)
		return said
	}
}

// pageHere is the changed page under the cursor, with what is below it.
func (w *Work) pageHere() (api.RevisionPage, bool) {
	c, on := w.Here()
	pages, _ := w.Tree()
	for _, e := range remote.InOrder(pages) {
		if on && e.Page.ID == c.Page.ID {
			return e.Page, true
		}
	}
	return api.RevisionPage{}, false
}

// notDeleting says why the page under the cursor cannot be deleted.
func (w *Work) notDeleting() string {
	if why := w.offPage(); why != "" {
		return why
	}
	if c, _ := w.Here(); c.Deleted {
		return "it is deleted in the change request"
	}
	return ""
}
