package inbox

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/overview"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/text"
)

// The beginnings of the keys of rows.
const (
	requestKey = "request/"
	draftKey   = "draft/"
	groupKey   = "group/"
)

// groups are the reasons in the order of their groups, with what they are called.
var groups = []struct {
	reason api.QueueReason
	title  string
	folds  bool // it begins folded
}{
	{api.ReviewRequested, "Asked for your review", false},
	{api.NewSinceReview, "New since your review", false},
	{api.NeedsAnswer, "Yours, needs an answer", false},
	{api.ReadyToMerge, "Yours, ready to merge", false},
	{"", unsentTitle, false},
	{api.WaitingForOther, "Waiting for others", true},
}

const unsentTitle = "Unsent, on this machine"

// narrow is the width of rows below which each is one line.
const narrow = 58

// Rows implements page.Page.
func (p *Inbox) Rows(width int) []components.Row {
	rows := []components.Row{{Key: "tabs", Line: p.tabLine(width), Skip: true}, {Key: "tabs"}}
	have, unsent := p.list().Latest, p.unsent()
	nothing := map[bool]string{true: "Nothing needs you. tab shows what waits, and all that is open.", false: "No change requests here; tab shows others."}[p.now().grouped]
	if state := page.StateRows(p.Condition(), len(have.requests)+len(unsent) == 0, nothing, width); state != nil {
		return append(rows, state...)
	}
	if p.now().grouped {
		rows = append(rows, p.groupRows(have.requests, unsent, width)...)
	} else {
		for _, r := range p.sorted(have.requests) {
			rows = append(rows, p.requestRows(r, width)...)
		}
	}
	if have.more {
		line := text.Line{text.In(text.Dim, "and more; the tabs and saved queries show fewer")}
		rows = append(rows, components.Row{Key: "more", Line: line.Cut(width), Skip: true})
	}
	return rows
}

// tabLine names the tabs, the one that is shown as a chip with how many it has.
func (p *Inbox) tabLine(width int) text.Line {
	var line text.Line
	for i, t := range p.tabs() {
		name := " " + t.Name + " "
		if i != p.tab {
			line = append(line, text.In(text.Dim, name), text.Plain(" "))
			continue
		}
		line = append(line, text.Of(text.Style{Ground: text.ChipAccent}, name), text.Plain(" "))
	}
	right := text.Line{text.In(text.Dim, orders[p.order])}
	if line.Width()+right.Width() >= width {
		return line.Cut(width)
	}
	return text.Columns(line, right, width)
}

// unsent are the drafts of this machine that are texts: decisions of conflicts are seen with their conflicts.
func (p *Inbox) unsent() []drafts.Draft {
	if !p.now().grouped || p.Session == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Session.Unsent), func(d drafts.Draft) bool { return d.Conflict != "" })
}

// groupRows draw the change requests by why they concern the user.
func (p *Inbox) groupRows(all []api.QueuedChangeRequest, unsent []drafts.Draft, width int) []components.Row {
	var rows []components.Row
	for _, g := range groups {
		of := p.sorted(slices.DeleteFunc(slices.Clone(all), func(r api.QueuedChangeRequest) bool { return r.Reason != g.reason }))
		n := len(of)
		if g.reason == "" {
			of, n = nil, len(unsent)
		}
		if n == 0 {
			continue
		}
		if len(rows) > 0 {
			rows = append(rows, components.Row{Key: "gap"})
		}
		line := groupLine(g.title, n, p.isFolded(g.title))
		if pending := pendingIn(of); pending > 0 && g.reason == api.WaitingForOther {
			line = append(line, text.In(text.Dim, fmt.Sprintf(" · %d may turn out to need you", pending)))
		}
		rows = append(rows, components.Row{Key: groupKey + g.title, Line: line.Cut(width), Skip: !g.folds && !p.isFolded(g.title)})
		if p.isFolded(g.title) {
			continue
		}
		for _, r := range of {
			rows = append(rows, p.requestRows(r, width)...)
		}
		if g.reason == "" {
			rows = append(rows, p.draftRows(unsent, width)...)
		}
	}
	return rows
}

// pendingIn counts those of which it is not computed yet whether they are ready, or need an answer.
func pendingIn(all []api.QueuedChangeRequest) int {
	n := 0
	for _, r := range all {
		if r.Summary.Pending && r.Summary.Merge == nil {
			n++
		}
	}
	return n
}

