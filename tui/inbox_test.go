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

var inboxOptions = Options{Organization: "o_1"}

// A user with one organization starts in its inbox, and the change request is one key away.
func TestInboxIsFirstPage(t *testing.T) {
	t.Parallel()
	s := start(Options{}, 120, 40)
	s.keys("enter") // enter the first of two organizations
	s.want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW 2", "NEW SINCE YOUR REVIEW 1", "YOURS, NEEDS AN ANSWER 1", "YOURS, READY TO MERGE 1", "▸ Waiting for others 1", "Tidemark Instruments · Ada")
	s.want(t, "▌ ●Skylark Handbook #2 ", "Grace asked you", "Check the figures, please", "Merge [CAN BE MERGED]", "Grace replied on Quick start")
	s.keys("enter")
	s.want(t, "#2 Firmware 2.4", "Changed pages")
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]", "▌ ●Skylark Handbook #2 ")
}

// A group is folded from any of its rows. There is no approval in the inbox.
func TestInboxGroupsFold(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 90, 40)
	s.keys("G")
	s.want(t, "▌ ▸ Waiting for others 1", "!A picture of the wind arm")
	s.keys("enter")
	s.want(t, "A picture of the wind arm")
	s.keys("g", "z")
	s.want(t, "▌ ▸ Asked for your review 2", "!#31")
	s.keys("z")
	s.want(t, "#31")
	s.keys("a", "a")
	s.want(t, "a does nothing here; on “change request” it is: approve")
}

// Values that are not computed yet are shown as pending, not as empty.
func TestPendingValuesAreShown(t *testing.T) {
	t.Parallel()
	s := newTestScreen(inboxOptions)
	s.fake.queue.pending = true
	s.open(80, 24)
	s.want(t, "Grace         …", "●3", "!0 pages", "!0/4", "!ready")
	s.keys("G")
	s.want(t, "▸ Waiting for others 1 · 1 not looked through yet")
}

func TestInboxTabsOrdersAndQueries(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.keys("t")
	s.want(t, "newest first")
	s.keys("tab")
	s.want(t, "[Waiting]", "A picture of the wind arm", "!Firmware")
	s.keys("tab", "t")
	s.want(t, "[All open]", "largest first", "#33")
	s.keys("tab")
	s.want(t, "THIS WEEK 1", "More time to acknowledge", "EARLIER 1", "The office in winter")
	s.keys("shift+tab", "g", ":", `"requests of this space`, "enter", "enter")
	s.want(t, "✓ the tab “Skylark Handbook” saved", "same as: wsctl")
	s.keys("tab", "tab")
	s.want(t, "[Skylark Handbook]", "#27", "!#31")
	s.keys(":", `"remove this tab`, "enter")
	s.want(t, "removed", "![Skylark Handbook]")
	s.keys("u")
	want := []string{"save-queries Skylark Handbook s_1;", "save-queries ", "save-queries Skylark Handbook s_1;"}
	if diff := cmp.Diff(want, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// The filter keeps both lines of a change request together.
func TestInboxFilter(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 80, 24)
	s.keys("/", `"team guide`, "enter")
	s.want(t, "New hires", "you           3 pages", "Backups", "!Firmware")
	s.keys("esc", "/", `"wind arm`, "enter", "enter")
	s.want(t, "Changed pages")
}

func TestInboxShowsUnsentDrafts(t *testing.T) {
	t.Parallel()
	s := newTestScreen(inboxOptions)
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", About: "comment on “Plug the gateway in”", Text: "Which gateway?", Key: "k"}
	if err := s.drafts.Save(d); err != nil {
		t.Fatal(err)
	}
	s.open(120, 40)
	s.want(t, "UNSENT, ON THIS MACHINE 1", "“Which gateway?”", "Skylark Handbook #2 · comment on “Plug the gateway in”", "not sent")
	s.keys("G", "k", "enter")
	s.want(t, "Which gateway?█")
}

// A response for a view that is no longer shown is ignored.
func TestInboxIgnoresLateResponse(t *testing.T) {
	t.Parallel()
	s := newTestScreen(inboxOptions)
	s.send(windowSize(120, 40))
	first := s.model.Init()
	s.send(keyMsg("tab"))
	s.drain() // the response for the second tab has arrived
	before := s.screen()
	s.waiting = append(s.waiting, first)
	s.drain()
	s.keys("shift+tab")
	s.want(t, "[Needs you]", "ASKED FOR YOUR REVIEW 2")
	if !strings.Contains(before, "[Waiting]") {
		t.Error(before)
	}
}

func TestOrganizationTabs(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("alt+2")
	s.want(t, "[alt+2 Spaces]", "Skylark Handbook")
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW")
	s.keys("alt+3", `"light`)
	s.want(t, "light")
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]")
	if n := len(s.model.Pages()); n != 2 {
		t.Errorf("%d pages are open", n)
	}
}

