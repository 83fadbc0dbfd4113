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

// edge is a link on a page, or a link to the page.
type edge struct {
	api.Link
	from     *api.RevisionPage     // the page that contains a link to the page; nil for a link on the page
	location *api.InternalLocation // location of the link on the page from
}

// newLinks returns the list of the links on a page, followed by the pages of the space that link to it.
func newLinks(s *page.Session, at remote.Target, id string) page.Page {
	p := listPage[edge]{title: "links", kind: "links", space: at.Space, emptyText: "No links, and none to this page.", signs: linkSigns}
	p.command = at.Command("content", "change-request-content", "list-links", id)
	p.load = func(ctx context.Context) ([]edge, error) { return loadEdges(ctx, s, at, id) }
	p.line = func(e edge, width int) render.Line { return edgeLine(e, width) }
	p.open = func(e edge) tea.Cmd { return followLink(s, at, e) }
	return newListPage(s, p)
}

// linkSigns are the signs of links.
var linkSigns = [][2]string{
	{"→ ←", "a link on the page, and where it leads; a page that leads to this one"}, {"✗", "a broken link, and why it is broken"},
}

// loadEdges loads the links on a page and the links to it. The links to a page are known in a space only, not in a
// change request.
func loadEdges(ctx context.Context, s *page.Session, at remote.Target, id string) ([]edge, error) {
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
		return render.Columns(render.Line{render.In(render.Accent, "← "), render.Plain(render.DisplayTitle(e.from.Title))},
			render.Line{render.In(render.Dim, "leads here")}, width)
	}
	right := render.Line{render.In(render.Dim, e.Href)}
	switch {
	case e.Status == api.LinkBroken:
		return render.Columns(render.Line{
			render.In(render.Failure, "✗ "), render.Plain(e.Href),
		}, render.Line{render.In(render.Failure, string(e.Problem))}, width)
	case e.Target != nil && e.Target.Page != nil:
		return render.Columns(render.Line{render.In(render.Accent, "→ "), render.Plain(render.DisplayTitle(e.Target.Page.Title))},
			right, width)
	case e.Target != nil:
		return render.Columns(render.Line{render.In(render.Accent, "→ "), render.Plain(string(e.Target.Kind))}, right, width)
	default:
		return render.Line{render.In(render.Accent, "→ "), render.Plain(e.Href)}
	}
}

// followLink opens the target of a link.
func followLink(s *page.Session, at remote.Target, e edge) tea.Cmd {
	if e.from != nil {
		return page.Push(newReaderPage(s, remote.Target{Space: at.Space}, *e.from))
	}
	switch t := e.Target; {
	case t == nil:
		return components.Toast("it leads nowhere: %s", e.Problem)
	case t.Page != nil:
		to := at
		if t.Space != nil && t.Space.ID != at.Space {
			to = remote.Target{Space: t.Space.ID}
		}
		return page.Push(newReaderPage(s, to, *t.Page))
	case t.Space != nil:
		return page.Push(newTreePage(s, remote.Target{Space: t.Space.ID}))
	case t.URL != "":
		return s.Browse(t.URL)
	default:
		return components.Toast("it leads to a %s: %s", t.Kind, e.Href)
	}
}

// followBlockLink follows the only link in a block of a page, or offers its links.
func followBlockLink(s *page.Session, at remote.Target, id, block string) tea.Cmd {
	return func() tea.Msg {
		links, err := s.Client.Content(at).Links(s.Ctx, id)
		if err != nil {
			return remote.ErrorMsg{Err: err}
		}
		var choices []components.Choice
		for _, l := range links {
			for _, where := range l.Locations {
				if where.InternalLocation != nil && where.InternalLocation.Node == block {
					choices = append(choices, components.Choice{
						Label: edgeLine(edge{Link: l}, 70).String(), Cmd: followLink(s, at, edge{Link: l}),
					})
					break
				}
			}
		}
		switch len(choices) {
		case 0:
			return components.NewToast("no link here")
		case 1:
			return runCmd(choices[0].Cmd)
		default:
			return page.PickMsg{Question: fmt.Sprintf("Follow one of %d links", len(choices)), Choices: choices}
		}
	}
}

// runCmd runs a command and returns its message, or nil if there is no command.
func runCmd(cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	return cmd()
}
