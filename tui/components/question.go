package components

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Choice is an answer to a question, and what it does.
type Choice struct {
	Label string
	Cmd   tea.Cmd
	Do    func() // what it does to the page that asked, before the next key; nil for nothing
}

// choose does what is chosen.
func (c Choice) choose() (tea.Cmd, bool) {
	if c.Do != nil {
		c.Do()
	}
	return c.Cmd, true
}

// Question asks for one of a few choices.
type Question struct {
	Text    string
	Choices []Choice
	Confirm bool // y and n answer, the first choice is yes
	Typed   bool // with Confirm: yes is typed as a word
	At      int  // the choice that ⏎ takes: the likely one at first

	word string // that was typed
}

func (q *Question) gestures() []gesture {
	leave := gesture{keys: []string{"esc", "q", "n", "N"}, hint: "esc cancels", do: closed(nil)}
	if q.Confirm && q.Typed {
		return []gesture{
			{keys: []string{"enter"}, hint: "type yes and ⏎", do: q.typedYes},
			{keys: []string{"backspace"}, do: stays(func() { q.word = q.word[:max(len(q.word)-1, 0)] })},
			{keys: []string{"esc"}, hint: "esc no", do: closed(nil)},
		}
	}
	if q.Confirm { // what cannot be undone needs its letter
		leave.hint = "n no"
		return []gesture{{keys: []string{"y", "Y"}, hint: "y yes", do: closed(q.Choices[0].Cmd)}, leave}
	}
	all := []gesture{
		{keys: []string{"enter"}, hint: "a number or ⏎ chooses", do: func() (tea.Cmd, bool) { return q.Choices[q.At].choose() }},
		leave,
		{keys: []string{"j", "down", "tab"}, do: stays(func() { q.At = min(q.At+1, len(q.Choices)-1) })},
		{keys: []string{"k", "up", "shift+tab"}, do: stays(func() { q.At = max(q.At-1, 0) })},
	}
	for i, c := range q.Choices {
		all = append(all, gesture{keys: []string{strconv.Itoa(i + 1)}, do: c.choose})
	}
	return all
}

func (q *Question) typed(k tea.KeyMsg) {
	if q.Typed && k.Type == tea.KeyRunes && len(q.word) < 3 {
		q.word += strings.ToLower(string(k.Runes[:1]))
	}
}

// typedYes is yes when that is what was typed, and no otherwise.
func (q *Question) typedYes() (tea.Cmd, bool) {
	if q.word == "yes" {
		return q.Choices[0].Cmd, true
	}
	return Toast("nothing done: you did not type yes"), true
}

// View implements Overlay: a question stands under the page.
func (q *Question) View(width, height int) ([]render.Line, bool) {
	if q.Confirm {
		var lines []render.Line
		for line := range strings.SplitSeq(q.Text, "\n") {
			lines = append(lines, render.Wrap(render.Line{render.Of(render.Style{Tone: render.Warning, Bold: true}, line)}, width, nil)...)
		}
		if q.Typed {
			lines = append(lines, render.Line{render.Plain(q.word + "█")}.Cut(width))
		}
		return lines[max(0, len(lines)-max(height-1, 1)):], false // the question itself is at the end
	}
	lines := []render.Line{{render.Of(render.Style{Tone: render.Accent, Bold: true}, q.Text)}}
	room := max(min(height/2, len(q.Choices)), 1)
	top := max(0, min(q.At-room+1, len(q.Choices)-room))
	for i := top; i < len(q.Choices) && i < top+room; i++ {
		mark := "  "
		if i == q.At {
			mark = "▌ "
		}
		line := render.Line{render.In(render.Accent, mark), render.Plain(strconv.Itoa(i+1) + " " + q.Choices[i].Label)}.Cut(width)
		if i == q.At {
			line = line.Fill(render.Selected, width)
		}
		lines = append(lines, line)
	}
	return lines, false
}
