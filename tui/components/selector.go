package components

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// Selection is a run of words of a text, and the byte at which it begins there: the same words may stand there twice.
type Selection struct {
	Words string
	Start int
}

// selector chooses words of a text: a run of them, as they are written there.
type selector struct {
	source string
	table  bool
	words  [][2]int // where each begins and ends
	from   int      // the first of the run
	cursor int      // the last one, or the one before from
	begun  bool     // from stays where it is

	comment, suggest func(Selection) tea.Cmd
}

// mostSelected is how many characters can be selected; what is longer is commented on as a whole.
const mostSelected = 1000

// NewSelector returns what chooses words of a text, to comment on them or, if that can be done, to suggest others. In a table
// they are words of one cell. It begins with the word at a byte of the text.
func NewSelector(source string, from int, comment, suggest func(Selection) tea.Cmd) Overlay {
	s := &selector{source: source, table: isTable(source), comment: comment, suggest: suggest}
	start := -1
	for i, r := range source + " " {
		apart := strings.ContainsRune(" \t\r\n", r) || s.isBar(i)
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
	var all []gesture
	if s.suggest != nil {
		all = append(all, gesture{keys: []string{"s"}, hint: "s suggests others", do: s.choose(s.suggest)})
	}
	return append(all, []gesture{
		{keys: []string{"enter", "c"}, hint: "⏎ comments on them", do: s.choose(s.comment)},
		{keys: []string{"v", " "}, hint: "v begins here", do: stays(func() { s.begun, s.from = !s.begun, s.cursor })},
		{keys: []string{"right", "l", "w"}, hint: "← → words", do: s.move(1)},
		{keys: []string{"left", "h", "b"}, do: s.move(-1)},
		{keys: []string{"down", "j"}, do: s.move(8)},
		{keys: []string{"up", "k"}, do: s.move(-8)},
		{keys: []string{"g", "home"}, do: s.move(-len(s.words))},
		{keys: []string{"G", "end"}, do: s.move(len(s.words))},
		{keys: []string{"esc", "q"}, hint: "esc leaves", do: closed(nil)},
	}...)
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
			return Toast("%d characters at most: less of it, or all of it without v", mostSelected), false
		case s.leavesCell(start, end):
			return Toast("a selection lies in one cell of a table: less of it, or all of it without v"), false
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
func (s *selector) View(width, height int) ([]text.Line, bool) {
	_, end := s.bounds()
	lines := s.drawn(len(s.source), width)
	room := max(height/2-1, 1)
	before := len(s.drawn(end, width))
	top := max(0, min(before-room, len(lines)-room))
	lines = lines[top:min(len(lines), top+room)]
	head := text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, "Select words")}
	return append([]text.Line{head.Cut(width)}, lines...), false
}

// drawn are the lines of the text up to a byte of it, with the run on a ground of its own.
func (s *selector) drawn(upTo, width int) []text.Line {
	start, end := s.bounds()
	var lines []text.Line
	at := 0
	for line := range strings.SplitAfterSeq(s.source[:upTo], "\n") {
		shown := strings.TrimRight(line, "\r\n")
		within := func(b int) int { return max(0, min(b-at, len(shown))) }
		from, to := within(start), within(end)
		run := text.Of(text.Style{Ground: text.Anchor, Bold: true}, shown[from:to])
		lines = append(lines, text.Wrap(text.Line{text.Plain(shown[:from]), run, text.Plain(shown[to:])}, width, nil)...)
		at += len(line)
	}
	return lines
}
