package tui

import (
	"reflect"
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/page"
)

// An edit of another user's change request asks first, naming the owner and the effect on approvals.
func TestEditNamesOwner(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 200, 60, func(s *Screen) { AddSuggestions(s); s.Server.Approved = true })
	s.Keys("U")
	s.Want(t, "#2 is a change request of Grace.", "Update #2 with what has changed in the space?")
	s.Keys("n", "enter", "n", "A", "1")
	s.Want(t, "#2 is a change request of Grace.", "Lin approved it; when you apply it, the approval may no longer count.", "Apply 1 suggestion?")
	s = StartPrepared(ReviewOptions, 200, 60, func(s *Screen) { AddSuggestions(s); OwnChangeRequest(s) })
	s.Keys("U")
	s.Want(t, "Update #2 with", "!is a change request of")
	s.Keys("n", "enter", "n", "A", "1")
	s.Want(t, "✓ 1 suggestion applied")
}

func TestMergeConfirmationNamesChangeRequest(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 200, 50)
	s.Keys("m")
	s.Want(t, "Merge #2 “Firmware 2.4: faster readings, longer battery life” of Grace into “Skylark Handbook”? It changes 3 pages for all readers.")
}

// Only users who can review are offered, and those already asked are marked. Without permission to list reviewers,
// the other members are offered last.
func TestOnlyReviewersAreOffered(t *testing.T) {
	t.Parallel()
	s := StartPrepared(InboxOptions, 200, 50, OwnChangeRequest)
	s.Server.RequestedReviewers = []api.RequestedReviewer{{User: NewUser("u_2", "Grace"), RequestedBy: NewUser("u_1", "Ada")}}
	s.Keys("enter", "i")
	s.Want(t, "1 Lin (approved before the last changes)", "2 Grace (asked already)", "!Ruth")
	s.Keys("esc")
	s.Server.Fail["permitted"] = api.Errorf(403, api.ReasonForbidden, "You may not see that.")
	s.Keys("i")
	s.Want(t, "1 Lin", "2 Grace", "3 Ruth (only where they may comment in the space)")
}

// A new page is selected, and the message names the missing text. A renamed page can keep its heading.
func TestNewPagesAndNewTitles(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 200, 60, OwnChangeRequest)
	s.Keys(":", `"new page`, "enter", `"Power and battery, with a longer title`, "enter")
	s.Want(t, "“Power and battery, with a longer title” is now the last page at the top level: e on it writes its text, below the title")
	s.Keys("/", `"~   Quick start`, "enter", "esc", ":", `"rename the page`, "enter", `"er`, "enter")
	s.Want(t, "✓ renamed; the page's own heading still reads “Quick start”: e edits it", "▌ ~   Quick start")
}

func TestSlugIsCheckedWhileTyping(t *testing.T) {
	t.Parallel()
	both := ConflictResult()
	proposed := "old-page-2"
	both.Conflicts = both.Conflicts[:1]
	both.Conflicts[0].Kind, both.Conflicts[0].Attribute, both.Conflicts[0].Proposed = "slug", "slug", &proposed
	s := StartPrepared(ReviewOptions, 120, 60, func(s *Screen) {
		s.Server.MergeResults = []api.MergeResult{both, {Revision: "r_3", Result: api.OutcomeUpdate}}
	})
	s.Keys("m", `"yes`, "enter", "3")
	s.Want(t, "Address ", "old-page-2█", "!an address has")
	s.Keys(`" two`)
	s.Want(t, "an address has no spaces, /, ?, # or \\")
	s.Keys("enter")
	s.Want(t, "0 decided", "an address has no spaces")
	s.Keys("backspace", "backspace", "backspace", "backspace", `"b`, "enter", "A")
	s.Want(t, "✓ updated with your decisions")
	if !slices.Contains(s.Server.Writes, "pull x_1=textold-page-2b") {
		t.Errorf("wrote %q", s.Server.Writes)
	}
}

// Editors disable mouse reporting, so it is enabled again unless it was off.
func TestMouseIsRestoredAfterEditor(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		o := ReviewOptions
		o.Mouse = on
		s := Start(o, 120, 40)
		for _, msg := range []tea.Msg{page.EditedMsg{}, page.FileEditedMsg{}} {
			_, cmd := s.Model.Update(msg)
			if got := sendsMessage(cmd, tea.EnableMouseCellMotion()); got != on {
				t.Errorf("%T with the mouse %v: asked for it %v", msg, on, got)
			}
		}
	}
}

// sendsMessage reports whether a command sends a message of the type of like.
func sendsMessage(cmd tea.Cmd, like tea.Msg) bool {
	if cmd == nil {
		return false
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		return slices.ContainsFunc(batch, func(c tea.Cmd) bool { return sendsMessage(c, like) })
	}
	return reflect.TypeOf(msg) == reflect.TypeOf(like)
}

// Threads that wait for the author are marked and visited first.
func TestWaitingThreadsAreMarked(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 160, 60, OwnChangeRequest) // Ada has replied to the first thread
	s.Want(t, "● Grace “Is green right? red”", "● Grace waits for you “How long is that?”")
	s.Keys("n")
	s.Want(t, "▌ ● Grace waits for you “How long is that?”")
	s.Keys("enter")
	s.Want(t, "● open Grace · 3h ago · waits for you · about “until the light is green”")
	s = Start(ReviewOptions, 160, 60)
	s.Want(t, "!waits for you")
	s.Keys("n")
	s.Want(t, "▌ ● Grace “Is green right? red”")
}
