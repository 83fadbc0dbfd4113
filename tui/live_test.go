package tui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// StartTicking returns a screen with a clock controlled by the test.
func StartTicking(o Options) (s *Screen, pass func(seconds int)) {
	now := Clock
	o.Now = func() time.Time { return now }
	s = Start(o, 120, 40)
	return s, func(seconds int) {
		for range seconds {
			now = now.Add(time.Second)
			s.Send(TickMsg{})
			s.Drain()
		}
	}
}

// AddEvent adds an event by Grace.
func (f *Server) AddEvent(cursor string, kind api.TimelineKind, pageTitle string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	grace := NewUser("u_2", "Grace")
	f.Queue.Events = append(f.Queue.Events, api.TimelineEvent{Cursor: cursor, Kind: kind, At: api.At(Clock), By: &grace, PageTitle: pageTitle})
}

// Changes by others are announced, the content is not reloaded, and R shows them.
func TestChangesByOthersAreAnnounced(t *testing.T) {
	t.Parallel()
	s, pass := StartTicking(ReviewOptions)
	s.Keys("enter", "j", "j")
	pass(5)
	before := s.View()
	s.Want(t, "● live", "!R shows")
	s.Server.AddEvent("e_5", api.TimelineEdited, "Troubleshooting")
	s.Server.AddEvent("e_6", api.TimelineReplied, "Quick start")
	pass(10)
	s.Want(t, "Grace replied on Quick start + 1 edit · R shows", "● live")
	if diff := cmp.Diff(strings.Split(before, "\n")[1:], strings.Split(s.View(), "\n")[1:]); diff != "" {
		t.Errorf("something moved:\n%s", diff)
	}
	s.Keys("R")
	s.Want(t, "!R shows")
	pass(10)
	s.Want(t, "!R shows")
}

// The user's own changes are not announced, and polling sends the known version.
func TestOwnChangesAreNotAnnounced(t *testing.T) {
	t.Parallel()
	s, pass := StartTicking(ReviewOptions)
	pass(5)
	me := NewUser("u_1", "Ada")
	s.Server.Queue.Events = append(s.Server.Queue.Events, api.TimelineEvent{Cursor: "e_5", Kind: api.TimelineApproved, By: &me})
	pass(10)
	s.Want(t, "!R shows")
	var timelines []string
	for _, a := range s.Server.Queue.Polls {
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
	s, pass := StartTicking(InboxOptions)
	pass(1)
	s.Want(t, "[alt+1 Inbox 5]", "● live")
	s.Server.Queue.Counts.ReviewRequested, s.Server.Queue.CountsTag = 3, `"2"`
	pass(31)
	s.Want(t, "[alt+1 Inbox 6]", "1 more asked for your review · R shows", "▌ ●Skylark Handbook #2 ")
	s.Keys("R")
	s.Want(t, "!R shows", "[alt+1 Inbox 6]")
}

func TestOfflineIsReported(t *testing.T) {
	t.Parallel()
	s, pass := StartTicking(ReviewOptions)
	s.Server.Fail["timeline-after"], s.Server.Fail["counts"] = ErrUnreachable, ErrUnreachable
	pass(6)
	s.Want(t, "○ offline", "Changed pages", "!live")
	delete(s.Server.Fail, "timeline-after")
	pass(10)
	s.Want(t, "● live")
}

// Without focus, polling is slower; on focus it is immediate.
func TestPollingDependsOnFocus(t *testing.T) {
	t.Parallel()
	s, pass := StartTicking(ReviewOptions)
	s.Send(tea.BlurMsg{})
	pass(20)
	s.Server.AddEvent("e_5", api.TimelineMerged, "")
	s.Send(tea.FocusMsg{})
	s.Drain()
	s.Want(t, "Grace merged it · R shows")
}

// The read position is stored once on a key press. New events stay marked while the page is open, and R marks those
// it loads.
func TestLookIsRecorded(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 60)
	s.Want(t, "● since your last visit: 1 reply, 1 edit")
	if len(s.Server.Queue.Looks) > 0 {
		t.Errorf("looked at before a key: %v", s.Server.Queue.Looks)
	}
	s.Keys("j", "enter", "esc", "k")
	s.Server.Queue.LastLook = "e_4"
	s.Want(t, "● since your last visit: 1 reply, 1 edit")
	s.Server.AddEvent("e_5", api.TimelineCommented, "Quick start")
	s.Keys("R", "j")
	s.Want(t, "● since your last visit: 1 comment")
	if diff := cmp.Diff([]string{"cr_2 e_4", "cr_2 e_5"}, s.Server.Queue.Looks); diff != "" {
		t.Error(diff)
	}
}
