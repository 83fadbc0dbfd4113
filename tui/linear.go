package tui

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// linearWidth is the width of the rows of pages written line by line, so that no title is cut. linearWindow is that of the
// window, which has no panes.
const (
	linearWidth  = 300
	linearWindow = 98
)

// usage describes the accepted input. It is written at the start and before the list of keys.
const usage = "Lines: a number goes to that line, ⏎ alone opens, a key or words of an action do it, = before a digit makes it a key " +
	"(=1), again writes the page, ? lists the keys, q quits."

// Linear runs the screen line by line for screen readers and simple terminals: it writes each page once, numbers its
// rows and reads commands by line. It returns at the end of the input or on q.
func Linear(m *Model, in io.Reader, out io.Writer) error {
	m.lineMode, m.editor.lineMode = true, true
	l := &linear{model: m, out: out}
	l.run(m.Init())
	l.send(tea.WindowSizeMsg{Width: linearWindow, Height: 60})
	l.writeLine(usage)
	lines := bufio.NewScanner(in)
	for l.show(); !l.ended; l.show() {
		l.write("> ")
		if !lines.Scan() {
			break
		}
		l.handleLine(strings.TrimRight(lines.Text(), "\r"))
		l.send(TickMsg{}) // polls for changes by others
	}
	if l.err != nil {
		return l.err
	}
	return lines.Err()
}

// linear is the state of Linear.
type linear struct {
	model        *Model
	out          io.Writer
	shownPage    page.Page              // page last written
	bodies       map[page.Page][]string // lines of the pages of the stack, as last written
	row          string                 // row under the cursor, as last written
	news         string                 // changes by others, as last written
	overlay      components.Overlay     // overlay whose question was written
	writing      bool                   // the instructions for writing a text were written
	typedLines   []string               // lines typed for the suggested words
	needsRewrite bool                   // the page is to be written again
	ended        bool
	err          error
}

func (l *linear) write(s string) {
	s = strings.ReplaceAll(s, "⏎", "enter")
	if l.model.options.ASCII {
		s = render.ASCIIText(s)
	}
	if l.err == nil {
		_, l.err = io.WriteString(l.out, s)
	}
}

func (l *linear) writeLine(s string) { l.write(s + "\n") }

func (l *linear) writeLines(lines []string) {
	for _, line := range lines {
		l.writeLine(line)
	}
}

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

// show writes the message of the last action; then the page if it is another one, and otherwise what changed in it; then
// the prompt.
func (l *linear) show() {
	if l.ended {
		return
	}
	top := l.model.top()
	page.LayoutLines(top, linearWindow, linearWidth)
	body := l.numberedBody()
	if l.model.message.Text() != "" {
		l.writeLine(l.model.message.Text())
	}
	switch {
	case top != l.shownPage || l.needsRewrite:
		before, known := l.bodies[top]
		l.writeLine("")
		l.writeLine(l.title())
		if known && !l.needsRewrite { // written before: the user goes back to it
			l.writeChanges(before, body)
			l.writeLine("at: " + l.currentRow())
		} else {
			l.writeLines(body)
			l.writeLine(l.hints())
		}
		l.overlay = nil
	case !slices.Equal(body, l.bodies[top]):
		l.writeChanges(l.bodies[top], body)
		if l.model.overlay == nil && !l.model.editor.Writing() {
			l.writeLine("at: " + l.currentRow())
		}
	case l.model.overlay == nil && !l.model.editor.Writing() && l.hasMoved():
		l.writeLine("at: " + l.currentRow())
	}
	l.shownPage, l.needsRewrite, l.row = top, false, l.currentRow()
	l.keepBodies(top, body)
	l.writeNews()
	l.writePrompt()
}

// title names the page, the list in it, and the page from which it was opened.
func (l *linear) title() string {
	steps := l.model.steps()
	title := steps[len(steps)-1]
	if p, ok := l.model.top().(lister); ok {
		title += ", " + p.ListName()
	}
	if len(steps) > 1 && !isTab(l.model.top()) {
		title += ", in " + steps[len(steps)-2]
	}
	return title
}

// lister is a page that shows one of several lists.
type lister interface{ ListName() string }

// maxChangedLines is the number of changed lines that are written after an action.
const maxChangedLines = 8

// writeChanges writes the lines of the page that were not there before, and the number of removed ones.
func (l *linear) writeChanges(earlier, body []string) {
	before := map[string]int{}
	for _, line := range earlier {
		before[withoutNumber(line)]++
	}
	var changed []string
	for _, line := range body {
		switch text := withoutNumber(line); {
		case before[text] > 0:
			before[text]--
		case text != "":
			changed = append(changed, line)
		}
	}
	gone := 0
	for text, n := range before {
		if text != "" {
			gone += n
		}
	}
	if len(changed) > maxChangedLines {
		l.writeLines(changed[:maxChangedLines])
		l.writeLine(fmt.Sprintf("and %s changed; again writes the page", render.Plural(len(changed)-maxChangedLines, "more line")))
	} else {
		l.writeLines(changed)
	}
	by := len(body) - len(earlier)
	switch first := firstDifference(earlier, body) + 1; {
	case by > 0 && first <= len(earlier):
		l.writeLine(fmt.Sprintf("what was %d is now %d", first, first+by))
	case by < 0 && first <= len(body):
		l.writeLine(fmt.Sprintf("what was %d is now %d", first-by, first))
	case gone > len(changed):
		l.writeLine(render.Plural(gone-len(changed), "line") + " less than before")
	}
}

