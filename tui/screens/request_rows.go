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

func (p *request) header(width int) []components.Row {
	r := p.remote.Latest
	title := render.Line{render.StatusChip(r.Status), render.Plain(" "), render.Of(render.Style{Bold: true}, render.Subject(r.ChangeRequest))}
	lines := render.Wrap(title, width, nil)
	facts := []string{fmt.Sprintf("#%d by %s", r.Number, p.named(r.CreatedBy)), "started " + p.Session.Ago(r.CreatedAt.Time), "last change " + p.Session.Ago(r.UpdatedAt.Time)}
	if n := p.reviews.Latest.numbers[r.Revision]; n > 0 {
		facts = append(facts, fmt.Sprintf("revision %d", n))
	}
	if name := p.Session.Names[p.at.Space]; name != "" {
		facts = append(facts, name)
	}
	lines = append(lines, render.Wrap(render.Line{render.In(render.Dim, strings.Join(facts, " · "))}, width, nil)...)
	if said := p.sinceLook(); said != "" {
		lines = append(lines, render.Line{render.In(render.Fresh, "● since your last visit: "+said)}.Cut(width))
	}
	for _, note := range p.notes() {
		lines = append(lines, render.Wrap(render.Line{render.In(render.Warning, note)}, width, nil)...)
	}
	return skipped("header", append(lines, nil))
}

// skipped are lines that the cursor passes over.
func skipped(key string, lines []render.Line) []components.Row {
	rows := make([]components.Row, len(lines))
	for i, line := range lines {
		rows[i] = components.Row{Key: key, Line: line, Skip: true}
	}
	return rows
}

// notes say what a reviewer must know before anything else.
func (p *request) notes() []string {
	r := p.remote.Latest
	switch {
	case r.Status == api.StatusMerged:
		return []string{"Merged: this is what it changed."}
	case r.Outdated && len(p.merging.Checks.Latest.Rules) == 0: // the checks say it, too
		return []string{"! The space has changed since: U brings its newer edits in. They are not among the changes below."}
	default:
		return nil
	}
}

// nothingKey is the key of the row that stands for changed pages where there are none.
const nothingKey = "nothing"

// describedKey is the key of the rows that say what the request is for.
const describedKey = "described"

// describeKey is the key of the first of them, where it is edited.
const describeKey = "describe"

// describedRows say what the request is for: the beginning, and all of it when it is unfolded.
func (p *request) describedRows(width int) []components.Row {
	const most = 12
	lines := render.Description(p.remote.Latest.ChangeRequest, width, map[bool]int{true: 1 << 20, false: most}[p.unfolded])
	if len(lines) == 0 && p.verdict().closed() != "" {
		return nil
	}
	if len(lines) == 0 {
		lines = []render.Line{render.Line{render.In(render.Dim, "No description yet: e on this line writes one.")}.Cut(width)}
	}
	rows := skipped(describedKey, append(lines, nil))
	rows[0].Key, rows[0].Skip = describeKey, false // it can be edited
	if len(lines) == most && !p.unfolded {
		rows[len(lines)-1].Skip = false // it can be unfolded
	}
	return rows
}

// changesTitle is the title of the changed pages, and what stands there when there are none.
func (p *request) changesTitle() (title, none string) {
	switch p.since {
	case "":
		if p.verdict().closed() == "" && len(p.remote.Latest.Rest) == 0 {
			return "Changed pages", "It changes nothing yet: " + Chooses + "; a new page is in the menu (.)."
		}
		return "Changed pages", "It changes no page."
	case api.SinceMyLastReview:
		return "Changed since your last review", "No page has changed since; d shows all."
	default:
		return "Changed since you read it", "No page has changed since; d shows all."
	}
}

