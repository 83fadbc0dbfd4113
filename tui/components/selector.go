package components

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Selection is a run of words of a text, and its byte offset, which distinguishes repeated words.
type Selection struct {
	Words string
	Start int
}

// selector selects a run of words in the source of a text.
type selector struct {
	source     string
	runs       []render.Run // drawn parts of source
	inTable    bool
	words      [][2]int // start and end of each word
	from       int      // index of the word at which the run starts
	cursor     int      // index of the word at which the run ends; may be lower than from
	extending  bool     // from stays fixed
	helpShown  bool     // the help is shown
	hasChosen  bool     // words were chosen by AnswerLine
	pendingKey rune     // f while it waits for a letter, / while a text is typed, or 0
	query      string   // the text that was typed after /

	comment, suggest func(Selection) tea.Cmd
}

// maxSelected is the maximum number of selected characters. Longer texts are commented on as a whole.
const maxSelected = 1000

// NewSelector returns the overlay that selects words of a text for a comment or, if suggest is not nil, for a
// suggestion. It starts with the word at the byte offset from. In a table, the selection is limited to one cell.
func NewSelector(source string, runs []render.Run, from int, comment, suggest func(Selection) tea.Cmd) Overlay {
	s := &selector{source: source, runs: runs, inTable: isTable(source), comment: comment, suggest: suggest}
	read := visibleBytes(s.runs, len(source))
	start := -1
	for i, r := range source + " " {
		apart := read[i] && strings.ContainsRune(" \t\r\n", r) || s.isBar(i)
		switch {
		case apart && start >= 0:
			s.words, start = append(s.words, [2]int{start, i}), -1
		case !apart && start < 0:
			start = i
		}
	}
	for i, w := range s.words {
		if w[0] <= from {
			s.from, s.cursor = i, i
		}
	}
	return s
}

// isTable reports whether a text is a Markdown table.
func isTable(source string) bool {
	lines := strings.SplitN(source, "\n", 3)
	if len(lines) < 2 || !strings.Contains(lines[0], "|") {
		return false
	}
	rule := strings.Trim(lines[1], " \t\r|")
	return strings.Contains(rule, "-") && strings.Trim(rule, "-:| \t") == ""
}

// isBar reports whether the byte at an offset separates cells.
func (s *selector) isBar(at int) bool {
	return s.inTable && at < len(s.source) && s.source[at] == '|' && (at == 0 || s.source[at-1] != '\\')
}

func (s *selector) bindings() []binding {
	if s.pendingKey != 0 {
		return s.seekBindings()
	}
	goes, begins := "← → ↑ ↓ go", "v extend"
	if s.extending {
		goes, begins = "← → ↑ ↓ extend", "v anew"
	}
	keys := "? keys"
	if s.extending {
		keys = "" // not enough space
	}
	all := []binding{
		{keys: []string{"right", "l", "w"}, hint: goes, help: "next word", do: s.move(1)},
		{keys: []string{"left", "h", "b"}, help: "previous word", do: s.move(-1)},
		{
			keys: []string{"v", " "}, hint: begins, help: "extend from here; again: begin anew", do: keepOpen(func() {
				s.extending, s.from = !s.extending, s.cursor
			}),
		},
		{keys: []string{"enter", "c"}, hint: "c comment", help: "comment on the words", do: s.choose(s.comment)},
	}
	if s.suggest != nil {
		all = append(all, binding{keys: []string{"s"}, hint: "s suggest", help: "suggest other words", do: s.choose(s.suggest)})
	}
	return append(all, []binding{
		{keys: []string{"down", "j"}, help: "8 words on", do: s.move(8)},
		{keys: []string{"up", "k"}, help: "8 words back", do: s.move(-8)},
		{keys: []string{"g", "home"}, help: "first word", do: s.move(-len(s.words))},
		{keys: []string{"G", "end"}, help: "last word", do: s.move(len(s.words))},
		{keys: []string{"0"}, help: "first word of the line", do: s.moveTo(s.lineStart)},
		{keys: []string{"$"}, help: "last word of the line", do: s.moveTo(s.lineEnd)},
		{keys: []string{"("}, help: "start of the sentence, or of the previous", do: s.moveTo(s.sentenceStart)},
		{keys: []string{")"}, help: "end of the sentence, or of the next", do: s.moveTo(s.sentenceEnd)},
		{keys: []string{"f"}, help: "next word that begins with a letter", do: keepOpen(func() { s.pendingKey = 'f' })},
		{keys: []string{"/"}, help: "choose the words of a text", do: keepOpen(func() { s.pendingKey, s.query = '/', "" })},
		{keys: []string{"?"}, hint: keys, help: "show the keys, or the words again", do: keepOpen(func() { s.helpShown = !s.helpShown })},
		{keys: []string{"esc", "q"}, hint: "esc back", help: "leave the help, or the choice of words", do: s.leave},
	}...)
}

