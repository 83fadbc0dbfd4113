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
	Confirm  bool // the choices are yes and no, chosen with the arrows; every letter means no
	Typed    bool // with Confirm: the user has to type the word yes
	Selected int  // index of the selected choice

	word         string // the typed word
	closedByText bool
}

// NewConfirmation returns a question that carries out yes only if the user chooses it, or types the word yes if typed is
// set. No is selected at first.
func NewConfirmation(text string, typed bool, yes tea.Cmd) *Question {
	return &Question{Text: text, Typed: typed, Choices: []Choice{{Label: "yes", Cmd: yes}, {Label: "no"}}, Confirm: true, Selected: 1}
}

func (q *Question) bindings() []binding {
	leave := binding{keys: []string{"esc", "q", "n", "N"}, hint: "esc cancels", do: closeOverlay}
	if q.Confirm && q.Typed {
		return []binding{
			{keys: []string{"enter"}, hint: "type yes and ⏎", do: q.answerTyped},
			{keys: []string{"backspace"}, do: keepOpen(func() { q.word = q.word[:max(len(q.word)-1, 0)] })},
			{keys: []string{"esc"}, hint: "esc no", do: closeOverlay},
		}
	}
	if q.Confirm {
		other := keepOpen(func() { q.Selected = 1 - q.Selected })
		return []binding{
			{keys: []string{"left", "right", "up", "down", "tab", "shift+tab"}, hint: "← → tab yes or no", do: other},
			{keys: []string{"enter"}, hint: "⏎ " + q.Choices[q.Selected].Label, do: q.Choices[q.Selected].choose},
			{keys: []string{"esc"}, hint: "esc no", do: closeOverlay},
		}
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

// confirmation is the word that answers a question with Typed.
const confirmation = "yes"

// handleKey handles a character that is not one of the keys of the question. With Typed it extends the typed word as long as
// that is a prefix of confirmation; any other character closes the question.
func (q *Question) handleKey(k tea.KeyMsg) (done bool) {
	isText := k.Type == tea.KeyRunes || k.Type == tea.KeySpace
	if q.Confirm && q.Typed && isText {
		if k.Paste {
			return false
		}
		q.word += strings.ToLower(typedCharacters(k))
		isText = !strings.HasPrefix(confirmation, q.word)
	}
	q.closedByText = isText
	return q.closedByText
}

// typedCharacters returns the characters that a key types, or "" for other keys.
func typedCharacters(k tea.KeyMsg) string {
	if k.Type == tea.KeySpace {
		return " "
	}
	return string(k.Runes)
}

// Answer returns the command of the first choice if words is the word yes, and otherwise a message that nothing was done.
func (q *Question) Answer(words string) tea.Cmd {
	if strings.EqualFold(strings.TrimSpace(words), confirmation) {
		return q.Choices[0].Cmd
	}
	return Toast("nothing done: you did not answer yes")
}

// answerTyped closes the question: with the command of the first choice if the user typed the whole word yes, and otherwise
// with a message that nothing was done.
func (q *Question) answerTyped() (tea.Cmd, bool) {
	if q.word == confirmation {
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
		} else {
			lines = append(lines, q.choiceLine().Cut(width))
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

// choiceLine draws the choices of a confirmation, with a mark on the selected one.
func (q *Question) choiceLine() (line render.Line) {
	for i, c := range q.Choices {
		style, mark := render.Style{}, "  "
		if i == q.Selected {
			style, mark = render.Style{Ground: render.Selected, Bold: true}, "▌ "
		}
		line = append(line, render.NewSpan(style, mark+c.Label+" "), render.Plain("  "))
	}
	return line
}