func (p *request) changes(width int) []components.Row {
	shown := p.remote.Latest.Proposed
	title, none := p.changesTitle()
	head := append(render.Section(fmt.Sprintf("%s (%d)", title, len(shown.Pages))), render.In(render.Dim, "  "+p.Session.Read.InWords(p.at)))
	rows := []components.Row{{Key: "changes", Line: headed(head, width, "words threads", "words   ●"), Skip: true}}
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
	for _, what := range shown.Rest {
		line := append(signOf(p.Session, p.at, what.ID), render.Plain(what.What))
		if note := again(p.Session, p.at, what.ID); note != "" {
			line = append(line, render.In(render.Fresh, " · "+note))
		}
		for i, line := range render.Wrap(line, width, render.Line{render.Plain("    ")}) {
			rows = append(rows, components.Row{Key: besideKey + what.ID, Line: line, About: components.Subject{Item: what.ID}, Skip: i > 0})
		}
	}
	return rows
}

// headed is a title with the first of some names of columns that there is room for, whole.
func headed(title render.Line, width int, columns ...string) render.Line {
	for _, names := range columns {
		if right := (render.Line{render.In(render.Dim, names)}); title.Width()+1+right.Width() <= width {
			return render.Columns(title, right, width)
		}
	}
	return title.Cut(width)
}

// pageRows are the changed pages where they stand in the tree: under the titles of the pages above them, which may be
// unchanged.
func (p *request) pageRows(width int) []components.Row {
	above := remote.Above(remote.InOrder(p.tree.Latest))
	listed := map[string]bool{}
	var rows []components.Row
	for i, c := range p.remote.Latest.Pages {
		way := above[c.Page.ID]
		for depth, parent := range way {
			if !listed[parent.ID] {
				line := render.Line{render.In(render.Dim, strings.Repeat("  ", depth)+"▾ "+render.Titled(parent.Title))}
				rows = append(rows, components.Row{Key: "above/" + parent.ID, Line: line.Cut(width), Skip: true})
			}
			listed[parent.ID] = true
		}
		listed[c.Page.ID] = true
		about := components.Subject{Page: c.Page.ID, At: i}
		rows = append(rows, components.Row{Key: page.ChangeKey(c.Page.ID), Line: p.changeLine(c, len(way), width), About: about, Change: true, Begin: true})
		if note := again(p.Session, p.at, c.Page.ID); note != "" {
			line := render.Line{render.In(render.Fresh, "    "+note)}.Cut(width)
			rows = append(rows, components.Row{Key: page.ChangeKey(c.Page.ID), Line: line, About: about, Skip: true})
		}
		for _, line := range c.DetailLines(width) {
			rows = append(rows, components.Row{Key: page.ChangeKey(c.Page.ID), Line: line, About: about, Skip: true})
		}
	}
	return rows
}

func (p *request) changeLine(c render.PageChange, depth, width int) render.Line {
	sign := signOf(p.Session, p.at, c.Page.ID)
	open := len(p.threads.Shown(func(th *Thread) bool {
		id, _ := PageOf(th.Comment)
		return id == c.Page.ID && th.Status == api.CommentOpen
	}))
	facts := render.PageFacts{Threads: open}
	if w, known := p.words.Latest[c.Page.ID]; known {
		facts.Words = &w
	}
	return render.Join(sign, render.Page(c, min(depth, maxDepth), facts, max(width-sign.Width(), 1)))
}

// fresh are the events of others since the last look; all says whether those are all.
func (p *request) fresh() (events []api.TimelineEvent, all bool) {
	t := p.timeline.Latest
	if p.lastLook == "" {
		return nil, true
	}
	news, known := render.Since(t.Events, p.lastLook)
	return render.By(news, p.Session.Me.ID), known
}

// sinceLook counts what others did since the last look; nothing for nothing, and where one never looked.
func (p *request) sinceLook() string {
	events, all := p.fresh()
	said := render.Tally(events)
	if said != "" && !all {
		return "at least " + said
	}
	return said
}

// eventKey begins the keys of the rows of what happened; earlierKey is that of the row behind the earliest.
const (
	eventKey   = "event/"
	earlierKey = "earlier"
)

