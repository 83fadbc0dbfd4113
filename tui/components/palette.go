package components

import (
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"docspace.dev/wsd/tui/render"
)

// Entry is an entry of the palette: an action or a page.
type Entry struct {
	Keys []string
	Text string // label, which the search matches
	Kind string // action, page, space ...
	Do   func() tea.Cmd
}

// Palette selects an entry by a fuzzy search.
type Palette struct {
	field           Field
	question        string // title, or ""
	all             []Entry
	cursor          int
	loading         bool                       // more entries are being loaded
	searchElsewhere func(words string) tea.Cmd // searches elsewhere if no entry matches; may be nil
}

// NewPalette returns a palette of entries.
func NewPalette(all []Entry) *Palette { return &Palette{field: NewField("", true), all: all} }

// SetQuestion sets the question above the entries, and returns p.
func (p *Palette) SetQuestion(question string) *Palette {
	p.question = question
	return p
}

// ExpectMore marks the palette as loading until Add gets the last entries, and sets the function that searches elsewhere if no
// entry matches.
func (p *Palette) ExpectMore(wider func(words string) tea.Cmd) {
	p.loading, p.searchElsewhere = true, wider
}

// Entries returns entries for actions; do carries out the selected one.
func Entries(all []Action, do func(Action) tea.Cmd) []Entry {
	entries := make([]Entry, len(all))
	for i, a := range all {
		text := a.Help
		if reason := a.disabledReason(); reason != "" && a.ShowDisabled {
			text += " (" + reason + ")"
		}
		entries[i] = Entry{Keys: a.Keys, Text: text, Kind: a.Name, Do: func() tea.Cmd { return do(a) }}
	}
	return entries
}

// Add appends entries; last reports that there will be no more.
func (p *Palette) Add(more []Entry, last bool) {
	p.all = append(p.all, more...)
	p.loading = p.loading && !last
}

// maxEntries bounds the number of searched entries.
const maxEntries = 20000

// entryTexts implements fuzzy.Source with the texts and kinds of at most maxEntries entries.
type entryTexts []Entry

// String implements fuzzy.Source.
func (t entryTexts) String(i int) string { return t[i].Text + " " + t[i].Kind }

// Len implements fuzzy.Source.
func (t entryTexts) Len() int { return min(len(t), maxEntries) }

func (p *Palette) matchingEntries() []Entry {
	word := strings.TrimSpace(p.field.String())
	if word == "" {
		return p.all
	}
	found := fuzzy.FindFrom(word, entryTexts(p.all))
	out := make([]Entry, len(found))
	for i, m := range found {
		out[i] = p.all[m.Index]
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return matchRank(word, b) - matchRank(word, a) })
	return out
}

// matchRank returns the rank of a match: 2 if the word is the number at the beginning of an entry, 1 if the text
// contains the word, and 0 if only its letters match, or the kind.
func matchRank(word string, e Entry) int {
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

// RunBest runs the entry that matches words best; ok is false if none does. As the user does not see the matches, each
// word has to be the beginning of a word of the entry.
func (p *Palette) RunBest(words string) (cmd tea.Cmd, ok bool) {
	p.field = NewField(words, true)
	found := p.matchingEntries()
	at := slices.IndexFunc(p.all, func(e Entry) bool { return strings.EqualFold(e.Text, words) })
	if at >= 0 {
		return p.all[at].Do(), true
	}
	at = slices.IndexFunc(found, func(e Entry) bool { return e.matchesWords(words) })
	if at < 0 {
		return nil, false
	}
	return found[at].Do(), true
}

// matchesWords reports whether each of words is the beginning of a word of the entry.
func (e Entry) matchesWords(words string) bool {
	own := strings.FieldsFunc(strings.ToLower(e.Text+" "+e.Kind), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		w = strings.TrimPrefix(w, "#")
		if !slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, w) }) {
			return false
		}
	}
	return true
}

func (p *Palette) bindings() []binding {
	return []binding{
		{keys: []string{"enter"}, hint: "type some letters  ⏎ does it", do: p.choose},
		{keys: []string{"esc", "ctrl+k"}, hint: "esc closes", do: closeOverlay},
		{keys: []string{"tab"}, do: p.handleTab},
		{keys: []string{"down"}, do: keepOpen(func() { p.cursor = max(min(p.cursor+1, len(p.matchingEntries())-1), 0) })},
		{keys: []string{"up", "shift+tab"}, do: keepOpen(func() { p.cursor = max(p.cursor-1, 0) })},
	}
}

// noMatchText returns the message for no matches, with the key for a search elsewhere.
func (p *Palette) noMatchText() string {
	switch {
	case p.loading:
		return "looking for places …"
	case p.searchElsewhere != nil:
		return "nothing is called that; tab searches all texts for it"
	default:
		return "nothing is called that"
	}
}

// handleTab selects the next entry, or searches elsewhere if there is none.
func (p *Palette) handleTab() (tea.Cmd, bool) {
	found := p.matchingEntries()
	if len(found) == 0 && p.searchElsewhere != nil {
		return p.searchElsewhere(strings.TrimSpace(p.field.String())), true
	}
	p.cursor = max(min(p.cursor+1, len(found)-1), 0)
	return nil, false
}

func (p *Palette) choose() (tea.Cmd, bool) {
	found := p.matchingEntries()
	if p.cursor >= len(found) {
		return Toast("%s", p.noMatchText()), false
	}
	return found[p.cursor].Do(), true
}

func (p *Palette) handleKey(k tea.KeyMsg) bool {
	p.field.Key(k)
	p.cursor = 0
	return false
}

// View implements Overlay: the palette replaces the page.
func (p *Palette) View(width, height int) ([]render.Line, bool) {
	var lines []render.Line
	if p.question != "" {
		lines = append(lines, render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, p.question)}.Cut(width))
	}
	lines = append(lines, render.Join(render.Line{render.In(render.Accent, ":")}, withCursor(p.field.lines[0], p.field.column)))
	found := p.matchingEntries()
	if len(found) == 0 {
		lines = append(lines, render.Line{render.In(render.Dim, "  "+p.noMatchText())}.Cut(width))
	}
	visible := max(height-len(lines), 0)
	top := max(0, min(p.cursor-visible+1, len(found)-visible))
	for i := top; i < len(found) && i < top+visible; i++ {
		line := entryLine(found[i], width-Gutter)
		if i == p.cursor {
			lines = append(lines, withBar("▌ ", line).Fill(render.Selected, width))
			continue
		}
		lines = append(lines, render.Join(render.Line{render.Plain("  ")}, line).Cut(width))
	}
	return lines, true
}

// keysWidth is the width of the keys in the help.
const keysWidth = 14

func entryLine(e Entry, width int) render.Line {
	left := render.Line{render.Plain(e.Text)}
	if len(e.Keys) > 0 {
		left = append(left, render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "  "+KeyNames(e.Keys)))
	}
	return render.Columns(left, render.Line{render.In(render.Dim, e.Kind)}, width)
}
