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

// FieldText returns the text of the field that receives the keys. open is false if there is none.
func (m *Model) FieldText() (text string, open bool) {
	switch overlay := m.overlay.(type) {
	case nil:
		if m.editor.Writing() {
			return m.editor.composer.activeField().String(), true
		}
		return "", false
	case interface{ FieldText() string }:
		return overlay.FieldText(), true
	default:
		return "", false
	}
}

// HasOverlay reports whether something other than the page receives the keys.
func (m *Model) HasOverlay() bool { return m.overlay != nil }

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
			b.WriteString("| " + t.scope + " | " + keys + " | " + a.Help + " |\n")
		}
	}
	return b.String()
}

// UnreachableActions returns the actions of all pages that line mode does not run by the words of their help.
func UnreachableActions() (all []string) {
	shared := keyTables()[0].actions
	for _, t := range keyTables() {
		if t.scope == choosingScope { // in line mode, words are selected by their numbers
			continue
		}
		actions := t.actions
		if t.scope != keyTables()[0].scope {
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
				all = append(all, fmt.Sprintf("%s: %q runs %q", t.scope, a.Help, ran))
			}
		}
	}
	return all
}
