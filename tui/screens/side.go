package screens

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// The width of the left pane of a change, and the minimum width of the window for it.
const (
	sideWidth  = 28
	sideWindow = 120
)

// SideWidth returns the width of the left pane, or 0 if the window is too narrow for it. The side-by-side view needs a wider
// window.
func (p *changePage) SideWidth(window int) int {
	if window < sideWindow || p.mode == splitView && window < splitWidth+sideWidth+6 {
		return 0
	}
	return sideWidth
}

// Side implements the left pane: it draws the changed pages with their read marks, the threads of this page, and the
// other change requests.
func (p *changePage) Side(width, height int) []render.Line {
	lines := []render.Line{
		render.Columns(render.Section("Pages"), render.Line{render.In(render.Dim, p.Session.Read.LongCount(p.target))}, width),
	}
	visible := max(height/2, 1)
	from := max(0, min(p.index-visible/2, len(p.changes)-visible))
	for i := from; i < len(p.changes) && i < from+visible; i++ {
		lines = append(lines, linkLine(p.sideLine(p.changes[i], i == p.index, width), pageTargetPrefix+strconv.Itoa(i)))
	}
	if outline := p.threads.outline(width, height); len(outline) > 0 {
		lines = append(append(lines, nil), outline...)
	}
	lines = append(lines, p.otherRequestLines(width)...)
	return lines[:min(len(lines), height)]
}

// pageTargetPrefix is the prefix of the targets of clicks on changed pages.
const pageTargetPrefix = "page:"

// linkLine returns a line whose spans have a target.
func linkLine(line render.Line, target string) render.Line {
	out := make(render.Line, len(line))
	for i, s := range line {
		out[i] = s.Linked(target)
	}
	return out
}

// Click opens the changed page whose line in the left pane was clicked. Other targets are ignored.
func (p *changePage) Click(target string) tea.Cmd {
	if number, ok := strings.CutPrefix(target, pageTargetPrefix); ok {
		if at, err := strconv.Atoi(number); err == nil && at != p.index && at < len(p.changes) {
			return p.openNeighbour(at - p.index)
		}
	}
	return nil
}

func (p *changePage) sideLine(c render.PageChange, here bool, width int) render.Line {
	mark := render.Plain(" ")
	if here {
		mark = render.NewSpan(render.Style{Tone: render.Accent, Bold: true}, "▌")
	}
	line := append(append(render.Line{mark}, readSign(p.Session, p.target, c.Page.ID)...),
		render.NewSpan(render.Style{Tone: c.Tone(), Bold: true}, c.Sign()+" "))
	title := render.NewSpan(render.Style{Bold: here}, render.DisplayTitle(c.Page.Title))
	line = append(line, title).Cut(width)
	if n := p.openThreadCount(c.Page.ID); n > 0 {
		right := render.Line{render.In(render.Warning, fmt.Sprintf("●%d open", n))}
		line = render.Columns(line.Cut(max(width-right.Width()-1, 1)), right, width)
	}
	if !here {
		return line
	}
	return line.Fill(render.SelectedItem, width)
}

// openThreadCount returns the number of open threads of a page: of the drawn threads for the page that is shown, else
// of the loaded counts.
func (p *changePage) openThreadCount(id string) int {
	if id == p.id() && p.threads.loadState().Loaded {
		n, _ := p.threads.openCount()
		return n
	}
	return p.openThreads.Latest[id]
}

// loadOpenThreads loads the number of open threads of each page. It is not needed if the request has set them.
func (p *changePage) loadOpenThreads() tea.Cmd {
	content := p.Session.Client.Content(p.target)
	return p.openThreads.Load(p.Session.Connection, func(ctx context.Context) (map[string]int, error) {
		all, err := content.Comments(ctx, "")
		return countOpenThreads(all), err
	})
}

// setOpenThreads sets the numbers of open threads that the request has loaded.
func (p *changePage) setOpenThreads(open map[string]int) {
	p.openThreads.Latest, p.openThreads.Loaded = open, true
}

// countOpenThreads counts open comments by the page that they are on now.
func countOpenThreads(all []api.Comment) map[string]int {
	open := map[string]int{}
	for _, c := range all {
		if id, _ := PageOf(c); c.Status == api.CommentOpen {
			open[id]++
		}
	}
	return open
}
