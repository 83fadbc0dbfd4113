package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// PushMsg makes the app show a page above the current one.
type PushMsg struct{ Page Page }

// NavigateMsg makes the app open a page by name: it returns to the page if it is in the stack, and starts a new stack if the page
// belongs to another change request.
type NavigateMsg struct{ Page Page }

// PopMsg makes the app leave a page if it is the current one.
type PopMsg struct{ From Page }

// ReplaceMsg makes the app replace From by Page if From is the current page.
type ReplaceMsg struct{ From, Page Page }

// ComposeMsg makes the app open the editor for a draft.
type ComposeMsg struct{ Draft drafts.Draft }

// Ask returns the command that sends a message that opens the editor or a question. Only actions use it: keys typed before the
// editor or question is open are passed to it, not to the page.
func Ask(s *Session, msg tea.Msg) tea.Cmd {
	s.AwaitsInput = true
	return components.Send(msg)
}

// AskAfter returns the command that runs load and opens the question that it returns. Keys typed before the question is open
// are passed to it; if load returns another message, no question is opened and the keys are ignored.
func AskAfter(s *Session, load func() tea.Msg) tea.Cmd {
	s.AwaitsInput = true
	return func() tea.Msg { return AskedMsg{load()} }
}

// AskedMsg contains the message that the load function of AskAfter returned.
type AskedMsg struct{ Msg tea.Msg }

// ConfirmMsg makes the app request a confirmation before it runs the command Yes.
type ConfirmMsg struct {
	Question string
	Typed    bool // the user has to type the word yes
	Yes      tea.Cmd
}

// PickMsg makes the app offer choices, each with its command.
type PickMsg struct {
	Question string
	Choices  []components.Choice
	Initial  int // index of the initial choice
}

// SelectMsg makes the app open the selection of words of a text, for a comment or, if Suggest is not nil, for a suggestion.
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

// Navigate returns a command that sends a NavigateMsg.
func Navigate(p Page) tea.Cmd { return components.Send(NavigateMsg{p}) }

// Push returns a command that sends a PushMsg.
func Push(p Page) tea.Cmd { return components.Send(PushMsg{p}) }

// UndoableMsg reports a local change and how to undo it.
type UndoableMsg struct {
	Done string
	Undo tea.Cmd
}

// EditPageMsg makes the app open the editor for a page. If the target is a space, saving creates a change request.
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

// PromptMsg makes the app prompt for a line and run the command for it. Check returns the fault of a line while the user types;
// it may be nil.
type PromptMsg struct {
	Question, Text string
	Done           func(text string) tea.Cmd
	Check          func(text string) string
}

// SubmitMsg makes the app send a review.
type SubmitMsg struct{ Submission drafts.Submission }

// SubmittedMsg is the result of a submission: Err is nil if it was posted, and Open is true if the outcome is not
// known.
type SubmittedMsg struct {
	Submission drafts.Submission
	Err        error
	Open       bool
}

// DoneMsg reports that the user has finished the text of a review. If the review page of Target is shown, it sends the review.
type DoneMsg struct{ Target remote.Target }

// KeptMsg reports that a draft of a review was saved; the app shows it.
type KeptMsg struct{ Draft drafts.Draft }

// SuggestMsg makes the app open a field for a suggestion, a draft whose Original is the initial text.
type SuggestMsg struct{ Draft drafts.Draft }

// StaysMsg reports that the user has closed a text that is saved but not sent: the app shows Says and moves the cursor to the
// row with the key Row if the page has one.
type StaysMsg struct{ Row, Says string }

// CountMsg makes the app read the journal again because it has changed.
type CountMsg struct{}
