package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// Details is the content of a preview pane for a row that has no page.
type Details struct {
	Frame
	Draw func(width int) []components.Row
}

// NewDetails returns the content of a preview pane whose rows come from the function draw.
func NewDetails(s *Session, draw func(width int) []components.Row) *Details {
	return &Details{Frame: NewFrame(s), Draw: draw}
}

// Title implements Page.
func (d *Details) Title() string { return "details" }

// Kind implements Page.
func (d *Details) Kind() string { return "details" }

// Load implements Page. The page with the row has loaded the content.
func (d *Details) Load() tea.Cmd { return nil }

// Update implements Page.
func (d *Details) Update(tea.Msg) tea.Cmd { return nil }

// Open implements Page.
func (d *Details) Open() tea.Cmd { return nil }

// Actions implements Page.
func (d *Details) Actions() []components.Action { return nil }

// LoadState implements Page.
func (d *Details) LoadState() remote.LoadState { return remote.LoadState{Loaded: true} }

// Rows implements Page.
func (d *Details) Rows(width int) []components.Row { return d.Draw(render.ProseWidth(width)) }
