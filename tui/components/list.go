package components

import (
	"slices"
	"strings"

	"docspace.dev/wsd/tui/render"
)

// Row is a line of a page. Rows with the same key belong together; the selection is kept by it.
type Row struct {
	Key    string
	Line   render.Line
	About  Subject // what actions on the row are about
	Change bool    // the first row of a change
	Thread bool    // the first row of an open thread
	Waits  bool    // of these, one that waits for the user's answer
	Skip   bool    // the cursor passes over it, as over empty rows
	Begin  bool    // the cursor begins at the first of these
}

// Subject is what stands under the cursor.
type Subject struct {
	Page    string // the id of a page
	Block   string // the id of a block of it
	Quote   string // the beginning of the block
	Comment string // the id of a comment
	Reply   string // the id of a reply to it
	Draft   string // the id of a draft
	Item    string // what else than a page a change request changes
	Fresh   int    // where the words that came begin in Quote
	Lead    int    // how many bytes of the block stand before Quote
	At      int    // index in what the page lists
	Fold    int    // the fold that it is in, from 1; 0 for none
}

// List is rows with a cursor and a window that follows it.
type List struct {
	Filter bool // rows that do not match are hidden, instead of marked

	all    []Row // before filtering
	rows   []Row
	cursor int
	top    int
	find   string
	begun  bool   // the cursor was put where it begins
	wanted string // the key to go to as soon as it is there

	shown   string // the key of rows that are to be seen, too
	shownAt int    // where the cursor is as long as they are

	aim       func(Row) bool // the row to go to as soon as it is there
	aimLast   bool           // the last one, not the first
	aimThread bool           // in the order of Walk

	fell string // the key that the cursor came to when its row went
}

// Set replaces the rows; the cursor stays on the same key and, within its rows, at the same place.
func (l *List) Set(rows []Row) {
	for len(rows) > 0 && len(rows[len(rows)-1].Line) == 0 {
		rows = rows[:len(rows)-1] // nothing follows that it would part
	}
	key, offset := l.position()
	was, _ := l.Selected()
	l.all = rows
	l.rows = l.matching()
	if l.wanted != "" && slices.ContainsFunc(l.rows, func(r Row) bool { return r.Key == l.wanted }) {
		key, offset, l.wanted, l.fell = l.wanted, 0, "", ""
		l.begun, l.aim = true, nil // it is where it was wanted
	}
	if begin := slices.IndexFunc(l.rows, func(r Row) bool { return r.Begin }); !l.begun && begin >= 0 {
		l.cursor, l.begun = begin, true
		return
	}
	if at := l.aimed(); at >= 0 {
		l.cursor, l.aim, l.fell = at, nil, ""
		return
	}
	l.restore(key, offset, was)
}

func (l *List) position() (string, int) {
	if l.cursor >= len(l.rows) {
		return "", 0
	}
	key := l.rows[l.cursor].Key
	first := slices.IndexFunc(l.rows, func(r Row) bool { return r.Key == key })
	return key, l.cursor - first
}

// keepKind goes up to an open thread where the row of one went and none came in its place: what acted on it acts on the next
// one, and not on something else.
func (l *List) keepKind(was Row) {
	if r, ok := l.Selected(); !was.Thread || ok && r.Thread {
		return
	}
	for at := min(l.cursor, len(l.rows)) - 1; at >= 0; at-- {
		if l.rows[at].Thread {
			l.cursor = at
			return
		}
	}
}

func (l *List) restore(key string, offset int, was Row) {
	first := slices.IndexFunc(l.rows, func(r Row) bool { return r.Key == key })
	if first < 0 {
		l.Move(0)
		l.keepKind(was)
		if r, ok := l.Selected(); ok && key != "" {
			l.fell = r.Key
		}
		return
	}
	l.cursor = first
	for offset > 0 && l.cursor+1 < len(l.rows) && l.rows[l.cursor+1].Key == key {
		l.cursor++
		offset--
	}
	l.light(1)
}

