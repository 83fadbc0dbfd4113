package screens

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// history is the action that lists the revisions of what a page is about; shown makes that list when it is asked for.
func history(shown func() page.Page) components.Action {
	return components.Action{Name: "history", Keys: []string{"H"}, Help: "history", Hint: "history", Do: func() tea.Cmd { return page.Push(shown()) }}
}

// newHistory lists the revisions of a space, or of a page of it; one that came with a change request leads to that, and one
// of a page to the page as it was.
func newHistory(s *page.Session, space, id string) page.Page {
	p := listing[api.HistoryEntry]{title: "history", kind: "history", space: space, nothing: "No revisions yet."}
	p.command = remote.Command("spaces", "list-revisions", space)
	if id != "" {
		p.command = remote.Command("pages", "list-revisions", id, "--space", space)
	}
	p.load = func(ctx context.Context) ([]api.HistoryEntry, error) { return s.Client.History(ctx, space, id) }
	c := &columns{}
	p.fit = func(all []api.HistoryEntry, width int) {
		c.fit(s, width, func(yield func(string, *api.HistoryRequest) bool) {
			for _, e := range all {
				if !yield(e.Author.DisplayName, e.MergedFrom) {
					return
				}
			}
		})
	}
	p.line = func(e api.HistoryEntry, _ int) render.Line {
		line := append(c.line(e.Author.DisplayName, e.MergedFrom, e.CreatedAt), render.In(render.Dim, string(e.Type)))
		return append(render.Line{render.In(render.Accent, render.Column(fmt.Sprintf("r%d", e.Number), 6))}, line...)
	}
	p.head = func(int) render.Line {
		return append(render.Line{render.In(render.Dim, render.Column("rev", 6))}, c.head("what")...)
	}
	p.when = func(e api.HistoryEntry) string { return c.day(e.CreatedAt) }
	p.opens = func(e api.HistoryEntry) string {
		switch {
		case id != "":
			return "as it was then"
		case e.MergedFrom != nil:
			return "its request"
		default:
			return ""
		}
	}
	p.open = func(e api.HistoryEntry) tea.Cmd {
		switch {
		case id != "":
			return page.Push(newPast(s, space, id, e))
		case e.MergedFrom != nil:
			return page.Push(newRequest(s, remote.Target{Space: space, ChangeRequest: e.MergedFrom.ID}))
		default:
			return components.Toast("it did not come with a change request")
		}
	}
	return listed(s, p)
}

// newBlame lists the blocks of a page with who wrote their words, and in which change request: those of the space, also where
// it was reached from a change request, and then it says so. The cursor begins at a block, if one is named.
func newBlame(s *page.Session, at remote.Target, id, block string) page.Page {
	space := at.Space
	p := listing[api.BlamedBlock]{title: "who wrote what", kind: "blame", space: space, nothing: "This page has no text."}
	p.begin = func(b api.BlamedBlock) bool { return b.ID == block }
	if at.ChangeRequest != "" {
		p.note = "As published in the space, without what the change request changes."
	}
	p.command = remote.Command("pages", "blame", id, "--space", space)
	p.load = func(ctx context.Context) ([]api.BlamedBlock, error) { return s.Client.Blame(ctx, space, id) }
	c := &columns{}
	p.fit = func(all []api.BlamedBlock, width int) {
		c.fit(s, width, func(yield func(string, *api.HistoryRequest) bool) {
			for _, b := range all {
				if !yield(writerOf(b), b.ChangeRequest) {
					return
				}
			}
		})
	}
	p.line = func(b api.BlamedBlock, _ int) render.Line {
		return append(c.line(writerOf(b), b.ChangeRequest, b.CreatedAt), render.Preview(b.Preview)...)
	}
	p.head = func(int) render.Line { return c.head("text") }
	p.when = func(b api.BlamedBlock) string { return c.day(b.CreatedAt) }
	p.opens = func(b api.BlamedBlock) string {
		if b.ChangeRequest == nil {
			return ""
		}
		return "its request"
	}
	p.open = func(b api.BlamedBlock) tea.Cmd {
		if b.ChangeRequest == nil {
			return components.Toast("these words did not come with a change request")
		}
		return page.Push(newRequest(s, remote.Target{Space: space, ChangeRequest: b.ChangeRequest.ID}))
	}
	return listed(s, p)
}

// columns are those of who wrote something, when, and with which change request: as wide as what stands in them, and no wider
// than leaves room for what was written.
type columns struct {
	s                  *page.Session
	who, when, request int
}

