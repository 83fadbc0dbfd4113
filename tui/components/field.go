package components

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/term"
)

// Field is an editable text with a cursor, of one line or several.
type Field struct {
	lines      [][]rune
	row        int
	column     int
	singleLine bool
	width      int // of the last View, in cells; 0 before it
}

// newlines normalizes the ends of lines; terminals paste carriage returns.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// NewField returns a field with a text and the cursor at its end; single limits it to one line.
func NewField(content string, single bool) Field {
	f := Field{singleLine: single, lines: [][]rune{nil}}
	f.insert(content)
	return f
}

func (f *Field) String() string {
	lines := make([]string, len(f.lines))
	for i, l := range f.lines {
		lines[i] = string(l)
	}
	return strings.Join(lines, "\n")
}

// Accepts reports whether a field keeps a text unchanged.
func Accepts(content string) bool {
	f := NewField(content, false)
	return f.String() == content
}

// insert inserts text at the cursor.
func (f *Field) insert(content string) {
	content = term.Sanitize(newlines.Replace(content))
	if f.singleLine {
		content = strings.ReplaceAll(content, "\n", " ")
	}
	for i, part := range strings.Split(content, "\n") {
		if i > 0 {
			f.breakLine()
		}
		line := f.lines[f.row]
		f.lines[f.row] = append(append(append([]rune{}, line[:f.column]...), []rune(part)...), line[f.column:]...)
		f.column += len([]rune(part))
	}
}

func (f *Field) breakLine() {
	line := f.lines[f.row]
	rest := append([]rune{}, line[f.column:]...)
	f.lines[f.row] = line[:f.column:f.column]
	f.row++
	f.lines = append(f.lines[:f.row], append([][]rune{rest}, f.lines[f.row:]...)...)
	f.column = 0
}

// Key handles a key and reports whether it had an effect.
func (f *Field) Key(k tea.KeyMsg) bool {
	defer f.alignCursor()
	switch k.Type {
	case tea.KeyRunes:
		if k.Alt {
			return f.moveByWord(string(k.Runes))
		}
		f.insert(string(k.Runes))
	case tea.KeySpace:
		f.insert(" ")
	case tea.KeyTab:
		f.insert("  ")
	case tea.KeyEnter, tea.KeyCtrlJ:
		if f.singleLine {
			return false
		}
		f.breakLine()
	default:
		return f.move(k.Type) || f.remove(k.Type)
	}
	return true
}

func (f *Field) move(k tea.KeyType) bool {
	switch k {
	case tea.KeyLeft, tea.KeyCtrlB:
		f.moveLeft()
	case tea.KeyRight, tea.KeyCtrlF:
		f.moveRight()
	case tea.KeyCtrlLeft:
		f.moveWordLeft()
	case tea.KeyCtrlRight:
		f.moveWordRight()
	case tea.KeyUp:
		f.moveUp()
	case tea.KeyDown:
		f.moveDown()
	case tea.KeyHome, tea.KeyCtrlA:
		f.column = 0
	case tea.KeyEnd:
		f.column = len(f.lines[f.row])
	default:
		return false
	}
	f.column = min(f.column, len(f.lines[f.row]))
	return true
}

// stops returns the possible columns of the cursor, which are the boundaries of grapheme clusters.
func (f *Field) stops() []int {
	stops, rest := []int{0}, string(f.lines[f.row])
	for rest != "" {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		stops, rest = append(stops, stops[len(stops)-1]+utf8.RuneCountInString(cluster)), rest[len(cluster):]
	}
	return stops
}

// previousStop returns the stop before the cursor.
func (f *Field) previousStop() int {
	stops := f.stops()
	at, _ := slices.BinarySearch(stops, f.column)
	return stops[max(at-1, 0)]
}

// alignCursor moves a cursor within a grapheme cluster to its end.
func (f *Field) alignCursor() {
	stops := f.stops()
	at, _ := slices.BinarySearch(stops, f.column)
	f.column = stops[min(at, len(stops)-1)]
}

func (f *Field) moveLeft() {
	switch {
	case f.column > 0:
		f.column = f.previousStop()
	case f.row > 0:
		f.row--
		f.column = len(f.lines[f.row])
	}
}

func (f *Field) moveRight() {
	switch {
	case f.column < len(f.lines[f.row]):
		f.column++ // alignCursor moves on to the end of the cluster
		f.alignCursor()
	case f.row+1 < len(f.lines):
		f.row++
		f.column = 0
	}
}

// moveByWord moves by a word for the letter of alt+b or alt+f, and reports whether it is one of them.
func (f *Field) moveByWord(letter string) bool {
	switch letter {
	case "b":
		f.moveWordLeft()
	case "f":
		f.moveWordRight()
	default:
		return false
	}
	return true
}

// moveWordLeft moves to the beginning of the word before the cursor.
func (f *Field) moveWordLeft() {
	if f.column == 0 {
		f.moveLeft()
	}
	line := f.lines[f.row]
	for f.column > 0 && line[f.column-1] == ' ' {
		f.column--
	}
	for f.column > 0 && line[f.column-1] != ' ' {
		f.column--
	}
}

