package components

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// help shows the keys of a page, followed by the keys of all pages.
type help struct {
	lines  []helpLine
	top    int // index of the first visible line
	height int // height of the window when last drawn
}

// helpLine is a key or a sign with its meaning, or a title.
type helpLine struct {
	key  string
	text render.Line
}

// NewHelp returns the overlay with the keys of a kind of page and of all pages, and the meanings of the signs on the
// page.
func NewHelp(kind string, own, shared []Action, signs [][2]string) Overlay {
	h := &help{}
	h.list("Keys here: "+kind, own, hasKey)
	if len(signs) > 0 {
		h.title("Signs here")
	}
	for _, s := range signs {
		h.lines = append(h.lines, helpLine{s[0], render.Line{render.Plain(s[1])}})
	}
	h.list("Keys everywhere", shared, hasKey)
	h.list("More, without a key: press : (or . here) and type some letters of it", slices.Concat(own, shared), func(a Action) bool {
		return !hasKey(a)
	})
	return h
}

// hasKey reports whether an action has a key.
func hasKey(a Action) bool { return len(a.Keys) > 0 }

func (h *help) title(title string) {
	if len(h.lines) > 0 {
		h.lines = append(h.lines, helpLine{})
	}
	h.lines = append(h.lines, helpLine{text: render.Line{render.NewSpan(render.Style{Tone: render.Heading, Bold: true}, title)}})
}

// list adds the actions for which match is true, below a title.
func (h *help) list(title string, all []Action, fits func(Action) bool) {
	if !slices.ContainsFunc(all, fits) {
		return
	}
	h.title(title)
	for _, a := range all {
		if fits(a) {
			h.add(KeyNames(a.Keys), a)
		}
	}
}

func (h *help) add(keys string, a Action) {
	line := render.Line{render.Plain(a.Help)}
	if reason := a.disabledReason(); reason != "" {
		line = append(line, render.In(render.Dim, "  ("+reason+")"))
	}
	if keys == "" {
		line = render.Join(render.Line{render.Plain("  ")}, line)
	}
	h.lines = append(h.lines, helpLine{keys, line})
}

func (h *help) bindings() []binding {
	return []binding{
		{keys: []string{"j", "down"}, hint: "j k scroll", do: h.scroll(1)},
		{keys: []string{"k", "up"}, do: h.scroll(-1)},
		{keys: []string{"ctrl+d", "pgdown", " "}, do: h.scroll(h.screenful())},
		{keys: []string{"ctrl+u", "pgup"}, do: h.scroll(-h.screenful())},
		{keys: []string{"g", "home"}, do: h.scroll(-h.top)},
		{keys: []string{"G", "end"}, do: h.scroll(1 << 20)},
		{keys: []string{"esc", "q", "?", "enter"}, hint: "esc closes", do: closeOverlay},
	}
}

// screenful returns the number of lines to scroll by: the height of the window without the last line and one line of
// context.
func (h *help) screenful() int { return max(h.height-2, 1) }

func (h *help) scroll(by int) func() (tea.Cmd, bool) {
	return keepOpen(func() { h.top = max(0, h.top+by) })
}

func (h *help) typed(tea.KeyMsg) bool { return false }

// wrapLines wraps the lines to a width, with the descriptions in a column after the keys.
func (h *help) wrapLines(width int) []render.Line {
	column := min(keysWidth+4, width/3)
	indent := render.Line{render.Plain(strings.Repeat(" ", column+2))}
	var lines []render.Line
	for _, l := range h.lines {
		if l.key == "" {
			lines = append(lines, render.Wrap(l.text, width, render.Line{render.Plain("    ")})...)
			continue
		}
		key := render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "  "+render.PadColumn(l.key, column))}
		lines = append(lines, render.Wrap(render.Join(key, l.text), width, indent)...)
	}
	return lines
}

// View implements Overlay: the help replaces the page.
func (h *help) View(width, height int) ([]render.Line, bool) {
	all := h.wrapLines(width)
	h.height = height
	h.top = max(0, min(h.top, len(all)-height))
	lines := slices.Clone(all[min(h.top, len(all)):min(h.top+max(height, 0), len(all))])
	if more := len(all) - h.top - len(lines); more > 0 && len(lines) > 1 {
		lines[len(lines)-1] = render.Line{render.In(render.Dim, "┄┄ "+render.Plural(more+1, "more line")+": j or space")}.Cut(width)
	}
	return lines, true
}
