package components

import (
	"slices"
	"strings"

	"docspace.dev/wsd/tui/render"
)

// Row is a line of a page. Consecutive rows with the same key belong together, and the cursor is restored by the key.
type Row struct {
	Key    string
	Line   render.Line
	About  Subject // subject of actions on the row
	Change bool    // first row of a change
	Thread bool    // first row of an open thread
	Skip   bool    // the cursor skips the row, like empty rows
	Begin  bool    // the cursor starts at the first row with Begin

	Pan render.Pan // how far the item of the row is scrolled sideways
}

// Subject identifies the subject of a row.
type Subject struct {
	Page        string // id of a page
	Block       string // id of a block of the page
	Quote       string // beginning of the block
	Comment     string // id of a comment
	Reply       string // id of a reply to the comment
	Draft       string // id of a draft
	Item        string // change of a change request other than a page
	AddedOffset int    // byte offset of the added words in Quote
	QuoteOffset int    // byte offset of Quote in the block
	At          int    // index in the list of the page
	Fold        int    // number of the surrounding fold, from 1; 0 for none
}

// List is a list of rows with a cursor, and a window that follows the cursor.
type List struct {
	Filter bool // hide rows that do not match the search instead of marking matches

	all        []Row // before filtering
	rows       []Row
	cursor     int
	top        int
	term       string
	cursorSet  bool   // the cursor was set to its first position
	height     int    // of the window, when last drawn
	finding    bool   // a search term is being typed
	pendingKey string // key to select once it is in the list

	shownKey   string // key of rows to keep visible
	shownAtKey string // key of the row under the cursor while shownKey is kept visible

	pendingMatch  func(Row) bool // condition of a row to select once it is in the list
	pendingLast   bool           // the last matching row instead of the first
	pendingThread bool           // in the order of StepThread

	replacement string // key of the row that the cursor moved to when its row was removed
}

