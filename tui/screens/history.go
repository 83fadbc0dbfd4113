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

// historyAction returns the action that lists revisions; shown builds the list when the action is carried out.
func historyAction(shown func() page.Page) components.Action {
	return components.Action{
		Name: "history", Keys: []string{"H"}, Help: "history", Hint: "history", Do: func() tea.Cmd { return page.Push(shown()) },
	}
}

// newHistory returns the list of the revisions of a space, or of a page of it if id is not empty. A revision from a
// change request opens that request, a revision of a page opens the page at that time.
func newHistory(s *page.Session, space, id string) page.Page {
	p := listPage[api.HistoryEntry]{title: "history", kind: "history", space: space, emptyText: "No revisions yet."}
	p.command = remote.Command("spaces", "list-revisions", space)
	if id != "" {
		p.command = remote.Command("pages", "list-revisions", id, "--space", space)
	}
	p.load = func(ctx context.Context) ([]api.HistoryEntry, error) { return s.Client.History(ctx, space, id) }
	c := &historyColumns{}
	p.fitColumns = func(all []api.HistoryEntry, width int) {
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
		return append(render.Line{render.In(render.Accent, render.PadColumn(fmt.Sprintf("r%d", e.Number), 6))}, line...)
	}
	p.header = func(int) render.Line {
		return append(render.Line{render.In(render.Dim, render.PadColumn("rev", 6))}, c.header("what")...)
	}
	p.date = func(e api.HistoryEntry) string { return c.dateText(e.CreatedAt) }
	p.openHint = func(e api.HistoryEntry) string {
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
			return page.Push(newPastPage(s, space, id, e))
		case e.MergedFrom != nil:
			return page.Push(newRequestPage(s, remote.Target{Space: space, ChangeRequest: e.MergedFrom.ID}))
		default:
			return components.Toast("it did not come with a change request")
		}
	}
	return withComparison(s, space, id, p)
}

// newRequestHistory returns the list of the revisions of a change request. A revision opens its comparison with the one
// before.
func newRequestHistory(s *page.Session, at remote.Target) page.Page {
	p := listPage[api.HistoryEntry]{title: "history", kind: "history of a change request", space: at.Space, emptyText: "No revisions yet."}
	p.command = at.RequestCommand("list-revisions")
	var all []api.HistoryEntry
	p.load = func(ctx context.Context) ([]api.HistoryEntry, error) {
		found, err := s.Client.Revisions(ctx, at)
		for i := range found { // newest first; the first one of the request has the number 1
			found[i].Number = len(found) - i
		}
		return found, err
	}
	p.line = func(e api.HistoryEntry, _ int) render.Line {
		return render.Line{
			render.In(render.Accent, render.PadColumn(fmt.Sprintf("r%d", e.Number), 6)),
			render.NewSpan(render.Style{Bold: true}, render.PadColumn(e.Author.DisplayName, 20)),
			render.In(render.Dim, render.PadColumn(s.Ago(e.CreatedAt.Time), 10)+string(e.Type)),
		}
	}
	p.fitColumns = func(found []api.HistoryEntry, _ int) { all = found }
	p.openHint = func(api.HistoryEntry) string { return "what it changed" }
	p.open = func(e api.HistoryEntry) tea.Cmd {
		for i, other := range all {
			if other.ID == e.ID && i+1 < len(all) {
				return page.Push(newComparePage(s, at.Space, "", all[i+1], e))
			}
		}
		return components.Toast("it is the first revision")
	}
	return withComparison(s, at.Space, "", p)
}

// withComparison returns a list of revisions whose rows can be compared.
func withComparison(s *page.Session, space, id string, p listPage[api.HistoryEntry]) page.Page {
	list := newListPage(s, p)
	list.actions = func() []components.Action {
		return []components.Action{compareAction(s, space, id, func() (api.HistoryEntry, []api.HistoryEntry, bool) {
			e, ok := list.selectedItem()
			return e, list.remote.Latest, ok
		})}
	}
	return list
}

// newBlame returns the list of the blocks of a page with their authors and change requests. It always covers the page
// of the space, with a note if it was opened in a change request. The cursor starts at block, if not empty.
func newBlame(s *page.Session, at remote.Target, id, block string) page.Page {
	space := at.Space
	p := listPage[api.BlamedBlock]{title: "who wrote what", kind: "blame", space: space, emptyText: "This page has no text."}
	p.startsAt = func(b api.BlamedBlock) bool { return b.ID == block }
	if at.ChangeRequest != "" {
		p.note = "As published in the space, without what the change request changes."
	}
	p.command = remote.Command("pages", "blame", id, "--space", space)
	p.load = func(ctx context.Context) ([]api.BlamedBlock, error) { return s.Client.Blame(ctx, space, id) }
	c := &historyColumns{}
	p.fitColumns = func(all []api.BlamedBlock, width int) {
		c.fit(s, width, func(yield func(string, *api.HistoryRequest) bool) {
			for _, b := range all {
				if !yield(authorName(b), b.ChangeRequest) {
					return
				}
			}
		})
	}
	p.line = func(b api.BlamedBlock, _ int) render.Line {
		return append(c.line(authorName(b), b.ChangeRequest, b.CreatedAt), render.Preview(b.Preview)...)
	}
	p.header = func(int) render.Line { return c.header("text") }
	p.date = func(b api.BlamedBlock) string { return c.dateText(b.CreatedAt) }
	p.openHint = func(b api.BlamedBlock) string {
		if b.ChangeRequest == nil {
			return ""
		}
		return "its request"
	}
	p.open = func(b api.BlamedBlock) tea.Cmd {
		if b.ChangeRequest == nil {
			return components.Toast("these words did not come with a change request")
		}
		return page.Push(newRequestPage(s, remote.Target{Space: space, ChangeRequest: b.ChangeRequest.ID}))
	}
	return newListPage(s, p)
}

