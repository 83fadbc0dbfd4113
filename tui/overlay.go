package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// overlay is a component that takes the keys for a while.
type overlay interface {
	// gestures are the keys that mean something to it.
	gestures() []gesture
	// typed takes any other key.
	typed(k tea.KeyMsg)
	// view draws the overlay; full says whether instead of the page or under it.
	view(width, height int) (lines []text.Line, full bool)
}

// gesture is what keys do while an overlay has them: a row of its table.
type gesture struct {
	keys []string
	hint string // for the last line of the screen; empty for not at all
	do   func() (cmd tea.Cmd, done bool)
}

// closed returns what closes an overlay and does something.
func closed(cmd tea.Cmd) func() (tea.Cmd, bool) {
	return func() (tea.Cmd, bool) { return cmd, true }
}

// stays returns what changes an overlay and keeps it open.
func stays(change func()) func() (tea.Cmd, bool) {
	return func() (tea.Cmd, bool) { change(); return nil, false }
}

// press gives a key to an overlay; done closes it.
func press(o overlay, k tea.KeyMsg) (cmd tea.Cmd, done bool) {
	key := k.String()
	for _, g := range o.gestures() {
		if slices.Contains(g.keys, key) {
			return g.do()
		}
	}
	o.typed(k)
	return nil, false
}

// overlayHints are the keys of an overlay for the last line.
func overlayHints(o overlay) text.Line {
	var hints []string
	for _, g := range o.gestures() {
		if g.hint != "" {
			hints = append(hints, g.hint)
		}
	}
	return text.Line{text.In(text.Dim, strings.Join(hints, "  "))}
}

// question asks for one of a few choices.
type question struct {
	text    string
	choices []choice
	cursor  int
	confirm bool // y and n answer
}

func (q *question) gestures() []gesture {
	leave := gesture{keys: keys("esc", "q", "n", "N"), hint: "esc cancels", do: closed(nil)}
	if q.confirm { // what cannot be undone needs its letter
		leave.hint = "n does not"
		return []gesture{{keys: keys("y", "Y"), hint: "y does it", do: closed(q.choices[0].cmd)}, leave}
	}
	all := []gesture{
		{keys: keys("enter"), hint: "number or enter chooses", do: func() (tea.Cmd, bool) { return q.choices[q.cursor].cmd, true }},
		leave,
		{keys: keys("j", "down", "tab"), do: stays(func() { q.cursor = min(q.cursor+1, len(q.choices)-1) })},
		{keys: keys("k", "up", "shift+tab"), do: stays(func() { q.cursor = max(q.cursor-1, 0) })},
	}
	for i, c := range q.choices {
		all = append(all, gesture{keys: keys(strconv.Itoa(i + 1)), do: closed(c.cmd)})
	}
	return all
}

func (q *question) typed(tea.KeyMsg) {}

func (q *question) view(width, height int) ([]text.Line, bool) {
	if q.confirm {
		return text.Wrap(text.Line{text.Of(text.Style{Tone: text.Warning, Bold: true}, q.text)}, width, nil), false
	}
	lines := []text.Line{{text.Of(text.Style{Tone: text.Accent, Bold: true}, q.text)}}
	room := max(min(height/2, len(q.choices)), 1)
	top := max(0, min(q.cursor-room+1, len(q.choices)-room))
	for i := top; i < len(q.choices) && i < top+room; i++ {
		mark := "  "
		if i == q.cursor {
			mark = "> "
		}
		lines = append(lines, text.Line{text.In(text.Accent, mark), text.Plain(strconv.Itoa(i+1) + " " + q.choices[i].label)}.Cut(width))
	}
	return lines, false
}

// finder reads what to search for and searches while it is typed.
type finder struct {
	list  *list
	field field
	start int
}

func newFinder(l *list) *finder {
	return &finder{list: l, field: newField(l.find, true), start: l.cursor}
}

func (f *finder) gestures() []gesture {
	return []gesture{
		{keys: keys("enter"), hint: "enter goes there  n N next and previous", do: closed(nil)},
		{keys: keys("esc"), hint: "esc ends", do: f.end},
	}
}

// end forgets the search and goes back to where it began.
func (f *finder) end() (tea.Cmd, bool) {
	f.list.search("")
	f.list.cursor = f.start
	f.list.move(0)
	return nil, true
}

