package components

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Selection is a run of words of a text, and the byte at which it begins there: the same words may stand there twice.
type Selection struct {
	Words string
	Start int
}

// selector chooses words of a text: a run of them, as they are written there.
type selector struct {
	source string
	runs   []render.Run // of source, as they are drawn
	table  bool
	words  [][2]int // where each begins and ends
	from   int      // the first of the run
	cursor int      // the last one, or the one before from
	begun  bool     // from stays where it is
	keys   bool     // its keys are shown

	comment, suggest func(Selection) tea.Cmd
}

// mostSelected is how many characters can be selected; what is longer is commented on as a whole.
const mostSelected = 1000

// NewSelector returns what chooses words of a text, to comment on them or, if that can be done, to suggest others. In a table
// they are words of one cell. It is shown by its runs, and begins with the word at a byte of the text.
func NewSelector(source string, runs []render.Run, from int, comment, suggest func(Selection) tea.Cmd) Overlay {
	s := &selector{source: source, runs: runs, table: isTable(source), comment: comment, suggest: suggest}
	read := isRead(s.runs, len(source))
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

// isTable reports whether a text is a table: a line of dashes and bars below its first line.
func isTable(source string) bool {
	lines := strings.SplitN(source, "\n", 3)
	if len(lines) < 2 || !strings.Contains(lines[0], "|") {
		return false
	}
	rule := strings.Trim(lines[1], " \t\r|")
	return strings.Contains(rule, "-") && strings.Trim(rule, "-:| \t") == ""
}

// isBar reports whether a bar between cells stands at a byte of the text.
func (s *selector) isBar(at int) bool {
	return s.table && at < len(s.source) && s.source[at] == '|' && (at == 0 || s.source[at-1] != '\\')
}

func (s *selector) gestures() []gesture {
	goes, begins := "← → ↑ ↓ go", "v extend"
	if s.begun {
		goes, begins = "← → ↑ ↓ extend", "v anew"
	}
	keys := "? keys"
	if s.begun {
		keys = "" // there is no room for all
	}
	all := []gesture{
		{keys: []string{"right", "l", "w"}, hint: goes, help: "next word", do: s.move(1)},
		{keys: []string{"left", "h", "b"}, help: "previous word", do: s.move(-1)},
		{keys: []string{"v", " "}, hint: begins, help: "extend from here; again: begin anew", do: stays(func() { s.begun, s.from = !s.begun, s.cursor })},
		{keys: []string{"enter", "c"}, hint: "c comment", help: "comment on the words", do: s.choose(s.comment)},
	}
	if s.suggest != nil {
		all = append(all, gesture{keys: []string{"s"}, hint: "s suggest", help: "suggest others", do: s.choose(s.suggest)})
	}
	return append(all, []gesture{
		{keys: []string{"down", "j"}, help: "8 words on", do: s.move(8)},
		{keys: []string{"up", "k"}, help: "8 words back", do: s.move(-8)},
		{keys: []string{"g", "home"}, help: "first word", do: s.move(-len(s.words))},
		{keys: []string{"G", "end"}, help: "last word", do: s.move(len(s.words))},
		{keys: []string{"?"}, hint: keys, help: "show the keys, or the words again", do: stays(func() { s.keys = !s.keys })},
		{keys: []string{"esc", "q"}, hint: "esc back", help: "leave", do: closed(nil)},
	}...)
}

// chosen says how many words the run has.
func (s *selector) chosen() string {
	if len(s.words) == 0 {
		return "no words"
	}
	return render.Plural(max(s.from, s.cursor)-min(s.from, s.cursor)+1, "word")
}

func (s *selector) move(by int) func() (tea.Cmd, bool) {
	return stays(func() {
		s.cursor = max(0, min(s.cursor+by, len(s.words)-1))
		if !s.begun {
			s.from = s.cursor
		}
	})
}

// bounds are where the run begins and ends in the text.
func (s *selector) bounds() (start, end int) {
	if len(s.words) == 0 {
		return 0, 0
	}
	return s.words[min(s.from, s.cursor)][0], s.words[max(s.from, s.cursor)][1]
}

// choose returns what does something with the run.
func (s *selector) choose(do func(Selection) tea.Cmd) func() (tea.Cmd, bool) {
	return func() (tea.Cmd, bool) {
		start, end := s.bounds()
		words := s.source[start:end]
		switch {
		case utf8.RuneCountInString(words) > mostSelected:
			return Toast("at most %d characters: select less, or comment on the whole block with c", mostSelected), false
		case s.leavesCell(start, end):
			return Toast("a selection stays within one cell of a table: select less, or comment on the whole table with c"), false
		case words == "":
			return nil, true
		}
		return do(Selection{words, start}), true
	}
}

// leavesCell reports whether a run reaches over more than one cell of a table.
func (s *selector) leavesCell(start, end int) bool {
	for i := start; i < end; i++ {
		if s.isBar(i) || s.table && s.source[i] == '\n' {
			return true
		}
	}
	return false
}

func (s *selector) typed(tea.KeyMsg) {}

// View implements Overlay: the text stands under the page, with the run on a ground of its own.
func (s *selector) View(width, height int) ([]render.Line, bool) {
	if s.keys {
		return s.help(width, height), false
	}
	_, end := s.bounds()
	lines := s.drawn(len(s.source), width)
	room := max(height/2-1, 1)
	before := len(s.drawn(end, width))
	top := max(0, min(before-room, len(lines)-room))
	lines = lines[top:min(len(lines), top+room)]
	head := render.Line{render.Of(render.Style{Tone: render.Accent, Bold: true}, "Select words"), render.In(render.Dim, " · "+s.chosen())}
	return append([]render.Line{head.Cut(width)}, lines...), false
}

// help are the keys of selecting, with what each does, in as many lines as the window has room for.
func (s *selector) help(width, height int) []render.Line {
	lines := []render.Line{{render.Of(render.Style{Tone: render.Accent, Bold: true}, "Keys while you select words")}}
	for _, g := range s.gestures() {
		key := render.Of(render.Style{Tone: render.Accent, Bold: true}, "  "+render.Column(KeyNames(g.keys), keysWidth))
		lines = append(lines, render.Line{key, render.Plain(g.help)})
	}
	for i, line := range lines {
		lines[i] = line.Cut(width)
	}
	return lines[:min(len(lines), max(height-1, 1))]
}

// drawn are the lines of the text up to a byte of it, as the page reads, with the run on a ground of its own.
func (s *selector) drawn(upTo, width int) []render.Line {
	start, end := s.bounds()
	var lines []render.Line
	var line render.Line
	put := func(r render.Run, from, to int, chosen bool) {
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
			line = append(line, render.Of(r.Style, strings.TrimRight(part, "\r")))
		}
	}
	for _, r := range s.runs {
		put(r, r.From, start, false)
		put(r, start, end, true)
		put(r, end, r.To, false)
	}
	return append(lines, render.Wrap(line, width, nil)...)
}

// isRead reports for each byte of a text whether it is read.
func isRead(runs []render.Run, length int) []bool {
	read := make([]bool, length+1)
	for _, r := range runs {
		for i := r.From; i < r.To; i++ {
			read[i] = true
		}
	}
	read[length] = true // it ends the last word
	return read
}
