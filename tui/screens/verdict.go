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

// verdictPart is the part of the pages of a change request that starts a review of the shown revision.
type verdictPart struct {
	session *page.Session
	target  remote.Target
	request func() api.ChangeRequest // the request as shown; zero until it is loaded
}

func (v verdictPart) actions() []components.Action {
	return []components.Action{
		{
			Name: "approve", OfPage: true, Keys: []string{"a"}, Help: "approve", Hint: "approve", Do: v.openReview(api.ReviewApproved),
			DisabledReason: v.noVerdictReason,
		},
		{
			Name: "submit", OfPage: true, Keys: []string{"S"}, Help: "submit a review", Hint: v.submitHint(), Do: v.openReview(""),
			DisabledReason: v.notLoadedReason,
		},
	}
}

// closedReason returns the reason why the request cannot be decided (any more, or yet), or "".
func (v verdictPart) closedReason() string { return closedReason(v.request()) }

// isAuthor reports whether the user is the author of the request.
func (v verdictPart) isAuthor() bool {
	return v.session != nil && v.request().ID != "" && v.request().CreatedBy.ID == v.session.Me.ID
}

// submitHint returns the hint of the action that opens the review page.
func (v verdictPart) submitHint() string {
	if v.session == nil || !v.isAuthor() && v.closedReason() == "" { // nil session: table of keys
		return "submit review"
	}
	return "send comments"
}

// noVerdictReason returns the reason why the user cannot give a verdict, or "".
func (v verdictPart) noVerdictReason() string {
	if reason := v.closedReason(); reason != "" {
		return reason
	}
	if v.isAuthor() {
		return "it is your own change request: others approve it"
	}
	return ""
}

// notLoadedReason returns the reason why a review cannot be submitted yet, or "". Comments on a merged request are
// possible.
func (v verdictPart) notLoadedReason() string {
	if v.request().ID == "" {
		return "wait until it is loaded"
	}
	return ""
}

// openReview returns the function that opens the review page; a status that is not empty is set as the verdict.
func (v verdictPart) openReview(status api.ReviewStatus) func() tea.Cmd {
	return func() tea.Cmd {
		return page.Push(newReview(v.session, v.target, v.request(), status))
	}
}

// newReview returns the review page of a change request as shown.
func newReview(s *page.Session, at remote.Target, request api.ChangeRequest, status api.ReviewStatus) page.Page {
	return newReviewPage(s, at, request, status, reviewLinks{
		openDraft: func(d drafts.Draft) tea.Cmd { return showDraft(s, at, d) },
		openItem:  func(id string) tea.Cmd { return showItem(s, at, id) },
		openSince: func(revision string) tea.Cmd { return showSince(s, at, revision) },
	})
}

// submitAction returns the action that opens the review page from a page without the change request, which it loads.
func submitAction(s *page.Session, at remote.Target) components.Action {
	return components.Action{
		Name: "submit", OfPage: true, Keys: []string{"S"},
		Help: "submit a review", Hint: "submit review", Do: func() tea.Cmd {
			return func() tea.Msg {
				request, err := s.ChangeRequest(s.Ctx, at)
				if err != nil {
					return remote.ErrorMsg{Err: err}
				}
				return page.PushMsg{Page: newReview(s, at, request, "")}
			}
		},
	}
}

// showDraft opens the location of a draft: its thread, its block, or the request.
func showDraft(s *page.Session, at remote.Target, d drafts.Draft) tea.Cmd {
	return func() tea.Msg {
		id := d.Page
		if d.Comment != "" {
			comments, err := s.Client.Content(at).Comments(s.Ctx, "")
			if err != nil {
				return remote.ErrorMsg{Err: err}
			}
			if i := slices.IndexFunc(comments, func(c api.Comment) bool { return c.ID == d.Comment }); i >= 0 {
				id, _ = PageOf(comments[i])
			}
		}
		return openRow(s, at, id, page.DraftKey(d))
	}
}

// showItem opens an unread item.
func showItem(s *page.Session, at remote.Target, id string) tea.Cmd {
	return func() tea.Msg { return openRow(s, at, id, otherItemKeyPrefix+id) }
}

// openRow returns the message that opens the page of a change request with a row, or the request if it does not
// change the page.
func openRow(s *page.Session, at remote.Target, id, row string) tea.Msg {
	request, pages, err := loadProposal(s, at)
	if err != nil {
		return remote.ErrorMsg{Err: err}
	}
	to := page.Page(newRequestPage(s, at))
	if i := slices.IndexFunc(pages, func(c render.PageChange) bool { return c.Page.ID == id }); i >= 0 {
		to = newChangePage(s, at, request, pages, i, "")
	} else if id != "" && row != otherItemKeyPrefix+id {
		to = newReaderPage(s, at, api.RevisionPage{ID: id})
	}
	to.Base().List.SelectKey(row)
	return page.PushMsg{Page: to}
}

// showSince opens the changes since a revision.
func showSince(s *page.Session, at remote.Target, revision string) tea.Cmd {
	p := newRequestPage(s, at)
	p.since = revision
	return page.Push(p)
}
