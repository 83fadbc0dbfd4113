package components

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// palette finds an action by its name.
type palette struct {
	field  Field
	all    []Action
	cursor int
	do     func(Action) tea.Cmd
}

// NewPalette returns what offers actions; do carries the chosen one out.
func NewPalette(all []Action, do func(Action) tea.Cmd) Overlay {
	return &palette{field: NewField("", true), all: all, do: do}
}

func (p *palette) matching() []Action {
	word := strings.ToLower(strings.TrimSpace(p.field.String()))
	var out []Action
	for _, a := range p.all {
		if strings.Contains(a.Name+" "+strings.ToLower(a.Help), word) {
			out = append(out, a)
		}
	}
	return out
}

func (p *palette) gestures() []gesture {
	return []gesture{
		{keys: []string{"enter"}, hint: "type a name  ⏎ does it", do: p.choose},
		{keys: []string{"esc", "ctrl+k"}, hint: "esc closes", do: closed(nil)},
		{keys: []string{"down", "tab"}, do: stays(func() { p.cursor = max(min(p.cursor+1, len(p.matching())-1), 0) })},
		{keys: []string{"up", "shift+tab"}, do: stays(func() { p.cursor = max(p.cursor-1, 0) })},
	}
}

func (p *palette) choose() (tea.Cmd, bool) {
	found := p.matching()
	if p.cursor >= len(found) {
		return nil, true
	}
	return p.do(found[p.cursor]), true
}

func (p *palette) typed(k tea.KeyMsg) {
	p.field.Key(k)
	p.cursor = 0
}

func (p *palette) View(width, height int) ([]text.Line, bool) {
	lines := []text.Line{text.Join(text.Line{text.In(text.Accent, ":")}, withCursor(p.field.lines[0], p.field.column))}
	found := p.matching()
	room := max(height-1, 0)
	top := max(0, min(p.cursor-room+1, len(found)-room))
	for i := top; i < len(found) && i < top+room; i++ {
		mark := "  "
		if i == p.cursor {
			mark = "▌ "
		}
		lines = append(lines, actionLine(mark, found[i]).Cut(width))
	}
	return lines, true
}

func actionLine(mark string, a Action) text.Line {
	return text.Line{
		text.In(text.Accent, mark), text.Of(text.Style{Bold: true}, text.Column(KeyNames(a.Keys), 20)),
		text.Plain(text.Column(a.Help, 30)), text.In(text.Dim, a.Name),
	}
}

// help shows the keys of a page, its own first.
type help struct {
	lines []text.Line
	top   int
}

// NewHelp returns what shows the keys of a kind of page and of all pages.
func NewHelp(kind string, own, shared []Action) Overlay {
	h := &help{}
	h.list("Keys here: "+kind, own)
	h.lines = append(h.lines, nil)
	h.list("Keys everywhere", shared)
	return h
}

func (h *help) list(title string, all []Action) {
	h.lines = append(h.lines, text.Line{text.Of(text.Style{Tone: text.Heading, Bold: true}, title)})
	for _, a := range all {
		h.lines = append(h.lines, actionLine("  ", a))
	}
}

func (h *help) gestures() []gesture {
	return []gesture{
		{keys: []string{"j", "down"}, hint: "j k scroll", do: h.scroll(1)},
		{keys: []string{"k", "up"}, do: h.scroll(-1)},
		{keys: []string{"ctrl+d", "pgdown", " "}, do: h.scroll(10)},
		{keys: []string{"ctrl+u", "pgup"}, do: h.scroll(-10)},
		{keys: []string{"esc", "q", "?", "enter"}, hint: "esc closes", do: closed(nil)},
	}
}

func (h *help) scroll(by int) func() (tea.Cmd, bool) {
	return stays(func() { h.top = max(0, min(h.top+by, len(h.lines)-1)) })
}

func (h *help) typed(tea.KeyMsg) {}

func (h *help) View(width, height int) ([]text.Line, bool) {
	h.top = max(0, min(h.top, len(h.lines)-height))
	var lines []text.Line
	for i := h.top; i < len(h.lines) && i < h.top+height; i++ {
		lines = append(lines, h.lines[i].Cut(width))
	}
	return lines, true
}
