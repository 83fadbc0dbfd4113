package tui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// TickMsg reports that a second has passed. It may trigger polling.
type TickMsg struct{}

// TickInterval is the interval between TickMsgs.
const TickInterval = time.Second

// watcher is a page of a change request. WatchTarget returns its target and the cursor of the displayed timeline, or ""
// if the page shows none.
type watcher interface {
	WatchTarget() (at remote.Target, cursor string)
}

// updateWatch sets the watched target: the change request of the topmost page that has one, with the cursor of the
// timeline shown by the pages below it.
func (m *Model) updateWatch() {
	var at remote.Target
	cursor := ""
	for _, p := range slices.Backward(m.pages) {
		w, ok := p.(watcher)
		if !ok {
			continue
		}
		here, known := w.WatchTarget()
		if at.ChangeRequest == "" {
			at = here
		}
		if here == at && cursor == "" {
			cursor = known
		}
	}
	m.watch.Show(at, cursor, m.session.Organization)
}

// seenMarker is a page that records how far the user has read.
type seenMarker interface{ MarkSeen() tea.Cmd }

// markSeen records how far the user has read. A key press counts as having seen the page.
func (m *Model) markSeen() tea.Cmd {
	if p, ok := m.top().(seenMarker); ok {
		return p.MarkSeen()
	}
	return nil
}

// refresh reloads the current page and the pages below it that show the same space.
func (m *Model) refresh() tea.Cmd {
	m.watch.ClearNews()
	top := m.top()
	show := top.Load
	if p, ok := top.(incomingViewer); ok {
		show = p.ShowNew
	}
	cmds := []tea.Cmd{show()}
	for _, p := range m.pages[:len(m.pages)-1] {
		if c := p.LoadState(); c.Loaded && p.Space() == top.Space() {
			cmds = append(cmds, p.Load())
		}
	}
	return tea.Batch(cmds...)
}

// news describes the changes by others since the content was loaded, in at most width cells, or returns "" if there is nothing
// new.
func (m *Model) news(width int) string {
	if news := render.NewsLine(m.watch.News(), m.session.Me.ID, width); news != "" {
		return news
	}
	if _, is := m.top().(watcher); is {
		return ""
	}
	return m.watch.CountsChange()
}

// connectionSign draws a warning if the server is unreachable or does not answer, so that the content may be outdated.
func (m *Model) connectionSign() render.Line {
	heard, err := m.watch.State()
	now := m.session.Now()
	switch wait, last := m.session.Waits.Longest(now), m.session.Waits.LastResponse(); {
	case wait >= remote.OverdueAfter && last.IsZero():
		return render.Line{render.In(render.Dim, "○ no answer yet")}
	case wait >= remote.OverdueAfter:
		return render.Line{render.In(render.Dim, "○ silent since "+last.In(now.Location()).Format("15:04:05"))}
	case !heard:
		return nil
	case err != nil:
		return render.Line{render.In(render.Warning, "○ "+remote.DescribeError(err).Label)}
	default:
		return render.Line{render.In(render.Added, "● "), render.In(render.Dim, "live")}
	}
}

// redrawWaiting marks pages whose content has not come yet as stale, so that they are drawn again with the time that they have
// waited.
func (m *Model) redrawWaiting() {
	for _, p := range m.pages {
		if c := p.LoadState(); c.Busy && !c.Loaded {
			page.MarkStale(p)
		}
	}
}

// attentionCount returns the number of change requests that require an action of the user, or "" while it is unknown.
func (m *Model) attentionCount() string {
	counts, known := m.watch.Counts()
	if n := remote.AttentionCount(counts); known && n > 0 {
		return render.Number(n)
	}
	return ""
}
