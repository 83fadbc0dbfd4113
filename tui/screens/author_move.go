package screens

import (
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// movePage offers the possible parents of the page under the cursor, and moves the page to the end of the chosen
// parent's children.
func (a *authorActions) movePage() tea.Cmd {
	c, _ := a.selectedChange()
	id := c.Page.ID
	pages, done := a.pages()
	if !done {
		return components.Toast("wait until the pages are loaded")
	}
	flat := remote.ReadingOrder(pages)
	above, moved := remote.Ancestors(flat), "“"+render.DisplayTitle(c.Page.Title)+"”"
	parent := ""
	if way := above[id]; len(way) > 0 {
		parent = way[len(way)-1].ID
	}
	into := func(below, title string, to api.Optional[string], flags ...string) components.Entry {
		change := api.ContentChange{Operation: api.UpdatePage, Page: id, Into: to}
		kind := render.Choose(below == parent, "where it is now", "")
		return components.Entry{Text: title, Kind: kind, Do: func() tea.Cmd {
			done := doneMessage(moved + " is now " + describePosition(below, title))
			return a.changePage(change, done, a.moveBack(id, parent, flat), append([]string{"update-page", id}, flags...)...)
		}}
	}
	// Typed text can end with enter, so the first entry changes nothing.
	entries := []components.Entry{
		{Text: "leave it where it is", Do: func() tea.Cmd { return components.Toast("not moved") }},
		into("", "the top level", api.Null[string](), "--no-into"),
	}
	for _, e := range flat {
		within := e.Page.ID == id || slices.ContainsFunc(above[e.Page.ID], func(a api.RevisionPage) bool { return a.ID == id })
		if !within && (e.Page.Type == api.PageDocument || e.Page.Type == api.PageGroup) {
			entries = append(entries, into(e.Page.ID, "“"+render.DisplayTitle(e.Page.Title)+"”", api.Some(e.Page.ID), "--into", e.Page.ID))
		}
	}
	return page.Ask(a.session, page.FindMsg{
		Question: "Move " + moved + " below which page? It will be the last one there.", Entries: entries,
	})
}

// describePosition describes the last position below a parent page; an empty id is the top level.
func describePosition(below, title string) string {
	if below == "" {
		return "the last page at the top level"
	}
	return "the last page below " + title
}

// moveBack returns the command that restores the present position of a page below parent; an empty parent is the top
// level.
func (a *authorActions) moveBack(id, parent string, flat []remote.TreePage) tea.Cmd {
	at := 0
	for _, e := range flat {
		if e.Page.ID == id {
			break
		}
		if e.Parent == parent {
			at++
		}
	}
	to, flags := api.Null[string](), []string{"--no-into"}
	if parent != "" {
		to, flags = api.Some(parent), []string{"--into", parent}
	}
	change := api.ContentChange{Operation: api.UpdatePage, Page: id, Into: to, At: api.Some(at)}
	return a.revert(change, id, append(flags, "--at", strconv.Itoa(at))...)
}
