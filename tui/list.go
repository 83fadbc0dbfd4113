package tui

import (
	"slices"
	"strings"

	"docspace.dev/wsd/tui/text"
)

// row is a line of a page. Rows with the same key belong together; the selection is kept by it.
type row struct {
	key    string
	line   text.Line
	about  subject // what actions on the row are about
	change bool    // the first row of a change
	thread bool    // the first row of a thread
	begin  bool    // the cursor begins at the first of these
}

// subject is what stands under the cursor.
type subject struct {
	page    string
	block   string
	quote   string // the beginning of the block
	comment *thread
	reply   *replyOf
	at      int // index in what the page lists
}

// list is rows with a cursor and a window that follows it.
type list struct {
	all    []row // before filtering
	rows   []row
	cursor int
	top    int
	find   string
	begun  bool   // the cursor was put where it begins
	wanted string // the key to go to as soon as it is there
	filter bool   // rows that do not match are hidden, instead of marked
}

// set replaces the rows; the cursor stays on the same key and, within its rows, at the same place.
func (l *list) set(rows []row) {
	for len(rows) > 0 && len(rows[len(rows)-1].line) == 0 {
		rows = rows[:len(rows)-1] // nothing follows that it would part
	}
	key, offset := l.position()
	l.all = rows
	l.rows = l.matching()
	if l.wanted != "" && slices.ContainsFunc(l.rows, func(r row) bool { return r.key == l.wanted }) {
		key, offset, l.wanted = l.wanted, 0, ""
	}
	if begin := slices.IndexFunc(l.rows, func(r row) bool { return r.begin }); !l.begun && begin >= 0 {
		l.cursor, l.begun = begin, true
		return
	}
	l.restore(key, offset)
}

func (l *list) position() (string, int) {
	if l.cursor >= len(l.rows) {
		return "", 0
	}
	key := l.rows[l.cursor].key
	first := slices.IndexFunc(l.rows, func(r row) bool { return r.key == key })
	return key, l.cursor - first
}

func (l *list) restore(key string, offset int) {
	first := slices.IndexFunc(l.rows, func(r row) bool { return r.key == key })
	if first < 0 {
		l.move(0)
		return
	}
	l.cursor = first
	for offset > 0 && l.cursor+1 < len(l.rows) && l.rows[l.cursor+1].key == key {
		l.cursor++
		offset--
	}
}

func (l *list) matching() []row {
	if !l.filter || l.find == "" {
		return l.all
	}
	var rows []row
	for _, r := range l.all {
		if r.matches(l.find) {
			rows = append(rows, r)
		}
	}
	return rows
}

func (r row) matches(word string) bool {
	return strings.Contains(strings.ToLower(r.line.String()), strings.ToLower(word))
}

// search changes the word that is looked for and goes to the first match from the cursor on.
func (l *list) search(word string) {
	key, offset := l.position()
	l.find = word
	l.rows = l.matching()
	l.restore(key, offset)
	if word != "" && l.cursor < len(l.rows) && !l.rows[l.cursor].matches(word) {
		l.next(1, func(r row) bool { return r.matches(word) })
	}
}

// selected returns what is under the cursor.
func (l *list) selected() (row, bool) {
	if l.cursor < 0 || l.cursor >= len(l.rows) {
		return row{}, false
	}
	return l.rows[l.cursor], true
}

func (l *list) move(by int) { l.cursor = max(0, min(l.cursor+by, len(l.rows)-1)) }

// next goes to the next row in a direction that fits, around the end, and reports whether there is one.
func (l *list) next(direction int, fits func(row) bool) bool {
	n := len(l.rows)
	for i := 1; i <= n; i++ {
		at := ((l.cursor+direction*i)%n + n) % n
		if fits(l.rows[at]) {
			l.cursor = at
			return true
		}
	}
	return false
}

// nextItem goes to the first row of the next or the previous key.
func (l *list) nextItem(direction int) {
	here, _ := l.position()
	at := l.cursor
	for at >= 0 && at < len(l.rows) && l.rows[at].key == here {
		at += direction
	}
	if at < 0 || at >= len(l.rows) {
		return
	}
	for at > 0 && l.rows[at-1].key == l.rows[at].key {
		at--
	}
	l.cursor = at
}

// view returns the window of rows around the cursor.
func (l *list) view(width, height int) []text.Line {
	if height <= 0 {
		return nil
	}
	l.follow(height)
	selected, _ := l.selected()
	var lines []text.Line
	for i := l.top; i < len(l.rows) && i < l.top+height; i++ {
		lines = append(lines, l.draw(i, selected.key).Cut(width))
	}
	return lines
}

// peek returns the first rows, without a cursor.
func (l *list) peek(width, height int) []text.Line {
	var lines []text.Line
	for i := 0; i < len(l.rows) && i < height; i++ {
		lines = append(lines, text.Join(text.Line{text.Plain("  ")}, l.rows[i].line).Cut(width))
	}
	return lines
}

// follow keeps the cursor in the window, a row away from its edge where there is one, with all that belongs to its
// row if that fits.
func (l *list) follow(height int) {
	margin := min(1, (height-1)/2)
	l.top = max(min(l.top, l.cursor-margin), l.cursor-height+1+margin)
	if first, last := l.item(); last-first < height {
		l.top = max(min(l.top, first), last-height+1)
	}
	l.top = max(0, min(l.top, len(l.rows)-height))
}

// item returns the first and the last of the rows around the cursor that belong together.
func (l *list) item() (first, last int) {
	key, offset := l.position()
	first, last = l.cursor-offset, l.cursor
	for last+1 < len(l.rows) && l.rows[last+1].key == key {
		last++
	}
	return first, last
}

// draw marks the cursor and, more quietly, the rows that belong to it; not the empty one that ends them.
func (l *list) draw(at int, key string) text.Line {
	r := l.rows[at]
	line := r.line
	mark := text.Plain("  ")
	switch {
	case at == l.cursor:
		mark = text.Of(text.Style{Tone: text.Accent, Bold: true}, "> ")
		line = line.Restyle(func(s text.Style) text.Style { s.Bold = true; return s })
	case r.key == key && key != "" && (len(r.line) > 0 || (at+1 < len(l.rows) && l.rows[at+1].key == key)):
		mark = text.In(text.Accent, "│ ")
	}
	if l.find != "" {
		line = line.Mark(l.find)
	}
	return text.Join(text.Line{mark}, line)
}

// gutter is the width of the mark before each row.
const gutter = 2
