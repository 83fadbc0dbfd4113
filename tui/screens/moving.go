package screens

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/text"
)

// notMoving says why the page under the cursor cannot be moved.
func (p *request) notMoving() string {
	if why := p.noPage(); why != "" {
		return why
	}
	return p.verdict().closed()
}

// movePage offers the pages that the page under the cursor may stand below, and moves it behind those that stand there.
func (p *request) movePage() tea.Cmd {
	id := p.About().Page
	flat := flatten(p.tree.Latest)
	if !p.tree.Loaded {
		return components.Toast("wait until the pages are loaded")
	}
	above, moved := ancestry(flat), "“"+text.Titled(p.remote.Latest.Pages[p.About().At].Page.Title)+"”"
	parent := ""
	if way := above[id]; len(way) > 0 {
		parent = way[len(way)-1].ID
	}
	into := func(below, title string, to api.Optional[string], flags ...string) components.Entry {
		change := api.ContentChange{Operation: api.UpdatePage, Page: id, Into: to}
		kind := map[bool]string{true: "where it is now"}[below == parent]
		return components.Entry{Text: title, Kind: kind, Do: func() tea.Cmd {
			return p.content(change, says(moved+" is now "+placeBelow(below, title)), append([]string{"update-page", id}, flags...)...)
		}}
	}
	entries := []components.Entry{into("", "the top level", api.Null[string](), "--no-into")}
	for _, e := range flat {
		within := e.page.ID == id || slices.ContainsFunc(above[e.page.ID], func(a api.RevisionPage) bool { return a.ID == id })
		if !within && (e.page.Type == api.PageDocument || e.page.Type == api.PageGroup) {
			entries = append(entries, into(e.page.ID, "“"+text.Titled(e.page.Title)+"”", api.Some(e.page.ID), "--into", e.page.ID))
		}
	}
	return page.Ask(p.Session, page.FindMsg{Question: "Move " + moved + " below which page? It will be the last one there.", Entries: entries})
}

// placeBelow says that a page is the last one below another, whose id is "" where that is the top level.
func placeBelow(below, title string) string {
	if below == "" {
		return "the last page at the top level"
	}
	return "the last page below " + title
}