// firstDifference returns the index of the first line that differs.
func firstDifference(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// keepBodies replaces the stored lines by those of top and of the other pages of the stack. The lines of closed pages are
// dropped.
func (l *linear) keepBodies(top page.Page, body []string) {
	kept := map[page.Page][]string{top: body}
	for _, p := range l.model.pages {
		if known, ok := l.bodies[p]; ok && p != top {
			kept[p] = known
		}
	}
	l.bodies = kept
}

// maxThreadLines is the maximum number of lines of a thread that are written with its first line.
const maxThreadLines = 6

// currentRow returns the text of the row under the cursor, and for the head of a thread also its text.
func (l *linear) currentRow() string {
	list := &l.model.top().Base().List
	r, _ := list.Selected()
	text := l.text(r.Line)
	if !r.Thread {
		return text
	}
	at, _ := list.Position()
	for i, of := range list.All() {
		if i >= at && i < at+maxThreadLines && of.About.Comment == r.About.Comment && !of.Thread {
			if line := strings.TrimSpace(plainText(of.Line)); line != "" {
				text += "; " + line
			}
		}
	}
	return text + "; here: " + hintsOf(slices.DeleteFunc(components.MenuActions(l.model.top().Actions()), func(a components.Action) bool {
		return !slices.Contains([]string{"reply", "resolve"}, a.Name)
	}))
}

// hints returns the actions that are possible here, as in the last line of the screen.
func (l *linear) hints() string {
	return "Here: " + hintsOf(components.Available(l.model.actions())) + ", all keys (?)"
}

// hintsOf returns the hints and keys of actions.
func hintsOf(actions []components.Action) string {
	var all []string
	for _, a := range actions {
		if a.Hint != "" && len(a.Keys) > 0 {
			all = append(all, a.Hint+" ("+components.KeyNames(a.Keys[:1])+")")
		}
	}
	return strings.Join(all, ", ")
}

// hasMoved reports whether the cursor is on another row than before.
func (l *linear) hasMoved() bool { return l.currentRow() != l.row }

// writeNews writes the changes by others since the page was written, once.
func (l *linear) writeNews() {
	news := l.model.news(linearWidth)
	if news != "" && news != l.news {
		l.writeLine("new: " + news + "; R shows it")
	}
	l.news = news
}

// writePrompt writes the question of an overlay, or the instructions for writing a text, once.
func (l *linear) writePrompt() {
	switch overlay := l.model.overlay.(type) {
	case nil:
		l.overlay = nil
	case components.LineOverlay:
		if l.overlay != overlay {
			l.writeLines(overlay.PromptLines())
		}
		l.overlay = overlay
		return
	default: // the help, whose lines are written at once
		lines, _ := overlay.View(linearWidth, 400)
		for _, line := range lines {
			l.writeLine(plainText(line))
		}
		l.model.overlay = nil
		return
	}
	if writing := l.model.editor.Writing(); writing && !l.writing {
		for _, line := range l.model.editor.View(linearWidth, 40) {
			l.writeLine(plainText(line))
		}
		l.typedLines = nil
		what := "Write lines; "
		if l.model.editor.OnWords() {
			what = "Write what the text above should be; "
		}
		l.writeLine(what + "a line with . alone ends it (" + l.endHint() + "), one with ! alone keeps the draft for later.")
	}
	l.writing = l.model.editor.Writing()
}

// endHint describes the effect of the line that ends the current text: the text of a review is kept, and for others it is the
// label of ctrl+s.
func (l *linear) endHint() string {
	if l.model.editor.SendsReview() {
		return "kept, not sent yet"
	}
	return l.model.editor.doneHint()
}

// text returns the text of a row of the page, with words for the signs that the page explains.
func (l *linear) text(line render.Line) string {
	text := plainText(line)
	if _, ok := l.model.top().(legend); ok {
		return nameSign(text)
	}
	return text
}

// numberedBody returns the lines of the page, with a number before each row that can be selected.
func (l *linear) numberedBody() []string {
	var lines []string
	for i, r := range l.model.top().Base().List.All() {
		number := "    "
		if r.Selectable() {
			number = fmt.Sprintf("%3d ", i+1)
		}
		lines = append(lines, strings.TrimRight(number+l.text(r.Line), " "))
	}
	return lines
}

// handleLine processes a line of input.
func (l *linear) handleLine(input string) {
	m := l.model
	m.message = render.Span{} // already written together with its action
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
	case input == "again":
		l.needsRewrite = true
		return
	}
	if n, err := strconv.Atoi(input); err == nil {
		if !m.top().Base().List.SelectIndex(n - 1) {
			l.writeLine("there is no such number here")
			return
		}
		l.row = "" // written again, also if it is the same
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

// writeText adds a line to the text being written. The lines of a suggestion replace the original words.
func (l *linear) writeText(input string) {
	switch {
	case input == "." && l.model.editor.SendsReview():
		l.press("esc")
		l.writeLine("ctrl+s sends the review")
	case input == ".":
		l.press("ctrl+s")
	case input == "!":
		l.press("esc")
	case l.model.editor.OnWords():
		l.typedLines = append(l.typedLines, input)
		l.run(l.model.editor.Replace(strings.Join(l.typedLines, "\n")))
	default:
		l.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(input + "\n"), Paste: true})
	}
}

// answer passes a line to the overlay.
func (l *linear) answer(input string) {
	if input == "esc" {
		l.press("esc")
		return
	}
	overlay, ok := l.model.overlay.(components.LineOverlay)
	if !ok {
		l.press(input)
		return
	}
	cmd, reply, done := overlay.AnswerLine(input)
	if done && l.model.overlay == overlay {
		l.model.overlay = nil
	}
	l.writeLines(reply)
	l.run(cmd)
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

// press sends the model the key with a name, such as enter. Other names are sent as typed characters.
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
