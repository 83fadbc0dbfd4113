package screens

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// verdict is a part of the pages of a change request: it is judged from each of them, for the revision that is shown.
type verdict struct {
	session *page.Session
	at      remote.Target
	of      func() api.ChangeRequest // as it is shown; zero until it is loaded
}

func (v verdict) actions() []components.Action {
	return []components.Action{
		{Name: "approve", Keys: []string{"a"}, Help: "approve", Hint: "approve", Do: v.open(api.ReviewApproved), WhyNot: v.notJudged},
		{Name: "submit", Keys: []string{"S"}, Help: "submit a review", Hint: v.submits(), Do: v.open(""), WhyNot: v.notLoaded},
	}
}

// closed says why nothing can be decided about the request any more, or yet.
func (v verdict) closed() string { return Closed(v.of()) }

// mine reports whether the request is the user's own.
func (v verdict) mine() bool {
	return v.session != nil && v.of().ID != "" && v.of().CreatedBy.ID == v.session.Me.ID
}

// submits is what the submit screen is for, for the last line of the screen.
func (v verdict) submits() string {
	if v.session == nil || !v.mine() && v.closed() == "" { // the first for the table of keys
		return "submit review"
	}
	return "send comments"
}

// notJudged says why the user gives no verdict.
func (v verdict) notJudged() string {
	if why := v.closed(); why != "" {
		return why
	}
	if v.mine() {
		return "it is your own change request: others approve it"
	}
	return ""
}

// notLoaded says why there is nothing to submit a review of yet; comments can be sent to what is merged, too.
func (v verdict) notLoaded() string {
	if v.of().ID == "" {
		return "wait until it is loaded"
	}
	return ""
}

// open returns what opens the submit screen, with a verdict set if there is one.
func (v verdict) open(status api.ReviewStatus) func() tea.Cmd {
	return func() tea.Cmd {
		return page.Push(form(v.session, v.at, v.of(), status))
	}
}

// form is the submit screen of a change request as it is shown.
func form(s *page.Session, at remote.Target, of api.ChangeRequest, status api.ReviewStatus) page.Page {
	return NewReview(s, at, of, status, Places{
		Draft: func(d drafts.Draft) tea.Cmd { return showDraft(s, at, d) },
		Item:  func(id string) tea.Cmd { return showItem(s, at, id) },
		Since: func(revision string) tea.Cmd { return showSince(s, at, revision) },
	})
}

// submitting is the action that opens the submit screen from a page that has not loaded the change request: it asks for it.
func submitting(s *page.Session, at remote.Target) components.Action {
	return components.Action{Name: "submit", Keys: []string{"S"}, Help: "submit a review", Hint: "submit review", Do: func() tea.Cmd {
		return func() tea.Msg {
			of, err := s.Client.ChangeRequest(s.Ctx, at)
			if err != nil {
				return remote.FailMsg{Err: err}
			}
			return page.PushMsg{Page: form(s, at, of, "")}
		}
	}}
}

// showDraft opens the place of a draft: where its thread stands, its block, or the request.
func showDraft(s *page.Session, at remote.Target, d drafts.Draft) tea.Cmd {
	return func() tea.Msg {
		id := d.Page
		if d.Comment != "" {
			comments, err := s.Client.Content(at).Comments(s.Ctx, "")
			if err != nil {
				return remote.FailMsg{Err: err}
			}
			if i := slices.IndexFunc(comments, func(c api.Comment) bool { return c.ID == d.Comment }); i >= 0 {
				id, _ = PageOf(comments[i])
			}
		}
		return placed(s, at, id, page.DraftKey(d))
	}
}

// showItem opens something that was not read.
func showItem(s *page.Session, at remote.Target, id string) tea.Cmd {
	return func() tea.Msg { return placed(s, at, id, besideKey+id) }
}

// placed is the page of a change request that has a row, or the request where it changes no such page.
func placed(s *page.Session, at remote.Target, id, row string) tea.Msg {
	of, pages, err := proposed(s, at)
	if err != nil {
		return remote.FailMsg{Err: err}
	}
	to := page.Page(newRequest(s, at))
	if i := slices.IndexFunc(pages, func(c render.PageChange) bool { return c.Page.ID == id }); i >= 0 {
		to = newChange(s, at, of, pages, i, "")
	} else if id != "" && row != besideKey+id {
		to = newReader(s, at, api.RevisionPage{ID: id})
	}
	to.Base().List.Want(row)
	return page.PushMsg{Page: to}
}

// showSince opens what changed since a revision.
func showSince(s *page.Session, at remote.Target, revision string) tea.Cmd {
	p := newRequest(s, at)
	p.since = revision
	return page.Push(p)
}
