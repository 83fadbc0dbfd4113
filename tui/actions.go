package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/screens"
	"docspace.dev/wsd/tui/writing"
)

// shared are the actions of every page.
func (m *Model) shared() []components.Action {
	return slices.Concat([]components.Action{
		{Name: "open", Keys: []string{"enter", "l", "right"}, Help: "go in", Do: func() tea.Cmd { return m.top().Open() }},
		{Name: "back", Keys: []string{"esc", "h", "left", "backspace"}, Help: "go up one level", Do: m.back},
		{Name: "help", Keys: []string{"?"}, Help: "show the keys", Do: m.showHelp},
		{Name: "palette", Keys: []string{":", "ctrl+k"}, Help: "do something by its name", Do: m.showPalette},
		{Name: "find", Keys: []string{"/"}, Help: "search", Do: m.showFinder},
		{Name: "find-next", Keys: []string{"n"}, Help: "next match", Do: m.findNext(1), Moves: true},
		{Name: "find-previous", Keys: []string{"N"}, Help: "previous match", Do: m.findNext(-1), Moves: true},
		{Name: "refresh", Keys: []string{"R", "f5"}, Help: "load again", Do: func() tea.Cmd { return m.top().Load() }},
		{Name: "drafts", Keys: []string{"D"}, Help: "go on with an unsent text", Do: m.desk.Offer},
		{Name: "quit", Keys: []string{"q", "ctrl+c"}, Help: "quit", Do: m.leave},
	}, m.movements())
}

// movements are the actions that move the cursor on every page.
func (m *Model) movements() []components.Action {
	by := func(step func(*components.List)) func() tea.Cmd {
		return func() tea.Cmd { step(&m.top().Base().List); return nil }
	}
	return []components.Action{
		{Name: "down", Keys: []string{"j", "down"}, Help: "down", Moves: true, Do: by(func(l *components.List) { l.Move(1) })},
		{Name: "up", Keys: []string{"k", "up"}, Help: "up", Moves: true, Do: by(func(l *components.List) { l.Move(-1) })},
		{Name: "half-down", Keys: []string{"ctrl+d", "pgdown", " "}, Help: "half a screen down", Moves: true, Do: by(func(l *components.List) { l.Move(m.half()) })},
		{Name: "half-up", Keys: []string{"ctrl+u", "pgup"}, Help: "half a screen up", Moves: true, Do: by(func(l *components.List) { l.Move(-m.half()) })},
		{Name: "first", Keys: []string{"g", "home"}, Help: "first line", Moves: true, Do: by((*components.List).First)},
		{Name: "last", Keys: []string{"G", "end"}, Help: "last line", Moves: true, Do: by((*components.List).Last)},
		{Name: "next-item", Keys: []string{"}"}, Help: "next block", Moves: true, Do: by(func(l *components.List) { l.NextItem(1) })},
		{Name: "previous-item", Keys: []string{"{"}, Help: "previous block", Moves: true, Do: by(func(l *components.List) { l.NextItem(-1) })},
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
	tables := []keyTable{{"everywhere", m.shared()}}
	for _, p := range screens.Kinds() {
		tables = append(tables, keyTable{p.Kind(), p.Actions()})
	}
	return append(tables, keyTable{"writing", new(writing.Desk).Actions()})
}

// KeyTable returns the table of keys in Markdown, for the manual.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("| Where | Keys | What |\n|---|---|---|\n")
	for _, t := range keyTables() {
		for _, a := range t.actions {
			b.WriteString("| " + t.where + " | `" + strings.ReplaceAll(components.KeyNames(a.Keys), " ", "` `") + "` | " + a.Help + " |\n")
		}
	}
	return b.String()
}
