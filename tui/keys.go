package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// keys takes apart what was typed faster than it was read: a key that is held down, over a slow line, arrives as one
// message of several runes. A paste is not taken apart: it is text, and means no action.
func (m *Model) keys(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || len(k.Runes) < 2 || k.Paste || k.Alt {
		return m.key(k)
	}
	var cmds []tea.Cmd
	for i, r := range k.Runes {
		if m.overlay == nil && m.compose != nil { // the rest is text, too
			rest := k
			rest.Runes = k.Runes[i:]
			return tea.Batch(append(cmds, m.key(rest))...)
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
		cmd, done := overlay.key(k)
		if done && m.overlay == overlay {
			m.overlay = nil
		}
		return cmd
	}
	if m.compose != nil {
		return m.composeKey(k)
	}
	if a, ok := lookup(m.top().scope(), k.String()); ok && !k.Paste {
		return m.do(a.name)
	}
	return nil
}

// leave ends the screen when what was written is in the journal; asked twice, at once.
func (m *Model) leave() tea.Cmd {
	if m.s.saving == 0 || m.quitting {
		return tea.Quit
	}
	m.quitting = true
	return nil
}

// saved goes on after a journal was written.
func (m *Model) saved(msg savedMsg) tea.Cmd {
	cmd := msg.of.saved(msg)
	if m.quitting && m.s.saving == 0 {
		return tea.Quit
	}
	return cmd
}

// do carries out an action on the page that is shown.
func (m *Model) do(name string) tea.Cmd {
	m.message = text.Span{}
	p := m.top()
	p.base().list.wanted = "" // who acts goes where they like
	if m.height > 0 {
		lay(p, ownWidth(p, m.width))
	}
	if m.move(name, &p.base().list) {
		return nil
	}
	switch name {
	case "quit":
		return m.leave()
	case "back":
		return m.back()
	case "help":
		m.overlay = newHelp(p.scope())
	case "palette":
		m.overlay = newPalette(p.scope(), m.do)
	case "find":
		m.overlay = newFinder(&p.base().list)
	case "refresh":
		return p.load()
	case "drafts":
		return m.offerDrafts()
	default:
		cmd := p.act(name)
		p.base().stale = true
		return cmd
	}
	return nil
}

// back ends a search first, and goes up then.
func (m *Model) back() tea.Cmd {
	if l := &m.top().base().list; l.find != "" {
		l.search("")
		return nil
	}
	return m.pop()
}

// move does the actions that move the cursor.
func (m *Model) move(name string, l *list) bool {
	half := max((m.height-chrome)/2, 1)
	switch name {
	case "down":
		l.move(1)
	case "up":
		l.move(-1)
	case "half-down":
		l.move(half)
	case "half-up":
		l.move(-half)
	case "first":
		l.move(-len(l.rows))
	case "last":
		l.move(len(l.rows))
	case "next-item":
		l.nextItem(1)
	case "previous-item":
		l.nextItem(-1)
	default:
		return m.seek(name, l)
	}
	return true
}

// seek does the actions that go to the next row of a kind, around the end.
func (m *Model) seek(name string, l *list) bool {
	kind, direction, found := strings.Cut(name, "-")
	fits, ok := map[string]func(row) bool{
		"find":   func(r row) bool { return l.find != "" && r.matches(l.find) },
		"thread": func(r row) bool { return r.thread },
		"change": func(r row) bool { return r.change },
	}[kind]
	if !found || !ok {
		return false
	}
	if !l.next(map[string]int{"next": 1, "previous": -1}[direction], fits) {
		m.message = text.In(text.Dim, "there is none here")
	}
	return true
}

// open begins to write, with what was written before for the same place.
func (m *Model) open(d Draft) tea.Cmd {
	for _, c := range m.sending {
		if c.draft.ID() == d.ID() {
			m.compose = c
			return nil
		}
	}
	drafts := m.s.drafts
	return func() tea.Msg {
		kept, err := drafts.All()
		for _, k := range kept {
			if k.ID() == d.ID() {
				d.Text, d.Key = k.Text, k.Key
				return openMsg{draft: d, kept: true}
			}
		}
		return openMsg{draft: d, err: err}
	}
}

// opened shows the composer, unless something else is being written by now.
func (m *Model) opened(msg openMsg) tea.Cmd {
	if m.compose != nil {
		return nil
	}
	m.compose = newComposer(m.s, msg.draft)
	m.compose.saveErr = msg.err
	if msg.kept {
		m.message = text.In(text.Accent, "this is what you wrote before")
	}
	return nil
}

func (m *Model) composeKey(k tea.KeyMsg) tea.Cmd {
	c := m.compose
	a, ok := lookup(scopeCompose, k.String())
	if !ok || k.Paste {
		if c.sending {
			return nil
		}
		c.field.key(k)
		return c.changed()
	}
	switch a.name {
	case "send":
		return m.send(c)
	case "editor":
		return m.s.edit(c.field.String())
	case "discard":
		return m.discard(c)
	default:
		m.compose = nil
		if c.sending || c.draft.Text == "" {
			return nil
		}
		return tea.Batch(c.changed(), toast("kept: D goes on with it"))
	}
}

func (m *Model) send(c *composer) tea.Cmd {
	cmd := c.send()
	if c.sending && !contains(m.sending, c) {
		m.sending = append(m.sending, c)
	}
	return cmd
}

// discard asks before a text is thrown away.
func (m *Model) discard(c *composer) tea.Cmd {
	if c.sending {
		return toast("it is on its way")
	}
	return send(confirmMsg{"Throw this text away?", send(discardMsg{c})})
}

func (m *Model) discarded(c *composer) tea.Cmd {
	if m.compose == c {
		m.compose = nil
	}
	drafts, id := m.s.drafts, c.draft.ID()
	c.dropped = true
	return func() tea.Msg {
		if err := drafts.Delete(id); err != nil {
			return failMsg{err}
		}
		return toastMsg{"thrown away"}
	}
}

// sent deletes a draft that the server has; one that it refused stays, in the journal and on the screen.
func (m *Model) sent(msg sentMsg) tea.Cmd {
	c := msg.of
	c.sending = false
	m.sending = without(m.sending, c)
	if msg.err != nil {
		c.err = msg.err
		if m.compose == nil {
			m.compose = c
		}
		return nil
	}
	c.dropped = true
	if m.compose == c {
		m.compose = nil
	}
	m.top().base().list.wanted = msg.item
	drafts, id, space := m.s.drafts, msg.draft.ID(), msg.draft.Place.Space
	return func() tea.Msg {
		if err := drafts.Delete(id); err != nil {
			return failMsg{err}
		}
		return changedMsg{space: space, done: "sent"}
	}
}

func (m *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail(msg.err)
	}
	if m.compose != nil && msg.err == nil {
		m.compose.field = newField(msg.text, false)
		return m.compose.changed()
	}
	return m.top().update(msg)
}

// offerDrafts shows what was not sent.
func (m *Model) offerDrafts() tea.Cmd {
	drafts := m.s.drafts
	return func() tea.Msg {
		all, err := drafts.All()
		if err != nil {
			return failMsg{err}
		}
		var choices []choice
		for _, d := range all {
			if d.Conflict != "" {
				continue // it is offered where the conflict is
			}
			choices = append(choices, choice{d.About + ": " + d.Text, send(composeMsg{d})})
		}
		if len(choices) == 0 {
			return toastMsg{"there are no unsent texts"}
		}
		return pickMsg{"Go on with", choices}
	}
}

func contains(all []*composer, c *composer) bool { return len(without(all, c)) < len(all) }

func without(all []*composer, c *composer) []*composer {
	var rest []*composer
	for _, other := range all {
		if other != c {
			rest = append(rest, other)
		}
	}
	return rest
}
