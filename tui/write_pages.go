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

// PageEditor edits the texts of pages in the external editor. Each text is kept in a file until the server has stored it.
// The Model passes all messages to it.
type PageEditor struct {
	session  *page.Session
	openEdit *drafts.Edit // the edit in the external editor
}

// NewPageEditor returns a PageEditor without an edit.
func NewPageEditor(s *page.Session) *PageEditor { return &PageEditor{session: s} }

// editMsg starts an edit in a known change request.
type editMsg struct{ page.EditPageMsg }

// begunMsg reports that the text of an edit is in its file, so that the editor can open it.
type begunMsg struct {
	edit    drafts.Edit
	resumed bool
}

// movedMsg reports that the page was changed during the edit.
type movedMsg struct {
	edit   drafts.Edit
	theirs string
}

// mergeMsg contains the merged text after it was reviewed in the editor.
type mergeMsg struct{ movedMsg }

// Update handles its own messages and reports whether msg is one.
func (p *PageEditor) Update(msg tea.Msg) (cmd tea.Cmd, handled bool) {
	switch msg := msg.(type) {
	case page.EditPageMsg:
		return p.chooseRequest(msg), true
	case editMsg:
		return p.begin(msg.EditPageMsg), true
	case page.ResumeMsg:
		return components.Send(begunMsg{msg.Edit, true}), true
	case begunMsg:
		p.openEdit = &msg.edit
		return p.session.EditIn(msg.edit.Path, msg.edit.Line), true
	case page.FileEditedMsg:
		return p.handleEditorClosed(msg), true
	case suggestMsg:
		return p.beginSuggestion(msg.draft), true
	case movedMsg:
		return p.askToMerge(msg), true
	case mergeMsg:
		return p.merge(msg.movedMsg), true
	default:
		return nil, false
	}
}

// chooseRequest selects the change request for an edit: the current one, after confirmation if another user owns it,
// one of the user's own, or a new one.
func (p *PageEditor) chooseRequest(msg page.EditPageMsg) tea.Cmd {
	s := p.session
	return func() tea.Msg {
		if msg.Target.ChangeRequest != "" {
			r, err := s.ChangeRequest(s.Ctx, msg.Target)
			switch {
			case err != nil:
				return remote.ErrorMsg{Err: err}
			case r.Status == api.StatusMerged || r.Status == api.StatusArchived:
				return components.NewToast(fmt.Sprintf("#%d is %s: edit the page in its space", r.Number, r.Status))
			}
			if question := s.ConfirmQuestion(msg.Target, r, "save an edit", "Edit it?"); question != "" {
				return page.ConfirmMsg{Question: question, Yes: components.Send(editMsg{msg})}
			}
			return editMsg{msg}
		}
		var choices []components.Choice
		for _, status := range []api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft} {
			all, err := s.Client.ChangeRequests(s.Ctx, msg.Target.Space, status)
			if err != nil {
				return remote.ErrorMsg{Err: err}
			}
			for _, r := range all {
				if r.CreatedBy.ID != s.Me.ID {
					continue
				}
				to := msg
				to.Target.ChangeRequest = r.ID
				choices = append(choices, components.Choice{
					Label: fmt.Sprintf("#%d %s (%s)", r.Number, r.Subject, r.Status), Cmd: components.Send(editMsg{to}),
				})
			}
		}
		if len(choices) == 0 {
			return editMsg{msg}
		}
		choices = append(choices, components.Choice{Label: "a new change request", Cmd: components.Send(editMsg{msg})})
		return page.PickMsg{Question: "Edit " + render.DisplayTitle(msg.Title) + " in", Choices: choices}
	}
}

// begin loads the text, writes it to a file, and opens the file.
func (p *PageEditor) begin(msg page.EditPageMsg) tea.Cmd {
	s, key := p.session, p.session.NewKey()
	return func() tea.Msg {
		base, _, err := s.Client.PageText(s.Ctx, msg.Target, msg.Page)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		e, again, err := s.Edits.Begin(drafts.Edit{Target: msg.Target, Page: msg.Page, Title: msg.Title, Base: base, Key: key})
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		e.Line = lineOf(base, msg.Quote)
		return begunMsg{e, again}
	}
}

// lineOf returns the number of the line at which a part of a text begins, from 1, or 0 if it is not in the text.
func lineOf(text, part string) int {
	before, _, found := strings.Cut(text, part)
	if part == "" || !found {
		return 0
	}
	return strings.Count(before, "\n") + 1
}

// handleEditorClosed saves the text when the editor exits.
func (p *PageEditor) handleEditorClosed(msg page.FileEditedMsg) tea.Cmd {
	if p.openEdit == nil || msg.Path != p.openEdit.Path {
		return nil
	}
	e := *p.openEdit
	p.openEdit = nil
	if msg.Err != nil {
		return func() tea.Msg { return p.handleEditorFailed(e, msg.Err) }
	}
	if e.Draft != nil {
		return func() tea.Msg { return p.finishSuggestion(e) }
	}
	return func() tea.Msg { return p.save(e) }
}

// handleEditorFailed keeps the text if the editor failed after changing it, and otherwise removes the file.
func (p *PageEditor) handleEditorFailed(e drafts.Edit, failed error) tea.Msg {
	if text, err := p.session.Edits.Written(e); err == nil && text == e.Base {
		return p.discardEdit(e, components.NewToast(failed.Error()+"; nothing was written"))
	}
	return components.NewToast(fmt.Sprintf("%v; the text is kept in %s, and p goes on with it", failed, e.Path))
}

