package browse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// The prefixes of the keys of rows.
const (
	requestKeyPrefix = "request/"
	draftKeyPrefix   = "draft/"
	groupKeyPrefix   = "group/"
)

// groups are the reasons in the order of their groups, with the titles.
var groups = []struct {
	reason api.QueueReason
	title  string
	folded bool // folded by default
}{
	{api.ReviewRequested, "Asked for your review", false},
	{api.NewSinceReview, "New since your review", false},
	{api.NeedsAnswer, "Yours, needs an answer", false},
	{api.ReadyToMerge, "Yours, ready to merge", false},
	{"", unsentTitle, false},
	{api.WaitingForOther, "Waiting for others", true},
}

const unsentTitle = "Unsent, on this machine"

// narrowWidth is the width below which each row is one line.
const narrowWidth = 58

// Rows implements page.Page.
func (p *Inbox) Rows(width int) []components.Row {
	rows := []components.Row{{Key: "tabs", Line: p.tabLine(width), Skip: true}, {Key: "tabs", Skip: true}}
	p.measureNumbers(width)
	have, unsent := p.currentList().Latest, p.unsentTexts()
	nothing := "No change requests here; tab shows others."
	if p.currentTab().grouped {
		nothing = "Nothing needs you. tab shows what waits for others, and everything that is open."
	}
	if state := p.StateRows(p.LoadState(), len(have.requests)+len(unsent) == 0, nothing, width); state != nil {
		return append(rows, state...)
	}
	if len(have.requests) > 0 && !p.currentTab().grouped { // with groups, the headings are in the titles
		rows[1].Line = p.withHeadings(nil, width)
	}
	if p.currentTab().grouped {
		rows = append(rows, p.groupRows(have.requests, unsent, width)...)
	} else if draw := func(r api.QueuedChangeRequest) []components.Row { return p.requestRows(r, width) }; p.currentTab().past {
		rows = append(rows, groupByTime(p.sortRequests(have.requests), p.Session.Now(), draw)...)
	} else {
		for _, r := range p.sortRequests(have.requests) {
			rows = append(rows, draw(r)...)
		}
	}
	if have.more {
		line := render.Line{render.In(render.Dim, "and more: a saved query (through :) narrows the list")}
		rows = append(rows, components.Row{Key: "more", Line: line.Cut(width), Skip: true})
	}
	return rows
}

// tabLine draws the names of the tabs; the current one is a chip with the length of its list.
func (p *Inbox) tabLine(width int) render.Line {
	var line render.Line
	for i, t := range p.tabs() {
		name := " " + t.Name + " "
		if i != p.tab {
			line = append(line, render.In(render.Dim, name).Linked(tabTargetPrefix+strconv.Itoa(i)), render.Plain(" "))
			continue
		}
		line = append(line, render.NewSpan(render.Style{Ground: render.ChipAccent}, name), render.Plain(" "))
	}
	right := render.Line{render.In(render.Dim, orderNames[p.currentOrder()])}
	if line.Width()+right.Width() >= width {
		return line.Cut(width)
	}
	return render.Columns(line, right, width)
}

// tabTargetPrefix is the prefix of the targets of clicks on tabs.
const tabTargetPrefix = "tab:"

// Click selects the tab that was clicked and ignores other targets.
func (p *Inbox) Click(target string) tea.Cmd {
	if number, ok := strings.CutPrefix(target, tabTargetPrefix); ok {
		if at, err := strconv.Atoi(number); err == nil {
			return p.selectTab(at - p.tab)()
		}
	}
	return nil
}

// unsentText is a local text that was not sent: a draft, or an edited page that was not saved.
type unsentText struct {
	key, text, about string
	resumeMsg        tea.Msg
}

// unsentTexts returns the local texts that were not sent.
func (p *Inbox) unsentTexts() []unsentText {
	if !p.currentTab().grouped || p.Session == nil {
		return nil
	}
	var all []unsentText
	for _, d := range p.Session.Unsent {
		if d.IsUnsent() {
			all = append(all, unsentText{d.ID(), draftExcerpt(d), p.targetName(d.Target) + " · " + d.About, page.ComposeMsg{Draft: d}})
		}
	}
	for _, e := range p.Session.Editing {
		all = append(all, unsentText{e.Path, page.EditText(e), p.targetName(e.Target), page.ResumeMsg{Edit: e}})
	}
	return all
}

// targetName returns the space of a target, with the number of the change request if it is in the list.
func (p *Inbox) targetName(at remote.Target) string {
	for _, r := range p.currentList().Latest.requests {
		if targetOf(r) == at {
			return fmt.Sprintf("%s #%d", p.spaceName(at.Space), r.Number)
		}
	}
	return p.spaceName(at.Space)
}

// selectedUnsentText returns the text under the cursor.
func (p *Inbox) selectedUnsentText() (unsentText, bool) {
	row, _ := p.Selected()
	for _, w := range p.unsentTexts() {
		if draftKeyPrefix+w.key == row.Key {
			return w, true
		}
	}
	return unsentText{}, false
}

