package tui

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// linearWidth is the width that pages are laid out for when they are written line by line.
const linearWidth = 98

// usage says what a line of input may be. It is written at the start, and before the keys that ? lists.
const usage = "Lines: a number goes to that line, ⏎ alone opens, a key or words of an action do it, = before a digit makes it a key (=1), ? lists the keys, q quits."

// Linear runs the screen as lines that follow one another, for screen readers and for terminals that cannot be drawn on: it
// writes a page once, numbers what can be gone to, and reads commands by the line. It ends with the input, or with q.
func Linear(m *Model, in io.Reader, out io.Writer) error {
	l := &linear{m: m, out: out}
	l.run(m.Init())
	l.tell(tea.WindowSizeMsg{Width: linearWidth, Height: 60})
	l.say(usage)
	lines := bufio.NewScanner(in)
	for l.show(); !l.ended; l.show() {
		l.write("> ")
		if !lines.Scan() {
			break
		}
		l.line(strings.TrimRight(lines.Text(), "\r"))
	}
	if l.err != nil {
		return l.err
	}
	return lines.Err()
}

// linear is the screen by the line.
type linear struct {
	m     *Model
	out   io.Writer
	shown page.Page // the page that was written last
	body  string    // as it was
	ended bool
	err   error
}

func (l *linear) write(s string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.out, s)
	}
}

func (l *linear) say(s string) { l.write(s + "\n") }

// tell gives the screen a message and does what it asks for, to the end.
func (l *linear) tell(msg tea.Msg) {
	_, cmd := l.m.Update(msg)
	l.run(cmd)
}

func (l *linear) run(cmd tea.Cmd) {
	if cmd == nil || l.ended {
		return
	}
	msg := cmd()
	list := reflect.ValueOf(msg) // of a batch or a sequence; the type of the latter has no name
	if list.IsValid() && list.Kind() == reflect.Slice && list.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		for i := range list.Len() {
			part, _ := reflect.TypeAssert[tea.Cmd](list.Index(i))
			l.run(part)
		}
		return
	}
	if _, ok := msg.(tea.QuitMsg); ok {
		l.ended = true
		return
	}
	l.tell(msg)
}

// show writes the page when it is another one or has changed, and otherwise the row of the cursor; then what is asked.
func (l *linear) show() {
	top := l.m.top()
	page.Lay(top, linearWidth)
	body := l.numbered()
	switch {
	case l.ended:
		return
	case top != l.shown || body != l.body:
		l.say("")
		l.say(strings.Join(strings.Fields(spoken(l.m.heading(2*linearWidth))), " "))
		l.write(body)
	case l.m.overlay == nil && !l.m.desk.Writing():
		if r, ok := top.Base().Selected(); ok {
			l.say("at: " + spoken(r.Line))
		}
	}
	l.shown, l.body = top, body
	if l.m.message.Text() != "" {
		l.say(l.m.message.Text())
	}
	l.asked()
}

// asked writes what waits for an answer.
func (l *linear) asked() {
	switch {
	case l.m.overlay != nil:
		height := 400 // the help, whole: there is nothing to scroll
		if _, offers := l.m.overlay.(*components.Palette); offers {
			height = 40
		}
		lines, _ := l.m.overlay.View(linearWidth, height)
		for _, line := range lines {
			l.say(spoken(line))
		}
	case l.m.desk.Writing():
		for _, line := range l.m.desk.View(linearWidth, 40) {
			l.say(spoken(line))
		}
		l.say("Write lines; one with . alone is done, one with ! alone keeps the draft for later.")
	}
}

// numbered is the page, with a number before each row that can be gone to.
func (l *linear) numbered() string {
	var b strings.Builder
	for i, r := range l.m.top().Base().List.All() {
		number := "    "
		if r.Stands() {
			number = fmt.Sprintf("%3d ", i+1)
		}
		b.WriteString(strings.TrimRight(number+spoken(r.Line), " ") + "\n")
	}
	return b.String()
}

// spoken is a line without what is only drawn.
func spoken(line render.Line) string {
	return strings.TrimRight(strings.NewReplacer("┃ ", "", "┄", "", "▌ ", "> ", "▏ ", "  ", "│", "|", "─", "", "█", "", "◌ ", "not read: ").Replace(line.String()), " ")
}

// line does what a line says.
func (l *linear) line(said string) {
	m := l.m
	switch {
	case m.desk.Writing() && m.overlay == nil:
		l.written(said)
		return
	case m.overlay != nil:
		l.answer(said)
		return
	case said == "":
		l.press("enter")
		return
	}
	if n, err := strconv.Atoi(said); err == nil {
		if !m.top().Base().List.Go(n - 1) {
			l.say("there is no such number here")
		}
		return
	}
	l.act(said)
}

// act does what a key does, or an action by its words. A digit alone is the number of a line: as a key, it has a = before it.
func (l *linear) act(said string) {
	key := strings.TrimPrefix(said, "=")
	if key == "space" {
		key = " "
	}
	if _, known := components.Find(l.m.actions(), key); !known {
		l.named(said)
		return
	}
	if key == "?" {
		l.say(usage)
	}
	l.press(key)
}

// written takes a line of a text.
func (l *linear) written(said string) {
	switch said {
	case ".":
		l.press("ctrl+s")
	case "!":
		l.press("esc")
	default:
		l.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(said + "\n"), Paste: true})
	}
}

// answer gives a line to what waits for one: letters and then ⏎, where one letter does not do.
func (l *linear) answer(said string) {
	before := l.m.overlay
	if said == "esc" {
		l.press("esc")
		return
	}
	for _, r := range said {
		l.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		if l.m.overlay != before {
			return
		}
	}
	l.press("enter")
}

// named does the action that some words mean most; one letter is no word.
func (l *linear) named(words string) {
	if utf8.RuneCountInString(words) > 1 {
		if cmd, ok := components.NewPalette(components.Entries(components.Available(l.m.actions()), l.m.do)).Best(words); ok {
			l.run(cmd)
			return
		}
	}
	l.say(cmp.Or(l.m.unknown(strings.TrimPrefix(words, "=")), fmt.Sprintf("“%s” is not known here; ? lists the keys", words)))
}

// press gives the screen a key by its name.
func (l *linear) press(name string) {
	for _, k := range []tea.KeyType{
		tea.KeyEnter, tea.KeyEsc, tea.KeyTab, tea.KeyShiftTab, tea.KeyBackspace, tea.KeyPgUp, tea.KeyPgDown, tea.KeyUp, tea.KeyDown,
		tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyCtrlD, tea.KeyCtrlK, tea.KeyCtrlS, tea.KeyCtrlU, tea.KeyF5,
	} {
		if (tea.KeyMsg{Type: k}).String() == name {
			l.tell(tea.KeyMsg{Type: k})
			return
		}
	}
	l.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)})
}
