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

// FilterBroken returns the broken links of links.
func FilterBroken(links []api.Link) (out []api.Link) {
	for _, l := range links {
		if l.Status == api.LinkBroken {
			out = append(out, l)
		}
	}
	return out
}

// newBrokenLinks returns the page that lists the broken links of a space, each with its page.
func newBrokenLinks(s *page.Session, space string) page.Page {
	p := listPage[edge]{title: "broken links", kind: "broken links", space: space, emptyText: "No broken links.", signs: linkSigns}
	p.command = remote.Command("spaces", "list-links", space, "--status", string(api.LinkBroken))
	p.load = func(ctx context.Context) ([]edge, error) {
		links, err := s.Client.SpaceLinks(ctx, space)
		var all []edge
		for _, l := range FilterBroken(links) {
			for _, where := range l.Locations {
				if where.Page != nil {
					all = append(all, edge{Link: l, from: where.Page, location: where.InternalLocation})
				}
			}
		}
		return all, err
	}
	p.line = func(e edge, width int) render.Line {
		left := render.Line{
			render.In(render.Failure, "✗ "), render.Plain(render.DisplayTitle(e.from.Title)), render.In(render.Dim, " → "+e.Href),
		}
		right := render.Line{render.In(render.Failure, strings.ReplaceAll(string(e.Problem), "_", " "))}
		return render.Columns(left.Cut(max(width-right.Width()-1, 0)), right, width)
	}
	p.open = func(e edge) tea.Cmd { return openBrokenLink(s, remote.Target{Space: space}, e) }
	return newListPage(s, p)
}

// openBrokenLink opens the page that contains a broken link, with the cursor on the link.
func openBrokenLink(s *page.Session, at remote.Target, e edge) tea.Cmd {
	to := newReaderPage(s, at, *e.from)
	if e.location != nil {
		to.List.SelectKey(blockKey(e.location.Node))
	}
	return page.Push(to)
}

// BrokenLinksAction returns the action that lists the broken links of a space.
func BrokenLinksAction(s *page.Session, space, disabledReason func() string) components.Action {
	return components.Action{
		Name: "links-broken", Help: "broken links of the space", DisabledReason: disabledReason, Do: func() tea.Cmd {
			return page.Push(newBrokenLinks(s, space()))
		},
	}
}
