package tui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

var InboxOptions = Options{Organization: "o_1"}

// A user with one organization starts in its inbox, and the change request is one key away.
func TestInboxIsFirstPage(t *testing.T) {
	t.Parallel()
	s := Start(Options{}, 120, 40)
	s.Keys("enter") // enter the first of two organizations
	s.Want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW 2", "NEW SINCE YOUR REVIEW 1", "YOURS, NEEDS AN ANSWER 1", "YOURS, READY TO MERGE 1", "▸ Waiting for others 1", "Tidemark Instruments · Ada")
	s.Want(t, "▌ ●Skylark Handbook #2 ", "Grace asked you", "Check the figures, please", "Merge [CAN BE MERGED]", "Grace replied on Quick start")
	s.Keys("enter")
	s.Want(t, "#2 Firmware 2.4", "Changed pages")
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]", "▌ ●Skylark Handbook #2 ")
}

// A group is folded from any of its rows. There is no approval in the inbox.
func TestInboxGroupsFold(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 90, 40)
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

// Values that are not computed yet are shown as pending, not as empty.
func TestPendingValuesAreShown(t *testing.T) {
	t.Parallel()
	s := NewScreen(InboxOptions)
	s.Server.Queue.Pending = true
	s.Open(80, 24)
	s.Want(t, "Grace         …", "●3", "!0 pages", "!0/4", "!ready")
	s.Keys("G")
	s.Want(t, "▸ Waiting for others 1 · 1 not looked through yet")
}

func TestInboxTabsOrdersAndQueries(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
	s.Keys("t")
	s.Want(t, "newest first")
	s.Keys("tab")
	s.Want(t, "[Waiting]", "A picture of the wind arm", "!Firmware")
	s.Keys("tab", "t")
	s.Want(t, "[All open]", "largest first", "#33")
	s.Keys("tab")
	s.Want(t, "THIS WEEK 1", "More time to acknowledge", "EARLIER 1", "The office in winter")
	s.Keys("shift+tab", "g", ":", `"requests of this space`, "enter", "enter")
	s.Want(t, "✓ the tab “Skylark Handbook” saved", "same as: wsctl")
	s.Keys("tab", "tab")
	s.Want(t, "[Skylark Handbook]", "#27", "!#31")
	s.Keys(":", `"remove this tab`, "enter")
	s.Want(t, "removed", "![Skylark Handbook]")
	s.Keys("u")
	want := []string{"save-queries Skylark Handbook s_1;", "save-queries ", "save-queries Skylark Handbook s_1;"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// The filter keeps both lines of a change request together.
func TestInboxFilter(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 80, 24)
	s.Keys("/", `"team guide`, "enter")
	s.Want(t, "New hires", "you           3 pages", "Backups", "!Firmware")
	s.Keys("esc", "/", `"wind arm`, "enter", "enter")
	s.Want(t, "Changed pages")
}

func TestInboxShowsUnsentDrafts(t *testing.T) {
	t.Parallel()
	s := NewScreen(InboxOptions)
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", About: "comment on “Plug the gateway in”", Text: "Which gateway?", Key: "k"}
	if err := s.Journal.Save(d); err != nil {
		t.Fatal(err)
	}
	s.Open(120, 40)
	s.Want(t, "UNSENT, ON THIS MACHINE 1", "“Which gateway?”", "Skylark Handbook #2 · comment on “Plug the gateway in”", "not sent")
	s.Keys("G", "k", "enter")
	s.Want(t, "Which gateway?█")
}

// A response for a view that is no longer shown is ignored.
func TestInboxIgnoresLateResponse(t *testing.T) {
	t.Parallel()
	s := NewScreen(InboxOptions)
	s.Send(WindowSize(120, 40))
	first := s.Model.Init()
	s.Send(Key("tab"))
	s.Drain() // the response for the second tab has arrived
	before := s.View()
	s.Waiting = append(s.Waiting, first)
	s.Drain()
	s.Keys("shift+tab")
	s.Want(t, "[Needs you]", "ASKED FOR YOUR REVIEW 2")
	if !strings.Contains(before, "[Waiting]") {
		t.Error(before)
	}
}

func TestOrganizationTabs(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("alt+2")
	s.Want(t, "[alt+2 Spaces]", "Skylark Handbook")
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW")
	s.Keys("alt+3", `"light`)
	s.Want(t, "light")
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]")
	if n := len(s.Model.Pages()); n != 2 {
		t.Errorf("%d pages are open", n)
	}
}

// A tab cannot be selected while a write is pending.
func TestTabWaitsForWrite(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("m")
	s.Press(`"yes`)
	s.Press("enter")
	for !s.Page().(interface{ Pending() bool }).Pending() {
		s.Run(0)
	}
	s.Press("alt+1")
	s.Want(t, "#2 Firmware")
	s.Drain()
	s.Want(t, "#2 Firmware", "merged into the space")
}

func TestInboxError(t *testing.T) {
	t.Parallel()
	s := NewScreen(InboxOptions)
	s.Server.Fail["queued"] = api.NotFound()
	s.Open(100, 30)
	s.Want(t, "This is not there", "[Needs you]")
	s.Server.Fail["queued"] = nil
	s.Keys("R")
	s.Want(t, "ASKED FOR YOUR REVIEW")
}

// The first screen is drawn before any response of the server.
func TestFirstPaintNeedsNoResponse(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, InboxOptions, ReviewOptions} {
		s := NewScreen(o)
		s.Waiting = append(s.Waiting, s.Model.Init())
		s.Send(WindowSize(80, 24))
		s.Want(t, "Loading …", "q quit")
	}
}

// Moving the cursor sends no requests until it rests; then the preview is loaded.
func TestPreviewWaitsForRestingCursor(t *testing.T) {
	t.Parallel()
	var later []tea.Msg
	o := InboxOptions
	o.Delay = func(msg tea.Msg) tea.Cmd { later = append(later, msg); return nil }
	s := Start(o, 120, 40)
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

// The activity tab lists all change requests by latest event, with a preview of the events.
func TestActivity(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
	s.Keys("alt+4")
	s.Want(t, "[alt+4 Activity]", "LAST 24 HOURS 4", "20m   open     #14", "2d    merged   #5", "EARLIER 1", "1 of 8", "Grace replied on Quick start")
	s.Keys("j", "enter")
	s.Want(t, "Changed pages (3)", "![alt+4 Activity]")
	s.Keys("esc")
	s.Want(t, "▌ 1h    open     #27")
	s.Press("alt+1")
	s.Drain()
	s.Want(t, "[alt+1 Inbox]", "[Needs you]")
}

// Earlier events are loaded by a key. Events reloaded concurrently are not affected.
func TestEarlierEvents(t *testing.T) {
	t.Parallel()
	s := NewScreen(ReviewOptions)
	first := s.Server.Queue.Events[0]
	first.Cursor, first.Kind, first.At = "e_0", api.TimelineImported, api.At(Clock.Add(-2000*time.Hour))
	s.Server.Queue.Earlier = []api.TimelineEvent{first}
	s.Open(120, 40)
	s.Keys("G")
	s.Want(t, "▌ ┄┄ earlier", "⏎ show", "!83d")
	s.Keys("enter")
	s.Want(t, "83d", "!┄┄ earlier")
	if got := s.Server.Queue.Polls[len(s.Server.Queue.Polls)-1]; got != "before cr_2 e_1" {
		t.Error(got)
	}
	s.Server.Fail["timeline-before"] = ErrUnreachable
	s.Keys("R", "G", "enter")
	s.Want(t, "┄┄ earlier", "!83d", "connection refused")
}
