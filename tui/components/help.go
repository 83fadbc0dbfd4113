package components

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// help shows the keys of a page, followed by the keys of all pages.
type help struct {
	lines     []helpLine
	top       int // index of the first visible line
	height    int // height of the window when last drawn
	filter    string
	filtering bool // typed text is added to the filter
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
	h.addActions("Keys here: "+kind, own, hasKey)
	if len(signs) > 0 {
		h.addTitle("Signs here")
	}
	for _, s := range signs {
		h.lines = append(h.lines, helpLine{s[0], render.Line{render.Plain(s[1])}})
	}
	h.addActions("Keys everywhere", shared, hasKey)
	h.addActions("More, without a key: press : (or . here) and type some letters of it", slices.Concat(own, shared), func(a Action) bool {
		return !hasKey(a)
	})
	return h
}

// hasKey reports whether an action has a key.
func hasKey(a Action) bool { return len(a.Keys) > 0 }

func (h *help) addTitle(title string) {
	if len(h.lines) > 0 {
		h.lines = append(h.lines, helpLine{})
	}
	h.lines = append(h.lines, helpLine{text: render.Line{render.NewSpan(render.Style{Tone: render.Heading, Bold: true}, title)}})
}

// addActions adds the actions for which fits is true, below a title.
func (h *help) addActions(title string, all []Action, fits func(Action) bool) {
	if !slices.ContainsFunc(all, fits) {
		return
	}
	h.addTitle(title)
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
	if h.filtering {
		return []binding{
			{keys: []string{"enter"}, hint: "type some letters  ⏎ done", do: keepOpen(func() { h.filtering = false })},
			{keys: []string{"esc"}, hint: "esc all keys", do: keepOpen(func() { h.filtering, h.filter, h.top = false, "", 0 })},
			{keys: []string{"backspace"}, do: keepOpen(func() {
				_, size := utf8.DecodeLastRuneInString(h.filter)
				h.filter = h.filter[:len(h.filter)-size]
			})},
		}
	}
	return []binding{
		{keys: []string{"/"}, hint: "/ filter", do: keepOpen(func() { h.filtering = true })},
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

// handleKey adds typed text to the filter while the filter is being edited. It returns false, so that the help stays open.
func (h *help) handleKey(k tea.KeyMsg) bool {
	if h.filtering && (k.Type == tea.KeyRunes || k.Type == tea.KeySpace) {
		h.filter, h.top = h.filter+string(k.Runes), 0
	}
	return false
}

// matchingLines returns the lines that contain the filter, without regard to case.
func (h *help) matchingLines() []helpLine {
	if h.filter == "" {
		return h.lines
	}
	return slices.DeleteFunc(slices.Clone(h.lines), func(l helpLine) bool {
		return !strings.Contains(strings.ToLower(l.key+" "+l.text.String()), strings.ToLower(h.filter))
	})
}

// wrapLines wraps the lines to a width, with the descriptions in a column after the keys.
func (h *help) wrapLines(width int) []render.Line {
	column := min(keysWidth+4, width/3)
	indent := render.Line{render.Plain(strings.Repeat(" ", column+2))}
	var lines []render.Line
	for _, l := range h.matchingLines() {
		if l.key == "" {
			lines = append(lines, render.Wrap(l.text, width, render.Line{render.Plain("    ")})...)
			continue
		}
		key := render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "  "+render.PadColumn(l.key, column))}
		lines = append(lines, render.Wrap(render.Join(key, l.text), width, indent)...)
	}
	return lines
}

// helpColumnWidth is the minimum width of a column of the help.
const helpColumnWidth = 58

// columns lays out the lines in as many columns as fit and are needed for the height.
func (h *help) columns(width, height int) []render.Line {
	n := max(width/helpColumnWidth, 1)
	all := h.wrapLines(width)
	if n == 1 || len(all) <= height {
		return all
	}
	all = h.wrapLines(width/n - 2)
	n = min(n, (len(all)+max(height, 1)-1)/max(height, 1))
	all = h.wrapLines(width/n - 2)
	rows := (len(all) + n - 1) / n
	lines := make([]render.Line, rows)
	for i, line := range all {
		lines[i%rows] = render.Join(lines[i%rows].Pad(i/rows*(width/n)), line)
	}
	return lines
}

// View implements Overlay: the help replaces the page.
func (h *help) View(width, height int) ([]render.Line, bool) {
	all := h.columns(width, height)
	if h.filtering || h.filter != "" {
		title := render.Line{render.In(render.Accent, "/"+h.filter+render.Choose(h.filtering, "█", "")), render.In(render.Dim, "  "+
			render.Plural(len(h.matchingLines()), "line"))}
		all = append([]render.Line{title.Cut(width)}, all...)
	}
	h.height = height
	h.top = max(0, min(h.top, len(all)-height))
	lines := slices.Clone(all[min(h.top, len(all)):min(h.top+max(height, 0), len(all))])
	if more := len(all) - h.top - len(lines); more > 0 && len(lines) > 1 {
		lines[len(lines)-1] = render.Line{render.In(render.Dim, "┄┄ "+render.Plural(more+1, "more line")+": j or space")}.Cut(width)
	}
	return lines, true
}
