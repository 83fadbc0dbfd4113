package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/inbox"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/screens"
	"docspace.dev/wsd/tui/spaces"
	"docspace.dev/wsd/tui/text"
)

// tabs are the first pages of an organization, by the kinds of their pages: what they are called, and the page, nil for the
// inbox, which stands below the others.
var tabs = []struct {
	kind, name string
	build      func(*page.Session) page.Page
}{
	{"inbox", "Inbox", nil},
	{"spaces", "Spaces", func(s *page.Session) page.Page { return spaces.Spaces(s, s.Organization) }},
	{"search", "Search", func(s *page.Session) page.Page { return screens.NewSearch(s, "", "") }},
}

// tabActions go to the tabs.
func (m *Model) tabActions() []components.Action {
	var all []components.Action
	for i, t := range tabs {
		all = append(all, components.Action{
			Name: "tab-" + t.kind, Keys: []string{fmt.Sprintf("alt+%d", i+1)}, Help: "go to " + t.name,
			Do: func() tea.Cmd { return m.toTab(i) }, WhyNot: m.noOrganization,
		})
	}
	return all
}

// noOrganization says why there are no tabs.
func (m *Model) noOrganization() string {
	if m.s.Organization == "" {
		return "open an organization first"
	}
	return ""
}

// toTab leaves all pages but the first ones and shows a tab; the inbox stays below, as it was.
func (m *Model) toTab(at int) tea.Cmd {
	if w, ok := m.top().(page.Writer); ok && w.Pending() {
		return components.Toast("the server has not answered yet: wait, or leave with esc")
	}
	keep := 1
	if len(m.pages) > 1 && m.pages[1].Kind() == tabs[0].kind {
		keep = 2
	}
	m.pages = m.pages[:keep:keep]
	m.message, m.command = text.Span{}, ""
	var cmds []tea.Cmd
	if keep == 1 {
		cmds = append(cmds, m.push(inbox.New(m.s, m.s.Organization)))
	} else if c := m.top().Condition(); !c.Loaded && !c.Busy {
		cmds = append(cmds, m.top().Load())
	}
	if build := tabs[at].build; build != nil {
		cmds = append(cmds, m.push(build(m.s)))
	}
	return tea.Batch(cmds...)
}

// tabLine is the first line of a page that is a tab; ok is false for other pages.
func (m *Model) tabLine() (line text.Line, ok bool) {
	for i, t := range tabs {
		name := fmt.Sprintf(" %d %s ", i+1, t.name)
		if n := m.needs(); t.build == nil && n != "" {
			name += n + " "
		}
		if m.top().Kind() == t.kind {
			line, ok = append(line, text.Of(text.Style{Ground: text.ChipAccent}, name), text.Plain(" ")), true
			continue
		}
		line = append(line, text.In(text.Dim, name), text.Plain(" "))
	}
	return line, ok && len(m.pages) <= 3
}

// whereabouts are the organization and the user, for the first line of a tab.
func (m *Model) whereabouts() text.Line {
	said := m.s.Me.DisplayName
	if m.organization != "" && said != "" {
		said = m.organization + " · " + said
	}
	return text.Line{text.In(text.Dim, said)}
}
