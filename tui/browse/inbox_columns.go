package browse

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// columnStyle is the style of the columns: words, or signs below a heading. All rows of a list have the same style.
type columnStyle int

const (
	words columnStyle = iota
	signs
)

// minWordsWidth is the minimum width of rows for words.
const minWordsWidth = 96

func columnStyleFor(width int) columnStyle {
	if width >= minWordsWidth {
		return words
	}
	return signs
}

// column is a column at the right end of the second line of a row: its heading for signs, and its widths.
type column struct {
	heading string
	widths  [2]int // for words and for signs
}

// columns are the columns of all second lines.
var columns = [...]column{{"checks", [2]int{17, 6}}, {"threads", [2]int{12, 7}}, {"read", [2]int{10, 5}}}

// columnsLine draws the headings of the columns if their style is signs.
func columnsLine(width int) render.Line {
	if width < narrowWidth || columnStyleFor(width) == words {
		return nil
	}
	var line render.Line
	for _, c := range columns {
		line = append(line, render.In(render.Faint, " "+strings.Repeat(" ", max(c.widths[signs]-len(c.heading), 0))+c.heading))
	}
	return render.Columns(nil, line, width)
}

// The widths of the columns at the left end: the author, and the number of changed pages.
const (
	personWidth = 13
	pagesWidth  = 8
)

// secondLine draws the author and the size of a change request at the left, and its status at the right: its problems
// or the user's verdict, and columns for the checks, the threads and the reading progress.
func (p *Inbox) secondLine(r api.QueuedChangeRequest, width int) render.Line {
	how := columnStyleFor(width)
	var right render.Line
	cells := []render.Line{checksColumn(r.Summary, how), threadsColumn(r, how), p.progressColumn(r, how)}
	if p.currentTab().past { // no open work
		cells = nil
	}
	for i, cell := range cells {
		right = append(right, render.Plain(strings.Repeat(" ", max(columns[i].widths[how]-cell.Width(), 0)+1)))
		right = append(right, cell...)
	}
	indent := render.Plain(strings.Repeat(" ", numberWidth+1))
	facts, more := p.authorAndSize(r)
	facts = render.Join(render.Line{indent}, facts)
	left := width - right.Width()
	status := p.statusNote(r, left-numberWidth-personWidth-pagesWidth-2)
	available := max(left-status.Width()-1, 0)
	if facts.Width()+more.Width() <= available {
		facts = render.Join(facts, more)
	}
	return render.Join(render.Columns(facts.Cut(available), status, left), right)
}

// authorAndSize returns the author and the size of a change request, or after a review, the changes since. more is
// the part that is left out as a whole if it does not fit.
func (p *Inbox) authorAndSize(r api.QueuedChangeRequest) (line, more render.Line) {
	line = render.Line{render.In(render.Dim, render.UserName(r.CreatedBy, p.Session.Me.ID))}.Pad(personWidth)
	line = render.Join(line[:1].Cut(personWidth-1), line[1:], render.Line{render.Plain(" ")})
	if v := r.Summary.Verdict; r.Reason == api.NewSinceReview && v != nil {
		var parts []string
		if v.Edited {
			parts = append(parts, "edited")
		}
		if v.Replies > 0 {
			parts = append(parts, replyCount(v.Replies))
		}
		for _, also := range parts[min(1, len(parts)):] {
			more = append(more, render.In(render.Fresh, ", "+also))
		}
		return append(line, render.In(render.Fresh, strings.Join(parts[:min(1, len(parts))], ""))), more
	}
	size, more := sizeLine(r.Summary)
	return append(line, size...), more
}

// sizeLine returns the numbers of changed pages and of changed words.
func sizeLine(s api.RequestSummary) (line, counted render.Line) {
	c := s.Changes
	switch {
	case c == nil && s.Large:
		return render.Line{render.In(render.Dim, "large")}, nil
	case c == nil:
		return render.Line{render.In(render.Dim, unknown)}, nil
	}
	pages := render.Plural(c.Pages, "page")
	if c.Pages == 0 && c.Others > 0 {
		pages = render.Plural(c.Others, "file or variable")
	}
	var counts []string
	if c.Added > 0 {
		counts = append(counts, fmt.Sprintf("+%d", c.Added))
	}
	if c.Removed > 0 {
		counts = append(counts, fmt.Sprintf("−%d", c.Removed))
	}
	if len(counts) > 0 {
		pages, counted = render.PadColumn(pages, pagesWidth), render.Line{render.In(render.Dim, strings.Join(counts, " "))}
	}
	return render.Line{render.In(render.Dim, pages)}, counted
}

