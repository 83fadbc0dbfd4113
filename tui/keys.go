package tui

import (
	"cmp"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/browse"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// receiveKey handles a key. While the receiver of keys is being loaded, keys are queued, so that text typed on a
// slow connection does not run actions.
func (m *Model) receiveKey(k tea.KeyMsg) tea.Cmd {
	if !m.session.AwaitsInput || k.String() == "ctrl+c" || k.String() == "ctrl+z" {
		return m.handleKeys(k)
	}
	m.pendingKeys = append(m.pendingKeys, k)
	return nil
}

// flushPendingKeys passes queued keys to their receiver. If it did not open, they are ignored, and so is text typed from then on
// without a pause.
func (m *Model) flushPendingKeys() tea.Cmd {
	if m.session.AwaitsInput {
		return nil
	}
	waited, awaited := m.pendingKeys, m.awaitsInput
	m.pendingKeys, m.awaitsInput = nil, false
	if m.overlay == nil && !m.editor.Writing() {
		if awaited || len(waited) > 0 {
			m.pauseUnlessOpen()
			m.pause.count(waited)
			m.editor.ignoredText = cmp.Or(m.pause.text, m.editor.ignoredText)
		}
		return nil
	}
	var cmds []tea.Cmd
	for _, k := range waited {
		cmds = append(cmds, m.receiveKey(k))
	}
	return tea.Batch(cmds...)
}

// handleKeys splits key messages with several runes, which slow connections send for a held key. A paste is not
// split, because it is text and must not run actions.
func (m *Model) handleKeys(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || len(k.Runes) < 2 || k.Paste || k.Alt {
		return m.handleKey(k)
	}
	var cmds []tea.Cmd
	for i, r := range k.Runes {
		if m.overlay == nil && m.editor.Writing() { // the remaining runes are text
			rest := k
			rest.Runes = k.Runes[i:]
			return tea.Batch(append(cmds, m.handleKey(rest))...)
		}
		if m.session.AwaitsInput {
			rest := k
			rest.Runes = k.Runes[i:]
			m.pendingKeys = append(m.pendingKeys, rest)
			return tea.Batch(cmds...)
		}
		cmds = append(cmds, m.handleKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
	}
	return tea.Batch(cmds...)
}

// handleKey passes a key to its receiver: the overlay, the composer or the page.
func (m *Model) handleKey(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		return m.exit()
	case "ctrl+z":
		return m.suspend()
	}
	afterQuit := m.keyLog.record(k, m.options.Now())
	if m.overlay != nil {
		return m.handleOverlayKey(k)
	}
	if m.editor.Writing() {
		return m.editor.Key(k)
	}
	if afterQuit {
		return m.askToQuit()
	}
	if m.pause.ignores(k, m.options.Now(), m.message.Text()) {
		m.message = m.pause.message()
		m.editor.ignoredText = cmp.Or(m.pause.text, m.editor.ignoredText)
		return nil
	}
	if p, ok := m.top().(keyReceiver); ok {
		if cmd, taken := p.Type(k); taken {
			m.message = render.Span{}
			return cmd
		}
	}
	if k.Paste {
		return nil
	}
	if m.height > 0 && len(m.top().Base().List.All()) == 0 { // the page was opened and not drawn yet
		page.Layout(m.top(), m.width)
	}
	if a, ok := components.Find(m.actions(), k.String()); ok {
		return m.perform(a)
	}
	m.message = render.In(render.Dim, m.unknownKeyHint(k.String()))
	if opensText(k.String()) {
		m.pauseUnlessOpen()
	}
	return nil
}

// handleOverlayKey passes a key to the overlay. If the key closes the overlay and further typed text may follow, such as after
// a letter that closes a question, that text is ignored until a pause.
func (m *Model) handleOverlayKey(k tea.KeyMsg) tea.Cmd {
	overlay := m.overlay
	m.message = render.Span{}
	cmd, done := components.Press(overlay, k)
	if done && m.overlay == overlay {
		m.overlay = nil
		if components.TextMayFollow(overlay, k) {
			m.pauseUnlessOpen()
		}
		if q, ok := overlay.(*components.Question); ok && q.Confirm && cmd == nil {
			m.message = render.In(render.Dim, "nothing done")
		}
	}
	return cmd
}

// unknownKeyHint returns the purpose of a key that has no action on this page, or "".
func (m *Model) unknownKeyHint(key string) string {
	if hint := m.digitHint(key); hint != "" {
		return hint
	}
	help, where := findKey(key)
	if help == "" {
		return ""
	}
	return fmt.Sprintf("%s does nothing here; on “%s” it is: %s", components.KeyNames([]string{key}), where, help)
}

// actions returns the available actions: those of the current page, then the shared ones. Actions of a displayed
// search come first.
func (m *Model) actions() []components.Action {
	shared := m.sharedActions()
	if _, own := components.Find(m.top().Actions(), "right"); own { // the page has its own action for the key right
		shared[0].Keys = []string{"enter"}
	}
	all := slices.Concat(shared[:1], m.top().Actions(), shared[1:]) // the action of ⏎ is listed first
	if m.marksRead() {
		on := slices.IndexFunc(all, func(a components.Action) bool { return a.Name == "screen-down" })
		reads := all[on]
		reads.Hint = "page down"
		all = slices.Insert(slices.Delete(all, on, on+1), 1, reads) // followed by the action of space
	}
	if _, wide := m.top().Base().List.Sideways(); wide {
		scrolls := m.sidewaysActions() // listed early, for their hint
		named := func(a components.Action) bool { return a.Name == scrolls[0].Name || a.Name == scrolls[1].Name }
		all = slices.Insert(slices.DeleteFunc(all, named), 1, scrolls...)
	}
	if m.top().Base().List.Searching() {
		finding := m.searchActions()
		taken := func(a components.Action) bool {
			return slices.ContainsFunc(finding, func(f components.Action) bool { return slices.Equal(f.Keys, a.Keys) })
		}
		return append(finding, slices.DeleteFunc(all, taken)...)
	}
	return all
}

// perform runs an action on the current page, whose rows are laid out before and marked as stale afterwards, unless the action
// only moves the cursor. It clears the message and the command of the last action.
func (m *Model) perform(a components.Action) tea.Cmd {
	m.message, m.command = render.Span{}, ""
	m.quitWarned = m.quitWarned && a.Name == "quit"
	p := m.top()
	p.Base().List.SelectKey("") // an explicit action overrides the wanted cursor position
	if m.height > 0 {
		page.Layout(p, m.width)
	}
	cmd := tea.Batch(m.markSeen(), a.Run())
	if !a.MovesCursor {
		page.MarkStale(p)
	}
	m.awaitsInput = m.session.AwaitsInput
	if a.OpensText {
		m.pauseUnlessOpen()
	}
	return cmd
}

func (m *Model) showHelp() tea.Cmd {
	var signs [][2]string
	if p, ok := m.top().(legend); ok {
		signs = p.Signs()
	}
	m.overlay = components.NewHelp(m.top().Kind(), m.top().Actions(), m.sharedActions(), signs)
	return nil
}

// legend is a page whose rows have signs. Signs returns each sign with its meaning.
type legend interface{ Signs() [][2]string }

// showMenu shows the actions for the row under the cursor.
func (m *Model) showMenu() tea.Cmd {
	of := components.MenuActions(m.top().Actions())
	if len(of) == 0 {
		return components.Toast("nothing is done with this row; : has what can be done on the page")
	}
	m.overlay = components.NewPalette(components.Entries(of, m.performChosen))
	return nil
}

// chosenMsg carries out an action that was chosen from a list and confirmed.
type chosenMsg struct{ action components.Action }

// performChosen runs an action that was chosen from a list, after its question.
func (m *Model) performChosen(a components.Action) tea.Cmd {
	if a.ListQuestion == "" {
		return m.perform(a)
	}
	m.overlay = components.NewConfirmation(a.ListQuestion, false, components.Send(chosenMsg{a}))
	return nil
}

func (m *Model) showFinder() tea.Cmd {
	l := &m.top().Base().List
	l.BeginSearch()
	page.Layout(m.top(), m.width)
	m.overlay = components.NewFinder(l, m.search)
	return nil
}

// search opens the search for words in the current space and everywhere.
func (m *Model) search(words string) tea.Cmd {
	if m.session.Organization == "" {
		return components.Toast("open an organization first")
	}
	return page.Push(browse.NewSearch(m.session, m.top().Space(), words))
}

// keyReceiver is a page that accepts typed text, except for the keys that move, open and leave.
type keyReceiver interface {
	Type(k tea.KeyMsg) (cmd tea.Cmd, taken bool)
}

// back ends a search, or pops the page.
func (m *Model) back() tea.Cmd {
	if l := &m.top().Base().List; l.Searching() {
		l.Search("")
		return nil
	}
	return m.pop()
}

// halfPage returns half the height of the page in rows.
func (m *Model) halfPage() int { return max((m.height-m.chromeHeight())/2, 1) }

// screenful returns the height of the page less two rows, which stay visible when paging.
func (m *Model) screenful() int { return max(m.height-m.chromeHeight()-2, 1) }

// advancer is a page with a successor.
type advancer interface{ Advance() tea.Cmd }

// marksRead reports whether advancing to the next page marks the current one as read.
func (m *Model) marksRead() bool {
	_, goes := m.top().(advancer)
	r, reads := m.top().(interface{ WillMarkRead() bool })
	return goes && reads && r.WillMarkRead()
}

// advance scrolls by one screenful. At the end of a page it opens the next one.
func (m *Model) advance() tea.Cmd {
	p := m.top()
	if p.Base().List.AtEnd() || p.Base().List.EndShown(m.height-m.chromeHeight()) {
		if g, ok := p.(advancer); ok {
			return g.Advance()
		}
	}
	p.Base().List.Move(m.screenful())
	return nil
}

// findNext returns a command that moves the cursor to the next match of the search.
func (m *Model) findNext(direction int) func() tea.Cmd {
	return func() tea.Cmd {
		f := m.top().Base()
		return f.Next(direction, "no hits", f.List.IsMatch)()
	}
}
