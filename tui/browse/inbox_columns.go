package browse

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// columnStyle is the style of the columns: words, few words, or signs below a heading. All rows of a list have the same style.
type columnStyle int

const (
	styleWords columnStyle = iota
	styleFewWords
	styleSigns
)

// The minimum width of rows for words, and the minimum widths of windows and of rows for few words.
const (
	minWordsWidth    = 96
	minWordsWindow   = 120
	minFewWordsWidth = 68
)

// columnStyle returns the style of the columns of rows.
func (p *Inbox) columnStyle(width int) columnStyle {
	switch {
	case width >= minWordsWidth:
		return styleWords
	case p.Window >= minWordsWindow && width >= minFewWordsWidth:
		return styleFewWords
	default:
		return styleSigns
	}
}

// column is a column at the right end of the second line of a row: its heading for signs, and its width in each style.
type column struct {
	heading string
	widths  [3]int
}

// columns are the columns of all second lines.
var columns = [...]column{{"checks", [3]int{17, 13, 6}}, {"threads", [3]int{12, 10, 7}}, {"read", [3]int{10, 9, 5}}}

// withHeadings adds the headings of the columns at the end of a line if their style is signs.
func (p *Inbox) withHeadings(line render.Line, width int) render.Line {
	if width < narrowWidth || p.columnStyle(width) != styleSigns || p.currentTab().past {
		return line.Cut(width)
	}
	var headings render.Line
	for _, c := range columns {
		headings = append(headings, render.In(render.Faint, fmt.Sprintf(" %*s", c.widths[styleSigns], c.heading)))
	}
	return render.Columns(line.Cut(max(width-headings.Width()-1, 0)), headings, width)
}

// The width of the author, which is the first column of the second line, of the number of changed pages, and of the
// indentation in each style.
const (
	personWidth = 13
	pagesWidth  = 8
)

var indents = [3]int{numberWidth + 1, 3, numberWidth + 1}

// secondLine draws the author and the size of a change request at the left, and its status at the right: its problems
// or the user's verdict, and columns for the checks, the threads and the reading progress. Parts of the size that do not fit
// are left out.
func (p *Inbox) secondLine(r api.QueuedChangeRequest, width int) render.Line {
	how := p.columnStyle(width)
	var right render.Line
	cells := []render.Line{checksColumn(r, how), threadsColumn(r, how), p.progressColumn(r, how)}
	if p.currentTab().past { // no open work
		cells = nil
	}
	for i, cell := range cells {
		right = render.Join(right, render.Line{render.Plain(" ")}, render.AlignRight(cell, columns[i].widths[how]))
	}
	line := render.Line{render.Plain(strings.Repeat(" ", indents[how]))}
	person := render.Line{render.In(render.Dim, render.UserName(r.CreatedBy, p.Session.Me.ID))}
	line = render.Join(line, person.Cut(personWidth-1).Pad(personWidth))
	left := width - right.Width()
	status := p.statusNote(r, left-line.Width()-pagesWidth-1, how)
	available := max(left-status.Width()-1, 0)
	for _, part := range p.sizeParts(r) {
		if line.Width()+part.Width() > available {
			break
		}
		line = render.Join(line, part)
	}
	return render.Join(render.Columns(line.Cut(available), status, left), right)
}

// sizeParts returns the size of a change request, or after a review, the changes since, with the important part first.
func (p *Inbox) sizeParts(r api.QueuedChangeRequest) (parts []render.Line) {
	v := r.Summary.Verdict
	if r.Reason != api.NewSinceReview || v == nil {
		size, more := sizeLine(r.Summary)
		return []render.Line{size, more}
	}
	var news []string
	if v.Edited {
		news = append(news, "edited")
	}
	if v.Replies > 0 {
		news = append(news, replyCount(v.Replies))
	}
	for i, text := range news {
		parts = append(parts, render.Line{render.In(render.Fresh, render.Choose(i > 0, ", ", "")+text)})
	}
	return parts
}

// sizeLine returns the numbers of changed pages and of changed words.
func sizeLine(s api.RequestSummary) (line, counted render.Line) {
	c := s.Changes
	switch {
	case c == nil && s.Large:
		return render.Line{render.In(render.Dim, "large")}, nil
	case c == nil:
		return render.Line{render.In(render.Dim, unknownValue)}, nil
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

// statusNote returns the problems of a change request, or else the user's verdict. The last problems are left out if they do
// not fit. In a list without groups, the words "asks you" explain the sign of a requested review, unless the style is signs.
func (p *Inbox) statusNote(r api.QueuedChangeRequest, available int, how columnStyle) render.Line {
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
		parts = append(parts, verdictLine(*v))
	}
	if r.Reason == api.ReviewRequested && how != styleSigns && !p.currentTab().grouped {
		parts = append(parts, render.Line{render.In(render.Fresh, "asks you")})
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
func verdictLine(v api.SummaryVerdict) render.Line {
	switch {
	case v.Status == api.ReviewApproved && v.Edited:
		return render.Line{render.In(render.Warning, "! you approved")}
	case v.Status == api.ReviewApproved:
		return render.Line{render.In(render.Added, "✓ you approved")}
	default:
		return render.Line{render.In(render.Failure, "✗ you objected")}
	}
}

// checksColumn draws the number of passed checks, or whether the request is ready to be merged, which warnings do not
// prevent.
func checksColumn(r api.QueuedChangeRequest, how columnStyle) render.Line {
	s := r.Summary
	isReady := s.Ready || r.Reason == api.ReadyToMerge
	draw := func(tone render.Tone, sign string) render.Line {
		format := [3]string{"%s %d of %d checks", "%s%d/%d checks", "%s%d/%d"}[how]
		return render.Line{render.In(tone, fmt.Sprintf(format, sign, s.Checks.Holding, s.Checks.Total))}
	}
	switch c := s.Checks; {
	case c == nil && s.Pending && !s.Large:
		return render.Line{render.In(render.Dim, unknownValue)}
	case c == nil:
		return nil
	case isReady && how == styleWords:
		return render.Line{render.In(render.Added, "✓ ready to merge")}
	case isReady && how == styleFewWords:
		return render.Line{render.In(render.Added, "✓ ready")}
	case isReady, c.Holding == c.Total:
		return draw(render.Added, "✓")
	case c.Stops != "":
		return draw(render.Failure, "✗")
	default:
		return draw(render.Warning, "!")
	}
}

// threadsColumn draws the number of open threads.
func threadsColumn(r api.QueuedChangeRequest, how columnStyle) render.Line {
	n := r.Summary.Threads.Open
	if n == 0 {
		return nil
	}
	text := [3]string{"● " + render.Plural(n, "thread"), "●" + render.Plural(n, "thread"), fmt.Sprintf("●%d", n)}[how]
	return render.Line{render.In(render.Warning, text)}
}

// progressColumn draws the user's reading progress of a change request. It returns nil if the user is the author or the request
// is not open.
func (p *Inbox) progressColumn(r api.QueuedChangeRequest, how columnStyle) render.Line {
	progress := ""
	switch read, total := p.readProgress(r); {
	case r.CreatedBy.ID == p.Session.Me.ID || r.Status != api.StatusOpen:
		return nil
	case total > 0:
		progress = fmt.Sprintf("%d/%d", read, total)
	case r.Summary.Read == nil && r.Summary.Pending:
		progress = unknownValue
	default:
		return nil
	}
	if how != styleSigns {
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
