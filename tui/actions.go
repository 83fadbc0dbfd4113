package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/browse"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/screens"
)

// sharedActions returns the actions available on every page.
func (m *Model) sharedActions() []components.Action {
	return slices.Concat([]components.Action{
		{
			Name: "open", Keys: []string{"enter", "right"}, Help: "open", Hint: m.openLabel(), Do: func() tea.Cmd {
				return m.top().Open()
			}, DisabledReason: m.nothingToOpenReason,
		},
		{Name: "back", Keys: []string{"esc", "left", "backspace"}, Help: "back", Do: m.back},
		{Name: "help", Keys: []string{"?"}, Help: "keys", Do: m.showHelp},
		{Name: "palette", Keys: []string{":", "ctrl+k"}, Help: "go anywhere, do anything: type some letters", Do: m.showPalette},
		{Name: "menu", Keys: []string{"."}, Help: "what can be done with the row under the cursor", Do: m.showMenu},
		{Name: "find", Keys: []string{"/"}, Help: "search here; tab: everywhere", Do: m.showFinder},
		{Name: "search", Help: "search in all texts", Do: func() tea.Cmd { return m.search("") }},
		{Name: "refresh", Keys: []string{"R", "f5"}, Help: "show what is newest; asks again where there was no answer", Do: m.refresh},
		{Name: "drafts", Keys: []string{"p"}, Help: "list drafts that are not sent", Do: m.editor.Offer},
		{Name: "undo", Keys: []string{"u"}, Help: "undo", Hint: m.undoHint(), Do: m.undoLast, DisabledReason: m.nothingToUndoReason},
		{Name: "copy-link", Keys: []string{"y"}, Help: "copy the link", Do: m.copyLink},
		{Name: "copy-quote", Keys: []string{"Y"}, Help: "copy the text here", Do: m.copyQuote},
		{Name: "copy-command", Keys: []string{"ctrl+y"}, Help: "copy the wsctl command", Do: m.copyCommand},
		{Name: "browser", Keys: []string{"o"}, Help: "open in the browser", Do: m.browse},
		{Name: "mouse", Help: "mouse on or off", Do: m.toggleMouse},
		{Name: "quit", Keys: []string{"q"}, Help: "quit", Do: m.handleQuitKey},
		{
			Name: "suspend", Keys: []string{"ctrl+z"}, Help: "suspend; fg in the shell continues", Do: m.suspend,
			DisabledReason: m.noSuspendReason,
		},
	}, m.tabActions(), m.movementActions(), m.sidewaysActions())
}

// opener is a page with its own label for opening the row under the cursor: "open", "unfold", or "" if nothing can be
// opened.
type opener interface{ OpenHint() string }

// openLabel returns the label of the open action for the footer.
func (m *Model) openLabel() string {
	if len(m.pages) == 0 { // there is no page while the key tables are built
		return ""
	}
	if p, ok := m.top().(opener); ok {
		return p.OpenHint()
	}
	return "open"
}

// incomingViewer is a page that displays incoming changes itself.
type incomingViewer interface{ ShowNew() tea.Cmd }

// nothingToOpenReason returns why the current row cannot be opened.
func (m *Model) nothingToOpenReason() string {
	if m.openLabel() == "" {
		return "nothing to open here"
	}
	return ""
}

// searchActions returns the actions of a displayed search. Otherwise their keys belong to the threads.
func (m *Model) searchActions() []components.Action {
	return []components.Action{
		{Name: "find-next", Keys: []string{"n"}, Help: "next hit", Hint: "next hit", Do: m.findNext(1), MovesCursor: true},
		{Name: "find-previous", Keys: []string{"N"}, Help: "previous hit", Do: m.findNext(-1), MovesCursor: true},
	}
}

// movementActions returns the actions that move the cursor on every page.
func (m *Model) movementActions() []components.Action {
	by := func(step func(*components.List)) func() tea.Cmd {
		return func() tea.Cmd { step(&m.top().Base().List); return nil }
	}
	return []components.Action{
		{Name: "down", Keys: []string{"j", "down"}, Help: "down", MovesCursor: true, Do: by(func(l *components.List) { l.Move(1) })},
		{Name: "up", Keys: []string{"k", "up"}, Help: "up", MovesCursor: true, Do: by(func(l *components.List) { l.Move(-1) })},
		{
			Name: "screen-down", Keys: []string{" ", "pgdown"}, Help: "next screenful; at the end of a changed page it marks it read and " +
				"goes on", Do: m.advance,
		},
		{
			Name: "screen-up", Keys: []string{"pgup"}, Help: "previous screenful", MovesCursor: true, Do: by(func(l *components.List) {
				l.Move(-m.screenful())
			}),
		},
		{
			Name: "half-down", Keys: []string{"ctrl+d"}, Help: "half a screen down", MovesCursor: true, Do: by(func(l *components.List) {
				l.Move(m.halfPage())
			}),
		},
		{
			Name: "half-up", Keys: []string{"ctrl+u"}, Help: "half a screen up", MovesCursor: true, Do: by(func(l *components.List) {
				l.Move(-m.halfPage())
			}),
		},
		{Name: "first", Keys: []string{"g", "home"}, Help: "first line", MovesCursor: true, Do: by((*components.List).First)},
		{Name: "last", Keys: []string{"G", "end"}, Help: "last line", MovesCursor: true, Do: by((*components.List).Last)},
	}
}

// keyTable is a table of actions and the pages that have them.
type keyTable struct {
	scope   string
	actions []components.Action
}

// keyTables returns all key tables, built from pages without content.
func keyTables() []keyTable {
	m := &Model{}
	tables := []keyTable{{"everywhere", m.sharedActions()}, {"searching", m.searchActions()}}
	for _, p := range slices.Concat(browse.EmptyPages(), []page.Page{&browse.Inbox{}, &browse.Activity{}}, screens.EmptyPages(),
		screens.EmptyConflictPages()) {
		tables = append(tables, keyTable{p.Kind(), p.Actions()})
	}
	return append(tables, keyTable{writingScope, new(Editor).Actions()}, keyTable{choosingScope, components.SelectorActions()})
}

// The scopes of the key tables of the text editor and of the selection of words. Their keys have other meanings on a page.
const (
	writingScope  = "writing"
	choosingScope = "choosing words"
)

// hasOwnKeys reports whether the keys of the table may have meanings other than on a page.
func (k keyTable) hasOwnKeys() bool { return k.scope == writingScope || k.scope == choosingScope }

// findKey returns the help text of a key that is used only on other pages, and the name of such a page. Both are
// empty if the key is not used at all.
func findKey(key string) (help, where string) {
	for _, t := range keyTables() {
		if t.hasOwnKeys() || t.scope == "searching" {
			continue
		}
		if a, ok := components.Find(t.actions, key); ok {
			return a.Help, t.scope
		}
	}
	return "", ""
}
