package tui

import "docspace.dev/wsd/tui/components"

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
