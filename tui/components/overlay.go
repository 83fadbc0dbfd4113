package components

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Overlay is a component that takes the keys for a while.
type Overlay interface {
	// gestures are the keys that mean something to it.
	gestures() []gesture
	// typed takes any other key.
	typed(k tea.KeyMsg)
	// View draws the overlay; full says whether instead of the page or under it.
	View(width, height int) (lines []render.Line, full bool)
}

// gesture is what keys do while an overlay has them: a row of its table.
type gesture struct {
	keys []string
	help string // what they do, where an overlay lists its keys
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
func OverlayHints(o Overlay) render.Line {
	var line render.Line
	for _, g := range o.gestures() {
		if g.hint == "" {
			continue
		}
		if len(line) > 0 {
			line = append(line, render.Plain("  "))
		}
		keys, does := hintOf(g)
		line = append(line, render.Of(render.Style{Tone: render.Accent, Bold: true}, keys), render.In(render.Dim, does))
	}
	return line
}

// hintOf cuts a hint into the keys that it begins with, which stand out as those of pages do, and what they do.
func hintOf(g gesture) (keys, does string) {
	does = g.hint
	for {
		word, rest, more := strings.Cut(does, " ")
		isKey := strings.ContainsAny(word, "←→↑↓jk") && utf8.RuneCountInString(word) == 1 || slices.ContainsFunc(g.keys, func(k string) bool { return keyName(k) == word })
		if !more || !isKey {
			return keys, does
		}
		keys, does = keys+word+" ", rest
	}
}
