package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// tree lists the pages of a place.
type tree struct {
	frame
	at     Place
	name   string // of the space; asked for when it is not known
	named  remote[api.Space]
	remote remote[[]api.RevisionPage]
	flat   []entry
	sides  sides
}

// entry is a page of a tree with its depth.
type entry struct {
	page   api.RevisionPage
	parent string
	depth  int
}

// flatten lists the pages of a tree in reading order.
func flatten(pages []api.RevisionPage) []entry { return flattenInto(nil, pages, "", 0) }

func flattenInto(out []entry, pages []api.RevisionPage, parent string, depth int) []entry {
	for _, p := range pages {
		out = append(out, entry{p, parent, depth})
		out = flattenInto(out, p.Pages, p.ID, depth+1)
	}
	return out
}

func newTree(s *session, at Place, name string) *tree {
	p := &tree{frame: newFrame(s), at: at, name: name}
	p.list.filter = true
	return p
}

func (p *tree) title() string {
	if p.name == "" || p.at.ChangeRequest != "" {
		return "pages"
	}
	return p.name
}

func (p *tree) kind() string         { return "pages" }
func (p *tree) space() string        { return p.at.Space }
func (p *tree) condition() condition { return p.remote.condition() }

func (p *tree) load() tea.Cmd {
	client, at := p.s.client, p.at
	p.sides.forget()
	pages := p.remote.load(p.s, func(ctx context.Context) ([]api.RevisionPage, error) { return client.Pages(ctx, at) })
	if p.name != "" || at.ChangeRequest != "" {
		return pages
	}
	name := p.named.load(p.s, func(ctx context.Context) (api.Space, error) { return client.Space(ctx, at.Space) })
	return tea.Batch(pages, name)
}

func (p *tree) update(msg tea.Msg) tea.Cmd {
	if p.named.take(msg) && p.named.err == nil {
		p.name = p.named.value.Title
	}
	if p.remote.take(msg) {
		p.flat, p.stale = flatten(p.remote.value), true
	}
	return p.sides.update(msg)
}

func (p *tree) beside() page { return p.sides.shown }

func (p *tree) follow() tea.Cmd {
	r, ok := p.selected()
	if !ok || r.about.page == "" || r.about.at >= len(p.flat) || p.flat[r.about.at].page.Type != api.PageDocument {
		p.sides.shown = nil
		return nil
	}
	shown := p.flat[r.about.at].page
	return p.sides.show(shown.ID, func() page { return newReader(p.s, p.at, shown) })
}

func (p *tree) rows(width int) []row {
	if rows := stateRows(p.condition(), len(p.flat) == 0, "There are no pages yet.", width); rows != nil {
		return rows
	}
	rows := make([]row, len(p.flat))
	for i, e := range p.flat {
		rows[i] = row{key: e.page.ID, line: pageLine(e), about: subject{page: e.page.ID, at: i}}
	}
	return rows
}

func pageLine(e entry) text.Line {
	style := text.Style{}
	name := titled(e.page.Title)
	switch e.page.Type {
	case api.PageGroup:
		style = text.Style{Tone: text.Heading, Bold: true}
	case api.PageLink:
		style = text.Style{Tone: text.Link}
		name += " ↗"
	default:
	}
	if e.page.Emoji != "" {
		name = e.page.Emoji + " " + name
	}
	line := text.Line{text.In(text.Dim, strings.Repeat("│ ", min(e.depth, maxDepth))), text.Of(style, name)}
	if e.page.Hidden {
		line = append(line, text.In(text.Dim, " (hidden)"))
	}
	return line
}

func (p *tree) actions() []action {
	return []action{
		{name: "requests", keys: keys("c"), help: "change requests", hint: "changes", do: func() tea.Cmd { return push(newRequests(p.s, p.at.Space, "")) }},
		allComments(p.s, &p.at),
	}
}

func (p *tree) open() tea.Cmd {
	r, ok := p.selected()
	if !ok || r.about.page == "" {
		return nil
	}
	switch page := p.flat[r.about.at].page; page.Type {
	case api.PageGroup:
		return toast("this is a heading: its pages are below it")
	case api.PageLink:
		return toast("this leads to %s", page.Href)
	default:
		return push(newReader(p.s, p.at, page))
	}
}
