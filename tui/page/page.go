package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
)

// Page is a level of the screen: a list of rows and the actions on them.
type Page interface {
	// Title returns the title for the heading.
	Title() string
	// Kind returns the name of this kind of page in the list of keys.
	Kind() string
	// Load loads the content of the page.
	Load() tea.Cmd
	// Update handles the responses that belong to the page.
	Update(msg tea.Msg) tea.Cmd
	// Open opens the item under the cursor.
	Open() tea.Cmd
	// Actions returns the actions of the page, without those that all pages share.
	Actions() []components.Action
	// LoadState returns the loading state of the page.
	LoadState() remote.LoadState
	// Rows lays out the content for a width.
	Rows(width int) []components.Row
	// Space returns the id of the space that the page belongs to, or "".
	Space() string

	// Base returns the frame that the page embeds.
	Base() *Frame
}

// Writer is a page with writes; Pending reports whether one is in flight.
type Writer interface{ Pending() bool }
