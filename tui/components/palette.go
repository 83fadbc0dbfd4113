package components

import (
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"docspace.dev/wsd/tui/render"
)

// Entry is something that the palette leads to: an action, or a place.
type Entry struct {
	Keys []string
	Text string // what it is, and what is looked for
	Kind string // action, page, space ...
	Do   func() tea.Cmd
}

// Palette finds an entry by letters of its text, in their order.
type Palette struct {
	field    Field
	question string // stands above; "" for none
	all      []Entry
	cursor   int
	awaited  bool                       // more is to be added
	wider    func(words string) tea.Cmd // looks for what is called nothing here; nil for nowhere
}

// NewPalette returns what offers entries.
func NewPalette(all []Entry) *Palette { return &Palette{field: NewField("", true), all: all} }

// Asking has a question stand above the entries.
func (p *Palette) Asking(question string) *Palette {
	p.question = question
	return p
}

// Await says that more entries will be added, and where else to look for what is not found in the end.
func (p *Palette) Await(wider func(words string) tea.Cmd) { p.awaited, p.wider = true, wider }

// Entries are actions as entries; do carries the chosen one out.
func Entries(all []Action, do func(Action) tea.Cmd) []Entry {
	entries := make([]Entry, len(all))
	for i, a := range all {
		says := a.Help
		if why := a.unavailable(); why != "" && a.Tells {
			says += " (" + why + ")"
		}
		entries[i] = Entry{Keys: a.Keys, Text: says, Kind: a.Name, Do: func() tea.Cmd { return do(a) }}
	}
	return entries
}

// Add offers more entries, behind those that are there; last says that these were the last.
func (p *Palette) Add(more []Entry, last bool) {
	p.all = append(p.all, more...)
	p.awaited = p.awaited && !last
}

// manyEntries is how many are looked through: more than anybody looks for at once.
const manyEntries = 20000

// texts are what is looked for, for the finder.
type texts []Entry

// String implements fuzzy.Source.
func (t texts) String(i int) string { return t[i].Text + " " + t[i].Kind }

// Len implements fuzzy.Source.
func (t texts) Len() int { return min(len(t), manyEntries) }

func (p *Palette) matching() []Entry {
	word := strings.TrimSpace(p.field.String())
	if word == "" {
		return p.all
	}
	found := fuzzy.FindFrom(word, texts(p.all))
	out := make([]Entry, len(found))
	for i, m := range found {
		out[i] = p.all[m.Index]
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return standing(word, b) - standing(word, a) })
	return out
}

// standing is how much of what was typed stands in the text of an entry: 2 for the number that it begins with, which is what
// people mean who type one, 1 for all the words, and 0 for one that has letters of it here and there, or in its kind.
func standing(word string, e Entry) int {
	if strings.HasPrefix(e.Text, "#"+strings.TrimPrefix(word, "#")+" ") {
		return 2
	}
	shown := strings.ToLower(e.Text)
	for w := range strings.FieldsSeq(strings.ToLower(word)) {
		if !strings.Contains(shown, w) {
			return 0
		}
	}
	return 1
}

// Best is what the entry does that some words mean most; ok is false when they mean none. Who reads lines does not see what
// letters here and there would lead to: each word must be one of the entry, or begin one.
func (p *Palette) Best(words string) (cmd tea.Cmd, ok bool) {
	p.field = NewField(words, true)
	found := p.matching()
	at := slices.IndexFunc(found, func(e Entry) bool { return e.called(words) })
	if at < 0 {
		return nil, false
	}
	return found[at].Do(), true
}

// called reports whether each of some words begins one of the entry.
func (e Entry) called(words string) bool {
	own := strings.FieldsFunc(strings.ToLower(e.Text+" "+e.Kind), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		w = strings.TrimPrefix(w, "#")
		if !slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, w) }) {
			return false
		}
	}
	return true
}

func (p *Palette) gestures() []gesture {
	return []gesture{
		{keys: []string{"enter"}, hint: "type some letters  ⏎ does it", do: p.choose},
		{keys: []string{"esc", "ctrl+k"}, hint: "esc closes", do: closed(nil)},
		{keys: []string{"tab"}, do: p.tab},
		{keys: []string{"down"}, do: stays(func() { p.cursor = max(min(p.cursor+1, len(p.matching())-1), 0) })},
		{keys: []string{"up", "shift+tab"}, do: stays(func() { p.cursor = max(p.cursor-1, 0) })},
	}
}

// none says that the letters mean nothing, as far as is known, and where else they can be looked for.
func (p *Palette) none() string {
	switch {
	case p.awaited:
		return "looking for places …"
	case p.wider != nil:
		return "nothing is called that; tab searches all texts for it"
	default:
		return "nothing is called that"
	}
}

// tab goes to the next entry; where none is found, it looks for the words elsewhere.
func (p *Palette) tab() (tea.Cmd, bool) {
	found := p.matching()
	if len(found) == 0 && p.wider != nil {
		return p.wider(strings.TrimSpace(p.field.String())), true
	}
	p.cursor = max(min(p.cursor+1, len(found)-1), 0)
	return nil, false
}

func (p *Palette) choose() (tea.Cmd, bool) {
	found := p.matching()
	if p.cursor >= len(found) {
		return Toast("%s", p.none()), false
	}
	return found[p.cursor].Do(), true
}

func (p *Palette) typed(k tea.KeyMsg) {
	p.field.Key(k)
	p.cursor = 0
}

// View implements Overlay: the palette stands in place of the page.
func (p *Palette) View(width, height int) ([]render.Line, bool) {
	var lines []render.Line
	if p.question != "" {
		lines = append(lines, render.Line{render.Of(render.Style{Tone: render.Accent, Bold: true}, p.question)}.Cut(width))
	}
	lines = append(lines, render.Join(render.Line{render.In(render.Accent, ":")}, withCursor(p.field.lines[0], p.field.column)))
	found := p.matching()
	if len(found) == 0 {
		lines = append(lines, render.Line{render.In(render.Dim, "  "+p.none())}.Cut(width))
	}
	room := max(height-len(lines), 0)
	top := max(0, min(p.cursor-room+1, len(found)-room))
	for i := top; i < len(found) && i < top+room; i++ {
		line := entryLine(found[i], width-Gutter)
		if i == p.cursor {
			lines = append(lines, bar("▌ ", line).Fill(render.Selected, width))
			continue
		}
		lines = append(lines, render.Join(render.Line{render.Plain("  ")}, line).Cut(width))
	}
	return lines, true
}

// keysWidth is the width of the keys in the palette and the help.
const keysWidth = 14

func entryLine(e Entry, width int) render.Line {
	left := render.Line{render.Of(render.Style{Tone: render.Accent, Bold: true}, render.Column(KeyNames(e.Keys), keysWidth)), render.Plain(e.Text)}
	return render.Columns(left, render.Line{render.In(render.Dim, e.Kind)}, min(width, 90))
}
