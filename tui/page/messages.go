package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// PushMsg asks the app to show a page above the one that is shown.
type PushMsg struct{ Page Page }

// GoMsg asks the app to go to a page by its name: back to it where it stands on the way, and in another change request on a
// way of its own.
type GoMsg struct{ Page Page }

// PopMsg asks the app to leave a page, when it is the one that is shown.
type PopMsg struct{ From Page }

// ReplaceMsg asks the app to show a page instead of From, if that is still the one that is shown.
type ReplaceMsg struct{ From, Page Page }

// ComposeMsg asks the app to have a text written.
type ComposeMsg struct{ Draft drafts.Draft }

// Ask returns the command that sends what takes the keys that come next: the composer, or a question of any kind. Actions
// call it, and nobody else: keys that are typed before it is there are for it, not for the page.
func Ask(s *Session, msg tea.Msg) tea.Cmd {
	s.Awaits = true
	return components.Send(msg)
}

// ConfirmMsg asks the app to have a question answered with yes or no before something is done.
type ConfirmMsg struct {
	Question string
	Typed    bool // the whole word has to be typed: there is something against it
	Yes      tea.Cmd
}

// PickMsg asks the app to offer a few choices, each with what it does.
type PickMsg struct {
	Question string
	Choices  []components.Choice
	Likely   int // the one that ⏎ takes at once
}

// SelectMsg asks the app to have words of a text chosen, to comment on them or to suggest others; without Suggest, to comment
// alone.
type SelectMsg struct {
	Text             string
	From             int // the byte at which it begins
	Comment, Suggest func(components.Selection) tea.Cmd
}

// EditedMsg is the text that the editor left, or why there is none.
type EditedMsg struct {
	Text      string
	Untouched bool // nothing was saved: the text is what the editor was given
	Err       error
}

// Go returns a command that goes to a page by its name.
func Go(p Page) tea.Cmd { return components.Send(GoMsg{p}) }

// Push returns a command that shows a page.
func Push(p Page) tea.Cmd { return components.Send(PushMsg{p}) }

// UndoableMsg says what was done on this machine, and takes it back when the user wants.
type UndoableMsg struct {
	Done string
	Undo tea.Cmd
}

// EditPageMsg asks the app to have a page edited: in the change request of the target, or in one that is made when the text
// is saved.
type EditPageMsg struct {
	Target      remote.Target
	Page, Title string
}

// FileEditedMsg says that the editor left a file, or why there is none.
type FileEditedMsg struct {
	Path string
	Err  error
}

// SavedMsg says that a page was saved in a change request that was made for it: it is shown.
type SavedMsg struct {
	remote.ChangedMsg
	Made remote.Target
}

// PromptMsg asks the app to have a line written; Done takes it. Check says what is wrong with it while it is typed, nil if none is.
type PromptMsg struct {
	Question, Text string
	Done           func(text string) tea.Cmd
	Check          func(text string) string
}

// SubmitMsg asks the app to send a draft review.
type SubmitMsg struct{ Submission drafts.Submission }

// SubmittedMsg says what became of one: Err is why it was not posted, and Open that this is not known yet.
type SubmittedMsg struct {
	Submission drafts.Submission
	Err        error
	Open       bool
}

// DoneMsg says that the text of a review was written to its end: the page of the review sends it.
type DoneMsg struct{ Target remote.Target }

// KeptMsg says that a draft of a review is written and kept: the app has it seen.
type KeptMsg struct{ Draft drafts.Draft }

// SuggestMsg asks the app to have a suggestion written in the editor: a draft whose Original is what it begins with.
type SuggestMsg struct{ Draft drafts.Draft }

// StaysMsg says that a text was left and is kept: the cursor goes to its row, where the page has one.
type StaysMsg struct{ Row, Says string }

// CountMsg asks the app to look again what the journal has: something there has changed.
type CountMsg struct{}