func (f *finder) typed(k tea.KeyMsg) {
	f.field.key(k)
	f.list.search(strings.TrimSpace(f.field.String()))
}

func (f *finder) view(width, _ int) ([]text.Line, bool) {
	found := 0
	for _, r := range f.list.rows {
		if f.list.find != "" && r.matches(f.list.find) {
			found++
		}
	}
	line := text.Join(text.Line{text.In(text.Accent, "/")}, withCursor(f.field.lines[0], f.field.column))
	return []text.Line{text.Columns(line, text.Line{text.In(text.Dim, strconv.Itoa(found)+" lines")}, width)}, false
}

// palette finds an action by its name.
type palette struct {
	field  field
	all    []action
	cursor int
	do     func(action) tea.Cmd
}

func newPalette(all []action, do func(action) tea.Cmd) *palette {
	return &palette{field: newField("", true), all: all, do: do}
}

func (p *palette) matching() []action {
	word := strings.ToLower(strings.TrimSpace(p.field.String()))
	var out []action
	for _, a := range p.all {
		if strings.Contains(a.name+" "+strings.ToLower(a.help), word) {
			out = append(out, a)
		}
	}
	return out
}

func (p *palette) gestures() []gesture {
	return []gesture{
		{keys: keys("enter"), hint: "type a name  enter does it", do: p.choose},
		{keys: keys("esc", "ctrl+k"), hint: "esc closes", do: closed(nil)},
		{keys: keys("down", "tab"), do: stays(func() { p.cursor = max(min(p.cursor+1, len(p.matching())-1), 0) })},
		{keys: keys("up", "shift+tab"), do: stays(func() { p.cursor = max(p.cursor-1, 0) })},
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
	p.field.key(k)
	p.cursor = 0
}

func (p *palette) view(width, height int) ([]text.Line, bool) {
	lines := []text.Line{text.Join(text.Line{text.In(text.Accent, ":")}, withCursor(p.field.lines[0], p.field.column))}
	found := p.matching()
	room := max(height-1, 0)
	top := max(0, min(p.cursor-room+1, len(found)-room))
	for i := top; i < len(found) && i < top+room; i++ {
		mark := "  "
		if i == p.cursor {
			mark = "> "
		}
		lines = append(lines, actionLine(mark, found[i]).Cut(width))
	}
	return lines, true
}

func actionLine(mark string, a action) text.Line {
	return text.Line{
		text.In(text.Accent, mark), text.Of(text.Style{Bold: true}, pad(keyNames(a.keys), 20)),
		text.Plain(pad(a.help, 30)), text.In(text.Dim, a.name),
	}
}

func pad(s string, width int) string {
	return text.Line{text.Plain(s)}.Pad(max(width, text.Line{text.Plain(s)}.Width()+1)).String()
}

// help shows the keys of a page, its own first.
type help struct {
	lines []text.Line
	top   int
}

func newHelp(kind string, own, shared []action) *help {
	h := &help{}
	h.list("Keys here: "+kind, own)
	h.lines = append(h.lines, nil)
	h.list("Keys everywhere", shared)
	return h
}

func (h *help) list(title string, all []action) {
	h.lines = append(h.lines, text.Line{text.Of(text.Style{Tone: text.Heading, Bold: true}, title)})
	for _, a := range all {
		h.lines = append(h.lines, actionLine("  ", a))
	}
}

func (h *help) gestures() []gesture {
	return []gesture{
		{keys: keys("j", "down"), hint: "j k scroll", do: h.scroll(1)},
		{keys: keys("k", "up"), do: h.scroll(-1)},
		{keys: keys("ctrl+d", "pgdown", " "), do: h.scroll(10)},
		{keys: keys("ctrl+u", "pgup"), do: h.scroll(-10)},
		{keys: keys("esc", "q", "?", "enter"), hint: "esc closes", do: closed(nil)},
	}
}

func (h *help) scroll(by int) func() (tea.Cmd, bool) {
	return stays(func() { h.top = max(0, min(h.top+by, len(h.lines)-1)) })
}

func (h *help) typed(tea.KeyMsg) {}

func (h *help) view(width, height int) ([]text.Line, bool) {
	h.top = max(0, min(h.top, len(h.lines)-height))
	var lines []text.Line
	for i := h.top; i < len(h.lines) && i < h.top+height; i++ {
		lines = append(lines, h.lines[i].Cut(width))
	}
	return lines, true
}
