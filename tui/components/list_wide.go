package components

// Sideways returns the row that is scrolled sideways: that under the cursor or, if its item fits, the first one in the
// window whose item does not. ok is false if there is none.
func (l *List) Sideways() (r Row, ok bool) {
	if r, _ = l.Selected(); r.Pan.End > 0 {
		return r, true
	}
	end := len(l.rows)
	if l.height > 0 {
		end = min(l.top+l.height, end)
	}
	for i := l.top; i < end; i++ {
		if l.rows[i].Pan.End > 0 {
			return l.rows[i], true
		}
	}
	return Row{}, false
}

// RowAt returns a row of the window, counted from 0.
func (l *List) RowAt(row int) (Row, bool) {
	if at := l.top + row; row >= 0 && at < len(l.rows) {
		return l.rows[at], true
	}
	return Row{}, false
}

// hiddenHead returns the index of the row with the column heads of the table at the top of the window. ok is false if there is
// no table or its heads are in the window.
func (l *List) hiddenHead() (at int, ok bool) {
	if l.top >= len(l.rows) || l.rows[l.top].Pan.Head == 0 {
		return 0, false
	}
	first := l.top
	for first > 0 && l.rows[first-1].Key == l.rows[l.top].Key && l.rows[first-1].Pan.Head > 0 {
		first--
	}
	at = first + l.rows[l.top].Pan.Head - 1
	return at, at < l.top
}
