package tui

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// question asks for one of a few choices.
type question struct {
	text    string
	choices []choice
	cursor  int
	confirm bool // y and n answer
}

func (q *question) key(k tea.KeyMsg) (tea.Cmd, bool) {
	key := k.String()
	if q.confirm && (key == "y" || key == "Y") {
		return q.choices[0].cmd, true
	}
	if n, err := strconv.Atoi(key); err == nil && n >= 1 && n <= len(q.choices) && !q.confirm {
		return q.choices[n-1].cmd, true
	}
	switch key {
	case "j", "down", "tab":
		q.cursor = min(q.cursor+1, len(q.choices)-1)
	case "k", "up", "shift+tab":
		q.cursor = max(q.cursor-1, 0)
	case "enter":
		if q.confirm { // what cannot be undone needs its letter
			return nil, false
		}
		return q.choices[q.cursor].cmd, true
	case "esc", "q", "n", "N":
		return nil, true
	}
	return nil, false
}

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

func (q *question) hint() string {
	if q.confirm {
		return "y does it  n does not"
	}
	return "number or enter chooses  esc cancels"
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

func (f *finder) key(k tea.KeyMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "enter":
		return nil, true
	case "esc":
		f.list.search("")
		f.list.cursor = f.start
		f.list.move(0)
		return nil, true
	}
	f.field.key(k)
	f.list.search(strings.TrimSpace(f.field.String()))
	return nil, false
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

func (f *finder) hint() string { return "enter goes there  n N next and previous  esc ends" }

// palette finds an action by its name.
type palette struct {
	field  field
	all    []action
	cursor int
	do     func(name string) tea.Cmd
}

func newPalette(s scope, do func(string) tea.Cmd) *palette {
	return &palette{field: newField("", true), all: applicable(s), do: do}
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

func (p *palette) key(k tea.KeyMsg) (tea.Cmd, bool) {
	found := p.matching()
	switch k.String() {
	case "esc", "ctrl+k":
		return nil, true
	case "down", "tab":
		p.cursor = min(p.cursor+1, len(found)-1)
	case "up", "shift+tab":
		p.cursor = max(p.cursor-1, 0)
	case "enter":
		if p.cursor < len(found) {
			return p.do(found[p.cursor].name), true
		}
		return nil, true
	default:
		p.field.key(k)
		p.cursor = 0
	}
	p.cursor = max(p.cursor, 0)
	return nil, false
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

func (p *palette) hint() string { return "type a name  enter does it  esc closes" }

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

func newHelp(s scope) *help {
	h := &help{}
	shared := false
	h.lines = append(h.lines, text.Line{text.Of(text.Style{Tone: text.Heading, Bold: true}, "Keys here: "+string(s))})
	for _, a := range applicable(s) {
		if !shared && a.scopes[0] == scopeEverywhere {
			shared = true
			h.lines = append(h.lines, nil, text.Line{text.Of(text.Style{Tone: text.Heading, Bold: true}, "Keys everywhere")})
		}
		h.lines = append(h.lines, actionLine("  ", a))
	}
	return h
}

func (h *help) key(k tea.KeyMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "j", "down":
		h.top++
	case "k", "up":
		h.top--
	case "ctrl+d", "pgdown", " ":
		h.top += 10
	case "ctrl+u", "pgup":
		h.top -= 10
	case "esc", "q", "?", "enter":
		return nil, true
	}
	h.top = max(0, min(h.top, len(h.lines)-1))
	return nil, false
}

func (h *help) view(width, height int) ([]text.Line, bool) {
	h.top = max(0, min(h.top, len(h.lines)-height))
	var lines []text.Line
	for i := h.top; i < len(h.lines) && i < h.top+height; i++ {
		lines = append(lines, h.lines[i].Cut(width))
	}
	return lines, true
}

func (h *help) hint() string { return "j k scroll  esc closes" }