// save writes the text of an edit as a revision. An unchanged text creates neither a revision nor a change request. A
// page that was changed in the meantime is not overwritten.
func (p *PageEditor) save(e drafts.Edit) tea.Msg {
	written, err := p.session.Edits.Written(e)
	switch {
	case err != nil:
		return remote.ErrorMsg{Err: err}
	case written == e.Base:
		return p.discardEdit(e, components.NewToast("nothing was changed, and nothing saved"))
	case hasMarkers(written):
		return components.NewToast("not saved: there are lines with <<<<<<< or >>>>>>> left; p goes on with it")
	}
	if e.Target.ChangeRequest == "" {
		made, err := p.session.Client.CreateRequest(p.session.Ctx, e.Target.Space, subject(e.Title), e.Key)
		if err != nil {
			return saveFailure(err)
		}
		e.Target.ChangeRequest = made.ID
		if err := p.session.Edits.Keep(e); err != nil {
			return remote.ErrorMsg{Err: err}
		}
	}
	return p.write(e, written)
}

// subject returns the subject of a change request created for a page.
func subject(title string) string {
	const most = 100
	runes := []rune("Edit " + render.DisplayTitle(title))
	return string(runes[:min(len(runes), most)])
}

// maxAttempts is the maximum number of write attempts while other pages of the change request change.
const maxAttempts = 5

func (p *PageEditor) write(e drafts.Edit, written string) tea.Msg {
	c := p.session.Client
	change := api.ContentChange{Operation: api.UpdatePage, Page: e.Page, Document: &api.Document{Markdown: api.Some(written)}}
	for try := range maxAttempts {
		now, version, err := c.PageText(p.session.Ctx, e.Target, e.Page)
		approvers := p.session.Approvers(e.Target)
		switch {
		case err != nil:
			return saveFailure(err)
		case now == written: // an earlier write succeeded without a response
			return p.finish(e, nil)
		case now != e.Base:
			return movedMsg{e, now}
		}
		err = c.Edit(p.session.Ctx, e.Target, []api.ContentChange{change}, version, fmt.Sprintf("%s-%d", p.session.NewKey(), try))
		if err == nil {
			return p.finish(e, approvers)
		}
		if answer, ok := api.AsError(err); !ok || answer.Code != 412 {
			return saveFailure(err)
		}
	}
	return saveFailure(fmt.Errorf("others keep changing it; p tries again"))
}

// saveFailure reports why a text was not saved, and that it is kept.
func saveFailure(err error) tea.Msg {
	why := strings.Join(remote.ErrorLines(err), " ")
	return components.ToastMsg{
		Text: "! not saved (" + remote.DescribeError(err).Label + "): " + why + " The text is kept; p goes on with it.",
		Tone: render.Failure,
	}
}

// finish removes the file, shows the change request, and reports the effect on the earlier approvals.
func (p *PageEditor) finish(e drafts.Edit, approvers []api.User) tea.Msg {
	where := ""
	if e.Begun.ChangeRequest == "" {
		where = " in a new change request"
	}
	done := remote.ChangedMsg{
		Space: e.Target.Space, Done: render.DisplayTitle(e.Title) + " saved" + where + p.session.ApprovalNote(e.Target, approvers),
		Command: remote.Command("change-request-content", "update-page", e.Page, "--space", e.Target.Space, "--change-request",
			e.Target.ChangeRequest, "--document-file", "text.md"),
	}
	if e.Begun.ChangeRequest == "" {
		return p.discardEdit(e, page.SavedMsg{ChangedMsg: done, Created: e.Target})
	}
	return p.discardEdit(e, done)
}

// discardEdit removes an edit and returns msg.
func (p *PageEditor) discardEdit(e drafts.Edit, msg tea.Msg) tea.Msg {
	if err := p.session.Edits.Drop(e); err != nil {
		return remote.ErrorMsg{Err: err}
	}
	return msg
}

// askToMerge offers to merge a page that was changed in the meantime.
func (p *PageEditor) askToMerge(msg movedMsg) tea.Cmd {
	return components.Send(page.PickMsg{
		Question: render.DisplayTitle(msg.edit.Title) + " was changed meanwhile; nothing is overwritten",
		Choices: []components.Choice{
			{Label: "Merge both, and look at the result in the editor", Cmd: components.Send(mergeMsg{msg})},
			{Label: "Leave it for later: p goes on with it", Cmd: components.Toast("your text is kept in %s", msg.edit.Path)},
		},
	})
}

// merge merges both texts and opens the result in the editor, so that the user reviews it before it is saved.
func (p *PageEditor) merge(msg movedMsg) tea.Cmd {
	edits := p.session.Edits
	return func() tea.Msg {
		written, err := edits.Written(msg.edit)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		both, _ := mergeLines(msg.edit.Base, written, msg.theirs)
		e := msg.edit
		if err := edits.Rewrite(e, both); err != nil {
			return remote.ErrorMsg{Err: err}
		}
		if e.Base = msg.theirs; edits.Keep(e) != nil {
			return components.NewToast("the merge is in " + e.Path)
		}
		return begunMsg{e, true}
	}
}

// unsavedEdits returns the stored edits, whose texts the server does not have yet. It returns nil if they cannot be read.
func unsavedEdits(ctx context.Context, s *page.Session) []drafts.Edit {
	if s.Edits == nil || ctx.Err() != nil {
		return nil
	}
	all, err := s.Edits.Edits()
	if err != nil {
		return nil // drafts are offered without the edits
	}
	return all
}
