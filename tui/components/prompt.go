package components

import (
	"slices"
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
	finished bool // closed by the key that ends the line
}

// NewPrompt returns the overlay that reads a line with an initial text; done receives the line unless it is empty.
// check returns the fault of a line while the user types, and may be nil: a line with a fault is not accepted.
func NewPrompt(question, text string, check func(line string) string, done func(line string) tea.Cmd) Overlay {
	return &prompt{question: question, field: NewField(text, true), done: done, check: check}
}

// invalidReason returns the reason why check rejects the line, or "" if the line is accepted or empty, or check is nil.
func (p *prompt) invalidReason() string {
	line := strings.TrimSpace(p.field.String())
	if p.check == nil || line == "" {
		return ""
	}
	return p.check(line)
}

func (p *prompt) bindings() []binding {
	empties := ""
	if p.field.String() != "" {
		empties = "ctrl+u empties"
	}
	return []binding{
		{keys: []string{"enter", "ctrl+s"}, hint: "⏎ done", do: p.finish},
		{keys: []string{"ctrl+u"}, hint: empties, do: keepOpen(func() { p.field = NewField("", true) })},
		{keys: []string{"esc"}, hint: "esc cancels", do: closeOverlay},
	}
}

func (p *prompt) finish() (tea.Cmd, bool) {
	line := strings.TrimSpace(p.field.String())
	switch {
	case p.invalidReason() != "":
		return nil, false
	case line == "":
		p.finished = true
		return nil, true
	}
	p.finished = true
	return p.done(line), true
}

func (p *prompt) handleKey(k tea.KeyMsg) bool {
	p.field.Key(k)
	return false
}

// TextMayFollow reports whether the key that closed an overlay may be part of a text: the key that ended the line of a prompt,
// or a letter that closed a question or the selection of words.
func TextMayFollow(o Overlay, k tea.KeyMsg) bool {
	switch o := o.(type) {
	case *prompt:
		return o.finished
	case *Question:
		return o.closedByText || slices.Contains([]string{"q", "n", "N"}, k.String())
	case *selector:
		return k.String() == "q"
	default:
		return false
	}
}

// FieldText returns the text that was typed.
func (p *prompt) FieldText() string { return p.field.String() }

// View implements Overlay: the line is drawn under the page.
func (p *prompt) View(width, _ int) ([]render.Line, bool) {
	head := render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, p.question)}
	if fault := p.invalidReason(); fault != "" {
		head = append(head, render.In(render.Failure, "  ! "+fault))
	}
	return []render.Line{head.Cut(width), p.field.View(width, 1)[0].Cut(width)}, false
}
