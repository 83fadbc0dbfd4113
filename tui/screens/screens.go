package screens

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// PathTo returns way with the pages that lead to a target appended; the last one is to be shown first. at.Space and
// at.ChangeRequest may be empty.
func PathTo(s *page.Session, way []page.Page, at remote.Target) []page.Page {
	if at.Space != "" {
		way = append(way, newTree(s, remote.Target{Space: at.Space}))
	}
	if at.Space != "" && at.ChangeRequest != "" {
		way = append(way, newRequests(s, at.Space), newRequest(s, at))
	}
	return way
}

// nextPageAction returns the action that opens the next page.
func nextPageAction(do func() tea.Cmd, disabledReason func() string) components.Action {
	return components.Action{
		Name: "page-next", Keys: []string{"J"}, Help: "next page", Hint: "page", Do: do, DisabledReason: disabledReason,
	}
}

func previousPageAction(do func() tea.Cmd, disabledReason func() string) components.Action {
	return components.Action{Name: "page-previous", Keys: []string{"K"}, Help: "previous page", Do: do, DisabledReason: disabledReason}
}

// EmptyPages returns one page of each kind without content, for the table of keys.
func EmptyPages() []page.Page {
	return []page.Page{
		&treePage{}, &readerPage{}, &requestsPage{}, &requestPage{}, &changePage{}, &commentsPage{}, &pastPage{}, &reviewPage{},
	}
}
