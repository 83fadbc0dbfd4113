package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// typingPause is the time without a key that separates typed text from keys that run actions.
const typingPause = 600 * time.Millisecond

// pause is the state after a key that opens a text field was refused. Text that is typed without a pause was meant for
// the field, and is ignored.
type pause struct {
	active  bool
	last    time.Time // time of the last key, or of the refusal
	ignored int       // number of ignored characters and keys
	text    string    // ignored text, at most maxIgnoredSize bytes
	reason  string    // why the field did not open
}

// begin begins a pause.
func (p *pause) begin(now time.Time) { *p = pause{active: true, last: now} }

// ignores reports whether a key is ignored. esc ends the pause. shown is the message on the screen, at first the reason
// why no field opened.
func (p *pause) ignores(k tea.KeyMsg, now time.Time, shown string) bool {
	if !p.active {
		return false
	}
	if now.Sub(p.last) >= typingPause {
		*p = pause{}
		return false
	}
	p.last = now
	switch {
	case k.Type == tea.KeyEsc:
		*p = pause{}
		return true
	case !isTyped(k):
		return false
	case p.ignored == 0:
		p.reason = shown
	}
	p.count([]tea.KeyMsg{k})
	return true
}

// count adds the typed keys among keys to the number of ignored keys and, up to maxIgnoredSize, to the ignored text. It does
// nothing if no pause is active.
func (p *pause) count(keys []tea.KeyMsg) {
	for _, k := range keys {
		if !p.active || !isTyped(k) {
			continue
		}
		p.ignored += max(len(k.Runes), 1)
		if typed := typedText(k); len(p.text)+len(typed) <= maxIgnoredSize {
			p.text += typed
		}
	}
}

// maxIgnoredSize limits the ignored text that is kept, in bytes.
const maxIgnoredSize = 64 << 10

// typedText returns the text of a key; a backspace has none.
func typedText(k tea.KeyMsg) string {
	switch k.Type {
	case tea.KeyEnter:
		return "\n"
	case tea.KeySpace:
		return " "
	default:
		return string(k.Runes)
	}
}

// message describes the ignored keys, or is empty if there are none.
func (p *pause) message() render.Span {
	if p.ignored == 0 {
		return render.Span{}
	}
	text := render.Plural(p.ignored, "key") + " ignored: wait a moment, or press esc"
	if p.reason != "" {
		text += " · " + p.reason
	}
	return render.In(render.Warning, text)
}

// isTyped reports whether a key belongs to typed text: a character, a space, ⏎ or backspace.
func isTyped(k tea.KeyMsg) bool {
	switch k.Type {
	case tea.KeyRunes, tea.KeySpace, tea.KeyEnter, tea.KeyBackspace:
		return !k.Alt
	default:
		return false
	}
}

// opensText reports whether a key opens a text field on some page.
func opensText(key string) bool {
	for _, t := range keyTables() {
		if a, ok := components.Find(t.actions, key); ok && a.OpensText {
			return true
		}
	}
	return false
}

// pauseUnlessOpen begins a pause unless an overlay, a text field or a field that is being opened receives the text that the
// user may type. In line mode there is no pause, because lines are not typed ahead.
func (m *Model) pauseUnlessOpen() {
	if m.overlay == nil && !m.editor.Writing() && !m.session.AwaitsInput && !m.lineMode {
		m.pause.begin(m.options.Now())
	}
}

// endPause ends the pause when an external editor has ended, because that editor has received the typed text.
func (m *Model) endPause(msg tea.Msg) {
	switch msg.(type) {
	case page.EditedMsg, page.FileEditedMsg:
		m.pause = pause{}
	}
}
