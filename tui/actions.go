package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/browse"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/screens"
)

// shared are the actions of every page.
func (m *Model) shared() []components.Action {
	return slices.Concat([]components.Action{
		{Name: "open", Keys: []string{"enter", "right"}, Help: "open", Hint: m.opens(), Do: func() tea.Cmd { return m.top().Open() }, WhyNot: m.notOpen},
		{Name: "back", Keys: []string{"esc", "left", "backspace"}, Help: "back", Do: m.back},
		{Name: "help", Keys: []string{"?"}, Help: "keys", Do: m.showHelp},
		{Name: "palette", Keys: []string{":", "ctrl+k"}, Help: "go anywhere, do anything: type some letters", Do: m.showPalette},
		{Name: "menu", Keys: []string{"."}, Help: "what can be done with the row under the cursor", Do: m.showMenu},
		{Name: "find", Keys: []string{"/"}, Help: "search here; tab: everywhere", Do: m.showFinder},
		{Name: "search", Help: "search in all texts", Do: func() tea.Cmd { return m.search("") }},
		{Name: "refresh", Keys: []string{"R", "f5"}, Help: "show updates", Do: m.refresh},
		{Name: "drafts", Keys: []string{"p"}, Help: "list drafts that are not sent", Do: m.desk.Offer},
		{Name: "undo", Keys: []string{"u"}, Help: "undo", Hint: m.undoHint(), Do: m.undoLast, WhyNot: m.nothingToUndo},
		{Name: "copy-link", Keys: []string{"y"}, Help: "copy the link", Do: m.copyLink},
		{Name: "copy-quote", Keys: []string{"Y"}, Help: "copy the text here", Do: m.copyQuote},
		{Name: "copy-command", Help: "copy the wsctl command", Do: m.copyCommand},
		{Name: "browser", Keys: []string{"o"}, Help: "open in the browser", Do: m.browse},
		{Name: "mouse", Help: "mouse on or off", Do: m.turnMouse},
		{Name: "quit", Keys: []string{"q"}, Help: "quit", Do: m.quit},
	}, m.tabActions(), m.movements())
}

// opener is a page that says what opening the row under the cursor is: "open", "unfold", or nothing when it is nothing.
type opener interface{ Opens() string }

// opens is what opening the row under the cursor is, for the last line of the screen.
func (m *Model) opens() string {
	if len(m.pages) == 0 { // for the table of keys
		return ""
	}
	if p, ok := m.top().(opener); ok {
		return p.Opens()
	}
	return "open"
}

// shower is a page that shows itself what came in.
type shower interface{ ShowNew() tea.Cmd }

// notOpen says why there is nothing to open.
func (m *Model) notOpen() string {
	if m.opens() == "" {
		return "nothing to open here"
	}
	return ""
}

// finding are the actions while a search is shown; their keys are those of the threads otherwise.
func (m *Model) finding() []components.Action {
	return []components.Action{
		{Name: "find-next", Keys: []string{"n"}, Help: "next hit", Hint: "next hit", Do: m.findNext(1), Moves: true},
		{Name: "find-previous", Keys: []string{"N"}, Help: "previous hit", Do: m.findNext(-1), Moves: true},
	}
}

// movements are the actions that move the cursor on every page.
func (m *Model) movements() []components.Action {
	by := func(step func(*components.List)) func() tea.Cmd {
		return func() tea.Cmd { step(&m.top().Base().List); return nil }
	}
	return []components.Action{
		{Name: "down", Keys: []string{"j", "down"}, Help: "down", Moves: true, Do: by(func(l *components.List) { l.Move(1) })},
		{Name: "up", Keys: []string{"k", "up"}, Help: "up", Moves: true, Do: by(func(l *components.List) { l.Move(-1) })},
		{Name: "screen-down", Keys: []string{" ", "pgdown"}, Help: "next screenful; at the end of a changed page it marks it read and goes on", Do: m.readOn},
		{Name: "screen-up", Keys: []string{"pgup"}, Help: "previous screenful", Moves: true, Do: by(func(l *components.List) { l.Move(-m.screenful()) })},
		{Name: "half-down", Keys: []string{"ctrl+d"}, Help: "half a screen down", Moves: true, Do: by(func(l *components.List) { l.Move(m.half()) })},
		{Name: "half-up", Keys: []string{"ctrl+u"}, Help: "half a screen up", Moves: true, Do: by(func(l *components.List) { l.Move(-m.half()) })},
		{Name: "first", Keys: []string{"g", "home"}, Help: "first line", Moves: true, Do: by((*components.List).First)},
		{Name: "last", Keys: []string{"G", "end"}, Help: "last line", Moves: true, Do: by((*components.List).Last)},
	}
}

// keyTable is a table of actions, and where they are to be had.
type keyTable struct {
	where   string
	actions []components.Action
}

// keyTables are all there are, each from a page without content.
func keyTables() []keyTable {
	m := &Model{}
	tables := []keyTable{{"everywhere", m.shared()}, {"searching", m.finding()}}
	for _, p := range slices.Concat(browse.Kinds(), []page.Page{&browse.Inbox{}, &browse.Activity{}}, screens.Kinds(), screens.ConflictPages()) {
		tables = append(tables, keyTable{p.Kind(), p.Actions()})
	}
	return append(tables, keyTable{"writing", new(Editor).Actions()})
}

// elsewhere says what a key does on other pages than the one that is shown, and on which one; nothing if it does nothing.
func elsewhere(key string) (help, where string) {
	for _, t := range keyTables() {
		if t.where == "writing" || t.where == "searching" {
			continue
		}
		if a, ok := components.Find(t.actions, key); ok {
			return a.Help, t.where
		}
	}
	return "", ""
}

// KeyTable returns the table of keys in Markdown, for the manual.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("| Where | Keys | What |\n|---|---|---|\n")
	for _, t := range keyTables() {
		for _, a := range t.actions {
			keys := "in the menu"
			if len(a.Keys) > 0 {
				keys = "`" + strings.ReplaceAll(components.KeyNames(a.Keys), " ", "` `") + "`"
			}
			b.WriteString("| " + t.where + " | " + keys + " | " + a.Help + " |\n")
		}
	}
	return b.String()
}

// Commands are one of each wsctl command that the screen names, for a test that wsctl has them.
func Commands() []string {
	return slices.Concat(browse.Commands(), screens.Commands(), screens.ConflictCommands(), WritingCommands())
}
