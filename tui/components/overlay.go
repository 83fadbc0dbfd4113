package components

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// Overlay is a component that takes the keys for a while.
type Overlay interface {
	// gestures are the keys that mean something to it.
	gestures() []gesture
	// typed takes any other key.
	typed(k tea.KeyMsg)
	// View draws the overlay; full says whether instead of the page or under it.
	View(width, height int) (lines []text.Line, full bool)
}

// gesture is what keys do while an overlay has them: a row of its table.
type gesture struct {
	keys []string
	hint string // for the last line of the screen; empty for not at all
	do   func() (cmd tea.Cmd, done bool)
}

// closed returns what closes an overlay and does something.
func closed(cmd tea.Cmd) func() (tea.Cmd, bool) {
	return func() (tea.Cmd, bool) { return cmd, true }
}

// stays returns what changes an overlay and keeps it open.
func stays(change func()) func() (tea.Cmd, bool) {
	return func() (tea.Cmd, bool) { change(); return nil, false }
}

// Press gives a key to an overlay; done closes it.
func Press(o Overlay, k tea.KeyMsg) (cmd tea.Cmd, done bool) {
	key := k.String()
	for _, g := range o.gestures() {
		if slices.Contains(g.keys, key) {
			return g.do()
		}
	}
	o.typed(k)
	return nil, false
}

// OverlayHints are the keys of an overlay for the last line.
func OverlayHints(o Overlay) text.Line {
	var hints []string
	for _, g := range o.gestures() {
		if g.hint != "" {
			hints = append(hints, g.hint)
		}
	}
	return text.Line{text.In(text.Dim, strings.Join(hints, "  "))}
}
