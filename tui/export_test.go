package tui

import (
	"strings"

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
