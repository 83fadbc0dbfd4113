package tui_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

// TestChangesByOthersAreAnnounced checks that changes by others are announced, that the content is not reloaded, and that R
// shows them.
func TestChangesByOthersAreAnnounced(t *testing.T) {
	t.Parallel()
	s, pass := tuitest.StartTicking(tuitest.ReviewOptions)
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

// TestOwnChangesAreNotAnnounced checks that the user's own changes are not announced, and that polling sends the known version.
func TestOwnChangesAreNotAnnounced(t *testing.T) {
	t.Parallel()
	s, pass := tuitest.StartTicking(tuitest.ReviewOptions)
	pass(5)
	me := tuitest.NewUser("u_1", "Ada")
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
	s, pass := tuitest.StartTicking(tuitest.InboxOptions)
	pass(1)
	s.Want(t, "[alt+1 Inbox 5]", "● live")
	s.Server.Queue.Counts.ReviewRequested, s.Server.Queue.CountsETag = 3, `"2"`
	pass(31)
	s.Want(t, "[alt+1 Inbox 6]", "1 more asked for your review · R shows", "▌ ●Skylark Handbook #2 ")
	s.Keys("R")
	s.Want(t, "!R shows", "[alt+1 Inbox 6]")
}

func TestOfflineIsReported(t *testing.T) {
	t.Parallel()
	s, pass := tuitest.StartTicking(tuitest.ReviewOptions)
	s.Server.Fail["timeline-after"], s.Server.Fail["counts"] = tuitest.ErrUnreachable, tuitest.ErrUnreachable
	pass(6)
	s.Want(t, "○ offline", "Changed pages", "!live")
	delete(s.Server.Fail, "timeline-after")
	pass(10)
	s.Want(t, "● live")
}

// TestPollingDependsOnFocus checks that polling is slower without focus, and that it is immediate on focus.
func TestPollingDependsOnFocus(t *testing.T) {
	t.Parallel()
	s, pass := tuitest.StartTicking(tuitest.ReviewOptions)
	s.Send(tea.BlurMsg{})
	pass(20)
	s.Server.AddEvent("e_5", api.TimelineMerged, "")
	s.Send(tea.FocusMsg{})
	s.Drain()
	s.Want(t, "Grace merged it · R shows")
}

// TestReadPositionIsStored checks that the read position is stored once on a key press, that new events stay marked while the
// page is open, and that R marks those it loads.
func TestReadPositionIsStored(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
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

func TestNewsKeepsSubject(t *testing.T) {
	t.Parallel()
	s, pass := tuitest.StartTicking(tuitest.ReviewOptions)
	s.Keys("enter")
	pass(5)
	for _, cursor := range []string{"e_5", "e_6", "e_7"} {
		s.Server.AddEvent(cursor, api.TimelineEdited, "A page whose title is longer than there is room for here")
	}
	pass(10)
	first, _, _ := strings.Cut(s.View(), "\n")
	if !strings.Contains(first, "Grace edited it + 2 more · R shows") || !strings.Contains(first, "#2 Firmware 2.4") ||
		!strings.Contains(first, "› Quick start (1 of 3)") {
		t.Error(first)
	}
}
