package components

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// Choice is a possible answer to a question.
type Choice struct {
	Label string
	Cmd   tea.Cmd
	Do    func() // changes the page synchronously before the next key; may be nil
}

// choose carries out the choice.
func (c Choice) choose() (tea.Cmd, bool) {
	if c.Do != nil {
		c.Do()
	}
	return c.Cmd, true
}

// Question asks for one of a few choices.
type Question struct {
	Text     string
	Choices  []Choice
	Confirm  bool // the keys y and n answer; the first choice is yes
	Typed    bool // with Confirm: the user has to type the word yes
	Selected int  // index of the selected choice

	word string // the typed word
}

func (q *Question) bindings() []binding {
	leave := binding{keys: []string{"esc", "q", "n", "N"}, hint: "esc cancels", do: closeWith(nil)}
	if q.Confirm && q.Typed {
		return []binding{
			{keys: []string{"enter"}, hint: "type yes and ⏎", do: q.answerTyped},
			{keys: []string{"backspace"}, do: keepOpen(func() { q.word = q.word[:max(len(q.word)-1, 0)] })},
			{keys: []string{"esc"}, hint: "esc no", do: closeWith(nil)},
		}
	}
	if q.Confirm { // irreversible actions need a letter
		leave.hint = "n no"
		return []binding{{keys: []string{"y", "Y"}, hint: "y yes", do: closeWith(q.Choices[0].Cmd)}, leave}
	}
	all := []binding{
		{keys: []string{"enter"}, hint: "a number or ⏎ chooses", do: func() (tea.Cmd, bool) { return q.Choices[q.Selected].choose() }},
		leave,
		{keys: []string{"j", "down", "tab"}, do: keepOpen(func() { q.Selected = min(q.Selected+1, len(q.Choices)-1) })},
		{keys: []string{"k", "up", "shift+tab"}, do: keepOpen(func() { q.Selected = max(q.Selected-1, 0) })},
	}
	for i, c := range q.Choices {
		all = append(all, binding{keys: []string{strconv.Itoa(i + 1)}, do: c.choose})
	}
	return all
}

func (q *Question) typed(k tea.KeyMsg) {
	if q.Typed && k.Type == tea.KeyRunes && len(q.word) < 3 {
		q.word += strings.ToLower(string(k.Runes[:1]))
	}
}

// answerTyped answers yes if the user typed the word, and no otherwise.
func (q *Question) answerTyped() (tea.Cmd, bool) {
	if q.word == "yes" {
		return q.Choices[0].Cmd, true
	}
	return Toast("nothing done: you did not type yes"), true
}

// View implements Overlay: the question is drawn under the page.
func (q *Question) View(width, height int) ([]render.Line, bool) {
	if q.Confirm {
		var lines []render.Line
		for line := range strings.SplitSeq(q.Text, "\n") {
			lines = append(lines, render.Wrap(render.Line{render.NewSpan(render.Style{Tone: render.Warning, Bold: true}, line)},
				width, nil)...)
		}
		if q.Typed {
			lines = append(lines, render.Line{render.Plain(q.word + "█")}.Cut(width))
		}
		return lines[max(0, len(lines)-max(height-1, 1)):], false // the choices are at the end
	}
	lines := []render.Line{{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, q.Text)}}
	visible := max(min(height/2, len(q.Choices)), 1)
	top := max(0, min(q.Selected-visible+1, len(q.Choices)-visible))
	for i := top; i < len(q.Choices) && i < top+visible; i++ {
		mark := "  "
		if i == q.Selected {
			mark = "▌ "
		}
		line := render.Line{render.In(render.Accent, mark), render.Plain(strconv.Itoa(i+1) + " " + q.Choices[i].Label)}.Cut(width)
		if i == q.Selected {
			line = line.Fill(render.Selected, width)
		}
		lines = append(lines, line)
	}
	return lines, false
}
