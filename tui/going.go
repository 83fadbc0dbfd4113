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

// placesMsg are places that the palette offers beside what was known when it opened.
type placesMsg struct {
	to       *components.Palette
	space    string
	spaces   []api.Space
	known    map[string]string             // the names of spaces
	pages    map[string][]api.RevisionPage // by their spaces
	requests []api.ChangeRequest           // of the space
	queued   []api.QueuedChangeRequest     // of all spaces
	members  []api.Member
	visits   []drafts.Visit
	left     []api.Space // whose pages are still to be asked for
}

// showPalette offers every action, and then places as soon as they are known.
func (m *Model) showPalette() tea.Cmd {
	palette := components.NewPalette(components.Entries(m.actions(), m.do))
	m.overlay, m.offered = palette, map[string]bool{}
	var wider func(string) tea.Cmd
	if m.s.Organization != "" {
		wider = m.search
	}
	palette.Await(wider)
	return m.places(palette)
}

// manySpaces is how many other spaces than the one that is shown are asked for their pages.
const manySpaces = 20

// places asks for the places that can be gone to: those of the space that is shown, and then the pages of the others. What
// fails is not offered, because the actions are there all the same.
func (m *Model) places(palette *components.Palette) tea.Cmd {
	s, space, organization, visited := m.s, m.top().Space(), m.s.Organization, m.o.Visits
	return func() tea.Msg {
		found := placesMsg{to: palette, space: space, known: map[string]string{}, pages: map[string][]api.RevisionPage{}}
		if visited != nil {
			found.visits, _ = visited.Visits() // the rest is worth offering without
		}
		if organization != "" {
			found.spaces, _ = s.Client.Spaces(s.Ctx, organization)
			found.members, _ = s.Client.Members(s.Ctx, organization)
			found.queued, _, _ = s.Client.Queued(s.Ctx, organization, api.SavedQuery{})
		}
		if space != "" {
			found.requests, _ = s.Client.ChangeRequests(s.Ctx, space, api.StatusOpen)
			found.pages[space], _ = s.Client.Content(remote.Target{Space: space}).Pages(s.Ctx)
		}
		for _, x := range found.spaces {
			if found.known[x.ID] = x.Title; x.ID != space && len(found.left) < manySpaces {
				found.left = append(found.left, x)
			}
		}
		return found
	}
}

// nextPages asks for the pages of the next of the spaces that are left. Each answer is offered before the next one is asked
// for, so that a palette that is closed again costs no more than one.
func (m *Model) nextPages(p placesMsg) tea.Cmd {
	s, next := m.s, p.left[0]
	return func() tea.Msg {
		found := placesMsg{to: p.to, space: p.space, known: p.known, pages: map[string][]api.RevisionPage{}, left: p.left[1:]}
		found.pages[next.ID], _ = s.Client.Content(remote.Target{Space: next.ID}).Pages(s.Ctx)
		return found
	}
}

// offer adds the places to the palette that asked for them.
func (m *Model) offer(p placesMsg) tea.Cmd {
	if m.overlay != components.Overlay(p.to) {
		return nil
	}
	p.to.Add(m.entries(p), len(p.left) == 0)
	if len(p.left) == 0 {
		return nil
	}
	return m.nextPages(p)
}

