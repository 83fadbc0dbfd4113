package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
)

// SharedActions returns the actions available on every page.
func (m *Model) SharedActions() []components.Action { return m.sharedActions() }

// ActionKeys returns the keys of all actions.
func ActionKeys() (keys []string) {
	for _, table := range keyTables() {
		for _, a := range table.actions {
			keys = append(keys, a.Keys...)
		}
	}
	return keys
}

// KeyTable returns the table of keys in Markdown for the manual.
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

// UnreachableActions returns the actions of all pages that the words of their help do not run by the line.
func UnreachableActions() (all []string) {
	shared := keyTables()[0].actions
	for _, t := range keyTables() {
		actions := t.actions
		if t.where != keyTables()[0].where {
			actions = slices.Concat(t.actions, shared)
		}
		actions = slices.Clone(actions)
		for i := range actions {
			actions[i].DisabledReason = nil // there is no page
		}
		for _, a := range t.actions {
			ran := ""
			entries := components.Entries(actions, func(found components.Action) tea.Cmd { ran = found.Help; return nil })
			if _, ok := components.NewPalette(entries).RunBest(a.Help); !ok || ran != a.Help {
				all = append(all, fmt.Sprintf("%s: %q runs %q", t.where, a.Help, ran))
			}
		}
	}
	return all
}