// leave closes the help, or else the overlay.
func (s *selector) leave() (tea.Cmd, bool) {
	if s.helpShown {
		s.helpShown = false
		return nil, false
	}
	return nil, true
}

// SelectorActions returns the keys of the selection of words with their descriptions, for the table of keys. Their meanings
// differ from those on pages.
func SelectorActions() []Action {
	s := &selector{suggest: func(Selection) tea.Cmd { return nil }}
	var all []Action
	for _, b := range s.bindings() {
		all = append(all, Action{Name: "words: " + b.help, Keys: b.keys, Help: b.help, Do: func() tea.Cmd { return nil }})
	}
	return all
}

// selectionSize returns the number of selected words as text.
func (s *selector) selectionSize() string {
	if len(s.words) == 0 {
		return "no words"
	}
	return render.Plural(max(s.from, s.cursor)-min(s.from, s.cursor)+1, "word")
}

func (s *selector) move(by int) func() (tea.Cmd, bool) {
	return keepOpen(func() {
		s.cursor = max(0, min(s.cursor+by, len(s.words)-1))
		if !s.extending {
			s.from = s.cursor
		}
	})
}

// bounds returns the byte offsets of the selection.
func (s *selector) bounds() (start, end int) {
	if len(s.words) == 0 {
		return 0, 0
	}
	return s.words[min(s.from, s.cursor)][0], s.words[max(s.from, s.cursor)][1]
}

// choose returns the function that calls do with the selection.
func (s *selector) choose(do func(Selection) tea.Cmd) func() (tea.Cmd, bool) {
	return func() (tea.Cmd, bool) {
		start, end := s.bounds()
		words := s.source[start:end]
		switch {
		case utf8.RuneCountInString(words) > maxSelected:
			return Toast("at most %d characters: select less, or comment on the whole block with c", maxSelected), false
		case s.spansCells(start, end):
			return Toast("a selection stays within one cell of a table: select less, or comment on the whole table with c"), false
		case words == "":
			return nil, true
		}
		return do(Selection{words, start}), true
	}
}

// spansCells reports whether a range contains parts of more than one cell of a table.
func (s *selector) spansCells(start, end int) bool {
	for i := start; i < end; i++ {
		if s.isBar(i) || s.inTable && s.source[i] == '\n' {
			return true
		}
	}
	return false
}

// View implements Overlay: the text is drawn under the page, with a background for the selection.
func (s *selector) View(width, height int) ([]render.Line, bool) {
	if s.helpShown {
		return s.help(width, height), false
	}
	_, end := s.bounds()
	lines := s.draw(len(s.source), width)
	visible := max(height/2-1, 1)
	before := len(s.draw(end, width))
	top := max(0, min(before-visible, len(lines)-visible))
	lines = lines[top:min(len(lines), top+visible)]
	head := render.Line{
		render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "Select words"),
		render.In(render.Dim, " · "+s.selectionSize()+s.seekText()),
	}
	return append([]render.Line{head.Cut(width)}, lines...), false
}

// help draws the keys with their descriptions, as many as fit into the window.
func (s *selector) help(width, height int) []render.Line {
	lines := []render.Line{{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "Keys while you select words")}}
	for _, g := range s.bindings() {
		key := render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "  "+render.PadColumn(KeyNames(g.keys), keysWidth))
		lines = append(lines, render.Line{key, render.Plain(g.help)})
	}
	for i, line := range lines {
		lines[i] = line.Cut(width)
	}
	return lines[:min(len(lines), max(height-1, 1))]
}

// draw draws the text up to a byte offset, with a background for the selection.
func (s *selector) draw(upTo, width int) []render.Line {
	start, end := s.bounds()
	var lines []render.Line
	var line render.Line
	add := func(r render.Run, from, to int, chosen bool) {
		from, to = max(from, r.From), min(to, r.To, upTo)
		if from >= to {
			return
		}
		if chosen {
			r.Style.Ground, r.Style.Bold = render.Anchor, true
		}
		for i, part := range strings.Split(r.Shown[from-r.From:to-r.From], "\n") {
			if i > 0 {
				lines, line = append(lines, render.Wrap(line, width, nil)...), nil
			}
			line = append(line, render.NewSpan(r.Style, strings.TrimRight(part, "\r")))
		}
	}
	for _, r := range s.runs {
		add(r, r.From, start, false)
		add(r, start, end, true)
		add(r, end, r.To, false)
	}
	return append(lines, render.Wrap(line, width, nil)...)
}

// visibleBytes reports for each byte of a text whether it is visible on the page.
func visibleBytes(runs []render.Run, length int) []bool {
	read := make([]bool, length+1)
	for _, r := range runs {
		for i := r.From; i < r.To; i++ {
			read[i] = true
		}
	}
	read[length] = true // ends the last word
	return read
}
