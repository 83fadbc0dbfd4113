package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/screens"
)

// destinationsMsg contains destinations to add to an open palette.
type destinationsMsg struct {
	palette        *components.Palette
	space          string
	spaces         []api.Space
	names          map[string]string             // names of spaces
	pages          map[string][]api.RevisionPage // by space
	requests       []api.ChangeRequest           // of the current space
	queuedRequests []api.QueuedChangeRequest     // of all spaces
	members        []api.Member
	visits         []drafts.Visit
	remaining      []api.Space // spaces whose pages are not loaded yet
}

// showPalette opens the palette with all actions and starts to load destinations.
func (m *Model) showPalette() tea.Cmd {
	palette := components.NewPalette(components.Entries(m.actions(), m.performChosen))
	m.overlay, m.offered = palette, map[string]bool{}
	var wider func(string) tea.Cmd
	if m.session.Organization != "" {
		wider = m.search
	}
	palette.ExpectMore(wider)
	return m.loadDestinations(palette)
}

// maxSpaces is the maximum number of other spaces whose pages are loaded.
const maxSpaces = 20

// loadDestinations loads the pages of the current space and then those of others. Failed requests are ignored,
// because the palette is useful without them.
func (m *Model) loadDestinations(palette *components.Palette) tea.Cmd {
	s, space, organization, visited := m.session, m.top().Space(), m.session.Organization, m.options.Visits
	return func() tea.Msg {
		found := destinationsMsg{palette: palette, space: space, names: map[string]string{}, pages: map[string][]api.RevisionPage{}}
		if visited != nil {
			found.visits, _ = visited.Visits() // history is optional
		}
		if organization != "" {
			found.spaces, _ = s.Client.Spaces(s.Ctx, organization)
			found.members, _ = s.Client.Members(s.Ctx, organization)
			found.queuedRequests, _, _ = s.Client.Queued(s.Ctx, organization, api.SavedQuery{})
		}
		if space != "" {
			found.requests, _ = s.Client.ChangeRequests(s.Ctx, space, api.StatusOpen)
			found.pages[space], _ = s.Client.Content(remote.Target{Space: space}).Pages(s.Ctx)
		}
		for _, x := range found.spaces {
			if found.names[x.ID] = x.Title; x.ID != space && len(found.remaining) < maxSpaces {
				found.remaining = append(found.remaining, x)
			}
		}
		return found
	}
}

// loadNextPages loads the pages of the next remaining space. Each response is added before the next request, so
// closing the palette wastes at most one request.
func (m *Model) loadNextPages(p destinationsMsg) tea.Cmd {
	s, next := m.session, p.remaining[0]
	return func() tea.Msg {
		found := destinationsMsg{palette: p.palette, space: p.space, names: p.names, remaining: p.remaining[1:]}
		found.pages = map[string][]api.RevisionPage{}
		found.pages[next.ID], _ = s.Client.Content(remote.Target{Space: next.ID}).Pages(s.Ctx)
		return found
	}
}

// addDestinations adds destinations to the palette that requested them.
func (m *Model) addDestinations(p destinationsMsg) tea.Cmd {
	if m.overlay != components.Overlay(p.palette) {
		return nil
	}
	p.palette.Add(m.paletteEntries(p), len(p.remaining) == 0)
	if len(p.remaining) == 0 {
		return nil
	}
	return m.loadNextPages(p)
}

// paletteEntries converts destinations to entries. Each change request and page is included once.
func (m *Model) paletteEntries(p destinationsMsg) (entries []components.Entry) {
	add := func(text, kind string, to func() page.Page) {
		entries = append(entries, components.Entry{
			Text: text, Kind: strings.TrimSpace(kind), Do: func() tea.Cmd { return page.Navigate(to()) },
		})
	}
	isNew := func(space, id string) bool {
		had := m.offered[space+"/"+id]
		m.offered[space+"/"+id] = true
		return !had
	}
	for _, v := range p.visits {
		if isNew(v.Space, v.ChangeRequest+v.Page) {
			add(v.Title, "recent "+p.names[v.Space], func() page.Page { return screens.VisitedPage(m.session, v) })
		}
	}
	request := func(r api.ChangeRequest, space string) {
		if isNew(space, r.ID) {
			target := remote.Target{Space: space, ChangeRequest: r.ID}
			add(fmt.Sprintf("#%d %s", r.Number, r.Subject), "change request "+p.names[space], func() page.Page {
				return screens.Request(m.session, target)
			})
		}
	}
	for _, r := range p.requests { // those of the current space come first
		request(r, p.space)
	}
	for _, r := range p.queuedRequests {
		request(r.ChangeRequest, r.Space)
	}
	for _, x := range p.spaces {
		add(x.Title, "space", func() page.Page { return screens.Tree(m.session, x.ID) })
	}
	for _, space := range slices.Sorted(maps.Keys(p.pages)) {
		for _, e := range screens.Documents(p.pages[space]) {
			kind := "page"
			if space != p.space {
				kind += " " + p.names[space]
			}
			if isNew(space, e.ID) {
				add(e.Title, kind, func() page.Page { return screens.SpacePage(m.session, space, e) })
			}
		}
	}
	for _, x := range p.members {
		add(x.User.DisplayName, "person: open change requests", func() page.Page { return screens.RequestsBy(m.session, x.User) })
	}
	return entries
}

