package components

import "slices"

// walked are the rows that begin open threads, in the order in which n goes through them: those that wait for the user first.
func walked(rows []Row) []int {
	var waiting, others []int
	for i, r := range rows {
		switch {
		case r.Waits:
			waiting = append(waiting, i)
		case r.Thread:
			others = append(others, i)
		}
	}
	return append(waiting, others...)
}

// threadHere is the row that begins the thread of the cursor, -1 where it is on none.
func (l *List) threadHere() int {
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
		return next // on what the thread quotes
	}
	return -1
}

// Walk goes to the next row that begins an open thread, or in the direction -1 to the one before: those that wait for the user
// come first, and then the others, each once. It goes around the end only if around, and reports whether there was one.
func (l *List) Walk(direction int, around bool) bool {
	order := walked(l.rows)
	if len(order) == 0 {
		return false
	}
	to := slices.Index(order, l.threadHere())
	switch {
	case to < 0 || direction > 0 && l.Fell():
		to = l.ahead(order, around)
		if direction < 0 {
			to--
		}
	default:
		to += direction
	}
	if !around && (to < 0 || to >= len(order)) {
		return false
	}
	l.cursor, l.fell = order[(to+len(order))%len(order)], ""
	return true
}

// ahead is the place in an order of rows that comes first for a cursor beside all of them: the first below it that waits for
// the user, or the first that does where one goes around, and then the others in the same way; behind the last if there is none.
func (l *List) ahead(order []int, around bool) int {
	from := l.cursor
	if at := l.threadHere(); at >= 0 {
		from = at
	}
	below := func(waits bool) int {
		return slices.IndexFunc(order, func(at int) bool { return l.rows[at].Waits == waits && at >= from })
	}
	if at := below(true); at >= 0 {
		return at
	}
	if around && l.rows[order[0]].Waits {
		return 0
	}
	if at := below(false); at >= 0 {
		return at
	}
	return len(order)
}

// AimThread goes to the first open thread, or the last one, as soon as there is one, in the order of Walk.
func (l *List) AimThread(last bool) {
	l.Aim(func(r Row) bool { return r.Thread }, last)
	l.aimThread = true
}

// Fell reports whether the row of the cursor is gone, and the cursor stands on what came in its place.
func (l *List) Fell() bool {
	r, ok := l.Selected()
	return ok && l.fell != "" && r.Key == l.fell
}
