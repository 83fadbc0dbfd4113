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
	done     func(line string) tea.Cmd
	check    func(line string) string
}

// NewPrompt returns the overlay that reads a line with an initial text; done receives the line unless it is empty.
// check returns the fault of a line while the user types, and may be nil: a line with a fault is not accepted.
func NewPrompt(question, text string, check func(line string) string, done func(line string) tea.Cmd) Overlay {
	return &prompt{question: question, field: NewField(text, true), done: done, check: check}
}

// fault returns the fault of the line, or "".
func (p *prompt) fault() string {
	line := strings.TrimSpace(p.field.String())
	if p.check == nil || line == "" {
		return ""
	}
	return p.check(line)
}

func (p *prompt) bindings() []binding {
	return []binding{
		{keys: []string{"enter", "ctrl+s"}, hint: "⏎ done", do: p.finish},
		{keys: []string{"esc"}, hint: "esc cancels", do: closeOverlay},
	}
}

func (p *prompt) finish() (tea.Cmd, bool) {
	line := strings.TrimSpace(p.field.String())
	switch {
	case line == "":
		return nil, true
	case p.fault() != "":
		return nil, false
	}
	return p.done(line), true
}

func (p *prompt) typed(k tea.KeyMsg) bool {
	p.field.Key(k)
	return false
}

// View implements Overlay: the line is drawn under the page.
func (p *prompt) View(width, _ int) ([]render.Line, bool) {
	head := render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, p.question+" "), render.In(render.Failure, p.fault())}
	return []render.Line{head.Cut(width), p.field.View(width, 1)[0].Cut(width)}, false
}
