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

var atInbox = Options{Organization: "o_1"}

// Whoever is in one organization sees their inbox first, and the request is one key away.
func TestTheInboxIsTheFirstScreen(t *testing.T) {
	t.Parallel()
	s := start(Options{}, 120, 40)
	s.keys("enter") // into the first of two organizations
	s.want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW 2", "NEW SINCE YOUR REVIEW 1", "YOURS, NEEDS AN ANSWER 1", "YOURS, READY TO MERGE 1", "▸ Waiting for others 1", "Tidemark Instruments · Ada")
	s.want(t, "▌ ●Skylark Handbook #2 ", "Grace asked you", "Check the figures, please", "Merge [CAN BE MERGED]", "Grace replied on Quick start")
	s.keys("enter")
	s.want(t, "#2 Firmware 2.4", "Changed pages")
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]", "▌ ●Skylark Handbook #2 ")
}

// A group is folded from the row of any of its requests, and opened again; nothing can be approved here.
func TestGroupsFold(t *testing.T) {
	t.Parallel()
	s := start(atInbox, 90, 40)
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

// What is not computed yet says so, and is not said to be nothing.
func TestWhatIsPendingSaysSo(t *testing.T) {
	t.Parallel()
	s := newStage(atInbox)
	s.fake.queue.pending = true
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(80, 24))
	s.settle()
	s.want(t, "Grace         …", "●3", "!0 pages", "!0/4", "!ready")
	s.keys("G")
	s.want(t, "▸ Waiting for others 1 · 1 not looked through yet")
}

func TestTabsOrdersAndSavedQueries(t *testing.T) {
	t.Parallel()
	s := start(atInbox, 120, 40)
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

// Both lines of a request are found together.
func TestTheInboxIsFiltered(t *testing.T) {
	t.Parallel()
	s := start(atInbox, 80, 24)
	s.keys("/", `"team guide`, "enter")
	s.want(t, "New hires", "you           3 pages", "Backups", "!Firmware")
	s.keys("esc", "/", `"wind arm`, "enter", "enter")
	s.want(t, "Changed pages")
}

func TestUnsentDraftsStandInTheInbox(t *testing.T) {
	t.Parallel()
	s := newStage(atInbox)
	d := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "cr_2"}, Page: "p_quick", Node: "b_1", About: "comment on “Plug the gateway in”", Text: "Which gateway?", Key: "k"}
	if err := s.drafts.Save(d); err != nil {
		t.Fatal(err)
	}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 40))
	s.settle()
	s.want(t, "UNSENT, ON THIS MACHINE 1", "“Which gateway?”", "Skylark Handbook #2 · comment on “Plug the gateway in”", "not sent")
	s.keys("G", "k", "enter")
	s.want(t, "Which gateway?█")
}

// What comes late is about something that is not shown any more.
func TestALateAnswerChangesNothingInTheInbox(t *testing.T) {
	t.Parallel()
	s := newStage(atInbox)
	s.tell(sized(120, 40))
	first := s.model.Init()
	s.tell(keyMsg("tab"))
	s.settle() // the answer for the second tab is there
	before := s.screen()
	s.waiting = append(s.waiting, first)
	s.settle()
	s.keys("shift+tab")
	s.want(t, "[Needs you]", "ASKED FOR YOUR REVIEW 2")
	if !strings.Contains(before, "[Waiting]") {
		t.Error(before)
	}
}

func TestTabsOfTheTop(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 40)
	s.keys("alt+2")
	s.want(t, "[alt+2 Spaces]", "Skylark Handbook")
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW")
	s.keys("alt+3", `"light`)
	s.want(t, "light")
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]")
	if n := len(s.model.pages); n != 2 {
		t.Errorf("%d pages are open", n)
	}
}

// A tab is not a way around the wait for the server's answer.
func TestATabWaitsForWhatIsWritten(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 40)
	s.keys("m")
	s.press(`"yes`)
	s.press("enter")
	for !s.model.top().(interface{ Pending() bool }).Pending() {
		s.run(0)
	}
	s.press("alt+1")
	s.want(t, "#2 Firmware")
	s.settle()
	s.want(t, "#2 Firmware", "merged into the space")
}

func TestAnInboxThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	s := newStage(atInbox)
	s.fake.fail["queued"] = api.NotFound()
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(100, 30))
	s.settle()
	s.want(t, "This is not there", "[Needs you]")
	s.fake.fail["queued"] = nil
	s.keys("R")
	s.want(t, "ASKED FOR YOUR REVIEW")
}

// The first screen is there before the server has said anything.
func TestTheFirstPaintWaitsForNobody(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, atInbox, review} {
		s := newStage(o)
		s.waiting = append(s.waiting, s.model.Init())
		s.tell(sized(80, 24))
		s.want(t, "Loading …", "q quit")
	}
}

// A cursor that passes by asks for nothing; where it rests, the preview is complete.
func TestAPreviewWaitsForTheCursorToRest(t *testing.T) {
	t.Parallel()
	var later []tea.Msg
	o := atInbox
	o.After = func(msg tea.Msg) tea.Cmd { later = append(later, msg); return nil }
	s := start(o, 120, 40)
	s.keys("j", "j", "j", "k")
	s.want(t, "#27 Wind arm", "Pages …")
	for _, msg := range later {
		s.tell(msg)
		s.settle()
	}
	s.want(t, "Pages 3", "Grace replied on Quick start")
	if diff := cmp.Diff([]string{"latest cr_27"}, s.fake.queue.asked); diff != "" {
		t.Error(diff)
	}
	s.keys("k")
	for _, msg := range later[len(later)-1:] {
		s.tell(msg)
		s.settle()
	}
	s.want(t, "Pages 3")
}

// The last tab lists where something happened last, whatever became of it; beside it stands what.
func TestActivity(t *testing.T) {
	t.Parallel()
	s := start(atInbox, 120, 40)
	s.keys("alt+4")
	s.want(t, "[alt+4 Activity]", "LAST 24 HOURS 4", "20m   open     #14", "2d    merged   #5", "EARLIER 1", "1 of 8", "Grace replied on Quick start")
	s.keys("j", "enter")
	s.want(t, "Changed pages (3)", "![alt+4 Activity]")
	s.keys("esc")
	s.want(t, "▌ 1h    open     #27")
	s.press("alt+1")
	s.settle()
	s.want(t, "[alt+1 Inbox]", "[Needs you]")
}

// What happened before what is shown is brought in with a key; what was loaded anew meanwhile stays as it is.
func TestEarlierEvents(t *testing.T) {
	t.Parallel()
	s := newStage(review)
	first := s.fake.queue.events[0]
	first.Cursor, first.Kind, first.At = "e_0", api.TimelineImported, api.At(clock.Add(-2000*time.Hour))
	s.fake.queue.before = []api.TimelineEvent{first}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 40))
	s.settle()
	s.keys("G")
	s.want(t, "▌ ┄┄ earlier", "⏎ show", "!83d")
	s.keys("enter")
	s.want(t, "83d", "!┄┄ earlier")
	if got := s.fake.queue.asked[len(s.fake.queue.asked)-1]; got != "before cr_2 e_1" {
		t.Error(got)
	}
	s.fake.fail["timeline-before"] = errOffline
	s.keys("R", "G", "enter")
	s.want(t, "┄┄ earlier", "!83d", "connection refused")
}