// keyer is a page with a key that is equal for pages with the same content.
type keyer interface{ PageKey() string }

// stackIndex returns the index of a page with the same content in the stack, or -1.
func (m *Model) stackIndex(to page.Page) int {
	site, ok := to.(keyer)
	if !ok {
		return -1
	}
	for i, p := range slices.Backward(m.pages) {
		if s, ok := p.(keyer); ok && s.PageKey() == site.PageKey() {
			return i
		}
	}
	return -1
}

// enter pushes a page. If a page with the same content is already in the stack, it returns to that page.
func (m *Model) enter(to page.Page) tea.Cmd {
	index := m.stackIndex(to)
	if index < 0 || slices.ContainsFunc(m.pages[index+1:], func(p page.Page) bool { return !isDestinationList(p) }) {
		return m.push(to)
	}
	return m.returnTo(index, to)
}

// returnTo pops the pages above an index. The page there takes over the pending selection of as.
func (m *Model) returnTo(index int, as page.Page) tea.Cmd {
	m.message, m.command = render.Span{}, ""
	isTop := index == len(m.pages)-1
	m.pages = slices.Clip(m.pages[:index+1])
	if m.top().Base().List.TakePending(&as.Base().List) {
		page.MarkStale(m.top())
		return nil
	}
	if c := m.top().LoadState(); !c.Loaded && !c.Busy {
		return m.top().Load()
	}
	if isTop {
		return components.Toast("you are there already")
	}
	return nil
}

// isDestinationList reports whether a page lists destinations and is closed when one is chosen.
func isDestinationList(p page.Page) bool { return p.Kind() == "links" || p.Kind() == "search" }

// goTo returns to the page with the content of to if it is in the stack, and pushes to otherwise. A page of another change
// request replaces the path above the root pages. While a write is in flight, goTo only shows a message.
func (m *Model) goTo(to page.Page) tea.Cmd {
	if w, ok := m.top().(page.Writer); ok && w.Pending() {
		return components.Toast("the server has not answered yet: wait, or leave with esc")
	}
	if index := m.stackIndex(to); index >= 0 {
		return m.returnTo(index, to)
	}
	if m.inOtherRequest(to) {
		m.pages = slices.Clip(m.pages[:m.rootDepth()])
	}
	return m.push(to)
}

// inOtherRequest reports whether a page belongs to a change request other than that of the stack.
func (m *Model) inOtherRequest(to page.Page) bool {
	there, ok := to.(targeter)
	return ok && there.Target().ChangeRequest != "" && slices.ContainsFunc(m.pages, func(p page.Page) bool {
		here, ok := p.(targeter)
		return ok && here.Target().ChangeRequest != "" && here.Target() != there.Target()
	})
}

// organizationList is the list of organizations, below all other pages.
type organizationList interface {
	OnlyOne() bool
	SkipEntering()
}

// leavesInbox reports whether esc leads from the inbox to the list of organizations, which may have to be loaded first.
func (m *Model) leavesInbox() bool {
	p, ok := m.pages[0].(organizationList)
	if !ok || len(m.pages) != 2 || m.top().Kind() != tabs[0].kind {
		return false
	}
	c := m.pages[0].LoadState()
	return !c.Loaded && c.Err == nil || p.OnlyOne()
}

// leaveInbox shows a message if the user is known to be in one organization only. Otherwise it loads the list of organizations,
// after which finishLeavingInbox shows that list.
func (m *Model) leaveInbox() tea.Cmd {
	list := m.pages[0].(organizationList)
	if list.OnlyOne() {
		m.message = render.In(render.Dim, "this is the top; q quits")
		return nil
	}
	m.leavingInbox = true
	list.SkipEntering()
	if m.pages[0].LoadState().Busy {
		return nil
	}
	return m.pages[0].Load()
}

// finishLeavingInbox leaves the inbox as soon as the organizations are known, unless the user went elsewhere.
func (m *Model) finishLeavingInbox() tea.Cmd {
	if !m.leavingInbox || m.pages[0].LoadState().Busy {
		return nil
	}
	m.leavingInbox = false
	if len(m.pages) != 2 {
		return nil
	}
	return m.pop()
}

// recordVisit records the current page in the history once its title is loaded.
func (m *Model) recordVisit() tea.Cmd {
	p, ok := m.top().(interface{ Visit() (drafts.Visit, bool) })
	if !ok || m.options.Visits == nil {
		return nil
	}
	v, known := p.Visit()
	if v.VisitedAt = m.session.Now(); !known || v.SamePage(m.lastVisit) && v.Title == m.lastVisit.Title {
		return nil
	}
	m.lastVisit = v
	visits := m.options.Visits
	return func() tea.Msg {
		_ = visits.Visit(v) // history is optional, so errors are ignored
		return nil
	}
}