// Set replaces the rows. The cursor stays on the row with the same key, at the same offset within its rows.
func (l *List) Set(rows []Row) {
	for len(rows) > 0 && len(rows[len(rows)-1].Line) == 0 {
		rows = rows[:len(rows)-1] // no empty row at the end
	}
	key, offset := l.position()
	was, _ := l.Selected()
	l.all = rows
	l.rows = l.matchingRows()
	if l.pendingKey != "" && slices.ContainsFunc(l.rows, func(r Row) bool { return r.Key == l.pendingKey }) {
		key, offset, l.pendingKey, l.replacement = l.pendingKey, 0, "", ""
		l.cursorSet, l.pendingMatch = true, nil // the wanted row is selected
	}
	if begin := slices.IndexFunc(l.rows, func(r Row) bool { return r.Begin }); !l.cursorSet && begin >= 0 {
		l.cursor, l.cursorSet = begin, true
		return
	}
	if at := l.pendingIndex(); at >= 0 {
		l.cursor, l.pendingMatch, l.replacement = at, nil, ""
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

// keepOnThread moves the cursor up to an open thread if its thread was removed and no other is at its position, so
// that a repeated action refers to a thread again.
func (l *List) keepOnThread(was Row) {
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
		l.keepOnThread(was)
		if r, ok := l.Selected(); ok && key != "" {
			l.replacement = r.Key
		}
		return
	}
	l.cursor = first
	for offset > 0 && l.cursor+1 < len(l.rows) && l.rows[l.cursor+1].Key == key {
		l.cursor++
		offset--
	}
	l.leaveSkipped(1)
}

func (l *List) matchingRows() []Row {
	if !l.Filter || l.term == "" {
		return l.all
	}
	found := map[string]bool{} // keys of matches; all rows with such a key are shown
	for _, r := range l.all {
		if r.matches(l.term) {
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

// Search sets the search term and moves the cursor to the first match from its position on.
func (l *List) Search(word string) {
	key, offset := l.position()
	l.term = word
	l.rows = l.matchingRows()
	l.restore(key, offset, Row{})
	if word != "" && l.cursor < len(l.rows) && !l.rows[l.cursor].matches(word) {
		l.Next(1, func(r Row) bool { return r.matches(word) })
	}
}

// SelectKey selects the row with a key as soon as it is in the list; an empty key cancels that.
func (l *List) SelectKey(key string) { l.pendingKey, l.pendingMatch = key, nil }

// TakePending takes over the pending selection of another list without rows, and reports whether there was one.
func (l *List) TakePending(other *List) bool {
	if other.pendingKey == "" && other.pendingMatch == nil {
		return false
	}
	l.pendingKey, l.pendingMatch, l.pendingLast, l.cursorSet = other.pendingKey, other.pendingMatch, other.pendingLast, true
	return true
}

// KeepVisible keeps the rows with a key visible next to the cursor until it moves. If they do not fit together, it moves the
// cursor to them. After Aim, it applies to the row that Aim selects.
func (l *List) KeepVisible(key string) {
	l.shownKey = key
	if l.shownAtKey, _ = l.position(); l.pendingMatch != nil {
		l.shownAtKey = pendingRowKey
	}
}

// pendingRowKey is a placeholder for the key of a row that Aim has not selected yet.
const pendingRowKey = "\x00aimed"

// scrollToShown scrolls down to the rows of KeepVisible. It stops keeping them visible when the cursor has moved.
func (l *List) scrollToShown(height int) {
	has := func(r Row) bool { return r.Key == l.shownKey }
	first := slices.IndexFunc(l.rows, has)
	here, _ := l.position()
	if l.shownAtKey == pendingRowKey && l.pendingMatch == nil {
		l.shownAtKey = here
	}
	switch {
	case here != l.shownAtKey && l.shownAtKey != pendingRowKey:
		l.shownKey = ""
		return
	case l.shownKey == "" || first < 0:
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
	l.cursor, l.top, l.shownKey = first, first, ""
}

// Aim selects the first or last row for which fits is true, as soon as there is one.
func (l *List) Aim(fits func(Row) bool, last bool) {
	l.pendingMatch, l.pendingLast, l.pendingThread, l.cursorSet = fits, last, false, true
}

// pendingIndex returns the index of the row that Aim selects, or -1 if it is not in the list.
func (l *List) pendingIndex() int {
	if order := threadOrder(l.rows); l.pendingMatch != nil && l.pendingThread && len(order) > 0 {
		return order[render.Choose(l.pendingLast, len(order)-1, 0)]
	}
	found := -1
	for i, r := range l.rows {
		if l.pendingMatch != nil && l.pendingMatch(r) && (found < 0 || l.pendingLast) {
			found = i
		}
	}
	return found
}

// Searching reports whether there is a search term.
func (l *List) Searching() bool { return l.term != "" }

// Finding reports whether there is a search term, or one is being typed. Callers must not cut text in the meantime.
func (l *List) Finding() bool { return l.finding || l.Searching() }

// BeginSearch announces that a search term is going to be typed.
func (l *List) BeginSearch() { l.finding = true }

// SearchTerm returns the search term, or "".
func (l *List) SearchTerm() string { return l.term }

// Point moves the cursor to a row of the window, counted from 0. same reports whether it was there already, ok
// whether there is such a row.
func (l *List) Point(row int) (same, ok bool) {
	at := l.top + row
	if row < 0 || at >= len(l.rows) || !l.rows[at].Selectable() {
		return false, false
	}
	same = at == l.cursor
	l.cursor, l.replacement = at, ""
	return same, true
}

// All returns the rows as shown.
func (l *List) All() []Row { return l.rows }

// SelectIndex moves the cursor to the row with an index, and reports whether it can be there.
func (l *List) SelectIndex(at int) bool {
	if at < 0 || at >= len(l.rows) || !l.rows[at].Selectable() {
		return false
	}
	l.cursor, l.replacement = at, ""
	return true
}

// IsMatch reports whether a row matches the search term.
func (l *List) IsMatch(r Row) bool { return l.Searching() && r.matches(l.term) }

// Selected returns the row under the cursor.
func (l *List) Selected() (Row, bool) {
	if l.cursor < 0 || l.cursor >= len(l.rows) {
		return Row{}, false
	}
	return l.rows[l.cursor], true
}

// AtEnd reports whether the cursor is on the last selectable row.
func (l *List) AtEnd() bool {
	return !slices.ContainsFunc(l.rows[min(l.cursor+1, len(l.rows)):], Row.Selectable)
}

// EndShown reports whether the last row is visible in a window of the given height.
func (l *List) EndShown(height int) bool { return len(l.rows) > 0 && l.top+height >= len(l.rows) }

// Position returns the number of the row under the cursor, from 1, and the number of rows.
func (l *List) Position() (at, all int) { return min(l.cursor+1, len(l.rows)), len(l.rows) }

// Count returns the numbers of rows for which fits is true: those up to the cursor, and all.
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

// Move moves the cursor by a number of rows, at most to the first or the last.
func (l *List) Move(by int) {
	if by != 0 {
		l.replacement = ""
	}
	l.cursor = max(0, min(l.cursor+by, len(l.rows)-1))
	if by < 0 {
		l.leaveSkipped(-1)
		return
	}
	l.leaveSkipped(1)
}

// Selectable reports whether the cursor can be on the row.
func (r Row) Selectable() bool { return !r.Skip && len(r.Line) > 0 }

// leaveSkipped moves the cursor from a skipped row to the nearest selectable one, preferably in direction.
func (l *List) leaveSkipped(direction int) {
	for _, d := range []int{direction, -direction} {
		for at := l.cursor; at >= 0 && at < len(l.rows); at += d {
			if l.rows[at].Selectable() {
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

// Step moves the cursor in a direction to the next row for which fits is true, without a wrap around the end. It
// reports whether there is one.
func (l *List) Step(direction int, fits func(Row) bool) bool {
	for at := l.cursor + direction; at >= 0 && at < len(l.rows); at += direction {
		if fits(l.rows[at]) {
			l.cursor, l.replacement = at, ""
			return true
		}
	}
	return false
}

// Next is like Step with a wrap around the end.
func (l *List) Next(direction int, fits func(Row) bool) bool {
	n := len(l.rows)
	for i := 1; i <= n; i++ {
		at := ((l.cursor+direction*i)%n + n) % n
		if fits(l.rows[at]) {
			l.cursor, l.replacement = at, ""
			return true
		}
	}
	return false
}

// View draws the window of rows around the cursor.
func (l *List) View(width, height int) []render.Line {
	if height <= 0 {
		return nil
	}
	l.height = height
	l.scrollToCursor(height)
	selected, _ := l.Selected()
	var lines []render.Line
	for i := l.top; i < len(l.rows) && i < l.top+height; i++ {
		lines = append(lines, l.draw(i, selected.Key, width))
	}
	if head, ok := l.hiddenHead(); ok && l.cursor > l.top {
		lines[0] = l.draw(head, selected.Key, width)
	}
	return lines
}

// Peek draws the first rows without a cursor.
func (l *List) Peek(width, height int) []render.Line {
	var lines []render.Line
	for i := 0; i < len(l.rows) && i < height; i++ {
		lines = append(lines, withGutter(l.rows[i].Line, width))
	}
	return lines
}

// scrollToCursor scrolls the window to the cursor with a margin of one row, and to all rows of its item if they fit.
func (l *List) scrollToCursor(height int) {
	margin := min(1, (height-1)/2)
	l.top = max(min(l.top, l.cursor-margin), l.cursor-height+1+margin)
	first, last := l.threadBounds()
	if last-first >= height {
		first, last = l.itemBounds()
	}
	switch {
	case last-first < height:
		l.top = max(min(l.top, first), last-height+1)
	case l.cursor == first: // the item is higher than the window: show its beginning
		l.top = first
	}
	if l.cursor < height && !slices.ContainsFunc(l.rows[:min(l.cursor, len(l.rows))], Row.Selectable) {
		l.top = 0 // also show the rows above the first selectable one
	}
	l.scrollToShown(height)
	l.top = max(0, min(l.top, len(l.rows)-height))
}

// threadBounds returns the first and the last row of the thread that starts at the cursor, replies included.
// Elsewhere it returns the bounds of the item.
func (l *List) threadBounds() (first, last int) {
	first, last = l.itemBounds()
	comment := ""
	if first < len(l.rows) {
		comment = l.rows[first].About.Comment
	}
	for comment != "" && last+1 < len(l.rows) && l.rows[last+1].About.Comment == comment {
		last++
	}
	return first, last
}

// itemBounds returns the first and the last row with the key of the cursor.
func (l *List) itemBounds() (first, last int) {
	key, offset := l.position()
	first, last = l.cursor-offset, l.cursor
	for last+1 < len(l.rows) && l.rows[last+1].Key == key {
		last++
	}
	return first, last
}

// draw draws a row. The row under the cursor has a background and a bar, the other rows of its item a thinner bar.
// This background replaces those of whole lines, but not those of changed words.
func (l *List) draw(at int, key string, width int) render.Line {
	r := l.rows[at]
	line := r.Line
	if l.term != "" {
		line = line.Mark(l.term)
	}
	switch {
	case at == l.cursor:
		return withBar("▌ ", withoutSurface(line)).Fill(render.Selected, width)
	case r.Key == key && key != "" && (len(r.Line) > 0 || (at+1 < len(l.rows) && l.rows[at+1].Key == key)):
		return withBar("▏ ", withoutSurface(line)).Fill(render.SelectedItem, width)
	}
	return withGutter(line, width)
}

// withGutter draws a row without a cursor. The background of a whole line is extended to the edge.
func withGutter(line render.Line, width int) render.Line {
	line = render.Join(render.Line{render.Plain("  ")}, line).Cut(width)
	if len(line) == 0 || !isSurface(line[len(line)-1].Style().Ground) {
		return line
	}
	ground := line[len(line)-1].Style().Ground
	return append(line, render.Line{}.Fill(ground, width-line.Width())...)
}

// isSurface reports whether a ground is the background of a whole line.
func isSurface(ground render.Ground) bool {
	switch ground {
	case render.AddedLine, render.RemovedLine, render.Thread, render.Draft:
		return true
	default:
		return false
	}
}

// lineTones maps the grounds of added and removed lines to the tones that replace them.
var lineTones = map[render.Ground]render.Tone{render.AddedLine: render.Added, render.RemovedLine: render.Removed}

// withoutSurface returns a line without the background of a thread, a draft, or an added or removed line, which some
// palettes do not have. Added and removed text gets a tone instead.
func withoutSurface(line render.Line) render.Line {
	return line.Restyle(func(s render.Style) render.Style {
		if !isSurface(s.Ground) {
			return s
		}
		if s.Tone == render.Normal {
			s.Tone = lineTones[s.Ground]
		}
		s.Ground = render.NoGround
		return s
	})
}

func withBar(mark string, line render.Line) render.Line {
	return render.Join(render.Line{render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, mark)}, line)
}

// Gutter is the width of the mark before each row.
const Gutter = 2
