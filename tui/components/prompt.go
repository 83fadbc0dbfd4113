package components

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// prompt reads a line.
type prompt struct {
	question string
	field    Field
	done     func(written string) tea.Cmd
	check    func(written string) string
}

// NewPrompt returns what reads a line that begins with a text; done takes it, and nothing is done with an empty one. check says
// what is wrong with a line while it is typed, nil if none is: such a line is not taken.
func NewPrompt(question, begun string, check func(written string) string, done func(written string) tea.Cmd) Overlay {
	return &prompt{question: question, field: NewField(begun, true), done: done, check: check}
}

// fault says what is wrong with the line, "" for nothing.
func (p *prompt) fault() string {
	written := strings.TrimSpace(p.field.String())
	if p.check == nil || written == "" {
		return ""
	}
	return p.check(written)
}

func (p *prompt) gestures() []gesture {
	return []gesture{
		{keys: []string{"enter", "ctrl+s"}, hint: "⏎ done", do: p.finish},
		{keys: []string{"esc"}, hint: "esc cancels", do: closed(nil)},
	}
}

func (p *prompt) finish() (tea.Cmd, bool) {
	written := strings.TrimSpace(p.field.String())
	switch {
	case written == "":
		return nil, true
	case p.fault() != "":
		return nil, false
	}
	return p.done(written), true
}

func (p *prompt) typed(k tea.KeyMsg) { p.field.Key(k) }

// View implements Overlay: the line stands under the page.
func (p *prompt) View(width, _ int) ([]render.Line, bool) {
	head := render.Line{render.Of(render.Style{Tone: render.Accent, Bold: true}, p.question+" "), render.In(render.Failure, p.fault())}
	return []render.Line{head.Cut(width), p.field.View(width, 1)[0].Cut(width)}, false
}