// A tab cannot be selected while a write is pending.
func TestTabWaitsForWrite(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("m")
	s.press(`"yes`)
	s.press("enter")
	for !s.page().(interface{ Pending() bool }).Pending() {
		s.run(0)
	}
	s.press("alt+1")
	s.want(t, "#2 Firmware")
	s.drain()
	s.want(t, "#2 Firmware", "merged into the space")
}

func TestInboxError(t *testing.T) {
	t.Parallel()
	s := newTestScreen(inboxOptions)
	s.fake.fail["queued"] = api.NotFound()
	s.open(100, 30)
	s.want(t, "This is not there", "[Needs you]")
	s.fake.fail["queued"] = nil
	s.keys("R")
	s.want(t, "ASKED FOR YOUR REVIEW")
}

// The first screen is drawn before any response of the server.
func TestFirstPaintNeedsNoResponse(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, inboxOptions, reviewOptions} {
		s := newTestScreen(o)
		s.waiting = append(s.waiting, s.model.Init())
		s.send(windowSize(80, 24))
		s.want(t, "Loading …", "q quit")
	}
}

// Moving the cursor sends no requests until it rests; then the preview is loaded.
func TestPreviewWaitsForRestingCursor(t *testing.T) {
	t.Parallel()
	var later []tea.Msg
	o := inboxOptions
	o.Delay = func(msg tea.Msg) tea.Cmd { later = append(later, msg); return nil }
	s := start(o, 120, 40)
	s.keys("j", "j", "j", "k")
	s.want(t, "#27 Wind arm", "Pages …")
	for _, msg := range later {
		s.send(msg)
		s.drain()
	}
	s.want(t, "Pages 3", "Grace replied on Quick start")
	if diff := cmp.Diff([]string{"latest cr_27"}, s.fake.queue.polls); diff != "" {
		t.Error(diff)
	}
	s.keys("k")
	for _, msg := range later[len(later)-1:] {
		s.send(msg)
		s.drain()
	}
	s.want(t, "Pages 3")
}

// The activity tab lists all change requests by latest event, with a preview of the events.
func TestActivity(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.keys("alt+4")
	s.want(t, "[alt+4 Activity]", "LAST 24 HOURS 4", "20m   open     #14", "2d    merged   #5", "EARLIER 1", "1 of 8", "Grace replied on Quick start")
	s.keys("j", "enter")
	s.want(t, "Changed pages (3)", "![alt+4 Activity]")
	s.keys("esc")
	s.want(t, "▌ 1h    open     #27")
	s.press("alt+1")
	s.drain()
	s.want(t, "[alt+1 Inbox]", "[Needs you]")
}

// Earlier events are loaded by a key. Events reloaded concurrently are not affected.
func TestEarlierEvents(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	first := s.fake.queue.events[0]
	first.Cursor, first.Kind, first.At = "e_0", api.TimelineImported, api.At(clock.Add(-2000*time.Hour))
	s.fake.queue.earlier = []api.TimelineEvent{first}
	s.open(120, 40)
	s.keys("G")
	s.want(t, "▌ ┄┄ earlier", "⏎ show", "!83d")
	s.keys("enter")
	s.want(t, "83d", "!┄┄ earlier")
	if got := s.fake.queue.polls[len(s.fake.queue.polls)-1]; got != "before cr_2 e_1" {
		t.Error(got)
	}
	s.fake.fail["timeline-before"] = errUnreachable
	s.keys("R", "G", "enter")
	s.want(t, "┄┄ earlier", "!83d", "connection refused")
}