// moveWordRight moves to the end of the word after the cursor.
func (f *Field) moveWordRight() {
	if f.column == len(f.lines[f.row]) {
		f.moveRight()
	}
	line := f.lines[f.row]
	for f.column < len(line) && line[f.column] == ' ' {
		f.column++
	}
	for f.column < len(line) && line[f.column] != ' ' {
		f.column++
	}
}

// moveUp moves to the drawn line above.
func (f *Field) moveUp() {
	starts := f.lineStarts(f.row)
	at := lineOf(starts, f.column)
	switch {
	case at > 0:
		f.column = min(starts[at-1]+f.column-starts[at], starts[at]-1)
	case f.row > 0:
		f.row--
		above := f.lineStarts(f.row)
		f.column += above[len(above)-1]
	}
}

// moveDown moves to the drawn line below.
func (f *Field) moveDown() {
	starts := f.lineStarts(f.row)
	at := lineOf(starts, f.column)
	column := f.column - starts[at]
	switch {
	case at+1 < len(starts):
		f.column = starts[at+1] + column
		if at+2 < len(starts) {
			f.column = min(f.column, starts[at+2]-1)
		}
	case f.row+1 < len(f.lines):
		f.row++
		f.column = column
		if below := f.lineStarts(f.row); len(below) > 1 {
			f.column = min(f.column, below[1]-1)
		}
	}
}

// lineStarts returns the columns of a line at which its drawn lines begin.
func (f *Field) lineStarts(row int) []int {
	starts, rest, at := []int{0}, string(f.lines[row]), 0
	if f.width == 0 {
		return starts
	}
	for i, drawn := range render.Wrap(render.Line{render.Plain(rest)}, f.width, nil) {
		text := drawn.String()
		skipped := strings.Index(rest, text) // spaces at which a line was broken
		if skipped < 0 {                     // characters that cannot be drawn at this width
			break
		}
		at += utf8.RuneCountInString(rest[:skipped])
		if i > 0 {
			starts = append(starts, at)
		}
		at, rest = at+utf8.RuneCountInString(text), rest[skipped+len(text):]
	}
	return starts
}

// lineOf returns the index of the drawn line that contains a column.
func lineOf(starts []int, column int) int {
	at, found := slices.BinarySearch(starts, column)
	if found {
		return at
	}
	return at - 1
}

func (f *Field) remove(k tea.KeyType) bool {
	switch k {
	case tea.KeyBackspace:
		f.backspace()
	case tea.KeyDelete:
		if f.row+1 < len(f.lines) || f.column < len(f.lines[f.row]) {
			f.moveRight()
			f.backspace()
		}
	case tea.KeyCtrlU:
		f.lines[f.row] = append([]rune{}, f.lines[f.row][f.column:]...)
		f.column = 0
	case tea.KeyCtrlW:
		f.removeWord()
	default:
		return false
	}
	return true
}

func (f *Field) backspace() {
	line := f.lines[f.row]
	switch {
	case f.column > 0:
		before := f.previousStop()
		f.lines[f.row] = append(line[:before:before], line[f.column:]...)
		f.column = before
	case f.row > 0:
		f.column = len(f.lines[f.row-1])
		f.lines[f.row-1] = append(f.lines[f.row-1], line...)
		f.lines = append(f.lines[:f.row], f.lines[f.row+1:]...)
		f.row--
	}
}

func (f *Field) removeWord() {
	line := f.lines[f.row]
	start := f.column
	for start > 0 && line[start-1] == ' ' {
		start--
	}
	for start > 0 && line[start-1] != ' ' {
		start--
	}
	f.lines[f.row] = append(line[:start:start], line[f.column:]...)
	f.column = start
}

// View draws the part of the text around the cursor. Only visible lines are laid out.
func (f *Field) View(width, height int) []render.Line {
	if height <= 0 {
		return nil
	}
	f.width = width
	wrap := func(row int) []render.Line {
		return render.Wrap(render.Line{render.Plain(string(f.lines[row]))}, width, nil)
	}
	here := f.lines[f.row]
	wrapped := render.Wrap(withCursor(here, f.column), width, nil)
	before := render.Wrap(render.Line{render.Plain(string(here[:f.column]) + "█")}, width, nil)
	at := min(len(before), len(wrapped))
	lines, after := wrapped[:at:at], wrapped[at:]
	for row := f.row - 1; row >= 0 && len(lines) < height; row-- {
		lines = append(wrap(row), lines...)
	}
	lines = append(lines[max(0, len(lines)-height):], after...)
	for row := f.row + 1; row < len(f.lines) && len(lines) < height; row++ {
		lines = append(lines, wrap(row)...)
	}
	return lines[:min(len(lines), height)]
}

// withCursor draws a line with the character under the cursor in reverse.
func withCursor(line []rune, column int) render.Line {
	after := string(line[column:])
	under, _ := ansi.FirstGraphemeCluster(after, ansi.GraphemeWidth)
	rest := after[len(under):]
	if under == "" {
		under = "█"
		return render.Line{render.Plain(string(line[:column])), render.In(render.Accent, under)}
	}
	return render.Line{render.Plain(string(line[:column])), render.NewSpan(render.Style{Reverse: true}, under), render.Plain(rest)}
}
