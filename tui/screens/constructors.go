package screens

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Requests returns the page of the change requests of a space.
func Requests(s *page.Session, space string) page.Page { return newRequestsPage(s, space) }

// Comments returns the page of the threads of a target.
func Comments(s *page.Session, at remote.Target) page.Page { return newCommentsPage(s, at) }

// History returns the page of the revisions of a space.
func History(s *page.Session, space string) page.Page { return newHistory(s, space, "") }

// NewRequestAction returns the action that creates a change request in a space, for pages that list spaces.
func NewRequestAction(s *page.Session, space, disabledReason func() string) components.Action {
	return newRequestAction(s, space, disabledReason)
}

// OutlineRow is a page of a tree as a line.
type OutlineRow struct {
	ID      string
	Line    render.Line
	Changed api.Time
}

// Outline returns the pages of a tree in reading order.
func Outline(pages []api.RevisionPage) []OutlineRow {
	flat := remote.ReadingOrder(pages)
	out := make([]OutlineRow, len(flat))
	for i, e := range flat {
		out[i] = OutlineRow{e.Page.ID, pageLine(e), e.Page.UpdatedAt}
	}
	return out
}
