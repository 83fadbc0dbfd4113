package browse

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
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
	rows := []components.Row{{Key: "tabs", Line: p.tabLine(width), Skip: true}, {Key: "tabs", Skip: true}}
	p.measure(width)
	have, unsent := p.list().Latest, p.unsent()
	nothing := map[bool]string{true: "Nothing needs you. tab shows what waits for others, and everything that is open.", false: "No change requests here; tab shows others."}[p.now().grouped]
	if state := page.StateRows(p.Condition(), len(have.requests)+len(unsent) == 0, nothing, width); state != nil {
		return append(rows, state...)
	}
	if len(have.requests) > 0 && !p.now().past {
		rows[1].Line = columnsLine(width)
	}
	if p.now().grouped {
		rows = append(rows, p.groupRows(have.requests, unsent, width)...)
	} else if draw := func(r api.QueuedChangeRequest) []components.Row { return p.requestRows(r, width) }; p.now().past {
		rows = append(rows, byTime(p.sorted(have.requests), p.Session.Now(), draw)...)
	} else {
		for _, r := range p.sorted(have.requests) {
			rows = append(rows, draw(r)...)
		}
	}
	if have.more {
		line := render.Line{render.In(render.Dim, "and more: a saved query (through :) narrows the list")}
		rows = append(rows, components.Row{Key: "more", Line: line.Cut(width), Skip: true})
	}
	return rows
}

// tabLine names the tabs, the one that is shown as a chip with how many it has.
func (p *Inbox) tabLine(width int) render.Line {
	var line render.Line
	for i, t := range p.tabs() {
		name := " " + t.Name + " "
		if i != p.tab {
			line = append(line, render.In(render.Dim, name), render.Plain(" "))
			continue
		}
		line = append(line, render.Of(render.Style{Ground: render.ChipAccent}, name), render.Plain(" "))
	}
	right := render.Line{render.In(render.Dim, orders[p.order()])}
	if line.Width()+right.Width() >= width {
		return line.Cut(width)
	}
	return render.Columns(line, right, width)
}

// waiting is a text of this machine that is not sent: a draft, or a page that is edited and not saved.
type waiting struct {
	key, says, about string
	resume           tea.Msg
}

// unsent are the texts of this machine that are not sent.
func (p *Inbox) unsent() []waiting {
	if !p.now().grouped || p.Session == nil {
		return nil
	}
	var all []waiting
	for _, d := range p.Session.Unsent {
		if d.Waits() {
			all = append(all, waiting{d.ID(), excerpt(d), p.placeOf(d.Target) + " · " + d.About, page.ComposeMsg{Draft: d}})
		}
	}
	for _, e := range p.Session.Editing {
		all = append(all, waiting{e.Path, page.SaysEdit(e), p.placeOf(e.Target), page.ResumeMsg{Edit: e}})
	}
	return all
}

// placeOf is the space of a target, with the number of the change request where that is listed.
func (p *Inbox) placeOf(at remote.Target) string {
	for _, r := range p.list().Latest.requests {
		if targetOf(r) == at {
			return fmt.Sprintf("%s #%d", p.spaceOf(at.Space), r.Number)
		}
	}
	return p.spaceOf(at.Space)
}

// unsentHere is the text under the cursor.
func (p *Inbox) unsentHere() (waiting, bool) {
	row, _ := p.Selected()
	for _, w := range p.unsent() {
		if draftKey+w.key == row.Key {
			return w, true
		}
	}
	return waiting{}, false
}

// groupRows draw the change requests by why they concern the user.
func (p *Inbox) groupRows(all []api.QueuedChangeRequest, unsent []waiting, width int) []components.Row {
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
			line = append(line, render.In(render.Dim, fmt.Sprintf(" · %d not looked through yet", pending)))
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

func groupLine(title string, n int, folded bool) render.Line {
	line := render.Section(strings.ToUpper(title))
	if folded {
		line = render.Line{render.In(render.Accent, "▸ "), render.In(render.Dim, title)}
	}
	return append(line, render.In(render.Dim, fmt.Sprintf(" %d", n)))
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
	mark := render.Plain(" ")
	if r.Reason == api.ReviewRequested || r.Reason == api.NewSinceReview {
		mark = render.In(render.Fresh, "●")
	}
	left := render.Line{mark, render.Of(render.Style{Tone: render.Accent, Bold: true}, render.Column(p.number(r), p.numbers)), render.Of(render.Style{Bold: true}, render.Subject(r.ChangeRequest))}
	right := render.Line{render.In(render.Dim, p.Session.Age(since(r).Time))}
	key := requestKey + r.ID
	if width < narrow {
		if r.Summary.Threads.Open > 0 {
			right = append(render.Join(threadsOf(r, signs), render.Line{render.Plain(" ")}), right...)
		}
		return []components.Row{{Key: key, Line: render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width), Begin: true}}
	}
	first := render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
	if left.Width() <= width && left.Width()+1+right.Width() > width {
		first = left // without the age the subject has room
	}
	second := p.secondLine(r, width)
	return []components.Row{{Key: key, Line: first, Begin: true}, {Key: key, Line: second, Skip: true}}
}

// The width of the numbers, at least, and of the names of spaces before them, at most.
const (
	numberWidth = 6
	nameWidth   = 16
)

// number is what a change request is called: numbers are those of its space, which is said with it unless only one is asked for.
func (p *Inbox) number(r api.QueuedChangeRequest) string {
	number := fmt.Sprintf("#%d", r.Number)
	if p.now().Space != "" {
		return number
	}
	return render.Line{render.Plain(p.spaceOf(r.Space))}.Cut(nameWidth).String() + " " + number
}

// measure finds how wide the numbers are.
func (p *Inbox) measure(width int) {
	p.numbers = numberWidth
	for _, r := range p.list().Latest.requests {
		p.numbers = max(p.numbers, render.Line{render.Plain(p.number(r))}.Width()+2)
	}
	p.numbers = min(p.numbers, max(width/3, numberWidth))
}

// unknown stands for what the server has not computed yet.
const unknown = "…"

func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}

// spaceOf is the name of a space, or its id until that is known.
func (p *Inbox) spaceOf(id string) string {
	if name := p.Session.Names[id]; name != "" {
		return name
	}
	return id
}

// excerpt is what a draft says, in quotes where they are its words.
func excerpt(d drafts.Draft) string {
	if says := page.Says(d); says != d.Text {
		return says
	}
	return "“" + render.Excerpt(d.Text) + "”"
}

// draftRows list what is not sent yet, each with what it is about.
func (p *Inbox) draftRows(all []waiting, width int) []components.Row {
	var rows []components.Row
	for _, d := range all {
		key := draftKey + d.key
		left := render.Line{render.In(render.Accent, " "+render.Column("✎", numberWidth)), render.Of(render.Style{Bold: true}, d.says)}
		right := render.Line{render.In(render.Warning, "not sent")}
		rows = append(rows, components.Row{Key: key, Line: render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width), Begin: true})
		if width >= narrow {
			line := render.Line{render.In(render.Dim, strings.Repeat(" ", numberWidth+1)+d.about)}
			rows = append(rows, components.Row{Key: key, Line: line.Cut(width), Skip: true})
		}
	}
	return rows
}
