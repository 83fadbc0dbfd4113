package screens

import (
	"context"
	"fmt"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sync/errgroup"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// maxComparedRequests is the number of other change requests that are compared with the page block by block.
const maxComparedRequests = 4

// blockOverlap contains the blocks of a page that other change requests change, by the id of the request.
type blockOverlap map[string]map[string]bool

// loadOverlap loads the changes of the other requests to the page once, as soon as these requests are known.
func (p *changePage) loadOverlap() tea.Cmd {
	others := p.otherRequests()
	if !p.openRequests.Loaded || len(others) == 0 || p.overlap.Loaded || p.overlap.Busy || p.overlap.Err != nil ||
		p.currentChange().Page.Type != api.PageDocument {
		return nil
	}
	client, id := p.Session.Client, p.id()
	return p.overlap.Load(p.Session.Connection, func(ctx context.Context) (blockOverlap, error) {
		all := blockOverlap{}
		var mu sync.Mutex // for all
		var calls errgroup.Group
		for _, r := range others[:min(len(others), maxComparedRequests)] {
			calls.Go(func() error {
				d, err := client.Diff(ctx, remote.Target{Space: r.Space, ChangeRequest: r.ID}, id, "")
				mu.Lock()
				defer mu.Unlock()
				all[r.ID] = rewrittenBlocks(d)
				return err
			})
		}
		return all, calls.Wait()
	})
}

// rewrittenBlocks returns the ids of the blocks that a diff edits, moves or removes.
func rewrittenBlocks(d api.DocumentDiff) map[string]bool {
	ids := map[string]bool{}
	for _, b := range render.Blocks(d) {
		if b.Rewritten() {
			ids[b.ID()] = true
		}
	}
	return ids
}

// overlapNote states whether another change request changes the same blocks; it is empty until that is known.
func (p *changePage) overlapNote(r api.QueuedChangeRequest) render.Line {
	blocks, known := p.overlap.Latest[r.ID]
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

// overlapRow lists, below a block, the other change requests that change the same block.
func (p *changePage) overlapRow(b render.BlockChange, key string, about components.Subject, width int) []components.Row {
	if !b.Rewritten() {
		return nil
	}
	var numbers []string
	for _, r := range p.otherRequests() {
		if p.overlap.Latest[r.ID][b.ID()] {
			numbers = append(numbers, fmt.Sprintf("#%d", r.Number))
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	line := render.Line{
		render.In(render.Warning, "! "), render.In(render.Dim, "this block is also changed by "), render.In(render.Accent,
			strings.Join(numbers, " ")),
	}
	return []components.Row{{Key: key, Line: line.Cut(width), About: about}}
}