// groupRows draws the change requests by the reasons why they are in the inbox.
func (p *Inbox) groupRows(all []api.QueuedChangeRequest, unsent []unsentText, width int) []components.Row {
	var rows []components.Row
	for _, g := range groups {
		members := p.sortRequests(slices.DeleteFunc(slices.Clone(all), func(r api.QueuedChangeRequest) bool {
			return r.Reason != g.reason
		}))
		n := len(members)
		if g.reason == "" {
			members, n = nil, len(unsent)
		}
		if n == 0 {
			continue
		}
		if len(rows) > 0 {
			rows = append(rows, components.Row{Key: "gap"})
		}
		line := groupLine(g.title, n, p.isFolded(g.title))
		if pending := pendingCount(members); pending > 0 && g.reason == api.WaitingForOther {
			line = append(line, render.In(render.Dim, fmt.Sprintf(" · %d not looked through yet", pending)))
		}
		if n := len(members); n > 0 && !p.isFolded(g.title) {
			line = p.withHeadings(line, width)
		}
		rows = append(rows, components.Row{Key: groupKeyPrefix + g.title, Line: line.Cut(width), Skip: !g.folded && !p.isFolded(g.title)})
		if p.isFolded(g.title) {
			continue
		}
		for _, r := range members {
			rows = append(rows, p.requestRows(r, width)...)
		}
		if g.reason == "" {
			rows = append(rows, p.draftRows(unsent, width)...)
		}
	}
	return rows
}

// pendingCount returns the number of requests whose group the server has not computed yet.
func pendingCount(all []api.QueuedChangeRequest) int {
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

// isFolded reports whether a group is folded.
func (p *Inbox) isFolded(title string) bool {
	if folded, chosen := p.folded[title]; chosen {
		return folded
	}
	return slices.ContainsFunc(groups, func(g struct {
		reason api.QueueReason
		title  string
		folded bool
	},
	) bool {
		return g.title == title && g.folded
	})
}

// toggleFold folds or unfolds the group that contains the cursor.
func (p *Inbox) toggleFold() tea.Cmd {
	row, ok := p.Selected()
	title, isGroup := strings.CutPrefix(row.Key, groupKeyPrefix)
	if r, on := p.selectedRequest(); on && p.currentTab().grouped {
		for _, g := range groups {
			if g.reason == r.Reason {
				title, isGroup = g.title, true
			}
		}
	}
	if strings.HasPrefix(row.Key, draftKeyPrefix) {
		title, isGroup = unsentTitle, true
	}
	if !ok || !isGroup {
		return components.Toast("nothing to fold here")
	}
	p.folded[title] = !p.isFolded(title)
	p.Stale = true
	p.List.SelectKey(groupKeyPrefix + title)
	return nil
}

// requestRows draws a change request: its number, subject and age, and its size and status in a second line.
func (p *Inbox) requestRows(r api.QueuedChangeRequest, width int) []components.Row {
	mark := render.Plain(" ")
	if r.Reason == api.ReviewRequested || r.Reason == api.NewSinceReview {
		mark = render.In(render.Fresh, "●")
	}
	number := render.PadColumn(p.numberText(r, p.numbersWidth-1), p.numbersWidth)
	left := render.Line{
		mark, render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, number),
		render.NewSpan(render.Style{Bold: true}, render.Subject(r.ChangeRequest)),
	}
	right := render.Line{render.In(render.Dim, p.Session.Age(waitingSince(r).Time))}
	key := requestKeyPrefix + r.ID
	if width < narrowWidth {
		const threadsWidth, ageWidth = 3, 5
		right = render.Join(threadsColumn(r, styleSigns).Pad(threadsWidth), render.AlignRight(right, ageWidth))
		return []components.Row{{Key: key, Line: render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width), Begin: true}}
	}
	first := render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
	return []components.Row{{Key: key, Line: first, Begin: true}, {Key: key, Line: p.secondLine(r, width), Skip: true}}
}

// The minimum width of the numbers, and the maximum width of the names of spaces before them.
const (
	numberWidth = 6
	nameWidth   = 16
)

// numberText returns the number of a change request, with the name of its space unless the query is limited to one
// space. The name is cut to fit into width.
func (p *Inbox) numberText(r api.QueuedChangeRequest, width int) string {
	number := fmt.Sprintf("#%d", r.Number)
	if p.currentTab().Space != "" {
		return number
	}
	name := render.Line{render.Plain(p.spaceName(r.Space))}.Cut(min(nameWidth, max(width-len(number)-1, 1)))
	return name.String() + " " + number
}

// measureNumbers sets numbersWidth to the width of the longest number, at most a third of width.
func (p *Inbox) measureNumbers(width int) {
	p.numbersWidth = numberWidth
	for _, r := range p.currentList().Latest.requests {
		p.numbersWidth = max(p.numbersWidth, render.Line{render.Plain(p.numberText(r, width))}.Width()+2)
	}
	p.numbersWidth = min(p.numbersWidth, max(width/3, numberWidth))
}

// unknownValue is shown for values that the server has not computed yet.
const unknownValue = "…"

func replyCount(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}

// spaceName returns the name of a space, or its id until the name is known.
func (p *Inbox) spaceName(id string) string {
	if name := p.Session.Names[id]; name != "" {
		return name
	}
	return id
}

// draftExcerpt returns the beginning of the text of a draft, in quotes if it is literal.
func draftExcerpt(d drafts.Draft) string {
	if text := page.DraftText(d); text != d.Text {
		return text
	}
	return "“" + render.Excerpt(d.Text) + "”"
}

// draftRows lists the texts that were not sent, each with its subject.
func (p *Inbox) draftRows(all []unsentText, width int) []components.Row {
	var rows []components.Row
	for _, d := range all {
		key := draftKeyPrefix + d.key
		left := render.Line{
			render.In(render.Accent, " "+render.PadColumn("✎", numberWidth)), render.NewSpan(render.Style{Bold: true}, d.text),
		}
		right := render.Line{render.In(render.Warning, "not sent")}
		rows = append(rows, components.Row{
			Key: key, Line: render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width), Begin: true,
		})
		if width >= narrowWidth {
			line := render.Line{render.In(render.Dim, strings.Repeat(" ", numberWidth+1)+d.about)}
			rows = append(rows, components.Row{Key: key, Line: line.Cut(width), Skip: true})
		}
	}
	return rows
}