func groupLine(title string, n int, folded bool) text.Line {
	line := text.Section(strings.ToUpper(title))
	if folded {
		line = text.Line{text.In(text.Accent, "▸ "), text.In(text.Dim, title)}
	}
	return append(line, text.In(text.Dim, fmt.Sprintf(" %d", n)))
}

// isFolded reports whether a group is one line.
func (p *Inbox) isFolded(title string) bool {
	if folded, turned := p.folded[title]; turned {
		return folded
	}
	return slices.ContainsFunc(groups, func(g struct {
		reason api.QueueReason
		title  string
		folds  bool
	},
	) bool {
		return g.title == title && g.folds
	})
}

// fold folds the group around the cursor, or opens it.
func (p *Inbox) fold() tea.Cmd {
	row, ok := p.Selected()
	title, is := strings.CutPrefix(row.Key, groupKey)
	if r, on := p.here(); on && p.now().grouped {
		for _, g := range groups {
			if g.reason == r.Reason {
				title, is = g.title, true
			}
		}
	}
	if strings.HasPrefix(row.Key, draftKey) {
		title, is = unsentTitle, true
	}
	if !ok || !is {
		return components.Toast("nothing to fold here")
	}
	p.folded[title] = !p.isFolded(title)
	p.Stale = true
	p.List.Want(groupKey + title)
	return nil
}

// requestRows are a change request: number, subject and age, and in a second line what it is and how it stands.
func (p *Inbox) requestRows(r api.QueuedChangeRequest, width int) []components.Row {
	mark := text.Plain(" ")
	if r.Reason == api.ReviewRequested || r.Reason == api.NewSinceReview {
		mark = text.In(text.Fresh, "●")
	}
	number := text.Column(fmt.Sprintf("#%d", r.Number), numberWidth)
	left := text.Line{mark, text.Of(text.Style{Tone: text.Accent, Bold: true}, number), text.Of(text.Style{Bold: true}, overview.Subject(r.ChangeRequest))}
	right := text.Line{text.In(text.Dim, p.Session.Age(since(r).Time))}
	key := requestKey + r.ID
	if width < narrow {
		right = append(threadsOf(r), right...)
		return []components.Row{{Key: key, Line: text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width), Begin: true}}
	}
	first := text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
	facts := text.Join(text.Line{text.Plain(strings.Repeat(" ", numberWidth+1))}, p.facts(r))
	state := p.state(r, true)
	if facts.Width()+state.Width() >= width {
		state = p.state(r, false)
	}
	second := text.Columns(facts.Cut(max(width-state.Width()-1, 0)), state, width)
	return []components.Row{{Key: key, Line: first, Begin: true}, {Key: key, Line: second, Skip: true}}
}

// numberWidth is the width of the numbers.
const numberWidth = 6

// unknown stands for what the server has not computed yet.
const unknown = "…"

// facts say where a change request is, whose, and what it changes; after a review, what came since.
func (p *Inbox) facts(r api.QueuedChangeRequest) text.Line {
	line := text.Line{text.In(text.Dim, p.spaceOf(r.Space))}
	if r.CreatedBy.ID != p.Session.Me.ID {
		line = append(line, text.In(text.Dim, " · "+r.CreatedBy.DisplayName))
	}
	line = append(line, text.In(text.Dim, " · "))
	if v := r.Summary.Verdict; r.Reason == api.NewSinceReview && v != nil {
		var parts []string
		if v.Edited {
			parts = append(parts, "edited")
		}
		if v.Replies > 0 {
			parts = append(parts, replies(v.Replies))
		}
		return append(line, text.In(text.Fresh, strings.Join(parts, ", ")))
	}
	return append(line, sizeLine(r.Summary)...)
}

func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}

// sizeLine says how much a change request changes.
func sizeLine(s api.RequestSummary) text.Line {
	c := s.Changes
	switch {
	case c == nil && s.Large:
		return text.Line{text.In(text.Dim, "large")}
	case c == nil:
		return text.Line{text.In(text.Dim, unknown)}
	}
	what := text.Plural(c.Pages, "page")
	if c.Pages == 0 && c.Others > 0 {
		what = text.Plural(c.Others, "file or variable")
	}
	line := text.Line{text.In(text.Dim, what)}
	if c.Added > 0 {
		line = append(line, text.In(text.Dim, fmt.Sprintf(" +%d", c.Added)))
	}
	if c.Removed > 0 {
		line = append(line, text.In(text.Dim, fmt.Sprintf(" −%d", c.Removed)))
	}
	return line
}

