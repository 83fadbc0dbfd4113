package screens

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/render"
)

// details are what the pane beside the request shows of a row that is no page; nil where there is no more to know.
func (p *request) details(row components.Row) *page.Details {
	if th, _ := p.threads.Selected(); th != nil {
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.threadDetails(th, width) })
	}
	isCheck := strings.HasPrefix(row.Key, checkKey)
	cursor, isEvent := strings.CutPrefix(row.Key, eventKey)
	switch {
	case isCheck:
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.checkDetails(row.Key, width) })
	case isEvent:
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.eventDetails(cursor, width) })
	case row.Key == describeKey || row.Key == describedKey:
		return page.NewDetails(p.Session, p.descriptionDetails)
	default:
		return nil
	}
}

// lined are rows without a cursor.
func lined(lines []render.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "details", Line: line}
	}
	return rows
}

// threadDetails are a thread as a whole, with its page and what it is about.
func (p *request) threadDetails(th *Thread, width int) []components.Row {
	_, title := PageOf(th.Comment)
	if title == "" {
		title = "The change request"
	}
	lines := []render.Line{render.Section("Thread").Cut(width), render.Line{render.In(render.Dim, title)}.Cut(width)}
	if about := th.Quoted(); about != "" {
		lines = append(lines, render.Wrap(render.Line{render.Of(render.Style{Tone: render.Quote, Italic: true}, "“"+about+"”")}, width, nil)...)
	}
	return append(lined(append(lines, nil)), p.threads.Under([]*Thread{th}, "", width)...)
}

// checkDetails are all checks, those that stop a merge first, with the one under the cursor marked.
func (p *request) checkDetails(key string, width int) []components.Row {
	m := p.merging.Checks.Latest
	lines := []render.Line{render.Merge(m, p.remote.Latest.Status).Cut(width), nil}
	stops, advice := render.Stands(m)
	passed := slices.DeleteFunc(slices.Clone(m.Rules), func(g api.MergeGate) bool { return g.State != api.GatePassed })
	for _, g := range slices.Concat(stops, advice, render.Alike(m.Rules), passed) {
		mark := render.Plain("  ")
		if p.checkRow(g) == key {
			mark = render.In(render.Accent, "▌ ")
		}
		drawn := render.Wrap(p.onlooker().Check(g), max(width-2, 1), render.Line{render.Plain("  ")})
		for _, line := range drawn {
			lines = append(lines, render.Join(render.Line{mark}, line).Cut(width))
		}
	}
	return lined(lines)
}

// eventDetails are something that happened, with the thread that it is about.
func (p *request) eventDetails(cursor string, width int) []components.Row {
	at := slices.IndexFunc(p.timeline.Latest.Events, func(e api.TimelineEvent) bool { return e.Cursor == cursor })
	if at < 0 {
		return nil
	}
	e := p.timeline.Latest.Events[at]
	line := render.Event(e, p.Session.Me.ID, p.Session.Age(e.At.Time), p.reviews.Latest.numbers)
	rows := lined(append(render.Wrap(line, width, render.Line{render.Plain("      ")}), nil))
	for _, th := range p.threads.Shown(func(th *Thread) bool { return th.ID == e.Comment && e.Comment != "" }) {
		rows = append(rows, p.threadDetails(th, width)...)
	}
	return rows
}

// descriptionDetails are what the request is for, as a whole, and how much of it was read.
func (p *request) descriptionDetails(width int) []components.Row {
	r := p.remote.Latest
	lines := append(render.Title(r.ChangeRequest, width), nil)
	const all = 1 << 20
	lines = append(lines, render.Description(r.ChangeRequest, width, all)...)
	if said := p.Session.Read.InWords(p.at); said != "" {
		lines = append(lines, nil, render.Line{render.In(render.Dim, fmt.Sprintf("%s changed · %s", render.Plural(len(r.Pages), "page"), said))}.Cut(width))
	}
	return lined(lines)
}
