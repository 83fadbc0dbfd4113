package tui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// TickMsg says that a second has passed: it may be time to ask what others did.
type TickMsg struct{}

// Pulse is how often a screen that stays open should be sent a TickMsg.
const Pulse = time.Second

// watching is a page of a change request: of which one, and how far its timeline is shown, "" where it shows none.
type watching interface {
	Watching() (at remote.Target, cursor string)
}

// watched tells the watch what is shown: the change request of the topmost page that has one, with what the pages below it
// know of its timeline.
func (m *Model) watched() {
	var at remote.Target
	cursor := ""
	for _, p := range slices.Backward(m.pages) {
		w, ok := p.(watching)
		if !ok {
			continue
		}
		here, known := w.Watching()
		if at.ChangeRequest == "" {
			at = here
		}
		if here == at && cursor == "" {
			cursor = known
		}
	}
	m.watch.Show(at, cursor, m.s.Organization)
}

// looker is a page that keeps how far the user has looked.
type looker interface{ Looked() tea.Cmd }

// looked keeps how far the user has looked at the page: who presses a key has seen what it said.
func (m *Model) looked() tea.Cmd {
	if p, ok := m.top().(looker); ok {
		return p.Looked()
	}
	return nil
}

// refresh shows what came in: the page, and those below it that show the same space.
func (m *Model) refresh() tea.Cmd {
	m.watch.Shown()
	top := m.top()
	show := top.Load
	if p, ok := top.(shower); ok {
		show = p.ShowNew
	}
	cmds := []tea.Cmd{show()}
	for _, p := range m.pages[:len(m.pages)-1] {
		if c := p.Condition(); c.Loaded && p.Space() == top.Space() {
			cmds = append(cmds, p.Load())
		}
	}
	return tea.Batch(cmds...)
}

// news says what others did since what is shown was loaded, in the words that there is room for; nothing when nothing was done.
func (m *Model) news(room int) string {
	if said := render.News(m.watch.News(), m.s.Me.ID, room); said != "" {
		return said
	}
	if _, is := m.top().(watching); is {
		return ""
	}
	return m.watch.Changed()
}

// sign says whether the server is heard of: what it does not say is old.
func (m *Model) sign() render.Line {
	heard, err := m.watch.State()
	switch {
	case !heard:
		return nil
	case err != nil:
		return render.Line{render.In(render.Warning, "○ "+remote.TroubleOf(err).Label)}
	default:
		return render.Line{render.In(render.Added, "● "), render.In(render.Dim, "live")}
	}
}

// needs is how many change requests need the user, for the top of the screen; "" while that is not known.
func (m *Model) needs() string {
	counts, known := m.watch.Counts()
	if n := remote.Needs(counts); known && n > 0 {
		return render.Number(n)
	}
	return ""
}
