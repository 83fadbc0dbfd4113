package components

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

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
	var rest []Action
	for _, a := range all {
		if len(a.Keys) == 0 {
			rest = append(rest, a)
			continue
		}
		h.add(KeyNames(a.Keys), a)
	}
	for _, a := range rest {
		h.add(":", a)
	}
}

func (h *help) add(keys string, a Action) {
	line := text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, "  "+text.Column(keys, keysWidth+4)), text.Plain(a.Help)}
	if why := a.unavailable(); why != "" {
		line = append(line, text.In(text.Dim, "  ("+why+")"))
	}
	h.lines = append(h.lines, line)
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

// View implements Overlay: the help stands in place of the page.
func (h *help) View(width, height int) ([]text.Line, bool) {
	h.top = max(0, min(h.top, len(h.lines)-height))
	var lines []text.Line
	for i := h.top; i < len(h.lines) && i < h.top+height; i++ {
		lines = append(lines, h.lines[i].Cut(width))
	}
	return lines, true
}