// statusNote returns the problems of a change request, or else the user's verdict. The last problems are left out if
// they do not fit into width.
func (p *Inbox) statusNote(r api.QueuedChangeRequest, available int) render.Line {
	s, mine := r.Summary, r.CreatedBy.ID == p.Session.Me.ID
	var parts []render.Line
	add := func(format string, args ...any) {
		parts = append(parts, render.Line{render.In(render.Failure, fmt.Sprintf(format, args...))})
	}
	if m := s.Merge; m != nil && m.Conflicts > 0 {
		add("✗ %s", render.Plural(m.Conflicts, "conflict"))
	}
	if m := s.Merge; m != nil && m.BrokenLinks > 0 {
		add("✗ %s", render.Plural(m.BrokenLinks, "broken link"))
	}
	if s.ChangesRequested > 0 && mine {
		add("✗ changes requested")
	}
	if v := s.Verdict; v != nil {
		parts = append(parts, verdictLine(*v, available))
	}
	var line render.Line
	for i, part := range parts {
		if i > 0 && line.Width()+2+part.Width() > available {
			break
		}
		if i > 0 {
			line = append(line, render.Plain("  "))
		}
		line = append(line, part...)
	}
	return line
}

// verdictLine draws the user's verdict. An outdated approval has a different sign than one that counts.
func verdictLine(v api.SummaryVerdict, available int) render.Line {
	const full = "✗ you requested changes"
	switch {
	case v.Status == api.ReviewApproved && v.Edited:
		return render.Line{render.In(render.Warning, "! you approved")}
	case v.Status == api.ReviewApproved:
		return render.Line{render.In(render.Added, "✓ you approved")}
	case available >= len([]rune(full)):
		return render.Line{render.In(render.Failure, full)}
	default:
		return render.Line{render.In(render.Failure, "✗ you objected")}
	}
}

// checksColumn draws the number of passed checks, or whether the request can be merged. It is empty if there are
// conflicts, which are part of the problems.
func checksColumn(s api.RequestSummary, how columnStyle) render.Line {
	count := func(sign string) string {
		if how == words {
			return fmt.Sprintf("%s %d of %d checks", sign, s.Checks.Holding, s.Checks.Total)
		}
		return fmt.Sprintf("%s%d/%d", sign, s.Checks.Holding, s.Checks.Total)
	}
	switch c := s.Checks; {
	case c == nil && s.Pending && !s.Large:
		return render.Line{render.In(render.Dim, unknown)}
	case c == nil:
		return nil
	case s.Ready && how == words:
		return render.Line{render.In(render.Added, "✓ ready to merge")}
	case c.Holding == c.Total:
		return render.Line{render.In(render.Added, count("✓"))}
	case c.Stops != "":
		return render.Line{render.In(render.Failure, count("✗"))}
	default:
		return render.Line{render.In(render.Warning, count("!"))}
	}
}

// threadsColumn draws the number of open threads.
func threadsColumn(r api.QueuedChangeRequest, how columnStyle) render.Line {
	switch n := r.Summary.Threads.Open; {
	case n == 0:
		return nil
	case how == words:
		return render.Line{render.In(render.Warning, "● "+render.Plural(n, "thread"))}
	default:
		return render.Line{render.In(render.Warning, fmt.Sprintf("●%d", n))}
	}
}

// progressColumn draws the user's reading progress of a change request; it is empty for the author.
func (p *Inbox) progressColumn(r api.QueuedChangeRequest, how columnStyle) render.Line {
	progress := ""
	switch read, total := p.readProgress(r); {
	case r.CreatedBy.ID == p.Session.Me.ID || r.Status != api.StatusOpen:
		return nil
	case total > 0:
		progress = fmt.Sprintf("%d/%d", read, total)
	case r.Summary.Read == nil && r.Summary.Pending:
		progress = unknown
	default:
		return nil
	}
	if how == words {
		progress = "read " + progress
	}
	return render.Line{render.In(render.Dim, progress)}
}

// readProgress returns the user's reading progress of a change request: from the session, or from the list if that is
// newer.
func (p *Inbox) readProgress(r api.QueuedChangeRequest) (read, total int) {
	at := targetOf(r)
	if c := p.Session.Read.LoadState(at); c.Loaded && !c.LoadedAt.Before(p.currentList().LoadedAt) {
		now, _ := p.Session.Read.State(at)
		return now.Read, now.Total
	}
	if s := r.Summary.Read; s != nil {
		return s.Read, s.Total
	}
	return 0, 0
}
