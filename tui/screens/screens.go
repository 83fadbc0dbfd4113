package screens

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// PathTo appends the pages that lead to a target to way and returns the result, whose last page is to be shown first. at.Space
// and at.ChangeRequest may be empty.
func PathTo(s *page.Session, way []page.Page, at remote.Target) []page.Page {
	if at.Space != "" {
		way = append(way, newTreePage(s, remote.Target{Space: at.Space}))
	}
	if at.Space != "" && at.ChangeRequest != "" {
		way = append(way, newRequestsPage(s, at.Space), newRequestPage(s, at))
	}
	return way
}

// nextPageAction returns the action that opens the next page.
func nextPageAction(do func() tea.Cmd, disabledReason func() string) components.Action {
	return components.Action{
		Name: "page-next", OfPage: true, Keys: []string{"J"}, Help: "next page", Hint: "next page", Do: do, DisabledReason: disabledReason,
	}
}

func previousPageAction(do func() tea.Cmd, disabledReason func() string) components.Action {
	return components.Action{
		Name: "page-previous", OfPage: true, Keys: []string{"K"}, Help: "previous page",
		Do: do, DisabledReason: disabledReason,
	}
}

// EmptyPages returns one page of each kind without content, for the table of keys.
func EmptyPages() []page.Page {
	return []page.Page{
		&treePage{}, &readerPage{}, &requestsPage{}, &requestPage{}, &changePage{}, &commentsPage{}, &pastPage{}, &reviewPage{},
	}
}

// pageAction marks an action that concerns the page, not the row under the cursor.
func pageAction(a components.Action) components.Action {
	a.OfPage = true
	return a
}
