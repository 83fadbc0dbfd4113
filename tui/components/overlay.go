package components

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Overlay is a component that receives the keys while it is open.
type Overlay interface {
	// bindings returns the keys of the overlay.
	bindings() []binding
	// handleKey handles all other keys, and reports whether the overlay is closed.
	handleKey(k tea.KeyMsg) (done bool)
	// View draws the overlay; full reports whether it replaces the page or is drawn under it.
	View(width, height int) (lines []render.Line, full bool)
}

// binding is a row of the table of keys of an overlay.
type binding struct {
	keys []string
	help string // description in the help of the overlay
	hint string // text for the last line of the screen, or ""
	do   func() (cmd tea.Cmd, done bool)
}

// closeOverlay is the function of keys that only close the overlay: it returns no command, and done is true.
func closeOverlay() (cmd tea.Cmd, done bool) { return nil, true }

// keepOpen returns the function of a key that calls change and keeps the overlay open.
func keepOpen(change func()) func() (tea.Cmd, bool) {
	return func() (tea.Cmd, bool) { change(); return nil, false }
}

// Press passes a key to an overlay; done reports that the overlay is closed.
func Press(o Overlay, k tea.KeyMsg) (cmd tea.Cmd, done bool) {
	key := k.String()
	for _, g := range o.bindings() {
		if slices.Contains(g.keys, key) {
			return g.do()
		}
	}
	return nil, o.handleKey(k)
}

// OverlayHints returns the hints of an overlay for the last line of the screen.
func OverlayHints(o Overlay) render.Line {
	var line render.Line
	for _, g := range o.bindings() {
		if g.hint == "" {
			continue
		}
		if len(line) > 0 {
			line = append(line, render.Plain("  "))
		}
		keys, text := splitHint(g)
		line = append(line, render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, keys), render.In(render.Dim, text))
	}
	return line
}

// splitHint splits a hint into its keys, which are drawn like those of pages, and the text.
func splitHint(g binding) (keys, text string) {
	text = g.hint
	for {
		word, rest, more := strings.Cut(text, " ")
		isKey := strings.ContainsAny(word, "←→↑↓jk") && utf8.RuneCountInString(word) == 1 ||
			slices.ContainsFunc(g.keys, func(k string) bool {
				return keyName(k) == word
			})
		if !more || !isKey {
			return keys, text
		}
		keys, text = keys+word+" ", rest
	}
}
