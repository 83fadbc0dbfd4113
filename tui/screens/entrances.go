package screens

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Requests is the page of the change requests of a space, for the inbox; so are the pages that follow.
func Requests(s *page.Session, space string) page.Page { return newRequests(s, space) }

// Comments is the page of the threads of a target.
func Comments(s *page.Session, at remote.Target) page.Page { return newComments(s, at) }

// History is the page of the revisions of a space.
func History(s *page.Session, space string) page.Page { return newHistory(s, space, "") }

// NewRequestIn is the action that begins a change request in a space, for pages that name spaces.
func NewRequestIn(s *page.Session, space, whyNot func() string) components.Action {
	return NewRequestAction(s, space, whyNot)
}

// Outlined is a page of a tree, as it is drawn there.
type Outlined struct {
	ID      string
	Line    render.Line
	Changed api.Time
}

// Outline draws the pages of a tree in reading order.
func Outline(pages []api.RevisionPage) []Outlined {
	flat := remote.InOrder(pages)
	out := make([]Outlined, len(flat))
	for i, e := range flat {
		out[i] = Outlined{e.Page.ID, pageLine(e), e.Page.UpdatedAt}
	}
	return out
}
