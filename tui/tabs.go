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

// tab is a root page of an organization.
type tab struct {
	kind, name string
	build      func(*page.Session) page.Page
}

// tabs lists the root pages of an organization by kind, name and constructor. The constructor is nil for the inbox,
// which is the bottom of the stack.
var tabs = []tab{
	{"inbox", "Inbox", nil},
	{"spaces", "Spaces", func(s *page.Session) page.Page { return browse.Spaces(s, s.Organization) }},
	{"search", "Search", func(s *page.Session) page.Page { return browse.NewSearch(s, "", "") }},
	{"activity", "Activity", func(s *page.Session) page.Page { return browse.NewActivity(s, s.Organization) }},
}

// tabActions returns the actions that select tabs.
func (m *Model) tabActions() []components.Action {
	var all []components.Action
	for i, t := range tabs {
		all = append(all, components.Action{
			Name: "tab-" + t.kind, Keys: []string{tabKey(i)}, Help: "go to " + t.name,
			Do: func() tea.Cmd { return m.showTab(i) }, DisabledReason: m.noTabsReason,
		})
	}
	return all
}

// digitHint returns the message for a digit typed where no choices are shown, with the key of the tab that has this number. It
// returns "" for other keys.
func (m *Model) digitHint(key string) string {
	if len(key) != 1 || key[0] < '0' || key[0] > '9' {
		return ""
	}
	index := int(key[0] - '1')
	if index < 0 || index >= len(tabs) || m.noTabsReason() != "" {
		return "digits choose where choices are offered: there are none here"
	}
	return fmt.Sprintf("%s goes to %s; a digit alone chooses where choices are offered", tabKey(index), tabs[index].name)
}

// noTabsReason returns why there are no tabs.
func (m *Model) noTabsReason() string {
	if m.session.Organization == "" {
		return "open an organization first"
	}
	return ""
}

// showTab removes all pages above the root pages and shows a tab. The inbox stays at the bottom of the stack.
func (m *Model) showTab(at int) tea.Cmd {
	if w, ok := m.top().(page.Writer); ok && w.Pending() {
		return components.Toast("the server has not answered yet: wait, or leave with esc")
	}
	keep := m.rootDepth()
	m.pages = m.pages[:keep:keep]
	m.message, m.command = render.Span{}, ""
	var cmds []tea.Cmd
	if keep == 1 {
		cmds = append(cmds, m.push(browse.New(m.session, m.session.Organization)))
	} else if c := m.top().LoadState(); !c.Loaded && !c.Busy {
		cmds = append(cmds, m.top().Load())
	}
	if build := tabs[at].build; build != nil {
		cmds = append(cmds, m.push(m.tabPage(at)))
	}
	return tea.Batch(cmds...)
}

// rootDepth returns the number of pages at the bottom of the stack that every path in the organization has.
func (m *Model) rootDepth() int {
	if len(m.pages) > 1 && m.pages[1].Kind() == tabs[0].kind {
		return 2
	}
	return 1
}

// tabPage returns the page of a tab. A tab shown before keeps its page and cursor.
func (m *Model) tabPage(at int) page.Page {
	name := m.session.Organization + "/" + tabs[at].kind
	if m.tabPages == nil {
		m.tabPages = map[string]page.Page{}
	}
	if m.tabPages[name] == nil {
		m.tabPages[name] = tabs[at].build(m.session)
	}
	return m.tabPages[name]
}

// isTab reports whether a page is a root page of an organization.
func isTab(p page.Page) bool {
	return slices.ContainsFunc(tabs, func(t tab) bool { return t.kind == p.Kind() })
}

// tabKey returns the key of a tab.
func tabKey(at int) string { return fmt.Sprintf("alt+%d", at+1) }

// tabLine draws the first line of a tab page. To fit into width cells, it shows the whole key of each tab, or alt+ before the
// first tab only, or no keys. ok is false for other pages.
func (m *Model) tabLine(width int) (line render.Line, ok bool) {
	for _, key := range []func(at int) string{
		func(at int) string { return tabKey(at) + " " },
		func(at int) string {
			return strings.TrimPrefix(tabKey(at), render.Choose(at > 0, "alt+", "")) + " "
		},
		func(int) string { return "" },
	} {
		if line, ok = m.tabNames(key); line.Width() <= width {
			break
		}
	}
	return line, ok
}

// tabNames draws the names of the tabs with their keys. ok reports whether the current page is a tab.
func (m *Model) tabNames(key func(at int) string) (line render.Line, ok bool) {
	for i, t := range tabs {
		name := " " + key(i) + t.name + " "
		if n := m.attentionCount(); t.build == nil && n != "" {
			name += n + " "
		}
		if m.top().Kind() == t.kind {
			line, ok = append(line, render.NewSpan(render.Style{Ground: render.ChipAccent}, name), render.Plain(" ")), true
			continue
		}
		line = append(line, render.In(render.Dim, name).Linked(render.KeyTarget(tabKey(i))), render.Plain(" "))
	}
	return line, ok && len(m.pages) <= 3
}

// contextLine draws the organization and the user for the first line of a tab.
func (m *Model) contextLine() render.Line {
	context := m.session.Me.DisplayName
	if m.organizationTitle != "" && context != "" {
		context = m.organizationTitle + " · " + context
	}
	return render.Line{render.In(render.Dim, context)}
}
