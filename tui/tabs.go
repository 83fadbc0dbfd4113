package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/browse"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// tab is a first page of an organization.
type tab struct {
	kind, name string
	build      func(*page.Session) page.Page
}

// tabs are the first pages of an organization, by the kinds of their pages: what they are called, and the page, nil for the
// inbox, which stands below the others.
var tabs = []tab{
	{"inbox", "Inbox", nil},
	{"spaces", "Spaces", func(s *page.Session) page.Page { return browse.Spaces(s, s.Organization) }},
	{"search", "Search", func(s *page.Session) page.Page { return browse.NewSearch(s, "", "") }},
	{"activity", "Activity", func(s *page.Session) page.Page { return browse.NewActivity(s, s.Organization) }},
}

// tabActions go to the tabs.
func (m *Model) tabActions() []components.Action {
	var all []components.Action
	for i, t := range tabs {
		all = append(all, components.Action{
			Name: "tab-" + t.kind, Keys: []string{tabKey(i)}, Help: "go to " + t.name,
			Do: func() tea.Cmd { return m.toTab(i) }, WhyNot: m.noOrganization,
		})
	}
	return all
}

// digit says what to press instead of a digit, which stands for a choice only where some are offered; "" for other keys.
func (m *Model) digit(key string) string {
	if len(key) != 1 || key[0] < '0' || key[0] > '9' {
		return ""
	}
	at := int(key[0] - '1')
	if at < 0 || at >= len(tabs) || m.noOrganization() != "" {
		return "digits choose where choices are offered: there are none here"
	}
	return fmt.Sprintf("%s goes to %s; a digit alone chooses where choices are offered", tabKey(at), tabs[at].name)
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
	keep := m.first()
	m.pages = m.pages[:keep:keep]
	m.message, m.command = render.Span{}, ""
	var cmds []tea.Cmd
	if keep == 1 {
		cmds = append(cmds, m.push(browse.New(m.s, m.s.Organization)))
	} else if c := m.top().Condition(); !c.Loaded && !c.Busy {
		cmds = append(cmds, m.top().Load())
	}
	if build := tabs[at].build; build != nil {
		cmds = append(cmds, m.push(m.tabPage(at)))
	}
	return tea.Batch(cmds...)
}

// first is how many pages every way within the organization begins with.
func (m *Model) first() int {
	if len(m.pages) > 1 && m.pages[1].Kind() == tabs[0].kind {
		return 2
	}
	return 1
}

// tabPage is the page of a tab: the one that was shown before, with its cursor where it was.
func (m *Model) tabPage(at int) page.Page {
	name := m.s.Organization + "/" + tabs[at].kind
	if m.kept == nil {
		m.kept = map[string]page.Page{}
	}
	if m.kept[name] == nil {
		m.kept[name] = tabs[at].build(m.s)
	}
	return m.kept[name]
}

// isTab reports whether a page is one of the first pages of an organization.
func isTab(p page.Page) bool {
	return slices.ContainsFunc(tabs, func(t tab) bool { return t.kind == p.Kind() })
}

// tabKey is the key of a tab.
func tabKey(at int) string { return fmt.Sprintf("alt+%d", at+1) }

// tabLine is the first line of a page that is a tab, with the keys of the tabs: each where there is room, else the way they
// are pressed before the first, else none; ok is false for other pages.
func (m *Model) tabLine(room int) (line render.Line, ok bool) {
	for _, key := range []func(at int) string{
		func(at int) string { return tabKey(at) + " " },
		func(at int) string {
			return strings.TrimPrefix(tabKey(at), map[bool]string{true: "alt+"}[at > 0]) + " "
		},
		func(int) string { return "" },
	} {
		if line, ok = m.tabNames(key); line.Width() <= room {
			break
		}
	}
	return line, ok
}

// tabNames are the names of the tabs behind what is said of their keys; ok says whether the page is one of them.
func (m *Model) tabNames(key func(at int) string) (line render.Line, ok bool) {
	for i, t := range tabs {
		name := " " + key(i) + t.name + " "
		if n := m.needs(); t.build == nil && n != "" {
			name += n + " "
		}
		if m.top().Kind() == t.kind {
			line, ok = append(line, render.Of(render.Style{Ground: render.ChipAccent}, name), render.Plain(" ")), true
			continue
		}
		line = append(line, render.In(render.Dim, name), render.Plain(" "))
	}
	return line, ok && len(m.pages) <= 3
}

// whereabouts are the organization and the user, for the first line of a tab.
func (m *Model) whereabouts() render.Line {
	said := m.s.Me.DisplayName
	if m.organization != "" && said != "" {
		said = m.organization + " · " + said
	}
	return render.Line{render.In(render.Dim, said)}
}
