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

// tree lists the pages of a target.
type tree struct {
	page.Frame
	at       remote.Target
	remote   remote.Value[[]api.RevisionPage]
	flat     []remote.Placed
	previews page.Previews
}

// maxDepth is how deep pages are indented.
const maxDepth = 64

func newTree(s *page.Session, at remote.Target) *tree {
	p := &tree{Frame: page.NewFrame(s), at: at}
	p.List.Filter = true
	return p
}

func (p *tree) Title() string {
	if name := p.Session.Names[p.at.Space]; name != "" && p.at.ChangeRequest == "" {
		return name
	}
	return "pages"
}

func (p *tree) Kind() string                { return "pages" }
func (p *tree) Space() string               { return p.at.Space }
func (p *tree) Condition() remote.Condition { return p.remote.Condition }

func (p *tree) Load() tea.Cmd {
	client, at := p.Session.Client, p.at
	p.previews.Forget()
	return p.remote.Load(p.Session.Connection, func(ctx context.Context) ([]api.RevisionPage, error) { return client.Content(at).Pages(ctx) })
}

func (p *tree) Update(msg tea.Msg) tea.Cmd {
	if p.remote.Take(msg) {
		p.flat, p.Stale = remote.InOrder(p.remote.Latest), true
	}
	return p.previews.Update(msg)
}

func (p *tree) Preview() page.Page { return p.previews.Shown }

func (p *tree) Follow() tea.Cmd {
	r, ok := p.Selected()
	if !ok || r.About.Page == "" || r.About.At >= len(p.flat) || p.flat[r.About.At].Page.Type != api.PageDocument {
		p.previews.Shown = nil
		return nil
	}
	shown := p.flat[r.About.At].Page
	return p.previews.Show(shown.ID, func() page.Page { return newReader(p.Session, p.at, shown) })
}

func (p *tree) Rows(width int) []components.Row {
	if rows := page.StateRows(p.Condition(), len(p.flat) == 0, "There are no pages yet.", width); rows != nil {
		return rows
	}
	rows := make([]components.Row, len(p.flat))
	for i, e := range p.flat {
		rows[i] = components.Row{Key: e.Page.ID, Line: pageLine(e), About: components.Subject{Page: e.Page.ID, At: i}}
	}
	return rows
}

func pageLine(e remote.Placed) render.Line {
	style := render.Style{}
	name := render.Titled(e.Page.Title)
	switch e.Page.Type {
	case api.PageGroup:
		style = render.Style{Tone: render.Heading, Bold: true}
	case api.PageLink:
		style = render.Style{Tone: render.Link}
		name += " ↗"
	default:
	}
	if e.Page.Emoji != "" {
		name = render.Emoji(e.Page.Emoji) + " " + name
	}
	line := render.Line{render.In(render.Dim, strings.Repeat("│ ", min(e.Depth, maxDepth))), render.Of(style, name)}
	if e.Page.Hidden {
		line = append(line, render.In(render.Dim, " (hidden)"))
	}
	return line
}

func (p *tree) Actions() []components.Action {
	all := []components.Action{
		{Name: "requests", Keys: []string{"b"}, Help: "change requests of the space", Hint: "requests", Do: func() tea.Cmd { return page.Push(newRequests(p.Session, p.at.Space)) }},
		{Name: "edit", Keys: []string{"e"}, Help: "edit the page, or your own text", Hint: "edit", WhyNot: p.noPage, Do: func() tea.Cmd { return Edit(p.at, p.flat[p.About().At].Page) }},
		allComments(p.Session, &p.at),
		NewRequestAction(p.Session, p.Space, nil),
		history(func() page.Page { return newHistory(p.Session, p.at.Space, "") }),
		BrokenLinks(p.Session, p.Space, nil),
		Removing{Session: p.Session, At: p.at, Here: p.pageHere}.Action(p.noPage),
	}
	if p.at.ChangeRequest != "" {
		all = append(all, submitting(p.Session, p.at))
	}
	return all
}

// pageHere is the page under the cursor.
func (p *tree) pageHere() (api.RevisionPage, bool) {
	at := p.About().At
	if at >= len(p.flat) {
		return api.RevisionPage{}, false
	}
	return p.flat[at].Page, true
}

// noPage says why there is no page to edit under the cursor.
func (p *tree) noPage() string {
	if about := p.About(); about.Page == "" || about.At >= len(p.flat) {
		return NoPage()
	}
	return ""
}

func (p *tree) Open() tea.Cmd {
	r, ok := p.Selected()
	if !ok || r.About.Page == "" {
		return nil
	}
	switch here := p.flat[r.About.At].Page; here.Type {
	case api.PageGroup:
		return components.Toast("this is a heading: its pages are below it")
	case api.PageLink:
		return components.Toast("this leads to %s", here.Href)
	default:
		return page.Push(newReader(p.Session, p.at, here))
	}
}
