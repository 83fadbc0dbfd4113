package tui

import (
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
		cmd, done := press(overlay, k)
		if done && m.overlay == overlay {
			m.overlay = nil
		}
		return cmd
	}
	if m.compose != nil {
		return m.composeKey(k)
	}
	if a, ok := lookup(m.actions(), k.String()); ok && !k.Paste {
		return m.do(a)
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

// actions are what can be done now: those of the page that is shown, and then those of all pages.
func (m *Model) actions() []action { return append(m.top().actions(), m.shared()...) }

// do carries out an action on the page that is shown.
func (m *Model) do(a action) tea.Cmd {
	m.message = text.Span{}
	p := m.top()
	p.base().list.wanted = "" // who acts goes where they like
	if m.height > 0 {
		lay(p, ownWidth(p, m.width))
	}
	cmd := a.run()
	if !a.moves {
		p.base().stale = true
	}
	return cmd
}

func (m *Model) showHelp() tea.Cmd {
	m.overlay = newHelp(m.top().kind(), m.top().actions(), m.shared())
	return nil
}

func (m *Model) showPalette() tea.Cmd {
	m.overlay = newPalette(m.actions(), m.do)
	return nil
}

func (m *Model) showFinder() tea.Cmd {
	m.overlay = newFinder(&m.top().base().list)
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

// half is half the height of the page.
func (m *Model) half() int { return max((m.height-chrome)/2, 1) }

// findNext returns what goes to the next row that has the word that was searched for.
func (m *Model) findNext(direction int) func() tea.Cmd {
	return func() tea.Cmd {
		f := m.top().base()
		return f.next(direction, func(r row) bool { return f.list.find != "" && r.matches(f.list.find) })()
	}
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
	if a, ok := lookup(m.composing(), k.String()); ok && !k.Paste {
		return a.run()
	}
	c := m.compose
	if c.sending {
		return nil
	}
	c.field.key(k)
	return c.changed()
}

func (m *Model) send() tea.Cmd {
	c := m.compose
	cmd := c.send()
	if c.sending && !contains(m.sending, c) {
		m.sending = append(m.sending, c)
	}
	return cmd
}

// keep closes the composer; its text stays in the journal.
func (m *Model) keep() tea.Cmd {
	c := m.compose
	m.compose = nil
	if c.sending || c.draft.Text == "" {
		return nil
	}
	return tea.Batch(c.changed(), toast("kept: D goes on with it"))
}

// discard asks before a text is thrown away.
func (m *Model) discard() tea.Cmd {
	return send(confirmMsg{"Throw this text away?", send(discardMsg{m.compose})})
}

// onItsWay says why a text that is being sent cannot be thrown away.
func (m *Model) onItsWay() string {
	if m.compose.sending {
		return "it is on its way"
	}
	return ""
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
		return told("thrown away")
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
			return told("there are no unsent texts")
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
