package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/browse"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// typed takes a key. While something is awaited that takes the keys, they wait for it: a text that is typed on over a slow
// line is no row of actions.
func (m *Model) typed(k tea.KeyMsg) tea.Cmd {
	if !m.s.Awaits || k.String() == "ctrl+c" {
		return m.keys(k)
	}
	m.ahead = append(m.ahead, k)
	return nil
}

// caughtUp gives the keys that waited to what is there now. Where it did not come they are no actions of the page.
func (m *Model) caughtUp() tea.Cmd {
	if m.s.Awaits || len(m.ahead) == 0 {
		return nil
	}
	waited := m.ahead
	m.ahead = nil
	if m.overlay == nil && !m.desk.Writing() {
		return nil
	}
	var cmds []tea.Cmd
	for _, k := range waited {
		cmds = append(cmds, m.typed(k))
	}
	return tea.Batch(cmds...)
}

// keys takes apart what was typed faster than it was read: a key that is held down, over a slow line, arrives as one
// message of several runes. A paste is not taken apart: it is text, and means no action.
func (m *Model) keys(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || len(k.Runes) < 2 || k.Paste || k.Alt {
		return m.key(k)
	}
	var cmds []tea.Cmd
	for i, r := range k.Runes {
		if m.overlay == nil && m.desk.Writing() { // the rest is text, too
			rest := k
			rest.Runes = k.Runes[i:]
			return tea.Batch(append(cmds, m.key(rest))...)
		}
		if m.s.Awaits {
			rest := k
			rest.Runes = k.Runes[i:]
			m.ahead = append(m.ahead, rest)
			return tea.Batch(cmds...)
		}
		cmds = append(cmds, m.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
	}
	return tea.Batch(cmds...)
}

// key gives a key to what has the keys: the overlay, the composer, the page.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	if k.String() == "ctrl+c" {
		return m.leave()
	}
	if m.overlay != nil {
		overlay := m.overlay
		m.message = render.Span{}
		cmd, done := components.Press(overlay, k)
		if done && m.overlay == overlay {
			m.overlay = nil
		}
		return cmd
	}
	if m.desk.Writing() {
		return m.desk.Key(k)
	}
	if p, ok := m.top().(typing); ok {
		if cmd, taken := p.Type(k); taken {
			m.message = render.Span{}
			return cmd
		}
	}
	if k.Paste {
		return nil
	}
	if a, ok := components.Find(m.actions(), k.String()); ok {
		return m.do(a)
	}
	m.message = render.In(render.Dim, m.unknown(k.String()))
	return nil
}

// unknown says what a key that does nothing on this page is for, or nothing.
func (m *Model) unknown(key string) string {
	if said := m.digit(key); said != "" {
		return said
	}
	help, where := elsewhere(key)
	if help == "" {
		return ""
	}
	return fmt.Sprintf("%s does nothing here; on “%s” it is: %s", components.KeyNames([]string{key}), where, help)
}

// quit leaves, but says first what is not sent.
func (m *Model) quit() tea.Cmd {
	if m.sender.Busy() && !m.asked {
		m.asked = true
		return components.Toast("what you sent is on its way; q again quits, and it is sent again at the next start, once")
	}
	if kept := m.unsent(); len(kept) > 0 && !m.asked {
		m.asked = true
		return components.Toast("%s. q again quits", strings.Join(kept, "; "))
	}
	return m.leave()
}

// unsent says what the server does not have yet: drafts, decisions on the pages that esc leads back to, and all other ones.
func (m *Model) unsent() (kept []string) {
	if n := len(m.s.Waiting()); n > 0 {
		kept = append(kept, render.Plural(n, "draft")+" not sent; "+map[bool]string{true: "it is kept", false: "they are kept"}[n == 1])
	}
	elsewhere := len(m.s.Decided)
	for _, p := range m.pages {
		d, ok := p.(deciding)
		if !ok {
			continue
		}
		elsewhere -= m.s.DecidedAt(d.At())
		if d.Unapplied() != "" {
			kept = append(kept, d.Unapplied())
		}
	}
	if elsewhere > 0 {
		kept = append(kept, page.SaysDecided(elsewhere))
	}
	return kept
}

// deciding is a page whose decisions wait to be applied.
type deciding interface {
	At() remote.Target
	Unapplied() string
}