func (l *List) matching() []Row {
	if !l.Filter || l.find == "" {
		return l.all
	}
	found := map[string]bool{} // what belongs together is shown together
	for _, r := range l.all {
		if r.matches(l.find) {
			found[r.Key] = true
		}
	}
	var rows []Row
	for _, r := range l.all {
		if found[r.Key] && len(r.Line) > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

func (r Row) matches(word string) bool {
	return strings.Contains(strings.ToLower(r.Line.String()), strings.ToLower(word))
}

// Search changes the word that is looked for and goes to the first match from the cursor on.
func (l *List) Search(word string) {
	key, offset := l.position()
	l.find = word
	l.rows = l.matching()
	l.restore(key, offset, Row{})
	if word != "" && l.cursor < len(l.rows) && !l.rows[l.cursor].matches(word) {
		l.Next(1, func(r Row) bool { return r.matches(word) })
	}
}

// Want goes to the row with a key as soon as it is there; an empty key ends that.
func (l *List) Want(key string) { l.wanted, l.aim = key, nil }

// WantAs goes where another list, whose rows are not there yet, was to go, and reports whether it was to go somewhere.
func (l *List) WantAs(other *List) bool {
	if other.wanted == "" && other.aim == nil {
		return false
	}
	l.wanted, l.aim, l.aimLast, l.begun = other.wanted, other.aim, other.aimLast, true
	return true
}

// Show has the rows with a key seen beside the cursor, as long as it stays where it is; where there is no room for both, it goes
// to them.
func (l *List) Show(key string) { l.shown, l.shownAt = key, l.cursor }

// showing moves the window down to the rows that are to be seen.
func (l *List) showing(height int) {
	has := func(r Row) bool { return r.Key == l.shown }
	first := slices.IndexFunc(l.rows, has)
	switch {
	case l.cursor != l.shownAt:
		l.shown = ""
		return
	case l.shown == "" || first < 0:
		return
	}
	last := first
	for last+1 < len(l.rows) && has(l.rows[last+1]) && len(l.rows[last+1].Line) > 0 {
		last++
	}
	if last-l.cursor < height {
		l.top = max(min(l.top, first), last-height+1)
		return
	}
	l.cursor, l.top, l.shown = first, first, ""
}

// Aim goes to the first row that fits, or the last, as soon as there is one.
func (l *List) Aim(fits func(Row) bool, last bool) {
	l.aim, l.aimLast, l.aimThread, l.begun = fits, last, false, true
}

// aimed is the row that is aimed at, -1 while it is not there.
func (l *List) aimed() int {
	if order := walked(l.rows); l.aim != nil && l.aimThread && len(order) > 0 {
		return order[map[bool]int{true: len(order) - 1}[l.aimLast]]
	}
	found := -1
	for i, r := range l.rows {
		if l.aim != nil && l.aim(r) && (found < 0 || l.aimLast) {
			found = i
		}
	}
	return found
}

// Searching reports whether a word is searched for.
func (l *List) Searching() bool { return l.find != "" }

// Sought is the word that is searched for, "" for none.
func (l *List) Sought() string { return l.find }

// Point puts the cursor on a row of the window, from 0, and reports whether it was there already; ok says whether there is
// such a row.
func (l *List) Point(row int) (same, ok bool) {
	at := l.top + row
	if row < 0 || at >= len(l.rows) || !l.rows[at].Stands() {
		return false, false
	}
	same = at == l.cursor
	l.cursor, l.fell = at, ""
	return same, true
}

// All are the rows as they are shown.
func (l *List) All() []Row { return l.rows }

// Go puts the cursor on a row, from 0, if it can be there.
func (l *List) Go(at int) bool {
	if at < 0 || at >= len(l.rows) || !l.rows[at].Stands() {
		return false
	}
	l.cursor, l.fell = at, ""
	return true
}

// Found reports whether a row has the word that is searched for.
func (l *List) Found(r Row) bool { return l.Searching() && r.matches(l.find) }

// Selected returns what is under the cursor.
func (l *List) Selected() (Row, bool) {
	if l.cursor < 0 || l.cursor >= len(l.rows) {
		return Row{}, false
	}
	return l.rows[l.cursor], true
}

// AtEnd reports whether the cursor is on the last row that it can be on.
func (l *List) AtEnd() bool {
	return !slices.ContainsFunc(l.rows[min(l.cursor+1, len(l.rows)):], Row.Stands)
}

// EndShown reports whether the last row is in sight, in a window of a height.
func (l *List) EndShown(height int) bool { return len(l.rows) > 0 && l.top+height >= len(l.rows) }

// Position is the place of the cursor among the rows, from 1, and how many there are.
func (l *List) Position() (at, all int) { return min(l.cursor+1, len(l.rows)), len(l.rows) }

// Count counts the rows that fit: those up to the cursor, and all.
func (l *List) Count(fits func(Row) bool) (at, all int) {
	for i, r := range l.rows {
		if !fits(r) {
			continue
		}
		all++
		if i <= l.cursor {
			at++
		}
	}
	return at, all
}

// Move moves the cursor by some rows, to the first or the last at most.
func (l *List) Move(by int) {
	if by != 0 {
		l.fell = ""
	}
	l.cursor = max(0, min(l.cursor+by, len(l.rows)-1))
	if by < 0 {
		l.light(-1)
		return
	}
	l.light(1)
}

// Stands reports whether the cursor can be on the row.
func (r Row) Stands() bool { return !r.Skip && len(r.Line) > 0 }

// light moves the cursor from a row that it passes over to the next one where it can be, in a direction if there is one.
func (l *List) light(direction int) {
	for _, d := range []int{direction, -direction} {
		for at := l.cursor; at >= 0 && at < len(l.rows); at += d {
			if l.rows[at].Stands() {
				l.cursor = at
				return
			}
		}
	}
}

// First moves the cursor to the first row.
func (l *List) First() { l.Move(-len(l.rows)) }

// Last moves the cursor to the last row.
func (l *List) Last() { l.Move(len(l.rows)) }

// Step goes to the next row in a direction that fits, not around the end, and reports whether there is one.
func (l *List) Step(direction int, fits func(Row) bool) bool {
	for at := l.cursor + direction; at >= 0 && at < len(l.rows); at += direction {
		if fits(l.rows[at]) {
			l.cursor, l.fell = at, ""
			return true
		}
	}
	return false
}

// Next goes to the next row in a direction that fits, around the end, and reports whether there is one.
func (l *List) Next(direction int, fits func(Row) bool) bool {
	n := len(l.rows)
	for i := 1; i <= n; i++ {
		at := ((l.cursor+direction*i)%n + n) % n
		if fits(l.rows[at]) {
			l.cursor, l.fell = at, ""
			return true
		}
	}
	return false
}

// View returns the window of rows around the cursor.
func (l *List) View(width, height int) []render.Line {
	if height <= 0 {
		return nil
	}
	l.follow(height)
	selected, _ := l.Selected()
	var lines []render.Line
	for i := l.top; i < len(l.rows) && i < l.top+height; i++ {
		lines = append(lines, l.draw(i, selected.Key, width))
	}
	return lines
}

// Peek returns the first rows, without a cursor.
func (l *List) Peek(width, height int) []render.Line {
	var lines []render.Line
	for i := 0; i < len(l.rows) && i < height; i++ {
		lines = append(lines, render.Join(render.Line{render.Plain("  ")}, l.rows[i].Line).Cut(width))
	}
	return lines
}

// follow keeps the cursor in the window, a row away from its edge where there is one, with all that belongs to its
// row if that fits.
func (l *List) follow(height int) {
	margin := min(1, (height-1)/2)
	l.top = max(min(l.top, l.cursor-margin), l.cursor-height+1+margin)
	first, last := l.thread()
	if last-first >= height {
		first, last = l.item()
	}
	switch {
	case last-first < height:
		l.top = max(min(l.top, first), last-height+1)
	case l.cursor == first: // more than fits: its beginning
		l.top = first
	}
	if l.cursor < height && !slices.ContainsFunc(l.rows[:min(l.cursor, len(l.rows))], Row.Stands) {
		l.top = 0 // what stands above the first row that the cursor can be on is seen, too
	}
	l.showing(height)
	l.top = max(0, min(l.top, len(l.rows)-height))
}

// thread returns the first and the last of the rows of the thread that the cursor is at the beginning of, with all that was
// replied; elsewhere it is as item.
func (l *List) thread() (first, last int) {
	first, last = l.item()
	of := ""
	if first < len(l.rows) {
		of = l.rows[first].About.Comment
	}
	for of != "" && last+1 < len(l.rows) && l.rows[last+1].About.Comment == of {
		last++
	}
	return first, last
}

// item returns the first and the last of the rows around the cursor that belong together.
func (l *List) item() (first, last int) {
	key, offset := l.position()
	first, last = l.cursor-offset, l.cursor
	for last+1 < len(l.rows) && l.rows[last+1].Key == key {
		last++
	}
	return first, last
}

// draw lays a ground under the cursor and, with a thinner bar, under the rows that belong to it; not under the empty one
// that ends them. The surfaces of threads and drafts yield to it, what came and what went does not.
func (l *List) draw(at int, key string, width int) render.Line {
	r := l.rows[at]
	line := r.Line
	if l.find != "" {
		line = line.Mark(l.find)
	}
	switch {
	case at == l.cursor:
		return bar("▌ ", bared(line)).Fill(render.Selected, width)
	case r.Key == key && key != "" && (len(r.Line) > 0 || (at+1 < len(l.rows) && l.rows[at+1].Key == key)):
		return bar("▏ ", bared(line)).Fill(render.SelectedItem, width)
	}
	return render.Join(render.Line{render.Plain("  ")}, line).Cut(width)
}

// bared is a line without a surface of its own.
func bared(line render.Line) render.Line {
	return line.Restyle(func(s render.Style) render.Style {
		if s.Ground == render.Thread || s.Ground == render.Draft {
			s.Ground = render.NoGround
		}
		return s
	})
}

func bar(mark string, line render.Line) render.Line {
	return render.Join(render.Line{render.Of(render.Style{Tone: render.Accent, Bold: true}, mark)}, line)
}

// Gutter is the width of the mark before each row.
const Gutter = 2
