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

// edge is a link of a page, or one to it.
type edge struct {
	api.Link
	from *api.RevisionPage     // the page that has it, of a link to the page
	at   *api.InternalLocation // where it stands there
}

// newLinks lists the links of a page and, behind them, the pages of the space that lead to it.
func newLinks(s *page.Session, at remote.Target, id string) page.Page {
	p := listing[edge]{title: "links", kind: "links", space: at.Space, nothing: "No links, and none to this page."}
	p.command = at.Command("content", "change-request-content", "list-links", id)
	p.load = func(ctx context.Context) ([]edge, error) { return edges(ctx, s, at, id) }
	p.line = func(e edge, width int) render.Line { return edgeLine(e, width) }
	p.open = func(e edge) tea.Cmd { return follow(s, at, e) }
	return listed(s, p)
}

// edges asks for the links of a page, and for those that lead to it; these are known of the space alone.
func edges(ctx context.Context, s *page.Session, at remote.Target, id string) ([]edge, error) {
	links, err := s.Client.Content(at).Links(ctx, id)
	if err != nil {
		return nil, err
	}
	var all []edge
	for _, l := range links {
		all = append(all, edge{Link: l})
	}
	back, err := s.Client.SpaceLinks(ctx, at.Space)
	if err != nil {
		return nil, err
	}
	for _, l := range back {
		if l.Target == nil || l.Target.Page == nil || l.Target.Page.ID != id {
			continue
		}
		for _, where := range l.Locations {
			if where.Page != nil {
				all = append(all, edge{Link: l, from: where.Page})
			}
		}
	}
	return all, nil
}

func edgeLine(e edge, width int) render.Line {
	if e.from != nil {
		return render.Columns(render.Line{render.In(render.Accent, "← "), render.Plain(render.Titled(e.from.Title))}, render.Line{render.In(render.Dim, "leads here")}, width)
	}
	right := render.Line{render.In(render.Dim, e.Href)}
	switch {
	case e.Status == api.LinkBroken:
		return render.Columns(render.Line{render.In(render.Failure, "✗ "), render.Plain(e.Href)}, render.Line{render.In(render.Failure, string(e.Problem))}, width)
	case e.Target != nil && e.Target.Page != nil:
		return render.Columns(render.Line{render.In(render.Accent, "→ "), render.Plain(render.Titled(e.Target.Page.Title))}, right, width)
	case e.Target != nil:
		return render.Columns(render.Line{render.In(render.Accent, "→ "), render.Plain(string(e.Target.Kind))}, right, width)
	default:
		return render.Line{render.In(render.Accent, "→ "), render.Plain(e.Href)}
	}
}

// follow goes where a link leads.
func follow(s *page.Session, at remote.Target, e edge) tea.Cmd {
	if e.from != nil {
		return page.Push(newReader(s, remote.Target{Space: at.Space}, *e.from))
	}
	switch t := e.Target; {
	case t == nil:
		return components.Toast("it leads nowhere: %s", e.Problem)
	case t.Page != nil:
		to := at
		if t.Space != nil && t.Space.ID != at.Space {
			to = remote.Target{Space: t.Space.ID}
		}
		return page.Push(newReader(s, to, *t.Page))
	case t.Space != nil:
		return page.Push(newTree(s, remote.Target{Space: t.Space.ID}))
	case t.URL != "":
		return s.Browse(t.URL)
	default:
		return components.Toast("it leads to a %s: %s", t.Kind, e.Href)
	}
}

// followFrom follows the link of a block of a page, or offers them when it has several.
func followFrom(s *page.Session, at remote.Target, id, block string) tea.Cmd {
	return func() tea.Msg {
		links, err := s.Client.Content(at).Links(s.Ctx, id)
		if err != nil {
			return remote.FailMsg{Err: err}
		}
		var choices []components.Choice
		for _, l := range links {
			for _, where := range l.Locations {
				if where.InternalLocation != nil && where.InternalLocation.Node == block {
					choices = append(choices, components.Choice{Label: edgeLine(edge{Link: l}, 70).String(), Cmd: follow(s, at, edge{Link: l})})
					break
				}
			}
		}
		switch len(choices) {
		case 0:
			return components.Told("no link here")
		case 1:
			return goneTo(choices[0].Cmd)
		default:
			return page.PickMsg{Question: fmt.Sprintf("Follow one of %d links", len(choices)), Choices: choices}
		}
	}
}

// goneTo is the message of a command that is run now.
func goneTo(cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	return cmd()
}