// historyColumns are the columns for author, time and change request. They are as wide as their contents, within
// limits that leave space for the text.
type historyColumns struct {
	session                             *page.Session
	authorWidth, ageWidth, requestWidth int
}

// The widths of the age and of the age with the date, and the minimum width of the page for the date.
const (
	ageColumnWidth = 6
	dateWidth      = ageColumnWidth + len("30 Sep 2026") + 2
	widthForDates  = 90
)

// fit sets the widths of the columns for the authors and change requests that entries yields.
func (c *historyColumns) fit(s *page.Session, width int, entries func(yield func(string, *api.HistoryRequest) bool)) {
	c.session, c.authorWidth, c.requestWidth, c.ageWidth = s, len("who"), len("request"), ageColumnWidth
	if width >= widthForDates {
		c.ageWidth = dateWidth
	}
	for author, request := range entries {
		c.authorWidth, c.requestWidth = max(c.authorWidth, (render.Line{render.Plain(author)}).Width()), max(c.requestWidth,
			requestLabel(request).Width())
	}
	c.authorWidth, c.requestWidth = min(c.authorWidth, 18), min(c.requestWidth, max(width/4, len("request")))
}

// line draws the columns of an entry; long contents are cut with a sign.
func (c *historyColumns) line(author string, request *api.HistoryRequest, at api.Time) render.Line {
	when := ""
	if !at.IsZero() {
		when = c.session.Age(at.Time)
		if c.ageWidth == dateWidth {
			when = render.PadColumn(when, ageColumnWidth) + c.session.Date(at.Time)
		}
	}
	return render.Join(
		render.Line{render.NewSpan(render.Style{Bold: true}, author)}.Pad(c.authorWidth), render.Line{render.Plain("  ")},
		render.Line{render.In(render.Dim, when)}.Pad(c.ageWidth),
		requestLabel(request).Pad(c.requestWidth), render.Line{render.Plain("  ")},
	)
}

// dateText returns the date of a time if the columns do not include it, else "".
func (c *historyColumns) dateText(at api.Time) string {
	if at.IsZero() || c.session == nil || c.ageWidth == dateWidth {
		return ""
	}
	return c.session.Date(at.Time)
}

// header returns the names of the columns, followed by the name of the text.
func (c *historyColumns) header(title string) render.Line {
	return render.Line{
		render.In(render.Dim, render.PadColumn("who", c.authorWidth+2)+render.PadColumn("when", c.ageWidth)+render.PadColumn("request",
			c.requestWidth+2)+title),
	}
}

// requestLabel returns the number and the subject of a change request, or a sign for none.
func requestLabel(request *api.HistoryRequest) render.Line {
	if request == nil {
		return render.Line{render.In(render.Faint, "—")}
	}
	return render.Line{render.In(render.Accent, fmt.Sprintf("#%d ", request.Number)), render.Plain(request.Subject)}
}

// authorName returns the name of the author of a block.
func authorName(b api.BlamedBlock) string {
	if b.Author == nil {
		return "somebody, long ago"
	}
	return b.Author.DisplayName
}

// pastPage shows a page as it was in a revision.
type pastPage struct {
	page.Frame
	space, id string
	entry     api.HistoryEntry
	remote    remote.Value[api.RevisionPage]
}

func newPastPage(s *page.Session, space, id string, e api.HistoryEntry) *pastPage {
	return &pastPage{Frame: page.NewFrame(s), space: space, id: id, entry: e}
}

func (p *pastPage) Title() string                { return fmt.Sprintf("r%d", p.entry.Number) }
func (p *pastPage) Kind() string                 { return "earlier version of the page" }
func (p *pastPage) Space() string                { return p.space }
func (p *pastPage) LoadState() remote.LoadState  { return p.remote.LoadState }
func (p *pastPage) Actions() []components.Action { return nil }
func (p *pastPage) OpenHint() string             { return "" }
func (p *pastPage) Open() tea.Cmd                { return nil }

// Command returns the wsctl command for the content of the page.
func (p *pastPage) Command() string {
	return remote.Command("revisions", "get-page", p.id, "--space", p.space, "--revision", p.entry.ID)
}

func (p *pastPage) Load() tea.Cmd {
	client, space, revision, id := p.Session.Client, p.space, p.entry.ID, p.id
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) (api.RevisionPage, error) {
		return client.PageAt(ctx, space, revision, id)
	})
}

func (p *pastPage) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.Stale = true
	}
	return nil
}

func (p *pastPage) Rows(width int) []components.Row {
	if rows := p.StateRows(p.LoadState(), false, "", width); rows != nil {
		return rows
	}
	width = render.ProseWidth(width)
	head := fmt.Sprintf("%s as it was in revision %d, by %s, %s", render.DisplayTitle(p.remote.Latest.Title), p.entry.Number,
		p.entry.Author.DisplayName, p.Session.Ago(p.entry.CreatedAt.Time)+", "+p.Session.Date(p.entry.CreatedAt.Time))
	rows := []components.Row{{Key: "header", Line: render.Line{render.In(render.Warning, head)}.Cut(width)}, {Key: "header"}}
	for _, b := range render.Passages(p.remote.Latest) {
		rows = append(rows, blockRows(b, width, p.At(blockKey(b.ID)))...)
	}
	return rows
}
