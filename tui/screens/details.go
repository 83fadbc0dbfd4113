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

// details returns the content of the preview pane for a row that has no page, or nil if there is no more to show.
func (p *requestPage) details(row components.Row) *page.Details {
	if th, _ := p.threads.selectedThread(); th != nil {
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.threadDetails(th, width) })
	}
	isCheck := strings.HasPrefix(row.Key, checkKeyPrefix)
	cursor, isEvent := strings.CutPrefix(row.Key, eventKeyPrefix)
	switch {
	case isCheck:
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.checkDetails(row.Key, width) })
	case isEvent:
		return page.NewDetails(p.Session, func(width int) []components.Row { return p.eventDetails(cursor, width) })
	case row.Key == editDescriptionKey || row.Key == descriptionKey:
		return page.NewDetails(p.Session, p.descriptionDetails)
	default:
		return nil
	}
}

// lineRows returns rows for lines, without keys.
func lineRows(lines []render.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: "details", Line: line}
	}
	return rows
}

// threadDetails draws a whole thread with its page and its quote.
func (p *requestPage) threadDetails(th *commentThread, width int) []components.Row {
	_, title := PageOf(th.Comment)
	if title == "" {
		title = "The change request"
	}
	lines := []render.Line{render.Section("Thread").Cut(width), render.Line{render.In(render.Dim, title)}.Cut(width)}
	if about := th.quote(); about != "" {
		lines = append(lines, render.Wrap(render.Line{render.NewSpan(render.Style{Tone: render.Quote, Italic: true}, "“"+about+"”")},
			width, nil)...)
	}
	return append(lineRows(append(lines, nil)), p.threads.blockThreadRows([]*commentThread{th}, "", width)...)
}

// checkDetails lists all checks, failed ones first, with a mark on the one under the cursor.
func (p *requestPage) checkDetails(key string, width int) []components.Row {
	m := p.merge.checks.Latest
	lines := []render.Line{render.MergeHeading(m, p.remote.Latest.Status).Cut(width), nil}
	stops, advice := render.MergeBlockers(m)
	passed := slices.DeleteFunc(slices.Clone(m.Rules), func(g api.MergeGate) bool { return g.State != api.GatePassed })
	for _, g := range slices.Concat(stops, advice, passed) {
		mark := render.Plain("  ")
		if p.checkRowKey(g) == key {
			mark = render.In(render.Accent, "▌ ")
		}
		add := func(line render.Line) {
			for _, l := range render.Wrap(line, max(width-2, 1), render.Line{render.Plain("  ")}) {
				lines = append(lines, render.Join(render.Line{mark}, l).Cut(width))
			}
		}
		add(p.viewer().Check(g))
		if p.checkRowKey(g) != key {
			continue
		}
		for _, text := range p.viewer().Explanation(g) {
			add(render.Line{render.Plain("  "), render.In(render.Dim, text)})
		}
	}
	return lineRows(lines)
}

// eventDetails draws an event of the timeline with its thread.
func (p *requestPage) eventDetails(cursor string, width int) []components.Row {
	at := slices.IndexFunc(p.timeline.Latest.Events, func(e api.TimelineEvent) bool { return e.Cursor == cursor })
	if at < 0 {
		return nil
	}
	e := p.timeline.Latest.Events[at]
	line := render.EventLine(e, p.Session.Me.ID, p.Session.Age(e.At.Time), p.reviews.Latest.revisionNumbers)
	rows := lineRows(append(render.Wrap(line, width, render.Line{render.Plain("      ")}), nil))
	for _, th := range p.threads.filter(func(th *commentThread) bool { return th.ID == e.Comment && e.Comment != "" }) {
		rows = append(rows, p.threadDetails(th, width)...)
	}
	return rows
}

// descriptionDetails draws the whole description and the reading progress.
func (p *requestPage) descriptionDetails(width int) []components.Row {
	r := p.remote.Latest
	lines := append(render.Title(r.ChangeRequest, width), nil)
	const all = 1 << 20
	lines = append(lines, render.Description(r.ChangeRequest, width, all)...)
	if progress := p.Session.Read.LongCount(p.target); progress != "" {
		lines = append(lines, nil, render.Line{
			render.In(render.Dim, fmt.Sprintf("%s changed · %s", render.Plural(len(r.Pages), "page"), progress)),
		}.Cut(width))
	}
	return lineRows(lines)
}