// timelineRows say what happened, the last first, and how much of it is new.
func (p *request) timelineRows(width int) []components.Row {
	t := p.timeline.Latest
	if len(t.Events) == 0 {
		return nil
	}
	me := p.Session.Me.ID
	fresh, _ := p.fresh()
	head := render.Section("Timeline")
	switch said := p.sinceLook(); {
	case p.lastLook == "":
	case said == "":
		head = append(head, render.In(render.Dim, "  nothing new since your last visit"))
	default:
		head = append(head, render.In(render.Fresh, "  since your last visit: "+said))
	}
	rows := []components.Row{{Key: "timeline", Line: head.Cut(width), Skip: true}}
	lines := render.Events(t.Events, me, p.Session.Age, p.reviews.Latest.numbers, p.Session.Now())
	for i, e := range slices.Backward(t.Events) {
		mark := render.Plain("  ")
		if slices.ContainsFunc(fresh, func(f api.TimelineEvent) bool { return f.Cursor == e.Cursor }) {
			mark = render.In(render.Fresh, "● ")
		}
		drawn := render.Wrap(render.Join(render.Line{mark}, lines[i]), width, render.Line{render.Plain("        ")})
		for j, line := range drawn {
			rows = append(rows, components.Row{Key: eventKey + e.Cursor, Line: line, About: components.Subject{Comment: e.Comment}, Skip: j > 0})
		}
	}
	if t.Earlier != "" {
		says := "┄┄ earlier"
		if p.before.Busy {
			says += " …"
		}
		rows = append(rows, components.Row{Key: earlierKey, Line: render.Line{render.In(render.Faint, says)}.Cut(width)})
	}
	return rows
}

// openEvent shows the place of what happened.
func (p *request) openEvent(cursor string) tea.Cmd {
	id, thread, ok := p.toEvent(cursor)
	switch at := slices.Index(pageIDs(p.remote.Latest.Pages), id); {
	case !ok:
		return components.Toast("nothing to open here")
	case thread.ID != "":
		return showThread(p.Session, p.at, thread)
	case at >= 0:
		return page.Push(p.changeSince(at, p.timeline.Latest.Events[p.eventAt(cursor)]))
	default:
		return page.Push(newReader(p.Session, p.at, api.RevisionPage{ID: id}))
	}
}

// toEvent is what an event under the cursor is about: its thread, or the changes of its page.
func (p *request) toEvent(cursor string) (id string, thread api.Comment, ok bool) {
	at := p.eventAt(cursor)
	if at < 0 {
		return "", api.Comment{}, false
	}
	e := p.timeline.Latest.Events[at]
	for _, th := range p.threads.Shown(func(th *Thread) bool { return th.ID == e.Comment && e.Comment != "" }) {
		return "", th.Comment, true
	}
	return e.Page, api.Comment{}, e.Page != ""
}

func (p *request) eventAt(cursor string) int {
	return slices.IndexFunc(p.timeline.Latest.Events, func(e api.TimelineEvent) bool { return e.Cursor == cursor })
}

// changeSince is a changed page as an event has changed it: since the revision before that one. What made no revision, or the
// first, shows all that the request changes.
func (p *request) changeSince(at int, e api.TimelineEvent) page.Page {
	shown := newChange(p.Session, p.at, p.remote.Latest.ChangeRequest, p.remote.Latest.Pages, at, p.since)
	made := slices.Contains([]api.TimelineKind{api.TimelineEdited, api.TimelineImported, api.TimelineSuggestionApplied}, e.Kind)
	for id, n := range p.reviews.Latest.numbers {
		if made && n > 0 && n == p.reviews.Latest.numbers[e.Revision]-1 {
			shown.since, shown.from, shown.called = id, id, fmt.Sprintf("since revision %d", n)
		}
	}
	return p.furnished(shown)
}
