package components

import "slices"

// threadOrder returns the indexes of the rows that start open threads.
func threadOrder(rows []Row) []int {
	var order []int
	for i, r := range rows {
		if r.Thread {
			order = append(order, i)
		}
	}
	return order
}

// currentThread returns the index of the row that starts the thread under the cursor, or -1.
func (l *List) currentThread() int {
	here, ok := l.Selected()
	if !ok || here.About.Comment == "" {
		return -1
	}
	for at := l.cursor; at >= 0 && l.rows[at].About.Comment == here.About.Comment; at-- {
		if l.rows[at].Thread {
			return at
		}
	}
	if next := l.cursor + 1; next < len(l.rows) && l.rows[next].Thread && l.rows[next].Key == here.Key {
		return next // the cursor is on the quote above the thread
	}
	return -1
}

// StepThread moves the cursor to the next row that starts an open thread, or to the previous one for the direction -1.
// It wraps around the end only if around is true, and reports whether there was a thread.
func (l *List) StepThread(direction int, around bool) bool {
	order := threadOrder(l.rows)
	if len(order) == 0 {
		return false
	}
	to := slices.Index(order, l.currentThread())
	switch {
	case to < 0 || direction > 0 && l.RowRemoved():
		to = l.nextThread(order)
		if direction < 0 {
			to--
		}
	default:
		to += direction
	}
	if !around && (to < 0 || to >= len(order)) {
		return false
	}
	l.cursor, l.replacement = order[(to+len(order))%len(order)], ""
	return true
}

// nextThread returns the index in order of the first thread below the cursor, or len(order) if there is none. The cursor must
// not be on a thread.
func (l *List) nextThread(order []int) int {
	from := l.cursor
	if at := l.currentThread(); at >= 0 {
		from = at
	}
	if at := slices.IndexFunc(order, func(at int) bool { return at >= from }); at >= 0 {
		return at
	}
	return len(order)
}

// AimThread selects the first open thread in the order of StepThread, or the last one if last is true, as soon as there is one.
func (l *List) AimThread(last bool) {
	l.Aim(func(r Row) bool { return r.Thread }, last)
	l.pendingThread = true
}

// RowRemoved reports whether the row under the cursor was removed, so that the cursor is now on the row that took its position.
func (l *List) RowRemoved() bool {
	r, ok := l.Selected()
	return ok && l.replacement != "" && r.Key == l.replacement
}
