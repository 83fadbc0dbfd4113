package tui

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

// Pages is where the texts of pages are edited: in the caller's editor, in a file that is kept from before it opens until
// the server has its text. The app hands it every message.
type Pages struct {
	s    *page.Session
	open *drafts.Edit // what is in the editor
}

// NewPages returns one on which nothing is edited.
func NewPages(s *page.Session) *Pages { return &Pages{s: s} }

// editMsg begins to edit, once it is known where.
type editMsg struct{ page.EditPageMsg }

// begunMsg says that the text is in its file.
type begunMsg struct {
	edit  drafts.Edit
	again bool
}

// movedMsg says that the page is not what was edited any more.
type movedMsg struct {
	edit   drafts.Edit
	theirs string
}

// mergeMsg has both texts merged, and looked at.
type mergeMsg struct{ movedMsg }

// Update takes the messages that are its own, and reports whether one was.
func (p *Pages) Update(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case page.EditPageMsg:
		return p.choose(msg), true
	case editMsg:
		return p.begin(msg.EditPageMsg), true
	case page.ResumeMsg:
		return components.Send(begunMsg{msg.Edit, true}), true
	case begunMsg:
		p.open = &msg.edit
		return p.s.EditIn(msg.edit.Path), true
	case page.FileEditedMsg:
		return p.left(msg), true
	case page.SuggestMsg:
		return p.beginSuggestion(msg.Draft), true
	case movedMsg:
		return p.askToMerge(msg), true
	case mergeMsg:
		return p.merge(msg.movedMsg), true
	default:
		return nil, false
	}
}

// choose finds out in which change request a page is edited: in the one that is shown, after it was named where it is
// somebody else's, or in one of the user's own, or in a new one.
func (p *Pages) choose(msg page.EditPageMsg) tea.Cmd {
	s := p.s
	return func() tea.Msg {
		if msg.Target.ChangeRequest != "" {
			r, err := s.Client.ChangeRequest(s.Ctx, msg.Target)
			switch {
			case err != nil:
				return remote.FailMsg{Err: err}
			case r.Status == api.StatusMerged || r.Status == api.StatusArchived:
				return components.Told(fmt.Sprintf("#%d is %s: edit the page in its space", r.Number, r.Status))
			}
			if question := s.Against(msg.Target, r, "save an edit", "Edit it?"); question != "" {
				return page.ConfirmMsg{Question: question, Yes: components.Send(editMsg{msg})}
			}
			return editMsg{msg}
		}
		var choices []components.Choice
		for _, status := range []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft} {
			all, err := s.Client.ChangeRequests(s.Ctx, msg.Target.Space, status)
			if err != nil {
				return remote.FailMsg{Err: err}
			}
			for _, r := range all {
				if r.CreatedBy.ID != s.Me.ID {
					continue
				}
				to := msg
				to.Target.ChangeRequest = r.ID
				choices = append(choices, components.Choice{Label: fmt.Sprintf("#%d %s (%s)", r.Number, r.Subject, r.Status), Cmd: components.Send(editMsg{to})})
			}
		}
		if len(choices) == 0 {
			return editMsg{msg}
		}
		choices = append(choices, components.Choice{Label: "a new change request", Cmd: components.Send(editMsg{msg})})
		return page.PickMsg{Question: "Edit " + render.Titled(msg.Title) + " in", Choices: choices}
	}
}

// begin reads the text, keeps it in a file and opens that.
func (p *Pages) begin(msg page.EditPageMsg) tea.Cmd {
	s, key := p.s, p.s.NewKey()
	return func() tea.Msg {
		base, _, err := s.Client.PageText(s.Ctx, msg.Target, msg.Page)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		e, again, err := s.Edits.Begin(drafts.Edit{Target: msg.Target, Page: msg.Page, Title: msg.Title, Base: base, Key: key})
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		return begunMsg{e, again}
	}
}

// left saves what the editor left.
func (p *Pages) left(msg page.FileEditedMsg) tea.Cmd {
	if p.open == nil || msg.Path != p.open.Path {
		return nil
	}
	e := *p.open
	p.open = nil
	if msg.Err != nil {
		return func() tea.Msg { return p.failed(e, msg.Err) }
	}
	if e.Draft != nil {
		return func() tea.Msg { return p.suggested(e) }
	}
	return func() tea.Msg { return p.save(e) }
}

// failed keeps what was written with an editor that failed; where nothing was, nothing is kept.
func (p *Pages) failed(e drafts.Edit, failed error) tea.Msg {
	if text, err := p.s.Edits.Written(e); err == nil && text == e.Base {
		return p.done(e, components.Told(failed.Error()+"; nothing was written"))
	}
	return components.Told(fmt.Sprintf("%v; the text is kept in %s, and p goes on with it", failed, e.Path))
}

