package tui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// newTickingScreen returns a screen with a clock controlled by the test.
func newTickingScreen(o Options) (s *testScreen, pass func(seconds int)) {
	now := clock
	o.Now = func() time.Time { return now }
	s = start(o, 120, 40)
	return s, func(seconds int) {
		for range seconds {
			now = now.Add(time.Second)
			s.send(TickMsg{})
			s.drain()
		}
	}
}

// addEvent adds an event by Grace.
func (f *fake) addEvent(cursor string, kind api.TimelineKind, pageTitle string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	grace := newUser("u_2", "Grace")
	f.queue.events = append(f.queue.events, api.TimelineEvent{Cursor: cursor, Kind: kind, At: api.At(clock), By: &grace, PageTitle: pageTitle})
}

// Changes by others are announced, the content is not reloaded, and R shows them.
func TestChangesByOthersAreAnnounced(t *testing.T) {
	t.Parallel()
	s, pass := newTickingScreen(reviewOptions)
	s.keys("enter", "j", "j")
	pass(5)
	before := s.screen()
	s.want(t, "● live", "!R shows")
	s.fake.addEvent("e_5", api.TimelineEdited, "Troubleshooting")
	s.fake.addEvent("e_6", api.TimelineReplied, "Quick start")
	pass(10)
	s.want(t, "Grace replied on Quick start + 1 edit · R shows", "● live")
	if diff := cmp.Diff(strings.Split(before, "\n")[1:], strings.Split(s.screen(), "\n")[1:]); diff != "" {
		t.Errorf("something moved:\n%s", diff)
	}
	s.keys("R")
	s.want(t, "!R shows")
	pass(10)
	s.want(t, "!R shows")
}

// The user's own changes are not announced, and polling sends the known version.
func TestOwnChangesAreNotAnnounced(t *testing.T) {
	t.Parallel()
	s, pass := newTickingScreen(reviewOptions)
	pass(5)
	me := newUser("u_1", "Ada")
	s.fake.queue.events = append(s.fake.queue.events, api.TimelineEvent{Cursor: "e_5", Kind: api.TimelineApproved, By: &me})
	pass(10)
	s.want(t, "!R shows")
	var timelines []string
	for _, a := range s.fake.queue.polls {
		if strings.HasPrefix(a, "timeline") {
			timelines = append(timelines, a)
		}
	}
	want := []string{"timeline cr_2 e_4 ", "timeline cr_2 e_4 \"e_4\"", "timeline cr_2 e_5 "}
	if diff := cmp.Diff(want, timelines); diff != "" {
		t.Error(diff)
	}
}

func TestInboxCountsAreLive(t *testing.T) {
	t.Parallel()
	s, pass := newTickingScreen(inboxOptions)
	pass(1)
	s.want(t, "[alt+1 Inbox 5]", "● live")
	s.fake.queue.counts.ReviewRequested, s.fake.queue.countsTag = 3, `"2"`
	pass(31)
	s.want(t, "[alt+1 Inbox 6]", "1 more asked for your review · R shows", "▌ ●Skylark Handbook #2 ")
	s.keys("R")
	s.want(t, "!R shows", "[alt+1 Inbox 6]")
}

func TestOfflineIsReported(t *testing.T) {
	t.Parallel()
	s, pass := newTickingScreen(reviewOptions)
	s.fake.fail["timeline-after"], s.fake.fail["counts"] = errUnreachable, errUnreachable
	pass(6)
	s.want(t, "○ offline", "Changed pages", "!live")
	delete(s.fake.fail, "timeline-after")
	pass(10)
	s.want(t, "● live")
}

// Without focus, polling is slower; on focus it is immediate.
func TestPollingDependsOnFocus(t *testing.T) {
	t.Parallel()
	s, pass := newTickingScreen(reviewOptions)
	s.send(tea.BlurMsg{})
	pass(20)
	s.fake.addEvent("e_5", api.TimelineMerged, "")
	s.send(tea.FocusMsg{})
	s.drain()
	s.want(t, "Grace merged it · R shows")
}

// The read position is stored once on a key press. New events stay marked while the page is open, and R marks those
// it loads.
func TestLookIsRecorded(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.want(t, "● since your last visit: 1 reply, 1 edit")
	if len(s.fake.queue.looks) > 0 {
		t.Errorf("looked at before a key: %v", s.fake.queue.looks)
	}
	s.keys("j", "enter", "esc", "k")
	s.fake.queue.lastLook = "e_4"
	s.want(t, "● since your last visit: 1 reply, 1 edit")
	s.fake.addEvent("e_5", api.TimelineCommented, "Quick start")
	s.keys("R", "j")
	s.want(t, "● since your last visit: 1 comment")
	if diff := cmp.Diff([]string{"cr_2 e_4", "cr_2 e_5"}, s.fake.queue.looks); diff != "" {
		t.Error(diff)
	}
}
