package screens

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

func (p *requestPage) header(width int) []components.Row {
	r := p.remote.Latest
	title := render.Line{
		render.StatusChip(r.Status), render.Plain(" "), render.NewSpan(render.Style{Bold: true}, render.Subject(r.ChangeRequest)),
	}
	lines := render.Wrap(title, width, nil)
	facts := []string{
		fmt.Sprintf("#%d by %s", r.Number, p.userName(r.CreatedBy)), "started " + p.Session.Ago(r.CreatedAt.Time), "last change " +
			p.Session.Ago(r.UpdatedAt.Time),
	}
	if n := p.reviews.Latest.revisionNumbers[r.Revision]; n > 0 {
		facts = append(facts, fmt.Sprintf("revision %d", n))
	}
	if name := p.Session.Names[p.target.Space]; name != "" {
		facts = append(facts, name)
	}
	lines = append(lines, render.Wrap(render.Line{render.In(render.Dim, strings.Join(facts, " · "))}, width, nil)...)
	const since = "● since your last visit: "
	if note := p.newEventsText(width - len([]rune(since))); note != "" {
		lines = append(lines, render.Line{render.In(render.Fresh, since+note)}.Cut(width))
	}
	for _, note := range p.notes() {
		lines = append(lines, render.Wrap(render.Line{render.In(render.Warning, note)}, width, nil)...)
	}
	return skippedRows("header", append(lines, nil))
}

// skippedRows returns rows that the cursor skips.
func skippedRows(key string, lines []render.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: key, Line: line, Skip: true}
	}
	return rows
}

// notes returns the warnings that a reviewer has to see first.
func (p *requestPage) notes() []string {
	r := p.remote.Latest
	switch {
	case r.Status == api.StatusMerged:
		return []string{"Merged: this is what it changed."}
	case r.Outdated && len(p.merge.checks.Latest.Rules) == 0: // otherwise a check reports it
		return []string{"! The space has changed since: U brings its newer edits in. They are not among the changes below."}
	default:
		return nil
	}
}

// nothingKey is the key of the row that replaces the changed pages if there are none.
const nothingKey = "nothing"

// descriptionKey is the key of the rows of the description.
const descriptionKey = "described"

// editDescriptionKey is the key of the first row of a description that the user may edit.
const editDescriptionKey = "describe"

// descriptionRows draws the beginning of the description, or all of it if it is unfolded.
func (p *requestPage) descriptionRows(width int) []components.Row {
	const most = 12
	lines := render.Description(p.remote.Latest.ChangeRequest, width, render.Choose(p.descriptionUnfolded, 1<<20, most))
	if len(lines) == 0 && p.verdict().closedReason() != "" {
		return nil
	}
	if len(lines) == 0 {
		lines = []render.Line{render.Line{render.In(render.Dim, "No description yet: e on this line writes one.")}.Cut(width)}
	}
	rows := skippedRows(descriptionKey, append(lines, nil))
	rows[0].Key, rows[0].Skip = editDescriptionKey, false // editable
	if len(lines) == most && !p.descriptionUnfolded {
		rows[len(lines)-1].Skip = false // can be unfolded
	}
	return rows
}

// changesTitle returns the title of the changed pages, and the text for an empty list.
func (p *requestPage) changesTitle() (title, none string) {
	switch p.since {
	case "":
		if p.verdict().closedReason() == "" && len(p.remote.Latest.Rest) == 0 {
			return "Changed pages", "It changes nothing yet: " + emptyRequestHint + "; a new page is in the menu (.)."
		}
		return "Changed pages", "It changes no page."
	case api.SinceMyLastReview:
		return "Changed since your last review", "No page has changed since; d shows all."
	default:
		return "Changed since you read it", "No page has changed since; d shows all."
	}
}