// save writes the text of an edit as one revision. A text that is as it was makes neither a revision nor a request; a page
// that has moved on is not written over.
func (p *Pages) save(e drafts.Edit) tea.Msg {
	written, err := p.s.Edits.Written(e)
	switch {
	case err != nil:
		return remote.FailMsg{Err: err}
	case written == e.Base:
		return p.done(e, components.Told("nothing was changed, and nothing saved"))
	case marked(written):
		return components.Told("not saved: there are lines with <<<<<<< or >>>>>>> left; p goes on with it")
	}
	if e.Target.ChangeRequest == "" {
		made, err := p.s.Client.CreateRequest(p.s.Ctx, e.Target.Space, subject(e.Title), e.Key)
		if err != nil {
			return refused(err)
		}
		e.Target.ChangeRequest = made.ID
		if err := p.s.Edits.Keep(e); err != nil {
			return remote.FailMsg{Err: err}
		}
	}
	return p.write(e, written)
}

// subject is that of a request made for a page.
func subject(title string) string {
	const most = 100
	runes := []rune("Edit " + render.Titled(title))
	return string(runes[:min(len(runes), most)])
}

// manyTries is how often a page is written that stays as it is while others of the request move.
const manyTries = 5

func (p *Pages) write(e drafts.Edit, written string) tea.Msg {
	c := p.s.Client
	change := api.ContentChange{Operation: api.UpdatePage, Page: e.Page, Document: &api.Document{Markdown: api.Some(written)}}
	for try := range manyTries {
		now, version, err := c.PageText(p.s.Ctx, e.Target, e.Page)
		stood := p.s.Approvers(e.Target)
		switch {
		case err != nil:
			return refused(err)
		case now == written: // an earlier answer was lost
			return p.saved(e, nil)
		case now != e.Base:
			return movedMsg{e, now}
		}
		err = c.Edit(p.s.Ctx, e.Target, []api.ContentChange{change}, version, fmt.Sprintf("%s-%d", p.s.NewKey(), try))
		if err == nil {
			return p.saved(e, stood)
		}
		if answer, ok := api.AsError(err); !ok || answer.Code != 412 {
			return refused(err)
		}
	}
	return refused(fmt.Errorf("others keep changing it; p tries again"))
}

// refused says why a text was not saved, and that it is kept.
func refused(err error) tea.Msg {
	why := strings.Join(remote.Explain(err), " ")
	return components.ToastMsg{Text: "! not saved (" + remote.TroubleOf(err).Label + "): " + why + " The text is kept; p goes on with it.", Tone: render.Failure}
}

// saved tidies up and shows the request; it says what became of the approvals that stood before.
func (p *Pages) saved(e drafts.Edit, stood []api.User) tea.Msg {
	where := ""
	if e.Begun.ChangeRequest == "" {
		where = " in a new change request"
	}
	done := remote.ChangedMsg{
		Space: e.Target.Space, Done: render.Titled(e.Title) + " saved" + where + p.s.Lapsed(e.Target, stood),
		Command: remote.Command("change-request-content", "update-page", e.Page, "--space", e.Target.Space, "--change-request", e.Target.ChangeRequest, "--document-file", "text.md"),
	}
	if e.Begun.ChangeRequest == "" {
		return p.done(e, page.SavedMsg{ChangedMsg: done, Made: e.Target})
	}
	return p.done(e, done)
}

// done forgets an edit and answers with a message.
func (p *Pages) done(e drafts.Edit, msg tea.Msg) tea.Msg {
	if err := p.s.Edits.Drop(e); err != nil {
		return remote.FailMsg{Err: err}
	}
	return msg
}

// askToMerge offers to merge a page that has moved on.
func (p *Pages) askToMerge(msg movedMsg) tea.Cmd {
	return components.Send(page.PickMsg{
		Question: render.Titled(msg.edit.Title) + " was changed meanwhile; nothing is overwritten",
		Choices: []components.Choice{
			{Label: "Merge both, and look at the result in the editor", Cmd: components.Send(mergeMsg{msg})},
			{Label: "Leave it for later: p goes on with it", Cmd: components.Toast("your text is kept in %s", msg.edit.Path)},
		},
	})
}

// merge makes one text of both and opens the editor with it: what is saved then is what somebody has seen.
func (p *Pages) merge(msg movedMsg) tea.Cmd {
	edits := p.s.Edits
	return func() tea.Msg {
		written, err := edits.Written(msg.edit)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		both, _ := merged(msg.edit.Base, written, msg.theirs)
		e := msg.edit
		if err := edits.Rewrite(e, both); err != nil {
			return remote.FailMsg{Err: err}
		}
		if e.Base = msg.theirs; edits.Keep(e) != nil {
			return components.Told("the merge is in " + e.Path)
		}
		return begunMsg{e, true}
	}
}

// unsaved are the pages whose texts are kept.
func unsaved(ctx context.Context, s *page.Session) []drafts.Edit {
	if s.Edits == nil || ctx.Err() != nil {
		return nil
	}
	all, err := s.Edits.Edits()
	if err != nil {
		return nil // the drafts are worth offering without
	}
	return all
}
