package screens

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Request returns the page of a change request.
func Request(s *page.Session, at remote.Target) page.Page { return newRequestPage(s, at) }

// Tree returns the screen with the tree of the pages of a space.
func Tree(s *page.Session, space string) page.Page {
	return newTreePage(s, remote.Target{Space: space})
}

// SpacePage returns the screen that shows a page of a space.
func SpacePage(s *page.Session, space string, shown api.RevisionPage) page.Page {
	return newReaderPage(s, remote.Target{Space: space}, shown)
}

// Documents returns the pages of a tree that have a text, in reading order.
func Documents(pages []api.RevisionPage) []api.RevisionPage {
	var out []api.RevisionPage
	for _, e := range slices.DeleteFunc(remote.ReadingOrder(pages), func(e remote.TreePage) bool {
		return e.Page.Type != api.PageDocument
	}) {
		out = append(out, e.Page)
	}
	return out
}

// VisitedPage returns the screen that shows the change request or the page of a visit.
func VisitedPage(s *page.Session, v drafts.Visit) page.Page {
	if v.ChangeRequest != "" {
		return newRequestPage(s, remote.Target{Space: v.Space, ChangeRequest: v.ChangeRequest})
	}
	return newReaderPage(s, remote.Target{Space: v.Space}, api.RevisionPage{ID: v.Page, Title: v.Title})
}

// Visit returns the shown page for the history. The result is false in a change request and until the page is loaded.
func (p *readerPage) Visit() (drafts.Visit, bool) {
	known := p.remote.Loaded && p.target.ChangeRequest == ""
	return drafts.Visit{Space: p.target.Space, Page: p.page.ID, Title: render.DisplayTitle(p.page.Title)}, known
}

// Visit returns the change request for the history. The result is false until the request is loaded.
func (p *requestPage) Visit() (drafts.Visit, bool) {
	return drafts.Visit{Space: p.target.Space, ChangeRequest: p.remote.Latest.ID, Title: p.Title()}, p.remote.Loaded
}

// RequestsBy returns the page of a user's open change requests in all spaces.
func RequestsBy(s *page.Session, u api.User) page.Page {
	organization := s.Organization
	p := listPage[api.ChangeRequest]{
		title: "by " + u.DisplayName, kind: "change requests of somebody",
		emptyText: "No open change requests.",
	}
	p.command = remote.Command("change-requests", "list-queue", "--org", organization, "--creator", u.ID)
	p.load = func(ctx context.Context) ([]api.ChangeRequest, error) {
		return s.Client.RequestsBy(ctx, organization, u.ID)
	}
	p.line = func(r api.ChangeRequest, width int) render.Line {
		left := render.Line{render.In(render.Accent, render.PadColumn(fmt.Sprintf("#%d", r.Number), 6)), render.Plain(render.Subject(r))}
		right := render.Line{render.In(render.Dim, s.Names[r.Space]+" · "+s.Ago(r.UpdatedAt.Time))}
		return render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
	}
	p.open = func(r api.ChangeRequest) tea.Cmd {
		return page.Push(newRequestPage(s, remote.Target{Space: r.Space, ChangeRequest: r.ID}))
	}
	return newListPage(s, p)
}