func (p *requestPage) changeRows(width int) []components.Row {
	shown := p.remote.Latest.ProposedChanges
	title, none := p.changesTitle()
	read := p.Session.Read
	head := render.PagesHead(render.Section(fmt.Sprintf("%s (%d)", title, len(shown.Pages))),
		read.LongCount(p.target), read.ShortCount(p.target), width)
	rows := []components.Row{{Key: "changes", Line: head, Skip: true}}
	if len(shown.Pages) == 0 {
		for _, line := range render.Wrap(render.Line{render.In(render.Dim, none)}, width, nil) {
			rows = append(rows, components.Row{Key: nothingKey, Line: line, Begin: true})
		}
	}
	rows = append(rows, p.pageRows(width)...)
	if shown.More > 0 {
		line := render.Line{render.In(render.Warning, fmt.Sprintf("! and %s not shown here", render.Plural(shown.More, "change")))}
		rows = append(rows, components.Row{Key: "changes", Line: line.Cut(width)})
	}
	if len(shown.Rest) > 0 {
		rows = append(rows, components.Row{Key: "rest"}, components.Row{Key: "rest", Line: render.Section("Other changes"), Skip: true})
	}
	for _, item := range shown.Rest {
		line := append(readSign(p.Session, p.target, item.ID), render.Plain(item.Text))
		if note := changedNote(p.Session, p.target, item.ID); note != "" {
			line = append(line, render.In(render.Fresh, " · "+note))
		}
		for i, line := range render.Wrap(line, width, render.Line{render.Plain("    ")}) {
			rows = append(rows, components.Row{
				Key: otherItemKeyPrefix + item.ID, Line: line, About: components.Subject{Item: item.ID}, Skip: i > 0,
			})
		}
	}
	return rows
}

// pageRows draws the changed pages in their tree: under the titles of their parents, which may be unchanged.
func (p *requestPage) pageRows(width int) []components.Row {
	above := remote.Ancestors(remote.ReadingOrder(p.tree.Latest))
	listed := map[string]bool{}
	var rows []components.Row
	for i, c := range p.remote.Latest.Pages {
		way := above[c.Page.ID]
		for depth, parent := range way {
			if !listed[parent.ID] {
				line := render.Line{render.In(render.Dim, strings.Repeat("  ", depth)+"▾ "+render.DisplayTitle(parent.Title))}
				rows = append(rows, components.Row{Key: "above/" + parent.ID, Line: line.Cut(width), Skip: true})
			}
			listed[parent.ID] = true
		}
		listed[c.Page.ID] = true
		about := components.Subject{Page: c.Page.ID, At: i}
		rows = append(rows, components.Row{
			Key: page.ChangeKey(c.Page.ID), Line: p.changeLine(c, len(way), width), About: about, Change: true, Begin: true,
		})
		if note := changedNote(p.Session, p.target, c.Page.ID); note != "" {
			line := render.Line{render.In(render.Fresh, "    "+note)}.Cut(width)
			rows = append(rows, components.Row{Key: page.ChangeKey(c.Page.ID), Line: line, About: about, Skip: true})
		}
		for _, line := range c.DetailLines(width) {
			rows = append(rows, components.Row{Key: page.ChangeKey(c.Page.ID), Line: line, About: about, Skip: true})
		}
	}
	return rows
}

func (p *requestPage) changeLine(c render.PageChange, depth, width int) render.Line {
	open := len(p.threads.filter(func(th *commentThread) bool {
		id, _ := PageOf(th.Comment)
		return id == c.Page.ID && th.Status == api.CommentOpen
	}))
	facts := render.PageFacts{Threads: open, Read: readSign(p.Session, p.target, c.Page.ID)}
	if w, known := p.words.Latest[c.Page.ID]; known {
		facts.Words = &w
	}
	return render.PageRow(c, min(depth, maxDepth), facts, width)
}

// newEvents returns the events by other users since the user last viewed the timeline; all reports whether these are
// all of them.
func (p *requestPage) newEvents() (events []api.TimelineEvent, all bool) {
	t := p.timeline.Latest
	if p.lastSeenCursor == "" {
		return nil, true
	}
	news, known := render.EventsSince(t.Events, p.lastSeenCursor)
	return render.EventsOfOthers(news, p.Session.Me.ID), known
}

// newEventsText counts the events by other users since the user last viewed the timeline, by kind if that fits into a width.
// It is empty if there are none or the user has never viewed it.
func (p *requestPage) newEventsText(width int) string {
	events, all := p.newEvents()
	tally := render.CountEvents(events)
	if tally == "" {
		return ""
	}
	atLeast := render.Choose(all, "", "at least ")
	if len([]rune(atLeast+tally)) > width {
		tally = render.Plural(len(events), "event")
	}
	return atLeast + tally
}