// spaceOf is the name of a space, or its id until that is known.
func (p *Inbox) spaceOf(id string) string {
	if name := p.Session.Names[id]; name != "" {
		return name
	}
	return id
}

// state says how a change request stands, what matters most first: conflicts, verdicts, checks, threads, what was read. Where
// there is no room for all, checks are counted only if one stops a merge.
func (p *Inbox) state(r api.QueuedChangeRequest, all bool) text.Line {
	s, mine := r.Summary, r.CreatedBy.ID == p.Session.Me.ID
	var parts []text.Line
	add := func(tone text.Tone, format string, args ...any) {
		parts = append(parts, text.Line{text.In(tone, fmt.Sprintf(format, args...))})
	}
	if m := s.Merge; m != nil && m.Conflicts > 0 {
		add(text.Failure, "✗ %s", text.Plural(m.Conflicts, "conflict"))
	}
	if m := s.Merge; m != nil && m.BrokenLinks > 0 {
		add(text.Failure, "✗ %s", text.Plural(m.BrokenLinks, "link"))
	}
	if s.ChangesRequested > 0 && mine {
		add(text.Failure, "changes asked")
	}
	if v := s.Verdict; v != nil {
		add(map[bool]text.Tone{true: text.Added, false: text.Failure}[v.Status == api.ReviewApproved], "%s you", map[bool]string{true: "✓", false: "✗"}[v.Status == api.ReviewApproved])
	}
	if c := s.Checks; all || s.Ready || c == nil || c.Stops != "" {
		parts = append(parts, checksOf(s)...)
	}
	if t := threadsOf(r); len(t) > 0 {
		parts = append(parts, t.Trim())
	}
	switch {
	case mine || r.Status != api.StatusOpen:
	case s.Read != nil && s.Read.Total > 0:
		add(text.Dim, "%d/%d read", s.Read.Read, s.Read.Total)
	case s.Read == nil && s.Pending:
		add(text.Dim, "%s read", unknown)
	}
	var line text.Line
	for i, part := range parts {
		if i > 0 {
			line = append(line, text.Plain(" "))
		}
		line = append(line, part...)
	}
	return line
}

// checksOf says how many checks hold, or that all do.
func checksOf(s api.RequestSummary) []text.Line {
	switch c := s.Checks; {
	case c == nil && s.Pending && !s.Large:
		return []text.Line{{text.In(text.Dim, unknown)}}
	case c == nil || s.Merge != nil && s.Merge.Conflicts > 0:
		return nil
	case s.Ready:
		return []text.Line{{text.In(text.Added, "✓ ready")}}
	case c.Holding == c.Total:
		return []text.Line{{text.In(text.Added, fmt.Sprintf("✓%d/%d", c.Holding, c.Total))}}
	case c.Stops != "":
		return []text.Line{{text.In(text.Failure, fmt.Sprintf("✗%d/%d", c.Holding, c.Total))}}
	default:
		return []text.Line{{text.In(text.Warning, fmt.Sprintf("!%d/%d", c.Holding, c.Total))}}
	}
}

// threadsOf says how many threads are open; those that wait for the user are new.
func threadsOf(r api.QueuedChangeRequest) text.Line {
	if r.Summary.Threads.Open == 0 {
		return nil
	}
	return text.Line{text.In(text.Warning, fmt.Sprintf("●%d ", r.Summary.Threads.Open))}
}

// draftRows list what is not sent yet, each with what it is about.
func (p *Inbox) draftRows(all []drafts.Draft, width int) []components.Row {
	var rows []components.Row
	for _, d := range all {
		key := draftKey + d.ID()
		left := text.Line{text.In(text.Accent, " "+text.Column("✎", numberWidth)), text.Of(text.Style{Bold: true}, "“"+text.Excerpt(d.Text)+"”")}
		right := text.Line{text.In(text.Warning, "not sent")}
		rows = append(rows, components.Row{Key: key, Line: text.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width), Begin: true})
		if width >= narrow {
			line := text.Line{text.In(text.Dim, strings.Repeat(" ", numberWidth+1)+p.spaceOf(d.Target.Space)+" · "+d.About)}
			rows = append(rows, components.Row{Key: key, Line: line.Cut(width), Skip: true})
		}
	}
	return rows
}
