package screens

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// incomingBlocks are the blocks of a changed page that have changed between the shown head and the one loaded by ShowNew.
type incomingBlocks struct {
	shownHead string                        // head shown when ShowNew was called, until the response arrives
	keys      remote.Value[map[string]bool] // keys of the rows of the blocks
}

// changeKey returns the key of the rows of a block.
func changeKey(b render.BlockChange) string {
	if b.Removed() {
		return "removed/" + b.Old.ID
	}
	return blockKey(b.New.ID)
}

// ShowNew reloads the page. The blocks that have changed since the shown head are marked until the next call.
func (p *changePage) ShowNew() tea.Cmd {
	p.incoming.keys.Reset()
	p.incoming.shownHead = p.request.Revision
	return p.Load()
}

// loadIncoming loads which blocks have changed since the head at the call of ShowNew, if the head has moved.
func (p *changePage) loadIncoming() tea.Cmd {
	client, at, id, before := p.Session.Client, p.target, p.id(), p.incoming.shownHead
	p.incoming.shownHead = ""
	if before == "" || before == p.request.Revision || p.currentChange().Page.Type != api.PageDocument {
		return nil
	}
	return p.incoming.keys.Load(p.Session.Connection, func(ctx context.Context) (map[string]bool, error) {
		d, err := client.Diff(ctx, at, id, before)
		keys := map[string]bool{}
		for _, b := range render.Blocks(d) {
			if b.Changed() {
				keys[changeKey(b)] = true
			}
		}
		return keys, err
	})
}

// incomingRows marks a block that loadIncoming has found.
func (p *changePage) incomingRows(b render.BlockChange, about components.Subject, width int) []components.Row {
	if !p.incoming.keys.Latest[changeKey(b)] {
		return nil
	}
	return []components.Row{{Key: changeKey(b), About: about, Line: render.Line{render.In(render.Fresh,
		"● came in while you read")}.Cut(width)}}
}
