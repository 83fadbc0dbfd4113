package browse

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// queryActions returns the actions that save queries as tabs and remove them.
func (p *Inbox) queryActions() []components.Action {
	return []components.Action{
		{
			Name: "query-space", Help: "save a tab: open requests of this space", OpensText: true, Do: func() tea.Cmd {
				r, _ := p.selectedRequest()
				return p.askToSave(p.spaceName(r.Space), api.SavedQuery{Space: r.Space})
			}, DisabledReason: p.noRequestReason,
		},
		{
			Name: "query-person", Help: "save a tab: open requests of this author", OpensText: true, Do: func() tea.Cmd {
				r, _ := p.selectedRequest()
				return p.askToSave("By "+r.CreatedBy.DisplayName, api.SavedQuery{Creator: r.CreatedBy.ID})
			}, DisabledReason: p.noRequestReason,
		},
		{Name: "query-drop", OfPage: true, Help: "remove this tab", DisabledReason: p.notSavedReason, Do: p.dropQuery},
	}
}

// notSavedReason returns the reason why the tab cannot be removed, or "".
func (p *Inbox) notSavedReason() string {
	if p.tab < builtinTabs {
		return "everybody has this tab; saved ones can be removed"
	}
	return ""
}

// askToSave prompts for the name of a tab and saves its query.
func (p *Inbox) askToSave(name string, query api.SavedQuery) tea.Cmd {
	return page.Ask(p.Session, page.PromptMsg{Question: "Name of the tab", Text: name, Done: func(name string) tea.Cmd {
		query.Name = name
		all := append(p.queriesWithout(name), query)
		return p.saveQueries("the tab “"+name+"” saved", all, p.savedQueries.Latest)
	}})
}

// queriesWithout returns the saved queries except one.
func (p *Inbox) queriesWithout(name string) []api.SavedQuery {
	return slices.DeleteFunc(slices.Clone(p.savedQueries.Latest), func(q api.SavedQuery) bool { return q.Name == name })
}

// dropQuery removes the current tab.
func (p *Inbox) dropQuery() tea.Cmd {
	name := p.currentTab().Name
	return p.saveQueries("the tab “"+name+"” removed", p.queriesWithout(name), p.savedQueries.Latest)
}

// saveQueries replaces the saved queries by all; undo restores before.
func (p *Inbox) saveQueries(done string, all, before []api.SavedQuery) tea.Cmd {
	return p.storeQueries(remote.ChangedMsg{Done: done, Undo: p.storeQueries(remote.ChangedMsg{Done: "tabs as they were"}, before)}, all)
}

func (p *Inbox) storeQueries(done remote.ChangedMsg, all []api.SavedQuery) tea.Cmd {
	client, organization := p.Session.Client, p.organization
	return p.Session.Write(done, func(ctx context.Context, key string) error { return client.SaveQueries(ctx, organization, all, key) })
}
