package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// Session is what all pages share.
type Session struct {
	*remote.Connection
	Drafts drafts.Journal            // the texts that the server does not have yet
	Edit   func(text string) tea.Cmd // opens the editor; answers with an EditedMsg

	Unsent []drafts.Draft            // what the journal had when it was counted last
	Edits  drafts.Edits              // the pages whose texts are in an editor
	EditIn func(path string) tea.Cmd // opens a file in the editor; answers with a FileEditedMsg
	Visits drafts.Visits             // what was opened; nil for nothing
	Browse func(url string) tea.Cmd  // opens an address in a browser

	Grounded bool // the terminal shows grounds: changed words need no signs
}
