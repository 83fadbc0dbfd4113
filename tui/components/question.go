package components

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/text"
)

// Choice is an answer to a question, and what it does.
type Choice struct {
	Label string
	Cmd   tea.Cmd
}

// Question asks for one of a few choices.
type Question struct {
	Text    string
	Choices []Choice
	Confirm bool // y and n answer, the first choice is yes

	cursor int
}

func (q *Question) gestures() []gesture {
	leave := gesture{keys: []string{"esc", "q", "n", "N"}, hint: "esc cancels", do: closed(nil)}
	if q.Confirm { // what cannot be undone needs its letter
		leave.hint = "n no"
		return []gesture{{keys: []string{"y", "Y"}, hint: "y yes", do: closed(q.Choices[0].Cmd)}, leave}
	}
	all := []gesture{
		{keys: []string{"enter"}, hint: "a number or ⏎ chooses", do: func() (tea.Cmd, bool) { return q.Choices[q.cursor].Cmd, true }},
		leave,
		{keys: []string{"j", "down", "tab"}, do: stays(func() { q.cursor = min(q.cursor+1, len(q.Choices)-1) })},
		{keys: []string{"k", "up", "shift+tab"}, do: stays(func() { q.cursor = max(q.cursor-1, 0) })},
	}
	for i, c := range q.Choices {
		all = append(all, gesture{keys: []string{strconv.Itoa(i + 1)}, do: closed(c.Cmd)})
	}
	return all
}

func (q *Question) typed(tea.KeyMsg) {}

// View implements Overlay: a question stands under the page.
func (q *Question) View(width, height int) ([]text.Line, bool) {
	if q.Confirm {
		return text.Wrap(text.Line{text.Of(text.Style{Tone: text.Warning, Bold: true}, q.Text)}, width, nil), false
	}
	lines := []text.Line{{text.Of(text.Style{Tone: text.Accent, Bold: true}, q.Text)}}
	room := max(min(height/2, len(q.Choices)), 1)
	top := max(0, min(q.cursor-room+1, len(q.Choices)-room))
	for i := top; i < len(q.Choices) && i < top+room; i++ {
		mark := "  "
		if i == q.cursor {
			mark = "▌ "
		}
		lines = append(lines, text.Line{text.In(text.Accent, mark), text.Plain(strconv.Itoa(i+1) + " " + q.Choices[i].Label)}.Cut(width))
	}
	return lines, false
}
