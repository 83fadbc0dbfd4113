package components

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// selector chooses words of a text: a run of them, as they are written there.
type selector struct {
	source string
	words  [][2]int // where each begins and ends
	from   int      // the first of the run
	cursor int      // the last one, or the one before from
	begun  bool     // from stays where it is
	done   func(quote string) tea.Cmd
}

// NewSelector returns what chooses words of a text; done takes them, as they stand there once.
func NewSelector(source string, done func(quote string) tea.Cmd) Overlay {
	s := &selector{source: source, done: done}
	start := -1
	for i, r := range source + " " {
		space := strings.ContainsRune(" \t\r\n", r)
		switch {
		case space && start >= 0:
			s.words, start = append(s.words, [2]int{start, i}), -1
		case !space && start < 0:
			start = i
		}
	}
	return s
}

func (s *selector) gestures() []gesture {
	return []gesture{
		{keys: []string{"enter", "c"}, hint: "⏎ comments on them", do: s.choose},
		{keys: []string{"v", " "}, hint: "v begins here", do: stays(func() { s.begun, s.from = !s.begun, s.cursor })},
		{keys: []string{"right", "l", "w"}, hint: "← → words", do: s.move(1)},
		{keys: []string{"left", "h", "b"}, do: s.move(-1)},
		{keys: []string{"down", "j"}, do: s.move(8)},
		{keys: []string{"up", "k"}, do: s.move(-8)},
		{keys: []string{"g", "home"}, do: s.move(-len(s.words))},
		{keys: []string{"G", "end"}, do: s.move(len(s.words))},
		{keys: []string{"esc", "q"}, hint: "esc leaves", do: closed(nil)},
	}
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

func (s *selector) choose() (tea.Cmd, bool) {
	start, end := s.bounds()
	quote := s.source[start:end]
	if strings.Count(s.source, quote) != 1 {
		return Toast("these words stand there more than once: v and → take more of them"), false
	}
	return s.done(quote), true
}

func (s *selector) typed(tea.KeyMsg) {}

// View implements Overlay: the text stands under the page, with the run on a ground of its own.
func (s *selector) View(width, height int) ([]text.Line, bool) {
	start, end := s.bounds()
	run := text.Of(text.Style{Ground: text.Anchor, Bold: true}, s.source[start:end])
	lines := text.Wrap(text.Line{text.Plain(s.source[:start]), run, text.Plain(s.source[end:])}, width, nil)
	room := max(height/2-1, 1)
	before := len(text.Wrap(text.Line{text.Plain(s.source[:end])}, width, nil))
	top := max(0, min(before-room, len(lines)-room))
	lines = lines[top:min(len(lines), top+room)]
	head := text.Line{text.Of(text.Style{Tone: text.Accent, Bold: true}, "Select words to comment on")}
	return append([]text.Line{head.Cut(width)}, lines...), false
}
