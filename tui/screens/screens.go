package screens

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// Begin is the way to the place that is named: pages behind those that are given, the last one to be shown first. at.Space and
// at.ChangeRequest may be empty.
func Begin(s *page.Session, way []page.Page, at remote.Target) []page.Page {
	if at.Space != "" {
		way = append(way, newTree(s, remote.Target{Space: at.Space}))
	}
	if at.Space != "" && at.ChangeRequest != "" {
		way = append(way, newRequests(s, at.Space), newRequest(s, at))
	}
	return way
}

// pageNext and pagePrevious are the actions that go from a page to its neighbours.
func pageNext(do func() tea.Cmd, whyNot func() string) components.Action {
	return components.Action{Name: "page-next", Keys: []string{"J"}, Help: "next page", Hint: "page", Do: do, WhyNot: whyNot}
}

func pagePrevious(do func() tea.Cmd, whyNot func() string) components.Action {
	return components.Action{Name: "page-previous", Keys: []string{"K"}, Help: "previous page", Do: do, WhyNot: whyNot}
}

// Kinds are one of each page, without content: the table of keys is made of their actions.
func Kinds() []page.Page {
	return []page.Page{&tree{}, &reader{}, &requests{}, &request{}, &change{}, &comments{}, &past{}, &Review{}}
}
