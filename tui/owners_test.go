package tui

import (
	"reflect"
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/page"
)

// What is written into the request of somebody else is asked first, with its owner and what it does to an approval.
func TestTheOwnerIsNamedBeforeItIsWritten(t *testing.T) {
	t.Parallel()
	s := opens(review, 200, 60, func(s *stage) { withSuggestions(s); s.fake.approved = true })
	s.keys("U")
	s.want(t, "#2 is a change request of Grace.", "Update #2 with what has changed in the space?")
	s.keys("n", "enter", "n", "A", "1")
	s.want(t, "#2 is a change request of Grace.", "Lin approved it; when you apply it, the approval may no longer count.", "Apply 1 suggestion?")
	s = opens(review, 200, 60, func(s *stage) { withSuggestions(s); mine(s) })
	s.keys("U")
	s.want(t, "Update #2 with", "!is a change request of")
	s.keys("n", "enter", "n", "A", "1")
	s.want(t, "✓ 1 suggestion applied")
}

// A merge names what it merges, and where.
func TestAMergeNamesWhatItMerges(t *testing.T) {
	t.Parallel()
	s := start(review, 200, 50)
	s.keys("m")
	s.want(t, "Merge #2 “Firmware 2.4: faster readings, longer battery life” of Grace into “Skylark Handbook”? It changes 3 pages for all readers.")
}

// Only who can review in the space is offered, and who was asked is marked; who may not see what others may do there is
// offered the others last.
func TestOnlyReviewersAreAsked(t *testing.T) {
	t.Parallel()
	s := opens(atInbox, 200, 50, mine)
	s.fake.asked = []api.RequestedReviewer{{User: user("u_2", "Grace"), RequestedBy: user("u_1", "Ada")}}
	s.keys("enter", "i")
	s.want(t, "1 Lin (approved before the last changes)", "2 Grace (asked already)", "!Ruth")
	s.keys("esc")
	s.fake.fail["permitted"] = api.Errorf(403, api.ReasonForbidden, "You may not see that.")
	s.keys("i")
	s.want(t, "1 Lin", "2 Grace", "3 Ruth (only where they may comment in the space)")
}

// A new page has the cursor, and its message says what is left to write; a page with another title may keep its heading.
func TestNewPagesAndNewTitles(t *testing.T) {
	t.Parallel()
	s := opens(review, 200, 60, mine)
	s.keys(":", `"new page`, "enter", `"Power and battery, with a longer title`, "enter")
	s.want(t, "“Power and battery, with a longer title” is now the last page at the top level: e on it writes its text, below the title")
	s.keys("/", `"~   Quick start`, "enter", "esc", ":", `"rename the page`, "enter", `"er`, "enter")
	s.want(t, "✓ renamed; the page's own heading still reads “Quick start”: e edits it", "▌ ~   Quick start")
}

// An own address is checked while it is typed.
func TestAnAddressIsCheckedWhileItIsTyped(t *testing.T) {
	t.Parallel()
	both := conflicting()
	proposed := "old-page-2"
	both.Conflicts = both.Conflicts[:1]
	both.Conflicts[0].Kind, both.Conflicts[0].Attribute, both.Conflicts[0].Proposed = "slug", "slug", &proposed
	s := opens(review, 120, 60, func(s *stage) {
		s.fake.outcome = []api.MergeResult{both, {Revision: "r_3", Result: api.OutcomeUpdate}}
	})
	s.keys("m", `"yes`, "enter", "3")
	s.want(t, "Address ", "old-page-2█", "!an address has")
	s.keys(`" two`)
	s.want(t, "an address has no spaces, /, ?, # or \\")
	s.keys("enter")
	s.want(t, "0 decided", "an address has no spaces")
	s.keys("backspace", "backspace", "backspace", "backspace", `"b`, "enter", "A")
	s.want(t, "✓ updated with your decisions")
	if !slices.Contains(s.fake.writes, "pull x_1=textold-page-2b") {
		t.Errorf("wrote %q", s.fake.writes)
	}
}

// The editor leaves the terminal without the mouse: it is asked for again, unless it was off.
func TestTheMouseIsBackAfterTheEditor(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		o := review
		o.Mouse = on
		s := start(o, 120, 40)
		for _, msg := range []tea.Msg{page.EditedMsg{}, page.FileEditedMsg{}} {
			_, cmd := s.model.Update(msg)
			if got := sends(cmd, tea.EnableMouseCellMotion()); got != on {
				t.Errorf("%T with the mouse %v: asked for it %v", msg, on, got)
			}
		}
	}
}

// sends reports whether a command sends a message of a kind.
func sends(cmd tea.Cmd, like tea.Msg) bool {
	if cmd == nil {
		return false
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		return slices.ContainsFunc(batch, func(c tea.Cmd) bool { return sends(c, like) })
	}
	return reflect.TypeOf(msg) == reflect.TypeOf(like)
}

// The threads that wait for the author are marked, and gone to before the others.
func TestThreadsThatWaitAreMarked(t *testing.T) {
	t.Parallel()
	s := opens(review, 160, 60, mine) // Ada has answered the first thread
	s.want(t, "● Grace “Is green right? red”", "● Grace waits for you “How long is that?”")
	s.keys("n")
	s.want(t, "▌ ● Grace waits for you “How long is that?”")
	s.keys("enter")
	s.want(t, "● open Grace · 3h ago · waits for you · about “until the light is green”")
	s = start(review, 160, 60)
	s.want(t, "!waits for you")
	s.keys("n")
	s.want(t, "▌ ● Grace “Is green right? red”")
}
