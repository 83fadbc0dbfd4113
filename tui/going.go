package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/screens"
)

// placesMsg are the places that the palette offers beside what was known when it opened.
type placesMsg struct {
	to       *components.Palette
	space    string
	spaces   []api.Space
	pages    []api.RevisionPage
	requests []api.ChangeRequest       // of the space
	queued   []api.QueuedChangeRequest // of all spaces
	members  []api.Member
	visits   []drafts.Visit
}

// showPalette offers every action, and then places as soon as they are known.
func (m *Model) showPalette() tea.Cmd {
	palette := components.NewPalette(components.Entries(m.actions(), m.do))
	m.overlay = palette
	return m.places(palette)
}

// places asks for the places that can be gone to: what fails is not offered, because the actions are there all the same.
func (m *Model) places(palette *components.Palette) tea.Cmd {
	s, space, organization, visited := m.s, m.top().Space(), m.s.Organization, m.o.Visits
	return func() tea.Msg {
		found := placesMsg{to: palette, space: space}
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
			found.pages, _ = s.Client.Content(remote.Target{Space: space}).Pages(s.Ctx)
		}
		return found
	}
}

// offer adds the places to the palette that asked for them.
func (m *Model) offer(p placesMsg) {
	if m.overlay != components.Overlay(p.to) {
		return
	}
	var entries []components.Entry
	add := func(text, kind string, to func() page.Page) {
		entries = append(entries, components.Entry{Text: text, Kind: kind, Do: func() tea.Cmd { return page.Push(to()) }})
	}
	offered := map[string]bool{} // requests and pages, by their spaces and ids: each is offered once
	names := map[string]string{}
	for _, x := range p.spaces {
		names[x.ID] = x.Title
	}
	for _, v := range p.visits {
		offered[v.Space+"/"+v.ChangeRequest+v.Page] = true
		add(v.Title, strings.TrimSpace("recent "+names[v.Space]), func() page.Page { return screens.Visited(m.s, v) })
	}
	request := func(r api.ChangeRequest, space string) {
		if offered[space+"/"+r.ID] {
			return
		}
		offered[space+"/"+r.ID] = true
		at := remote.Target{Space: space, ChangeRequest: r.ID}
		add(fmt.Sprintf("#%d %s", r.Number, r.Subject), strings.TrimSpace("change request "+names[space]), func() page.Page { return screens.Request(m.s, at) })
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
	for _, e := range screens.Documents(p.pages) {
		if offered[p.space+"/"+e.ID] {
			continue
		}
		add(e.Title, "page", func() page.Page { return screens.Page(m.s, p.space, e) })
	}
	for _, x := range p.members {
		add(x.User.DisplayName, "person: open change requests", func() page.Page { return screens.RequestsBy(m.s, x.User) })
	}
	p.to.Add(entries)
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
