package screens

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// The pane at the left of a change: how wide it is, and the window from which there is one.
const (
	sideWidth  = 28
	sideWindow = 120
)

// SideWidth implements the left pane: side by side needs the room itself.
func (p *change) SideWidth(window int) int {
	if window < sideWindow || p.mode == split && window < splitWidth+sideWidth+6 {
		return 0
	}
	return sideWidth
}

// Side implements the left pane: it draws the changed pages with what was read of them, what is said on this one, and who else changes it.
func (p *change) Side(width, height int) []render.Line {
	lines := []render.Line{render.Columns(render.Section("Pages"), render.Line{render.In(render.Dim, p.Session.Read.InWords(p.at))}, width)}
	room := max(height/2, 1)
	from := max(0, min(p.index-room/2, len(p.changes)-room))
	for i := from; i < len(p.changes) && i < from+room; i++ {
		lines = append(lines, p.sideLine(p.changes[i], i == p.index, width))
	}
	if said := p.threads.Outline(width); len(said) > 0 {
		lines = append(append(lines, nil), said...)
	}
	lines = append(lines, p.alsoLines(width)...)
	return lines[:min(len(lines), height)]
}

func (p *change) sideLine(c render.PageChange, here bool, width int) render.Line {
	mark := render.Plain(" ")
	if here {
		mark = render.Of(render.Style{Tone: render.Accent, Bold: true}, "▌")
	}
	line := append(append(render.Line{mark}, signOf(p.Session, p.at, c.Page.ID)...), render.Of(render.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "))
	title := render.Of(render.Style{Bold: here}, render.Titled(c.Page.Title))
	line = append(line, title).Cut(width)
	if n := p.open(c.Page.ID); n > 0 {
		right := render.Line{render.In(render.Warning, fmt.Sprintf("● %d", n))}
		line = render.Columns(line.Cut(max(width-right.Width()-1, 1)), right, width)
	}
	if !here {
		return line
	}
	return line.Fill(render.SelectedItem, width)
}

// open counts the open threads of a page: of the one that is shown those that are drawn, of the others as was asked for.
func (p *change) open(id string) int {
	if id == p.id() && p.threads.Condition().Loaded {
		n, _ := p.threads.Open()
		return n
	}
	return p.said.Latest[id]
}

// loadSaid asks how many threads are open on each page. A request that is shown has them, and gives them.
func (p *change) loadSaid() tea.Cmd {
	content := p.Session.Client.Content(p.at)
	return p.said.Load(p.Session.Connection, func(ctx context.Context) (map[string]int, error) {
		all, err := content.Comments(ctx, "")
		return openOn(all), err
	})
}

// knows is a page of changes that need not ask for that.
func (p *change) knows(open map[string]int) { p.said.Latest, p.said.Loaded = open, true }

// openOn counts open comments by the page that they are on now.
func openOn(all []api.Comment) map[string]int {
	open := map[string]int{}
	for _, c := range all {
		if id, _ := PageOf(c); c.Status == api.CommentOpen {
			open[id]++
		}
	}
	return open
}
