package screens

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
)

// WatchTarget returns the change request of the page and the cursor of its timeline, for the app to watch.
func (p *requestPage) WatchTarget() (remote.Target, string) {
	return p.target, p.timeline.Latest.Cursor
}

// WatchTarget returns the change request of the page, for the app to watch; the page has no timeline.
func (p *changePage) WatchTarget() (remote.Target, string) { return p.target, "" }

// WatchTarget returns the change request of the page, for the app to watch; the page has no timeline.
func (p *commentsPage) WatchTarget() (remote.Target, string) { return p.target, "" }

// MarkSeen stores on the server how far the user has seen the timeline. Errors are ignored: the only effect is that
// more events are shown as new.
func (p *requestPage) MarkSeen() tea.Cmd {
	cursor := p.timeline.Latest.Cursor
	if cursor == "" || cursor == p.savedSeenCursor || cursor == p.timeline.Latest.LastLook || p.timeline.Err != nil {
		return nil
	}
	p.savedSeenCursor = cursor
	client, at, ctx, key := p.Session.Client, p.target, p.Session.Ctx, p.Session.NewKey()
	return func() tea.Msg {
		_ = client.Look(ctx, at, cursor, key) // see above
		return nil
	}
}

// ShowNew reloads the request; events that were not there before count as new from then on.
func (p *requestPage) ShowNew() tea.Cmd {
	if cursor := p.timeline.Latest.Cursor; cursor != "" {
		p.lastSeenCursor = cursor
	}
	return p.Load()
}

// takeTimeline handles the response with the timeline. New events stay new while the page is open.
func (p *requestPage) takeTimeline(msg tea.Msg) bool {
	handled := p.timeline.Take(msg)
	if handled && p.timeline.Loaded && p.lastSeenCursor == "" {
		p.lastSeenCursor = p.timeline.Latest.LastLook
	}
	return handled
}

// loadTimeline loads the last events.
func (p *requestPage) loadTimeline() tea.Cmd {
	client, at := p.Session.Client, p.target
	return p.timeline.Load(p.Session.Connection, func(ctx context.Context) (api.Timeline, error) { return client.Timeline(ctx, at) })
}

// loadEarlier loads the events before those that are shown.
func (p *requestPage) loadEarlier() tea.Cmd {
	client, at, cursor := p.Session.Client, p.target, p.timeline.Latest.Earlier
	p.Stale, p.earlierCursor = true, cursor
	return p.earlierTimeline.Load(p.Session.Connection, func(ctx context.Context) (api.Timeline, error) {
		return client.TimelineBefore(ctx, at, cursor)
	})
}

// prependEarlier inserts earlier events into the timeline, unless the timeline was reloaded in the meantime and
// starts elsewhere.
func (p *requestPage) prependEarlier() tea.Cmd {
	p.Stale = true
	if p.earlierTimeline.Err != nil {
		return components.Send(remote.ErrorMsg{Err: p.earlierTimeline.Err})
	}
	t, found := &p.timeline.Latest, p.earlierTimeline.Latest
	if t.Earlier != p.earlierCursor {
		return nil
	}
	if n := len(found.Events); n > 0 && len(t.Events) > 0 {
		p.List.SelectKey(eventKeyPrefix + found.Events[n-1].Cursor)
	}
	t.Events, t.Earlier = append(slices.Clone(found.Events), t.Events...), found.Earlier
	return nil
}

// loadTree loads the page tree of the request.
func (p *requestPage) loadTree() tea.Cmd {
	content := p.Session.Client.Content(p.target)
	return p.tree.Load(p.Session.Connection, content.Pages)
}

// loadWords loads the word counts of the changes.
func (p *requestPage) loadWords() tea.Cmd {
	client, at, since := p.Session.Client, p.target, p.since
	return p.words.Load(p.Session.Connection, func(ctx context.Context) (map[string]api.WordCount, error) {
		return client.Words(ctx, at, since)
	})
}
