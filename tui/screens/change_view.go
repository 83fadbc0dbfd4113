package screens

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
)

// Descriptions of actions that several pages have.
const (
	nextChangeHelp     = "next change below the cursor, then from the top"
	previousChangeHelp = "previous change above the cursor, then from the end"
	viewHelp           = "view: unified, side by side, result, before, as readers see it"
)

// viewMode is the way in which a diff is drawn.
type viewMode int

const (
	unifiedView viewMode = iota
	splitView
	resultView
	earlierView
	readerView
)

// viewModeNames are the names of the view modes on the screen.
var viewModeNames = [...]string{"unified", "side by side", "result", "before", "as readers see it"}

// splitWidth is the minimum width of the page for the side-by-side view.
const splitWidth = 100

// cycleView shows the next view.
func (p *changePage) cycleView() tea.Cmd {
	p.mode = (p.mode + 1) % viewMode(len(viewModeNames))
	if p.mode == splitView && p.Window-components.Gutter < splitWidth {
		return components.Toast("side by side needs %d columns; V again shows the result", splitWidth+components.Gutter)
	}
	return tea.Batch(p.loadEvaluated(), components.Toast("%s", viewModeNames[p.mode]))
}

// loadEvaluated loads the text with variables and reusable contents evaluated, if the view shows it.
func (p *changePage) loadEvaluated() tea.Cmd {
	c := p.currentChange()
	if p.mode != readerView || c.Deleted || c.Page.Type != api.PageDocument {
		return nil
	}
	client, at := p.Session.Client, p.target
	return p.evaluatedText.Load(p.Session.Connection, func(ctx context.Context) (string, error) {
		return client.EvaluatedText(ctx, at, c.Page.ID)
	})
}

func (p *changePage) splitFits(width int) bool { return p.mode == splitView && width >= splitWidth }
