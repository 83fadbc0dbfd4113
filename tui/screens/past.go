package screens

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/changes"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/text"
)

// history is the action that lists the revisions of what a page is about; shown makes that list when it is asked for.
func history(shown func() page.Page) components.Action {
	return components.Action{Name: "history", Keys: []string{"H"}, Help: "history", Do: func() tea.Cmd { return page.Push(shown()) }}
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
	p.line = func(e api.HistoryEntry, width int) text.Line {
		left := text.Line{text.In(text.Accent, text.Column(fmt.Sprintf("r%d", e.Number), 6)), text.Plain(text.Column(string(e.Type), 10) + e.Author.DisplayName)}
		if m := e.MergedFrom; m != nil {
			left = append(left, text.In(text.Accent, fmt.Sprintf("  #%d ", m.Number)), text.Plain(m.Subject))
		}
		return text.Columns(left, text.Line{text.In(text.Dim, s.Ago(e.CreatedAt.Time))}, width)
	}
	p.open = func(e api.HistoryEntry) tea.Cmd {
		switch {
		case id != "":
			return page.Push(newPast(s, space, id, e))
		case e.MergedFrom != nil:
			return page.Push(newRequest(s, remote.Target{Space: space, ChangeRequest: e.MergedFrom.ID}))
		default:
			return components.Toast("it came with no change request")
		}
	}
	return listed(s, p)
}

// newBlame lists the blocks of a page with who wrote their words, and in which change request.
func newBlame(s *page.Session, space, id string) page.Page {
	p := listing[api.BlamedBlock]{title: "who wrote what", kind: "blame", space: space, nothing: "This page has no text."}
	p.command = remote.Command("pages", "blame", id, "--space", space)
	p.load = func(ctx context.Context) ([]api.BlamedBlock, error) { return s.Client.Blame(ctx, space, id) }
	p.line = func(b api.BlamedBlock, width int) text.Line {
		who := "somebody, long ago"
		if b.Author != nil {
			who = b.Author.DisplayName
		}
		left := text.Line{text.Of(text.Style{Bold: true}, text.Column(text.Line{text.Plain(who)}.Cut(18).String(), 20))}
		right := text.Line{text.In(text.Dim, s.Ago(b.CreatedAt.Time))}
		if r := b.ChangeRequest; r != nil {
			right = append(text.Line{text.In(text.Accent, fmt.Sprintf("#%d  ", r.Number))}, right...)
		}
		return text.Columns(append(left, text.Plain(text.Excerpt(b.Preview))), right, width)
	}
	p.open = func(b api.BlamedBlock) tea.Cmd {
		if b.ChangeRequest == nil {
			return components.Toast("these words came with no change request")
		}
		return page.Push(newRequest(s, remote.Target{Space: space, ChangeRequest: b.ChangeRequest.ID}))
	}
	return listed(s, p)
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
func (p *past) Kind() string                 { return "page as it was" }
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
	width = text.Measure(width)
	head := fmt.Sprintf("%s as it was in revision %d, by %s, %s", text.Titled(p.remote.Latest.Title), p.entry.Number, p.entry.Author.DisplayName, p.Session.Ago(p.entry.CreatedAt.Time))
	rows := []components.Row{{Key: "header", Line: text.Line{text.In(text.Warning, head)}.Cut(width)}, {Key: "header"}}
	for _, b := range changes.Passages(p.remote.Latest) {
		rows = append(rows, blockRows(b, width)...)
	}
	return rows
}
