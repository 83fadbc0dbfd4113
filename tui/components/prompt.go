package components

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// prompt reads a line.
type prompt struct {
	question string
	field    Field
	done     func(written string) tea.Cmd
}

// NewPrompt returns what reads a line that begins with a text; done takes it, and nothing is done with an empty one.
func NewPrompt(question, begun string, done func(written string) tea.Cmd) Overlay {
	return &prompt{question: question, field: NewField(begun, true), done: done}
}

func (p *prompt) gestures() []gesture {
	return []gesture{
		{keys: []string{"enter", "ctrl+s"}, hint: "⏎ done", do: p.finish},
		{keys: []string{"esc"}, hint: "esc cancels", do: closed(nil)},
	}
}

func (p *prompt) finish() (tea.Cmd, bool) {
	written := strings.TrimSpace(p.field.String())
	if written == "" {
		return nil, true
	}
	return p.done(written), true
}

func (p *prompt) typed(k tea.KeyMsg) { p.field.Key(k) }

// View implements Overlay: the line stands under the page.
func (p *prompt) View(width, _ int) ([]text.Line, bool) {
	head := text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, p.question+" ")}
	return []text.Line{head.Cut(width), p.field.View(width, 1)[0].Cut(width)}, false
}
