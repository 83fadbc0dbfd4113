package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
)

// Page is one level of the screen: a list of rows and what can be done with them.
type Page interface {
	// Title names the page in the heading.
	Title() string
	// Kind is what pages like this one are called where keys are listed.
	Kind() string
	// Load asks the server for everything that the page shows.
	Load() tea.Cmd
	// Update takes the answers that are the page's own.
	Update(msg tea.Msg) tea.Cmd
	// Open goes into what is under the cursor.
	Open() tea.Cmd
	// Actions are what else can be done here, beside what all pages share.
	Actions() []components.Action
	// Condition says how fresh the page is.
	Condition() remote.Condition
	// Rows lays the content out for a width.
	Rows(width int) []components.Row
	// Space is the space that the page shows something of, or empty.
	Space() string

	// Base is the frame that the page embeds.
	Base() *Frame
}

// Writer is a page that may wait for the answer to a write.
type Writer interface{ Pending() bool }