// leave ends the screen when what was written is in the journal; asked twice, at once.
func (m *Model) leave() tea.Cmd {
	if !m.desk.Journaling() || m.quitting {
		return tea.Quit
	}
	m.quitting = true
	return nil
}

// actions are what can be done now: those of the page that is shown, and then those of all pages.
// While a search is shown, its keys come first.
func (m *Model) actions() []components.Action {
	shared := m.shared()
	if _, own := components.Find(m.top().Actions(), "right"); own { // something is chosen with it
		shared[0].Keys = []string{"enter"}
	}
	all := slices.Concat(shared[:1], m.top().Actions(), shared[1:]) // what ⏎ does is said first
	if m.marks() {
		on := slices.IndexFunc(all, func(a components.Action) bool { return a.Name == "screen-down" })
		reads := all[on]
		reads.Hint = "read on"
		all = slices.Insert(slices.Delete(all, on, on+1), 1, reads) // and then what space does
	}
	if m.top().Base().List.Searching() {
		finding := m.finding()
		taken := func(a components.Action) bool {
			return slices.ContainsFunc(finding, func(f components.Action) bool { return slices.Equal(f.Keys, a.Keys) })
		}
		return append(finding, slices.DeleteFunc(all, taken)...)
	}
	return all
}

// do carries out an action on the page that is shown.
func (m *Model) do(a components.Action) tea.Cmd {
	m.message, m.command = render.Span{}, ""
	m.asked = m.asked && a.Name == "quit"
	p := m.top()
	p.Base().List.Want("") // who acts goes where they like
	if m.height > 0 {
		page.Lay(p, m.width)
	}
	cmd := tea.Batch(m.looked(), a.Run())
	if !a.Moves {
		page.Renew(p)
	}
	return cmd
}

func (m *Model) showHelp() tea.Cmd {
	var signs [][2]string
	if p, ok := m.top().(signing); ok {
		signs = p.Signs()
	}
	m.overlay = components.NewHelp(m.top().Kind(), m.top().Actions(), m.shared(), signs)
	return nil
}

// signing is a page whose rows have signs: each, and what it says.
type signing interface{ Signs() [][2]string }

// showMenu offers what can be done with the row under the cursor.
func (m *Model) showMenu() tea.Cmd {
	m.overlay = components.NewPalette(components.Entries(components.Offered(m.top().Actions()), m.do))
	return nil
}

func (m *Model) showFinder() tea.Cmd {
	m.overlay = components.NewFinder(&m.top().Base().List, m.search)
	return nil
}

// search goes to the search for some words: in the space that is shown, and everywhere.
func (m *Model) search(words string) tea.Cmd {
	if m.s.Organization == "" {
		return components.Toast("open an organization first")
	}
	return page.Push(browse.NewSearch(m.s, m.top().Space(), words))
}

// typing is a page that takes what is typed, but for the keys that move, open and leave.
type typing interface {
	Type(k tea.KeyMsg) (cmd tea.Cmd, taken bool)
}

// back ends a search first, and goes up then.
func (m *Model) back() tea.Cmd {
	if l := &m.top().Base().List; l.Searching() {
		l.Search("")
		return nil
	}
	return m.pop()
}

// half is half the height of the page.
func (m *Model) half() int { return max((m.height-m.chrome())/2, 1) }

// screenful is the height of the page, but for two rows that stay in sight.
func (m *Model) screenful() int { return max(m.height-m.chrome()-2, 1) }

// goer is a page that another one follows.
type goer interface{ GoOn() tea.Cmd }

// marks reports whether reading on marks what is shown.
func (m *Model) marks() bool {
	_, goes := m.top().(goer)
	r, reads := m.top().(interface{ Reads() bool })
	return goes && reads && r.Reads()
}

// readOn shows the next screenful; from the end of a page it goes on to the next one.
func (m *Model) readOn() tea.Cmd {
	p := m.top()
	if p.Base().List.AtEnd() || p.Base().List.EndShown(m.height-m.chrome()) {
		if g, ok := p.(goer); ok {
			return g.GoOn()
		}
	}
	p.Base().List.Move(m.screenful())
	return nil
}

// findNext returns what goes to the next row that has the word that was searched for.
func (m *Model) findNext(direction int) func() tea.Cmd {
	return func() tea.Cmd {
		f := m.top().Base()
		return f.Next(direction, "no hits", f.List.Found)()
	}
}