// entries are places as entries of the palette. Each request and page is offered once.
func (m *Model) entries(p placesMsg) (entries []components.Entry) {
	add := func(text, kind string, to func() page.Page) {
		entries = append(entries, components.Entry{Text: text, Kind: strings.TrimSpace(kind), Do: func() tea.Cmd { return page.Go(to()) }})
	}
	isNew := func(space, id string) bool {
		had := m.offered[space+"/"+id]
		m.offered[space+"/"+id] = true
		return !had
	}
	for _, v := range p.visits {
		if isNew(v.Space, v.ChangeRequest+v.Page) {
			add(v.Title, "recent "+p.known[v.Space], func() page.Page { return screens.Visited(m.s, v) })
		}
	}
	request := func(r api.ChangeRequest, space string) {
		if isNew(space, r.ID) {
			at := remote.Target{Space: space, ChangeRequest: r.ID}
			add(fmt.Sprintf("#%d %s", r.Number, r.Subject), "change request "+p.known[space], func() page.Page { return screens.Request(m.s, at) })
		}
	}
	for _, r := range p.requests { // those of the space come first
		request(r, p.space)
	}
	for _, r := range p.queued {
		request(r.ChangeRequest, r.Space)
	}
	for _, x := range p.spaces {
		add(x.Title, "space", func() page.Page { return screens.Tree(m.s, x.ID) })
	}
	for _, space := range slices.Sorted(maps.Keys(p.pages)) {
		for _, e := range screens.Documents(p.pages[space]) {
			kind := "page"
			if space != p.space {
				kind += " " + p.known[space]
			}
			if isNew(space, e.ID) {
				add(e.Title, kind, func() page.Page { return screens.SpacePage(m.s, space, e) })
			}
		}
	}
	for _, x := range p.members {
		add(x.User.DisplayName, "person: open change requests", func() page.Page { return screens.RequestsBy(m.s, x.User) })
	}
	return entries
}

// sited is a page that is one of its kind: two that show the same have the same place.
type sited interface{ Place() string }

// standing is where a page that shows the same stands on the way, -1 where none does.
func (m *Model) standing(to page.Page) int {
	site, ok := to.(sited)
	if !ok {
		return -1
	}
	for i, p := range slices.Backward(m.pages) {
		if s, ok := p.(sited); ok && s.Place() == site.Place() {
			return i
		}
	}
	return -1
}

// enter shows a page above the one that is shown. Where one is already is gone back to: a page leads to itself, or was found
// from itself.
func (m *Model) enter(to page.Page) tea.Cmd {
	at := m.standing(to)
	if at < 0 || slices.ContainsFunc(m.pages[at+1:], func(p page.Page) bool { return !leadsBack(p) }) {
		return m.push(to)
	}
	return m.returnTo(at, to)
}

// returnTo leaves the pages above one on the way, for the row there that another page like it was to show.
func (m *Model) returnTo(at int, as page.Page) tea.Cmd {
	m.message, m.command = render.Span{}, ""
	here := at == len(m.pages)-1
	m.pages = slices.Clip(m.pages[:at+1])
	if m.top().Base().List.WantAs(&as.Base().List) {
		page.Renew(m.top())
		return nil
	}
	if c := m.top().Condition(); !c.Loaded && !c.Busy {
		return m.top().Load()
	}
	if here {
		return components.Toast("you are there already")
	}
	return nil
}

// leadsBack reports whether a page is a list of places that was opened to leave for one of them.
func leadsBack(p page.Page) bool { return p.Kind() == "links" || p.Kind() == "search" }

// goTo goes to a page by its name.
func (m *Model) goTo(to page.Page) tea.Cmd {
	if w, ok := m.top().(page.Writer); ok && w.Pending() {
		return components.Toast("the server has not answered yet: wait, or leave with esc")
	}
	if at := m.standing(to); at >= 0 {
		return m.returnTo(at, to)
	}
	if m.inAnother(to) {
		m.pages = slices.Clip(m.pages[:m.first()])
	}
	return m.push(to)
}

// inAnother reports whether a page is of another change request than one on the way.
func (m *Model) inAnother(to page.Page) bool {
	there, ok := to.(located)
	return ok && there.At().ChangeRequest != "" && slices.ContainsFunc(m.pages, func(p page.Page) bool {
		here, ok := p.(located)
		return ok && here.At().ChangeRequest != "" && here.At() != there.At()
	})
}

// note remembers where one was, as soon as the page says what it is.
func (m *Model) note() tea.Cmd {
	p, ok := m.top().(interface{ Visit() (drafts.Visit, bool) })
	if !ok || m.o.Visits == nil {
		return nil
	}
	v, known := p.Visit()
	if v.At = m.s.Now(); !known || v.Same(m.visited) && v.Title == m.visited.Title {
		return nil
	}
	m.visited = v
	visits := m.o.Visits
	return func() tea.Msg {
		_ = visits.Visit(v) // what was opened is a help, nothing to be told about
		return nil
	}
}
