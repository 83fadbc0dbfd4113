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

// manyRemoved is how many pages one revision can bring back: so many operations a revision has.
const manyRemoved = 50

// Removing deletes pages in a change request; the pages of a space are deleted in one, as they are edited in one.
type Removing struct {
	Session *page.Session
	At      remote.Target
	Here    func() (p api.RevisionPage, known bool) // under the cursor, with what is below it
}

// Action is the one that deletes the page under the cursor, where nothing stands against it.
func (r Removing) Action(whyNot func() string) components.Action {
	return components.Action{Name: "page-delete", Help: "delete the page", Do: r.ask, WhyNot: func() string {
		if r.At.ChangeRequest == "" {
			return "pages are deleted in a change request: w makes one"
		}
		return whyNot()
	}}
}

// ask names what goes, whose change request it is and whose approval may lapse, before it goes.
func (r Removing) ask() tea.Cmd {
	p, known := r.Here()
	if !known {
		return components.Toast("wait until the pages are loaded")
	}
	s := r.Session
	return func() tea.Msg {
		of, err := s.Client.ChangeRequest(s.Ctx, r.At)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		question := fmt.Sprintf("Delete “%s”%s in #%d?", render.Titled(p.Title), below(p), of.Number)
		if more := s.Against(r.At, of, "delete it", question); more != "" {
			question = more
		}
		return page.ConfirmMsg{Question: question, Yes: r.remove(p, of.Revision)}
	}
}

// below says how many pages stand below one.
func below(p api.RevisionPage) string {
	n := len(remote.InOrder(p.Pages))
	if n == 0 {
		return ""
	}
	return " with " + render.Plural(n, "page") + " below it"
}

// remove deletes a page with what is below it; undo brings all of it back as it was in the revision before.
func (r Removing) remove(p api.RevisionPage, before string) tea.Cmd {
	s, at := r.Session, r.At
	gone := slices.Concat([]remote.Placed{{Page: p}}, remote.InOrder(p.Pages))
	var undo tea.Cmd
	if len(gone) <= manyRemoved {
		back := make([]api.ContentChange, len(gone))
		for i, e := range gone {
			back[i] = api.ContentChange{Operation: api.RevertPage, Page: e.Page.ID, Revision: before}
		}
		undo = contentOf(s, at, back, says(""), nil, "revert-page", p.ID, "--revision", before)
	}
	drop := []api.ContentChange{{Operation: api.DeletePage, Page: p.ID}}
	return contentOf(s, at, drop, says(render.Titled(p.Title)+" deleted"+below(p)), undo, "delete-page", p.ID)
}
