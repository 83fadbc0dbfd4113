package screens

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
)

// Watching says which change request the page is of, and how far its timeline is shown; the app watches it.
func (p *request) Watching() (remote.Target, string) { return p.at, p.timeline.Latest.Cursor }

// Watching is as that of request; the page shows no timeline.
func (p *change) Watching() (remote.Target, string) { return p.at, "" }

// Watching is as that of change.
func (p *comments) Watching() (remote.Target, string) { return p.at, "" }

// Looked keeps how far the user has looked at the timeline. What nobody else sees is a help: when it cannot be kept, more of
// the timeline is called new.
func (p *request) Looked() tea.Cmd {
	cursor := p.timeline.Latest.Cursor
	if cursor == "" || cursor == p.looked || cursor == p.timeline.Latest.LastLook || p.timeline.Err != nil {
		return nil
	}
	p.looked = cursor
	client, at, ctx, key := p.Session.Client, p.at, p.Session.Ctx, p.Session.NewKey()
	return func() tea.Msg {
		_ = client.Look(ctx, at, cursor, key) // see above
		return nil
	}
}

// ShowNew loads again what came in; new is, from now on, what was not there before.
func (p *request) ShowNew() tea.Cmd {
	if cursor := p.timeline.Latest.Cursor; cursor != "" {
		p.lastLook = cursor
	}
	return p.Load()
}

// takeTimeline accepts what happened. What is new stays new as long as the page is open, though it is kept that one looked.
func (p *request) takeTimeline(msg tea.Msg) bool {
	took := p.timeline.Take(msg)
	if took && p.timeline.Loaded && p.lastLook == "" {
		p.lastLook = p.timeline.Latest.LastLook
	}
	return took
}

// loadTimeline asks what happened last.
func (p *request) loadTimeline() tea.Cmd {
	client, at := p.Session.Client, p.at
	return p.timeline.Load(p.Session.Connection, func(ctx context.Context) (api.Timeline, error) { return client.Timeline(ctx, at) })
}

// loadEarlier asks what happened before what is shown.
func (p *request) loadEarlier() tea.Cmd {
	client, at, cursor := p.Session.Client, p.at, p.timeline.Latest.Earlier
	p.Stale, p.beforeWhat = true, cursor
	return p.before.Load(p.Session.Connection, func(ctx context.Context) (api.Timeline, error) { return client.TimelineBefore(ctx, at, cursor) })
}

// joinEarlier puts what happened earlier before what is shown, unless that was loaded anew meanwhile and begins elsewhere.
func (p *request) joinEarlier() tea.Cmd {
	p.Stale = true
	if p.before.Err != nil {
		return components.Send(remote.FailMsg{Err: p.before.Err})
	}
	t, found := &p.timeline.Latest, p.before.Latest
	if t.Earlier != p.beforeWhat {
		return nil
	}
	if n := len(found.Events); n > 0 && len(t.Events) > 0 {
		p.List.Want(eventKey + found.Events[n-1].Cursor)
	}
	t.Events, t.Earlier = append(slices.Clone(found.Events), t.Events...), found.Earlier
	return nil
}

// loadTree asks where the pages stand that it changes.
func (p *request) loadTree() tea.Cmd {
	content := p.Session.Client.Content(p.at)
	return p.tree.Load(p.Session.Connection, content.Pages)
}

// loadWords counts the words of the changes: they are said when they are there.
func (p *request) loadWords() tea.Cmd {
	client, at, since := p.Session.Client, p.at, p.since
	return p.words.Load(p.Session.Connection, func(ctx context.Context) (map[string]api.WordCount, error) {
		return client.Words(ctx, at, since)
	})
}
