package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// action is something that a key or the palette does: a row of the table that each page has of its own, of the one
// that all pages share, or of the composer's. Keys, hints, help, palette and the table in the manual come from it.
type action struct {
	name string // in the palette
	keys []string
	help string         // what it does, for people
	hint string         // how the last line of the screen names it; empty for not at all
	do   func() tea.Cmd // carries it out

	// whyNot says why it cannot be done as things are, or nothing; without it, it always can.
	whyNot func() string
	// moves marks what leaves the rows as they are: it moves the cursor at most.
	moves bool
}

// run carries the action out, or says why it cannot be done.
func (a action) run() tea.Cmd {
	if reason := a.unavailable(); reason != "" {
		return toast("%s", reason)
	}
	return a.do()
}

// unavailable says why the action cannot be done as things are, or nothing.
func (a action) unavailable() string {
	if a.whyNot == nil {
		return ""
	}
	return a.whyNot()
}

func keys(names ...string) []string { return names }

// lookup returns the action of a key; the first table that has the key wins.
func lookup(all []action, key string) (action, bool) {
	at := slices.IndexFunc(all, func(a action) bool { return slices.Contains(a.keys, key) })
	if at < 0 {
		return action{}, false
	}
	return all[at], true
}

// shared are the actions of every page.
func (m *Model) shared() []action {
	return slices.Concat([]action{
		{name: "open", keys: keys("enter", "l", "right"), help: "go in", do: func() tea.Cmd { return m.top().open() }},
		{name: "back", keys: keys("esc", "h", "left", "backspace"), help: "go up one level", do: m.back},
		{name: "help", keys: keys("?"), help: "show the keys", do: m.showHelp},
		{name: "palette", keys: keys(":", "ctrl+k"), help: "do something by its name", do: m.showPalette},
		{name: "find", keys: keys("/"), help: "search", do: m.showFinder},
		{name: "find-next", keys: keys("n"), help: "next match", do: m.findNext(1), moves: true},
		{name: "find-previous", keys: keys("N"), help: "previous match", do: m.findNext(-1), moves: true},
		{name: "refresh", keys: keys("R", "f5"), help: "load again", do: func() tea.Cmd { return m.top().load() }},
		{name: "drafts", keys: keys("D"), help: "go on with an unsent text", do: m.offerDrafts},
		{name: "quit", keys: keys("q", "ctrl+c"), help: "quit", do: m.leave},
	}, m.movements())
}

// movements are the actions that move the cursor on every page.
func (m *Model) movements() []action {
	by := func(step func(*list)) func() tea.Cmd {
		return func() tea.Cmd { step(&m.top().base().list); return nil }
	}
	return []action{
		{name: "down", keys: keys("j", "down"), help: "down", moves: true, do: by(func(l *list) { l.move(1) })},
		{name: "up", keys: keys("k", "up"), help: "up", moves: true, do: by(func(l *list) { l.move(-1) })},
		{name: "half-down", keys: keys("ctrl+d", "pgdown", " "), help: "half a screen down", moves: true, do: by(func(l *list) { l.move(m.half()) })},
		{name: "half-up", keys: keys("ctrl+u", "pgup"), help: "half a screen up", moves: true, do: by(func(l *list) { l.move(-m.half()) })},
		{name: "first", keys: keys("g", "home"), help: "first line", moves: true, do: by(func(l *list) { l.move(-len(l.rows)) })},
		{name: "last", keys: keys("G", "end"), help: "last line", moves: true, do: by(func(l *list) { l.move(len(l.rows)) })},
		{name: "next-item", keys: keys("}"), help: "next block", moves: true, do: by(func(l *list) { l.nextItem(1) })},
		{name: "previous-item", keys: keys("{"), help: "previous block", moves: true, do: by(func(l *list) { l.nextItem(-1) })},
	}
}

// composing are the actions while a text is being written.
func (m *Model) composing() []action {
	return []action{
		{name: "send", keys: keys("ctrl+d"), help: "send", hint: "send", do: m.send},
		{name: "editor", keys: keys("ctrl+e"), help: "write in $EDITOR", hint: "editor", do: func() tea.Cmd { return m.s.edit(m.compose.field.String()) }},
		{name: "keep", keys: keys("esc"), help: "keep for later", hint: "keep", do: m.keep},
		{name: "discard", keys: keys("ctrl+x"), help: "throw away", hint: "throw away", do: m.discard, whyNot: m.onItsWay},
	}
}

// keyNames writes keys for people.
func keyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = keyName(k)
	}
	return strings.Join(names, " ")
}

func keyName(key string) string {
	switch key {
	case " ":
		return "space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	default:
		return key
	}
}

// keyTable is a table of actions, and where they are to be had.
type keyTable struct {
	where   string
	actions []action
}

// keyTables are all there are, each from a page without content.
func keyTables() []keyTable {
	m := &Model{}
	tables := []keyTable{{"everywhere", m.shared()}}
	for _, p := range []page{
		&organizations{}, &spaces{}, &tree{}, &reader{}, &requests{}, &request{}, &change{}, &comments{}, &conflicts{},
	} {
		tables = append(tables, keyTable{p.kind(), p.actions()})
	}
	return append(tables, keyTable{"writing", m.composing()})
}

// KeyTable returns the table of keys in Markdown, for the manual.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("| Where | Keys | What |\n|---|---|---|\n")
	for _, t := range keyTables() {
		for _, a := range t.actions {
			b.WriteString("| " + t.where + " | `" + strings.ReplaceAll(keyNames(a.keys), " ", "` `") + "` | " + a.help + " |\n")
		}
	}
	return b.String()
}
