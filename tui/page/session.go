package page

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// Session is the state that all pages share.
type Session struct {
	*remote.Connection
	Drafts drafts.Journal            // local texts that were not sent
	Edit   func(text string) tea.Cmd // opens the external editor; results in an EditedMsg

	Unsent    []drafts.Draft // drafts of the journal as last read
	Decisions []drafts.Draft // decisions on conflicts that are not applied, as last read
	Editing   []drafts.Edit  // pages in an external editor that were not saved, as last read
	Changes   int            // number of changes of Unsent other than by reading the journal

	Frozen []drafts.Submission                 // reviews with an unknown outcome, as last read
	Read   *drafts.ReadStates                  // read marks of change requests
	Edits  drafts.Edits                        // pages in an external editor
	EditIn func(path string, line int) tea.Cmd // opens a file in the external editor; results in a FileEditedMsg
	Visits drafts.Visits                       // recently opened pages; may be nil
	Browse func(url string) tea.Cmd            // opens a URL in the browser
	After  func(tea.Msg) tea.Cmd               // sends a message after a short delay; nil for no delay

	AwaitsInput bool // an editor or a question is being opened; keys are queued for it

	HasGrounds bool // the terminal shows background colours, so changed words need no signs
}

// IsFrozen reports whether a draft is part of a review with an unknown outcome. Such a draft must not be edited.
func (s *Session) IsFrozen(id string) bool {
	return slices.ContainsFunc(s.Frozen, func(f drafts.Submission) bool { return f.Has(id) })
}

// Pending returns the drafts of comments and replies on a target, which its next review posts.
func (s *Session) Pending(at remote.Target) []drafts.Draft {
	return slices.DeleteFunc(slices.Clone(s.Unsent), func(d drafts.Draft) bool { return d.Target != at || !d.IsPostable() })
}
