package page

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// Session is what all pages share.
type Session struct {
	*remote.Connection
	Drafts drafts.Journal            // the texts that the server does not have yet
	Edit   func(text string) tea.Cmd // opens the editor; answers with an EditedMsg

	Unsent  []drafts.Draft // what the journal had when it was counted last
	Decided []drafts.Draft // the decisions of conflicts that are not applied, as they were counted last
	Editing []drafts.Edit  // the pages in an editor whose texts are not saved, as they were counted last
	Changes int            // how often Unsent was changed since the screen began, but for counting

	Frozen []drafts.Submission       // the reviews whose outcome was not known then
	Read   *drafts.Readings          // what was read of change requests
	Edits  drafts.Edits              // the pages whose texts are in an editor
	EditIn func(path string) tea.Cmd // opens a file in the editor; answers with a FileEditedMsg
	Visits drafts.Visits             // what was opened; nil for nothing
	Browse func(url string) tea.Cmd  // opens an address in a browser
	After  func(tea.Msg) tea.Cmd     // sends a message when a moment has passed; nil for at once

	Awaits bool // what was asked for takes the keys: those that come before it is there wait for it

	Grounded bool // the terminal shows grounds: changed words need no signs
}

// IsFrozen reports whether a draft is a part of a review whose outcome is not known: it may not be edited.
func (s *Session) IsFrozen(id string) bool {
	return slices.ContainsFunc(s.Frozen, func(f drafts.Submission) bool { return f.Has(id) })
}

// Pending are the drafts of comments and replies of a target, which its next review posts.
func (s *Session) Pending(at remote.Target) []drafts.Draft {
	return slices.DeleteFunc(slices.Clone(s.Unsent), func(d drafts.Draft) bool { return d.Target != at || !d.Posted() })
}