// eventKeyPrefix is the prefix of the keys of rows of events; earlierKey is the key of the row that loads earlier ones.
const (
	eventKeyPrefix = "event/"
	earlierKey     = "earlier"
)

// timelineRows draws the events, newest first, and the number of new ones.
func (p *requestPage) timelineRows(width int) []components.Row {
	t := p.timeline.Latest
	if len(t.Events) == 0 {
		return nil
	}
	me := p.Session.Me.ID
	fresh, _ := p.newEvents()
	head := render.Section("Timeline")
	const since = "  since your last visit: "
	switch note := p.newEventsText(width - head.Width() - len(since)); {
	case p.lastSeenCursor == "":
	case note == "":
		head = append(head, render.In(render.Dim, "  nothing new since your last visit"))
	default:
		head = append(head, render.In(render.Fresh, since+note))
	}
	rows := []components.Row{{Key: "timeline", Line: head.Cut(width), Skip: true}}
	lines := render.EventLines(t.Events, me, p.Session.Age, p.reviews.Latest.revisionNumbers, p.Session.Now())
	for i, e := range slices.Backward(t.Events) {
		mark := render.Plain("  ")
		if slices.ContainsFunc(fresh, func(f api.TimelineEvent) bool { return f.Cursor == e.Cursor }) {
			mark = render.In(render.Fresh, "● ")
		}
		drawn := render.Wrap(render.Join(render.Line{mark}, lines[i]), width, render.Line{render.Plain("        ")})
		for j, line := range drawn {
			rows = append(rows, components.Row{
				Key: eventKeyPrefix + e.Cursor, Line: line, About: components.Subject{Comment: e.Comment}, Skip: j > 0,
			})
		}
	}
	if t.Earlier != "" {
		label := "┄┄ earlier"
		if p.earlierTimeline.Busy {
			label += " …"
		}
		rows = append(rows, components.Row{Key: earlierKey, Line: render.Line{render.In(render.Faint, label)}.Cut(width)})
	}
	return rows
}

// openEvent opens the subject of an event.
func (p *requestPage) openEvent(cursor string) tea.Cmd {
	id, thread, ok := p.eventTarget(cursor)
	switch at := slices.Index(pageIDs(p.remote.Latest.Pages), id); {
	case !ok:
		return components.Toast("nothing to open here")
	case thread.ID != "":
		return showThread(p.Session, p.target, thread)
	case at >= 0:
		return page.Push(p.changeSince(at, p.timeline.Latest.Events[p.eventIndex(cursor)]))
	default:
		return page.Push(newReaderPage(p.Session, p.target, api.RevisionPage{ID: id}))
	}
}

// eventTarget returns the subject of an event: its thread, or the id of its page.
func (p *requestPage) eventTarget(cursor string) (id string, thread api.Comment, ok bool) {
	at := p.eventIndex(cursor)
	if at < 0 {
		return "", api.Comment{}, false
	}
	e := p.timeline.Latest.Events[at]
	for _, th := range p.threads.filter(func(th *commentThread) bool { return th.ID == e.Comment && e.Comment != "" }) {
		return "", th.Comment, true
	}
	return e.Page, api.Comment{}, e.Page != ""
}

func (p *requestPage) eventIndex(cursor string) int {
	return slices.IndexFunc(p.timeline.Latest.Events, func(e api.TimelineEvent) bool { return e.Cursor == cursor })
}

// changeSince returns the diff of a page for an event: since the revision before the event. An event without a
// revision, or with the first one, has the diff of the whole request.
func (p *requestPage) changeSince(at int, e api.TimelineEvent) page.Page {
	shown := newChangePage(p.Session, p.target, p.remote.Latest.ChangeRequest, p.remote.Latest.Pages, at, p.since)
	hasRevision := slices.Contains([]api.TimelineKind{api.TimelineEdited, api.TimelineImported, api.TimelineSuggestionApplied}, e.Kind)
	for id, n := range p.reviews.Latest.revisionNumbers {
		if hasRevision && n > 0 && n == p.reviews.Latest.revisionNumbers[e.Revision]-1 {
			shown.since, shown.fromRevision, shown.fromLabel = id, id, fmt.Sprintf("since revision %d", n)
		}
	}
	return p.prepare(shown)
}
