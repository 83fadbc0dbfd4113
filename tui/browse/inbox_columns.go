package browse

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// saying is how the columns are written: in words, or in signs below a heading. It is the same in all rows of a list.
type saying int

const (
	words saying = iota
	signs
)

// wordsFrom is the width of rows from which there is room for words.
const wordsFrom = 96

func sayingIn(width int) saying {
	if width >= wordsFrom {
		return words
	}
	return signs
}

// column is a column at the right end of the second lines: its heading, above signs, and its widths.
type column struct {
	heading string
	widths  [2]int // in words, in signs
}

// columns are those that every second line has.
var columns = [...]column{{"checks", [2]int{17, 6}}, {"threads", [2]int{12, 7}}, {"read", [2]int{10, 5}}}

// columnsLine is the heading of the columns where they are signs.
func columnsLine(width int) render.Line {
	if width < narrow || sayingIn(width) == words {
		return nil
	}
	var line render.Line
	for _, c := range columns {
		line = append(line, render.In(render.Faint, " "+strings.Repeat(" ", max(c.widths[signs]-len(c.heading), 0))+c.heading))
	}
	return render.Columns(nil, line, width)
}

// The widths of the columns at the left end: whose it is, and how many pages it changes.
const (
	personWidth = 13
	pagesWidth  = 8
)

// secondLine says whose a change request is and what it changes; and at its right end how it stands: what is wrong with it or
// what the user said of it, and in columns the checks, the threads, and what was read.
func (p *Inbox) secondLine(r api.QueuedChangeRequest, width int) render.Line {
	how := sayingIn(width)
	var right render.Line
	cells := []render.Line{checksOf(r.Summary, how), threadsOf(r, how), p.readOf(r, how)}
	if p.now().past { // nothing of it is to be done any more
		cells = nil
	}
	for i, cell := range cells {
		right = append(right, render.Plain(strings.Repeat(" ", max(columns[i].widths[how]-cell.Width(), 0)+1)))
		right = append(right, cell...)
	}
	indent := render.Plain(strings.Repeat(" ", numberWidth+1))
	facts, more := p.facts(r)
	facts = render.Join(render.Line{indent}, facts)
	left := width - right.Width()
	said := p.said(r, left-numberWidth-personWidth-pagesWidth-2)
	room := max(left-said.Width()-1, 0)
	if facts.Width()+more.Width() <= room {
		facts = render.Join(facts, more)
	}
	return render.Join(render.Columns(facts.Cut(room), said, left), right)
}

// facts say whose a change request is, and what it changes; after a review, what came since. more is what is left out where
// there is no room for it: half a number says something else.
func (p *Inbox) facts(r api.QueuedChangeRequest) (line, more render.Line) {
	line = render.Line{render.In(render.Dim, render.UserName(r.CreatedBy, p.Session.Me.ID))}.Pad(personWidth)
	line = render.Join(line[:1].Cut(personWidth-1), line[1:], render.Line{render.Plain(" ")})
	if v := r.Summary.Verdict; r.Reason == api.NewSinceReview && v != nil {
		var parts []string
		if v.Edited {
			parts = append(parts, "edited")
		}
		if v.Replies > 0 {
			parts = append(parts, replies(v.Replies))
		}
		for _, also := range parts[min(1, len(parts)):] {
			more = append(more, render.In(render.Fresh, ", "+also))
		}
		return append(line, render.In(render.Fresh, strings.Join(parts[:min(1, len(parts))], ""))), more
	}
	size, more := sizeLine(r.Summary)
	return append(line, size...), more
}

// sizeLine says how much a change request changes, and in how many words.
func sizeLine(s api.RequestSummary) (line, counted render.Line) {
	c := s.Changes
	switch {
	case c == nil && s.Large:
		return render.Line{render.In(render.Dim, "large")}, nil
	case c == nil:
		return render.Line{render.In(render.Dim, unknown)}, nil
	}
	what := render.Plural(c.Pages, "page")
	if c.Pages == 0 && c.Others > 0 {
		what = render.Plural(c.Others, "file or variable")
	}
	var counts []string
	if c.Added > 0 {
		counts = append(counts, fmt.Sprintf("+%d", c.Added))
	}
	if c.Removed > 0 {
		counts = append(counts, fmt.Sprintf("−%d", c.Removed))
	}
	if len(counts) > 0 {
		what, counted = render.Column(what, pagesWidth), render.Line{render.In(render.Dim, strings.Join(counts, " "))}
	}
	return render.Line{render.In(render.Dim, what)}, counted
}

// said is what is wrong with a change request, or else the verdict of the user; of several things the last are left out where
// there is no room for them.
func (p *Inbox) said(r api.QueuedChangeRequest, room int) render.Line {
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
		parts = append(parts, verdictOf(*v, room))
	}
	var line render.Line
	for i, part := range parts {
		if i > 0 && line.Width()+2+part.Width() > room {
			break
		}
		if i > 0 {
			line = append(line, render.Plain("  "))
		}
		line = append(line, part...)
	}
	return line
}

// verdictOf is the verdict that the user gave; an approval of what was edited since has not the sign of one that counts.
func verdictOf(v api.SummaryVerdict, room int) render.Line {
	const full = "✗ you requested changes"
	switch {
	case v.Status == api.ReviewApproved && v.Edited:
		return render.Line{render.In(render.Warning, "! you approved")}
	case v.Status == api.ReviewApproved:
		return render.Line{render.In(render.Added, "✓ you approved")}
	case room >= len([]rune(full)):
		return render.Line{render.In(render.Failure, full)}
	default:
		return render.Line{render.In(render.Failure, "✗ you objected")}
	}
}

// checksOf says how many checks pass, or that it can be merged; where there are conflicts, these say it.
func checksOf(s api.RequestSummary, how saying) render.Line {
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

// threadsOf says how many threads are open.
func threadsOf(r api.QueuedChangeRequest, how saying) render.Line {
	switch n := r.Summary.Threads.Open; {
	case n == 0:
		return nil
	case how == words:
		return render.Line{render.In(render.Warning, "● "+render.Plural(n, "thread"))}
	default:
		return render.Line{render.In(render.Warning, fmt.Sprintf("●%d", n))}
	}
}

// readOf says how much of a change request the user has read; an author need not.
func (p *Inbox) readOf(r api.QueuedChangeRequest, how saying) render.Line {
	said := ""
	switch read, total := p.read(r); {
	case r.CreatedBy.ID == p.Session.Me.ID || r.Status != api.StatusOpen:
		return nil
	case total > 0:
		said = fmt.Sprintf("%d/%d", read, total)
	case r.Summary.Read == nil && r.Summary.Pending:
		said = unknown
	default:
		return nil
	}
	if how == words {
		said = "read " + said
	}
	return render.Line{render.In(render.Dim, said)}
}

// read is how much of a change request the user has read: as the screen knows it, or as the list says it where that is newer.
func (p *Inbox) read(r api.QueuedChangeRequest) (read, total int) {
	at := targetOf(r)
	if c := p.Session.Read.Condition(at); c.Loaded && !c.At.Before(p.list().At) {
		now, _ := p.Session.Read.Of(at)
		return now.Read, now.Total
	}
	if s := r.Summary.Read; s != nil {
		return s.Read, s.Total
	}
	return 0, 0
}