// The width of how long ago it was, and with the date beside it; datedWidth is the width of the page from which that stands there.
const (
	whenWidth  = 6
	dateWidth  = whenWidth + len("30 Sep 2026") + 2
	datedWidth = 90
)

// fit makes room for some of them.
func (c *columns) fit(s *page.Session, width int, who func(yield func(string, *api.HistoryRequest) bool)) {
	c.s, c.who, c.request, c.when = s, len("who"), len("request"), whenWidth
	if width >= datedWidth {
		c.when = dateWidth
	}
	for name, of := range who {
		c.who, c.request = max(c.who, (render.Line{render.Plain(name)}).Width()), max(c.request, requestNamed(of).Width())
	}
	c.who, c.request = min(c.who, 18), min(c.request, max(width/4, len("request")))
}

// line are the columns before what was written; what is too long for one is cut with a sign.
func (c *columns) line(who string, of *api.HistoryRequest, at api.Time) render.Line {
	when := ""
	if !at.IsZero() {
		when = c.s.Age(at.Time)
		if c.when == dateWidth {
			when = render.Column(when, whenWidth) + c.s.Date(at.Time)
		}
	}
	return render.Join(
		render.Line{render.Of(render.Style{Bold: true}, who)}.Pad(c.who), render.Line{render.Plain("  ")},
		render.Line{render.In(render.Dim, when)}.Pad(c.when),
		requestNamed(of).Pad(c.request), render.Line{render.Plain("  ")},
	)
}

// day is the date of a time where it stands in no column.
func (c *columns) day(at api.Time) string {
	if at.IsZero() || c.s == nil || c.when == dateWidth {
		return ""
	}
	return c.s.Date(at.Time)
}

// head names the columns, and what follows them.
func (c *columns) head(what string) render.Line {
	return render.Line{render.In(render.Dim, render.Column("who", c.who+2)+render.Column("when", c.when)+render.Column("request", c.request+2)+what)}
}

// requestNamed is a change request by its number and subject, or a sign for none.
func requestNamed(of *api.HistoryRequest) render.Line {
	if of == nil {
		return render.Line{render.In(render.Faint, "—")}
	}
	return render.Line{render.In(render.Accent, fmt.Sprintf("#%d ", of.Number)), render.Plain(of.Subject)}
}

// writerOf is who wrote a block.
func writerOf(b api.BlamedBlock) string {
	if b.Author == nil {
		return "somebody, long ago"
	}
	return b.Author.DisplayName
}

// past shows a page as it was in a revision.
type past struct {
	page.Frame
	space, id string
	entry     api.HistoryEntry
	remote    remote.Value[api.RevisionPage]
}

func newPast(s *page.Session, space, id string, e api.HistoryEntry) *past {
	return &past{Frame: page.NewFrame(s), space: space, id: id, entry: e}
}

func (p *past) Title() string                { return fmt.Sprintf("r%d", p.entry.Number) }
func (p *past) Kind() string                 { return "earlier version of the page" }
func (p *past) Space() string                { return p.space }
func (p *past) Condition() remote.Condition  { return p.remote.Condition }
func (p *past) Actions() []components.Action { return nil }
func (p *past) Opens() string                { return "" }
func (p *past) Open() tea.Cmd                { return nil }

// Command is as that of organizations.
func (p *past) Command() string {
	return remote.Command("revisions", "get-page", p.id, "--space", p.space, "--revision", p.entry.ID)
}

func (p *past) Load() tea.Cmd {
	client, space, revision, id := p.Session.Client, p.space, p.entry.ID, p.id
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (api.RevisionPage, error) {
		return client.PageAt(ctx, space, revision, id)
	})
}

func (p *past) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *past) Rows(width int) []components.Row {
	if rows := page.StateRows(p.Condition(), false, "", width); rows != nil {
		return rows
	}
	width = render.Measure(width)
	head := fmt.Sprintf("%s as it was in revision %d, by %s, %s", render.Titled(p.remote.Latest.Title), p.entry.Number, p.entry.Author.DisplayName, p.Session.Ago(p.entry.CreatedAt.Time)+", "+p.Session.Date(p.entry.CreatedAt.Time))
	rows := []components.Row{{Key: "header", Line: render.Line{render.In(render.Warning, head)}.Cut(width)}, {Key: "header"}}
	for _, b := range render.Passages(p.remote.Latest) {
		rows = append(rows, blockRows(b, width)...)
	}
	return rows
}
