package screens

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// mostCompared is how many other change requests are compared with what a page shows, block by block.
const mostCompared = 4

// touched are the blocks of a page that other change requests change, by the ids of these.
type touched map[string]map[string]bool

// compare asks once what the others change on the page, when it is known who they are.
func (p *change) compare() tea.Cmd {
	others := p.others()
	if !p.also.Loaded || len(others) == 0 || p.touched.Loaded || p.touched.Busy || p.touched.Err != nil || p.now().Page.Type != api.PageDocument {
		return nil
	}
	client, id := p.Session.Client, p.id()
	return p.touched.Load(p.Session.Connection, func(ctx context.Context) (touched, error) {
		all := touched{}
		for _, r := range others[:min(len(others), mostCompared)] {
			d, err := client.Diff(ctx, remote.Target{Space: r.Space, ChangeRequest: r.ID}, id, "")
			if err != nil {
				return nil, err
			}
			all[r.ID] = map[string]bool{}
			for _, b := range render.Blocks(d) {
				if b.Rewritten() {
					all[r.ID][b.ID()] = true
				}
			}
		}
		return all, nil
	})
}

// overlap says whether another change request changes blocks that this one changes, too; nothing while that is not known.
func (p *change) overlap(r api.QueuedChangeRequest) render.Line {
	blocks, known := p.touched.Latest[r.ID]
	if !known || !p.remote.Loaded {
		return nil
	}
	n := 0
	for _, b := range p.remote.Latest.blocks {
		if b.Rewritten() && blocks[b.ID()] {
			n++
		}
	}
	switch n {
	case 0:
		return render.Line{render.In(render.Dim, "other blocks")}
	case 1:
		return render.Line{render.In(render.Warning, "! the same block")}
	default:
		return render.Line{render.In(render.Warning, fmt.Sprintf("! %d of the same blocks", n))}
	}
}

// overlapRow names below a block the other change requests that change it, too.
func (p *change) overlapRow(b render.BlockChange, key string, about components.Subject, width int) []components.Row {
	if !b.Rewritten() {
		return nil
	}
	var numbers []string
	for _, r := range p.others() {
		if p.touched.Latest[r.ID][b.ID()] {
			numbers = append(numbers, fmt.Sprintf("#%d", r.Number))
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	line := render.Line{render.In(render.Warning, "! "), render.In(render.Dim, "this block is also changed by "), render.In(render.Accent, strings.Join(numbers, " "))}
	return []components.Row{{Key: key, Line: line.Cut(width), About: about}}
}
