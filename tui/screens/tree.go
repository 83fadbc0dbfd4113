package screens

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// treePage lists the pages of a target.
type treePage struct {
	page.Frame
	target   remote.Target
	remote   remote.Value[[]api.RevisionPage]
	flatTree []remote.TreePage
	previews page.Previews
}

// maxDepth is the maximum indentation of pages in levels.
const maxDepth = 64

func newTreePage(s *page.Session, at remote.Target) *treePage {
	p := &treePage{Frame: page.NewFrame(s), target: at}
	p.List.Filter = true
	return p
}

func (p *treePage) Title() string {
	if name := p.Session.Names[p.target.Space]; name != "" && p.target.ChangeRequest == "" {
		return name
	}
	return "pages"
}

func (p *treePage) Kind() string                { return "pages" }
func (p *treePage) Space() string               { return p.target.Space }
func (p *treePage) LoadState() remote.LoadState { return p.remote.LoadState }

func (p *treePage) Load() tea.Cmd {
	client, at := p.Session.Client, p.target
	p.previews.Forget()
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) ([]api.RevisionPage, error) {
		return client.Content(at).Pages(ctx)
	})
}

func (p *treePage) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.flatTree, p.Stale = remote.ReadingOrder(p.remote.Latest), true
	}
	return p.previews.Update(msg)
}

func (p *treePage) Preview() page.Page { return p.previews.Shown }

func (p *treePage) Follow() tea.Cmd {
	r, ok := p.Selected()
	if !ok || r.About.Page == "" || r.About.At >= len(p.flatTree) || p.flatTree[r.About.At].Page.Type != api.PageDocument {
		p.previews.Shown = nil
		return nil
	}
	shown := p.flatTree[r.About.At].Page
	return p.previews.Show(shown.ID, func() page.Page { return newReaderPage(p.Session, p.target, shown) })
}

func (p *treePage) Rows(width int) []components.Row {
	if rows := p.StateRows(p.LoadState(), len(p.flatTree) == 0, "There are no pages yet.", width); rows != nil {
		return rows
	}
	rows := make([]components.Row, len(p.flatTree))
	for i, e := range p.flatTree {
		rows[i] = components.Row{Key: e.Page.ID, Line: pageLine(e), About: components.Subject{Page: e.Page.ID, At: i}}
	}
	return rows
}

func pageLine(e remote.TreePage) render.Line {
	style := render.Style{}
	name := render.DisplayTitle(e.Page.Title)
	switch e.Page.Type {
	case api.PageGroup:
		style = render.Style{Tone: render.Heading, Bold: true}
	case api.PageLink:
		style = render.Style{Tone: render.Link}
		name += " ↗"
	default:
	}
	if e.Page.Emoji != "" {
		name = render.PlainEmoji(e.Page.Emoji) + " " + name
	}
	line := render.Line{render.In(render.Dim, strings.Repeat("│ ", min(e.Depth, maxDepth))), render.NewSpan(style, name)}
	if e.Page.Hidden {
		line = append(line, render.In(render.Dim, " (hidden)"))
	}
	return line
}

func (p *treePage) Actions() []components.Action {
	all := []components.Action{
		{
			Name: "requests", OfPage: true, Keys: []string{"b"}, Help: "change requests of the space", Hint: "requests",
			Do: func() tea.Cmd {
				return page.Push(newRequestsPage(p.Session, p.target.Space))
			},
		},
		{
			Name: "edit", Keys: []string{"e"}, Help: "edit the page, or your own text", Hint: "edit", DisabledReason: p.noPageReason,
			OpensText: true, Do: func() tea.Cmd {
				return editPage(p.target, p.flatTree[p.About().At].Page, "")
			},
		},
		allCommentsAction(p.Session, &p.target),
		pageAction(newRequestAction(p.Session, p.Space, nil)),
		pageAction(historyAction(func() page.Page { return newHistory(p.Session, p.target.Space, "") })),
		pageAction(BrokenLinksAction(p.Session, p.Space, nil)),
		pageDeletion{session: p.Session, target: p.target, selectedPage: p.selectedPage}.action(p.noPageReason),
	}
	if p.target.ChangeRequest != "" {
		all = append(all, submitAction(p.Session, p.target))
	}
	return all
}

// selectedPage returns the page under the cursor.
func (p *treePage) selectedPage() (api.RevisionPage, bool) {
	at := p.About().At
	if at >= len(p.flatTree) {
		return api.RevisionPage{}, false
	}
	return p.flatTree[at].Page, true
}

// noPageReason returns the reason why there is no page to edit under the cursor, or "".
func (p *treePage) noPageReason() string {
	if about := p.About(); about.Page == "" || about.At >= len(p.flatTree) {
		return noPageReason()
	}
	return ""
}

func (p *treePage) Open() tea.Cmd {
	r, ok := p.Selected()
	if !ok || r.About.Page == "" {
		return nil
	}
	switch here := p.flatTree[r.About.At].Page; here.Type {
	case api.PageGroup:
		return components.Toast("this is a heading: its pages are below it")
	case api.PageLink:
		return components.Toast("this leads to %s", here.Href)
	default:
		return page.Push(newReaderPage(p.Session, p.target, here))
	}
}
