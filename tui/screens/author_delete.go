package screens

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// maxRestored is the number of pages that one undo can restore: the limit of operations in a revision.
const maxRestored = 50

// pageDeletion deletes pages in a change request. Pages of a space can be deleted in a change request only.
type pageDeletion struct {
	session      *page.Session
	target       remote.Target
	selectedPage func() (p api.RevisionPage, known bool) // page under the cursor with its subpages
}

// action returns the action that deletes the page under the cursor.
func (d pageDeletion) action(disabledReason func() string) components.Action {
	return components.Action{Name: "page-delete", Help: "delete the page", Do: d.confirm, DisabledReason: func() string {
		if d.target.ChangeRequest == "" {
			return "pages are deleted in a change request: w makes one"
		}
		return disabledReason()
	}}
}

// confirm asks for confirmation of the deletion. It names the pages, the author of the change request and the
// approvals that may lapse.
func (d pageDeletion) confirm() tea.Cmd {
	p, known := d.selectedPage()
	if !known {
		return components.Toast("wait until the pages are loaded")
	}
	s := d.session
	return page.AskAfter(s, func() tea.Msg {
		request, err := s.ChangeRequest(s.Ctx, d.target)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		question := fmt.Sprintf("Delete “%s”%s in #%d?", render.DisplayTitle(p.Title), describeSubpages(p), request.Number)
		if more := s.ConfirmQuestion(d.target, request, "delete it", question); more != "" {
			question = more
		}
		return page.ConfirmMsg{Question: question, Yes: d.remove(p, request.Revision)}
	})
}

// describeSubpages returns the number of pages below p as text.
func describeSubpages(p api.RevisionPage) string {
	n := len(remote.ReadingOrder(p.Pages))
	if n == 0 {
		return ""
	}
	return " with " + render.Plural(n, "page") + " below it"
}

// remove deletes a page with its subpages; undo restores all of them from the revision before.
func (d pageDeletion) remove(p api.RevisionPage, before string) tea.Cmd {
	s, at := d.session, d.target
	deleted := slices.Concat([]remote.TreePage{{Page: p}}, remote.ReadingOrder(p.Pages))
	var undo tea.Cmd
	if len(deleted) <= maxRestored {
		back := make([]api.ContentChange, len(deleted))
		for i, e := range deleted {
			back[i] = api.ContentChange{Operation: api.RevertPage, Page: e.Page.ID, Revision: before}
		}
		undo = changePages(s, at, back, doneMessage(""), nil, "revert-page", p.ID, "--revision", before)
	}
	drop := []api.ContentChange{{Operation: api.DeletePage, Page: p.ID}}
	return changePages(s, at, drop, doneMessage(render.DisplayTitle(p.Title)+" deleted"+describeSubpages(p)), undo, "delete-page", p.ID)
}
