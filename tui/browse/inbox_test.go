package browse_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

// TestInboxIsFirstPage checks that a user with one organization starts in its inbox, and that one key opens the change request.
func TestInboxIsFirstPage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{}, 120, 40)
	s.Keys("enter") // enter the first of two organizations
	s.Want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW 2", "NEW SINCE YOUR REVIEW 1", "YOURS, NEEDS AN ANSWER 1", "YOURS, READY TO MERGE 1",
		"▸ Waiting for others 1", "Tidemark Instruments · Ada")
	s.Want(t, "▌ ●Skylark Handbook #2 ", "Grace asked you", "Check the figures, please", "Merge [CAN BE MERGED]",
		"Grace replied on Quick start")
	s.Keys("enter")
	s.Want(t, "#2 Firmware 2.4", "Changed pages")
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]", "▌ ●Skylark Handbook #2 ")
}

// TestInboxGroupsFold checks that a group is folded from any of its rows, and that nothing can be approved in the inbox.
func TestInboxGroupsFold(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 90, 40)
	s.Keys("G")
	s.Want(t, "▌ ▸ Waiting for others 1", "!A picture of the wind arm")
	s.Keys("enter")
	s.Want(t, "A picture of the wind arm")
	s.Keys("g", "z")
	s.Want(t, "▌ ▸ Asked for your review 2", "!#31")
	s.Keys("z")
	s.Want(t, "#31")
	s.Keys("a", "a")
	s.Want(t, "a does nothing here; on “change request” it is: approve")
}

// TestInboxFilter checks that the filter keeps both lines of a change request together.
func TestInboxFilter(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 80, 24)
	s.Keys("/", `"team guide`, "enter")
	s.Want(t, "New hires", "you          3 pages", "Backups", "!Firmware")
	s.Keys("esc", "/", `"wind arm`, "enter", "enter")
	s.Want(t, "Changed pages")
}

func TestInboxShowsUnsentDrafts(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	d := drafts.Draft{
		Target: remote.Target{
			Space: "s_1", ChangeRequest: "cr_2",
		}, Page: "p_quick", Node: "b_1", About: "comment on “Plug the gateway in”", Text: "Which gateway?", Key: "k",
	}
	if err := s.Journal.Save(d); err != nil {
		t.Fatal(err)
	}
	s.Open(120, 40)
	s.Want(t, "UNSENT, ON THIS MACHINE 1", "“Which gateway?”", "Skylark Handbook #2 · comment on “Plug the gateway in”", "not sent")
	s.Keys("G", "k", "enter")
	s.Want(t, "Which gateway?█")
}

// TestInboxIgnoresLateResponse checks that a response for a view that is no longer shown is ignored.
func TestInboxIgnoresLateResponse(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	s.Send(tuitest.WindowSize(120, 40))
	first := s.Model.Init()
	s.Send(tuitest.Key("tab"))
	s.Drain() // the response for the second tab has arrived
	before := s.View()
	s.Queued = append(s.Queued, first)
	s.Drain()
	s.Keys("shift+tab")
	s.Want(t, "[Needs you]", "ASKED FOR YOUR REVIEW 2")
	if !strings.Contains(before, "[Waiting]") {
		t.Error(before)
	}
}

func TestInboxError(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	s.Server.Fail["queued"] = api.NotFound()
	s.Open(100, 30)
	s.Want(t, "This is not there", "[Needs you]")
	s.Server.Fail["queued"] = nil
	s.Keys("R")
	s.Want(t, "ASKED FOR YOUR REVIEW")
}

// TestPreviewWaitsForRestingCursor checks that a moving cursor sends no requests and that the preview is loaded when the cursor
// rests.
func TestPreviewWaitsForRestingCursor(t *testing.T) {
	t.Parallel()
	var later []tea.Msg
	o := tuitest.InboxOptions
	o.Delay = func(msg tea.Msg) tea.Cmd { later = append(later, msg); return nil }
	s := tuitest.Start(o, 120, 40)
	s.Keys("j", "j", "j", "k")
	s.Want(t, "#27 Wind arm", "Pages …")
	for _, msg := range later {
		s.Send(msg)
		s.Drain()
	}
	s.Want(t, "Pages 3", "Grace replied on Quick start")
	if diff := cmp.Diff([]string{"latest cr_27"}, s.Server.Queue.Polls); diff != "" {
		t.Error(diff)
	}
	s.Keys("k")
	for _, msg := range later[len(later)-1:] {
		s.Send(msg)
		s.Drain()
	}
	s.Want(t, "Pages 3")
}

// TestEditIsListedWithDrafts checks that a page with an unsaved edit is listed with the unsent drafts and can be resumed there.
func TestEditIsListedWithDrafts(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.InboxOptions, 120, 50, func(s *tuitest.Screen) {
		_, _, _ = s.Files.Begin(drafts.Edit{
			Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Title: "Quick start", Base: tuitest.OldMarkdown,
		})
	})
	s.Want(t, "UNSENT, ON THIS MACHINE 1", "page Quick start: edited, not saved", "✎ 1 draft not sent · p lists")
	s.EditFails = true
	s.Keys("G", "k")
	s.Want(t, "Edited, not saved", "⏎ opens the editor again")
	s.Keys("enter")
	s.Want(t, "the editor failed")
}

func TestSuggestionWithoutCommentShowsChange(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	now := "three weeks"
	d := drafts.Draft{
		Target: remote.Target{
			Space: "s_1", ChangeRequest: "cr_2",
		}, Page: "p_quick", Node: "b_1", Original: "two weeks", Suggestion: &now, About: "suggestion for “two weeks”",
	}
	s.Journal.Drafts[d.ID()] = d
	s.Open(120, 40)
	s.Want(t, "suggests “three weeks”", "!“”")
	s.Keys("p")
	if shown := s.View(); !strings.Contains(shown, "suggestion for “two weeks”: suggests “three weeks”") {
		t.Error(shown)
	}
}
