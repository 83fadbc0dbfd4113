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

// linearWidth is the layout width of pages written line by line.
const linearWidth = 98

// usage describes the accepted input. It is written at the start and before the list of keys.
const usage = "Lines: a number goes to that line, ⏎ alone opens, a key or words of an action do it, = before a digit makes it a key " +
	"(=1), ? lists the keys, q quits."

// Linear runs the screen line by line for screen readers and simple terminals: it writes each page once, numbers its
// rows and reads commands by line. It returns at the end of the input or on q.
func Linear(m *Model, in io.Reader, out io.Writer) error {
	m.byLine = true
	l := &linear{model: m, out: out}
	l.run(m.Init())
	l.send(tea.WindowSizeMsg{Width: linearWidth, Height: 60})
	l.writeLine(usage)
	lines := bufio.NewScanner(in)
	for l.show(); !l.ended; l.show() {
		l.write("> ")
		if !lines.Scan() {
			break
		}
		l.handleLine(strings.TrimRight(lines.Text(), "\r"))
	}
	if l.err != nil {
		return l.err
	}
	return lines.Err()
}

// linear is the state of Linear.
type linear struct {
	model *Model
	out   io.Writer
	shown page.Page // page last written
	body  string    // text last written
	ended bool
	err   error
}

func (l *linear) write(s string) {
	if l.model.options.ASCII {
		s = render.ASCIIText(s)
	}
	if l.err == nil {
		_, l.err = io.WriteString(l.out, s)
	}
}

func (l *linear) writeLine(s string) { l.write(s + "\n") }

// send passes a message to the model and runs the resulting commands until none are left.
func (l *linear) send(msg tea.Msg) {
	_, cmd := l.model.Update(msg)
	l.run(cmd)
}

func (l *linear) run(cmd tea.Cmd) {
	if cmd == nil || l.ended {
		return
	}
	msg := cmd()
	list := reflect.ValueOf(msg) // a batch or a sequence; the type of the latter is unexported
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
	l.send(msg)
}

// show writes the page if it changed, otherwise the row under the cursor, and then the prompt.
func (l *linear) show() {
	top := l.model.top()
	page.Layout(top, linearWidth)
	body := l.numberedBody()
	switch {
	case l.ended:
		return
	case top != l.shown || body != l.body:
		l.writeLine("")
		l.writeLine(strings.Join(strings.Fields(plainText(l.model.heading(2*linearWidth))), " "))
		l.write(body)
	case l.model.overlay == nil && !l.model.editor.Writing():
		if r, ok := top.Base().Selected(); ok {
			l.writeLine("at: " + plainText(r.Line))
		}
	}
	l.shown, l.body = top, body
	if l.model.message.Text() != "" {
		l.writeLine(l.model.message.Text())
	}
	l.writePrompt()
}

// writePrompt writes the overlay or composer that waits for input.
func (l *linear) writePrompt() {
	switch {
	case l.model.overlay != nil:
		height := 400 // enough for the help without scrolling
		if _, offers := l.model.overlay.(*components.Palette); offers {
			height = 40
		}
		lines, _ := l.model.overlay.View(linearWidth, height)
		for _, line := range lines {
			l.writeLine(plainText(line))
		}
	case l.model.editor.Writing():
		for _, line := range l.model.editor.View(linearWidth, 40) {
			l.writeLine(plainText(line))
		}
		l.writeLine("Write lines; one with . alone is done, one with ! alone keeps the draft for later.")
	}
}

// numberedBody returns the page with a number before each row that can be selected.
func (l *linear) numberedBody() string {
	var b strings.Builder
	for i, r := range l.model.top().Base().List.All() {
		number := "    "
		if r.Selectable() {
			number = fmt.Sprintf("%3d ", i+1)
		}
		b.WriteString(strings.TrimRight(number+plainText(r.Line), " ") + "\n")
	}
	return b.String()
}

// plainText returns the text of a line without decoration.
func plainText(line render.Line) string {
	return strings.TrimRight(strings.NewReplacer("┃ ", "", "┄", "", "▌ ", "> ", "▏ ", "  ", "│", "|", "─", "", "█", "", "◌ ",
		"not read: ").Replace(line.String()), " ")
}

// handleLine processes a line of input.
func (l *linear) handleLine(input string) {
	m := l.model
	switch {
	case m.editor.Writing() && m.overlay == nil:
		l.writeText(input)
		return
	case m.overlay != nil:
		l.answer(input)
		return
	case input == "":
		l.press("enter")
		return
	}
	if n, err := strconv.Atoi(input); err == nil {
		if !m.top().Base().List.SelectIndex(n - 1) {
			l.writeLine("there is no such number here")
		}
		return
	}
	l.runAction(input)
}

// runAction runs the action with a key or a name. A lone digit is a row number; as a key it is written with a leading
// =.
func (l *linear) runAction(input string) {
	key := strings.TrimPrefix(input, "=")
	if key == "space" {
		key = " "
	}
	if _, known := components.Find(l.model.actions(), key); !known {
		l.runNamed(input)
		return
	}
	if key == "?" {
		l.writeLine(usage)
	}
	l.press(key)
}

// writeText adds a line to the text being written.
func (l *linear) writeText(input string) {
	switch input {
	case ".":
		l.press("ctrl+s")
	case "!":
		l.press("esc")
	default:
		l.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(input + "\n"), Paste: true})
	}
}

// answer passes a line to the overlay: its characters followed by ⏎, unless a single key suffices.
func (l *linear) answer(input string) {
	before := l.model.overlay
	if input == "esc" {
		l.press("esc")
		return
	}
	if q, ok := before.(*components.Question); ok && q.Confirm {
		l.model.overlay = nil
		l.run(q.Answer(input))
		return
	}
	for _, r := range input {
		l.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		if l.model.overlay != before {
			return
		}
	}
	l.press("enter")
}

// runNamed runs the action whose name matches the words best. A single letter is not accepted as a name.
func (l *linear) runNamed(words string) {
	if utf8.RuneCountInString(words) > 1 {
		if cmd, ok := components.NewPalette(components.Entries(components.Available(l.model.actions()),
			l.model.perform)).RunBest(words); ok {
			l.run(cmd)
			return
		}
	}
	l.writeLine(cmp.Or(l.model.unknownKeyHint(strings.TrimPrefix(words, "=")),
		fmt.Sprintf("“%s” is not known here; ? lists the keys", words)))
}

// press sends a key by name.
func (l *linear) press(name string) {
	for _, k := range []tea.KeyType{
		tea.KeyEnter, tea.KeyEsc, tea.KeyTab, tea.KeyShiftTab, tea.KeyBackspace, tea.KeyPgUp, tea.KeyPgDown, tea.KeyUp, tea.KeyDown,
		tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyCtrlD, tea.KeyCtrlK, tea.KeyCtrlS, tea.KeyCtrlU, tea.KeyF5,
	} {
		if (tea.KeyMsg{Type: k}).String() == name {
			l.send(tea.KeyMsg{Type: k})
			return
		}
	}
	l.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)})
}
