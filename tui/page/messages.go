package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// PushMsg asks the app to show a page above the current one.
type PushMsg struct{ Page Page }

// GoMsg asks the app to open a page by name: it returns to it if it is in the stack, and starts a new stack if it
// belongs to another change request.
type GoMsg struct{ Page Page }

// PopMsg asks the app to leave a page if it is the current one.
type PopMsg struct{ From Page }

// ReplaceMsg asks the app to replace From by Page if From is the current page.
type ReplaceMsg struct{ From, Page Page }

// ComposeMsg asks the app to open the editor for a draft.
type ComposeMsg struct{ Draft drafts.Draft }

// Ask returns the command that sends a message that opens the editor or a question. Actions use it, and nothing else
// does: keys that the user types before it is open are for it, not for the page.
func Ask(s *Session, msg tea.Msg) tea.Cmd {
	s.AwaitsInput = true
	return components.Send(msg)
}

// AskAfter returns the command that loads what is asked for, and opens the question that load returns. Keys that the user
// types before it is open are for it; if load returns another message, none is opened, and they are ignored.
func AskAfter(s *Session, load func() tea.Msg) tea.Cmd {
	s.AwaitsInput = true
	return func() tea.Msg { return AskedMsg{load()} }
}

// AskedMsg contains the question of AskAfter.
type AskedMsg struct{ Msg tea.Msg }

// ConfirmMsg asks the app for a confirmation before the command Yes.
type ConfirmMsg struct {
	Question string
	Typed    bool // the user has to type the word yes
	Yes      tea.Cmd
}

// PickMsg asks the app to offer choices, each with its command.
type PickMsg struct {
	Question string
	Choices  []components.Choice
	Initial  int // index of the initial choice
}

// SelectMsg asks the app to let the user select words of a text, for a comment or, if Suggest is not nil, for a
// suggestion.
type SelectMsg struct {
	Text             string
	From             int // byte offset of the initial word
	Comment, Suggest func(components.Selection) tea.Cmd
}

// EditedMsg is the result of the external editor: a text or an error.
type EditedMsg struct {
	Text      string
	Untouched bool // the file was not saved
	Err       error
}

// Go returns a command that sends a GoMsg.
func Go(p Page) tea.Cmd { return components.Send(GoMsg{p}) }

// Push returns a command that sends a PushMsg.
func Push(p Page) tea.Cmd { return components.Send(PushMsg{p}) }

// UndoableMsg reports a local change and how to undo it.
type UndoableMsg struct {
	Done string
	Undo tea.Cmd
}

// EditPageMsg asks the app to open the editor for a page. If the target is a space, saving creates a change request.
type EditPageMsg struct {
	Target      remote.Target
	Page, Title string
	Quote       string // Markdown of the block under the cursor, at which the editor opens; may be empty
}

// FileEditedMsg reports that the external editor has ended, or its error.
type FileEditedMsg struct {
	Path string
	Err  error
}

// SavedMsg reports a page that was saved in a new change request, which the app opens.
type SavedMsg struct {
	remote.ChangedMsg
	Created remote.Target
}

// PromptMsg asks the app to prompt for a line and to run the command for it. Check returns the fault of a line while the user
// types; it may be nil.
type PromptMsg struct {
	Question, Text string
	Done           func(text string) tea.Cmd
	Check          func(text string) string
}

// SubmitMsg asks the app to send a review.
type SubmitMsg struct{ Submission drafts.Submission }

// SubmittedMsg is the result of a submission: Err is nil if it was posted, and Open is true if the outcome is not
// known.
type SubmittedMsg struct {
	Submission drafts.Submission
	Err        error
	Open       bool
}

// DoneMsg reports that the user has finished the text of a review; the review page sends it.
type DoneMsg struct{ Target remote.Target }

// KeptMsg reports that a draft of a review was saved; the app shows it.
type KeptMsg struct{ Draft drafts.Draft }

// SuggestMsg asks the app to open the editor for a suggestion, a draft whose Original is the initial text.
type SuggestMsg struct{ Draft drafts.Draft }

// StaysMsg reports that the user has left a text, which was saved: the cursor moves to its row if the page has one.
type StaysMsg struct{ Row, Says string }

// CountMsg asks the app to read the journal again because it has changed.
type CountMsg struct{}
