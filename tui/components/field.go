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
	lines  [][]rune
	row    int
	column int
	single bool
}

// newlines normalizes the ends of lines; terminals paste carriage returns.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// NewField returns a field with a text and the cursor at its end; single limits it to one line.
func NewField(content string, single bool) Field {
	f := Field{single: single, lines: [][]rune{nil}}
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

// insert inserts text at the cursor.
func (f *Field) insert(content string) {
	content = term.Sanitize(newlines.Replace(content))
	if f.single {
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
		if !k.Alt {
			f.insert(string(k.Runes))
		}
		return !k.Alt
	case tea.KeySpace:
		f.insert(" ")
	case tea.KeyTab:
		f.insert("  ")
	case tea.KeyEnter, tea.KeyCtrlJ:
		if f.single {
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
		f.left()
	case tea.KeyRight, tea.KeyCtrlF:
		f.right()
	case tea.KeyUp:
		f.row = max(f.row-1, 0)
	case tea.KeyDown:
		f.row = min(f.row+1, len(f.lines)-1)
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

func (f *Field) left() {
	switch {
	case f.column > 0:
		f.column = f.previousStop()
	case f.row > 0:
		f.row--
		f.column = len(f.lines[f.row])
	}
}

func (f *Field) right() {
	switch {
	case f.column < len(f.lines[f.row]):
		f.column++ // alignCursor moves on to the end of the cluster
		f.alignCursor()
	case f.row+1 < len(f.lines):
		f.row++
		f.column = 0
	}
}

func (f *Field) remove(k tea.KeyType) bool {
	switch k {
	case tea.KeyBackspace:
		f.backspace()
	case tea.KeyDelete:
		if f.row+1 < len(f.lines) || f.column < len(f.lines[f.row]) {
			f.right()
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
