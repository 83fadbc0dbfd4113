package screens_test

import (
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

func TestCursorSkipsPassiveRows(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 40)
	s.Keys("G")
	s.Keys("g")
	s.Want(t, "[OPEN] Firmware 2.4", "▌ ")
	s.Keys("j", "j", "j", "j")
	s.Want(t, "▌ ! 2 comments are open")
	s.Keys("j", "j", "j")
	s.Want(t, "▌ ◌ ~   Quick start")
}

// TestLongListIsDrawnEarly checks that the first rows of a long list are drawn before the rest is loaded, and that the cursor
// does not move.
func TestLongListIsDrawnEarly(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 24)
	s.Server.ManyRequests = true
	s.Press("b")
	s.Run(0) // show the page
	s.Run(0) // load the first rows
	s.Want(t, "▌ #2   Firmware 2.4", "loading", "!The last of many")
	s.Drain()
	s.Want(t, "▌ #2    Firmware 2.4", "#1000 The last of many", "!loading")
}

// TestEarlierEvents checks that earlier events are loaded by a key, and that events reloaded at the same time are not affected.
func TestEarlierEvents(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	first := s.Server.Queue.Events[0]
	first.Cursor, first.Kind, first.At = "e_0", api.TimelineImported, api.At(tuitest.Clock.Add(-2000*time.Hour))
	s.Server.Queue.Earlier = []api.TimelineEvent{first}
	s.Open(120, 40)
	s.Keys("G")
	s.Want(t, "▌ ┄┄ earlier", "⏎ show", "!83d")
	s.Keys("enter")
	s.Want(t, "83d", "!┄┄ earlier")
	if got := s.Server.Queue.Polls[len(s.Server.Queue.Polls)-1]; got != "before cr_2 e_1" {
		t.Error(got)
	}
	s.Server.Fail["timeline-before"] = tuitest.ErrUnreachable
	s.Keys("R", "G", "enter")
	s.Want(t, "┄┄ earlier", "!83d", "connection refused")
}

// TestRevisionsAreNumberedConsecutively checks that revisions of a change request are numbered from its first, whatever the
// server numbers are after an update.
func TestRevisionsAreNumberedConsecutively(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Want(t, "revision 7", "edited Quick start r3")
}

// TestEmptyChangeRequestExplainsNextStep checks that an empty change request explains how to continue.
func TestEmptyChangeRequestExplainsNextStep(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tui.Options{Space: "s_1"}, 120, 40, func(s *tuitest.Screen) {
		s.Server.Unchanged = true
		tuitest.OwnChangeRequest(s)
	})
	tuitest.WritePage(s, "Welcome", "Hello")
	s.Keys("w", `"Tidy up`, "enter")
	s.Want(t, "✓ #2 was made: ⏎ lists the pages, and e edits the one under the cursor", "▌ It changes nothing yet: ⏎ lists the pages",
		"!Changed pages (3)")
	s.Keys("e")
	s.Want(t, "it changes no page: ⏎ lists the pages")
	s.Keys("enter")
	s.Want(t, "▌ Welcome", "e edit")
	s.Server.Unchanged = false
	s.Keys("e")
	s.Want(t, "✓ Welcome saved")
	s.Keys("esc")
	s.Want(t, "▌ ~   Quick start", "Changed pages (3)")
}

// TestDraftIsNotReadyToMerge checks that a draft is not shown as ready to merge, and that requesting a review announces that it
// opens the change request.
func TestDraftIsNotReadyToMerge(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tui.Options{Organization: "o_1", Space: "s_1", ChangeRequest: "cr_2"})
	s.Server.Status = "draft"
	s.Open(140, 40)
	s.Want(t, "Merge [DRAFT]  open it for review first", "!CAN BE MERGED")
	s.Keys("m")
	s.Want(t, "It is still a draft: open it for review first")
	s.Keys("esc", "i")
	s.Want(t, "it is a draft, and asking opens it for review")
}

// TestPreviewShowsCurrentRow checks that the preview shows the thread, check or event under the cursor, and that the help
// explains the signs.
func TestPreviewShowsCurrentRow(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("/", `"Is green right`, "enter")
	s.Want(t, "│  Thread", "│  ┃ ↳ you")
	s.Keys("esc", "/", `"comments are open`, "enter")
	s.Want(t, "│  ▌ ! 2 comments are open", "│  ▌   only a warning")
	s.Keys("?")
	s.Want(t, "Signs here")
	s.Keys(`"third revision`)
	s.Want(t, "the third revision of this change")
}

// TestEqualEventsShowTime checks that events with the same text are distinguished by time.
func TestEqualEventsShowTime(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 200, 70, func(s *tuitest.Screen) {
		s.Server.AddEvent("e_5", api.TimelineDescribed, "")
		s.Server.AddEvent("e_6", api.TimelineDescribed, "")
		s.Server.Queue.Events[len(s.Server.Queue.Events)-1].At = api.At(tuitest.Clock.Add(-3 * time.Second))
	})
	s.Want(t, "or description · 12:00:00", "or description · 11:59:57")
}

// TestRequestOpensInTwoRoundTrips checks that a request opens in at most two rounds of calls: the request with all its parts,
// and the preview of its first page.
func TestRequestOpensInTwoRoundTrips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := tuitest.NewScreen(tuitest.ReviewOptions)
		s.Server.Delay = time.Second
		start := time.Now()
		s.Queued = append(s.Queued, s.Model.Init())
		s.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
		s.DrainAtOnce()
		s.Want(t, "Firmware 2.4", "until the light is")
		if rounds := time.Since(start) / s.Server.Delay; rounds > 2 {
			t.Errorf("%d rounds of calls in sequence", rounds)
		}
	})
}
