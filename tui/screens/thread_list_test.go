package screens_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

// onRequest is the target of the drafts in these tests.
var onRequest = remote.Target{Space: "s_1", ChangeRequest: "cr_2"}

// TestThreadListShowsAllDrafts checks that the thread list includes all unsent drafts: new threads with their page, and replies
// with their thread.
func TestThreadListShowsAllDrafts(t *testing.T) {
	t.Parallel()
	words := "green"
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, func(s *tuitest.Screen) {
		tuitest.AddDrafts(
			s, drafts.Draft{
				Target: onRequest, Text: "On all.", About: "comment on the change request",
			}, drafts.Draft{
				Target: onRequest, Page: "p_quick", Title: "Quick start", Node: "b_1", Text: "Here, please.", About: "comment on it",
			},
			drafts.Draft{
				Target: onRequest, Page: "p_new", Title: "Power", Original: "blue", Suggestion: &words, About: "suggestion for it",
			}, drafts.Draft{Target: onRequest, Comment: "c_4", Text: "An answer.", About: "reply to Grace"},
			drafts.Draft{
				Target: onRequest, Comment: "c_lost", Text: "Too late.", About: "reply to Lin",
			}, drafts.Draft{Target: onRequest, Review: true, Verdict: api.ReviewApproved, About: "your review"},
		)
	})
	s.Keys("C")
	s.Want(t, "On the whole  1 open, 0 resolved · 2 drafts not sent", "┆ On all.", "Quick start  2 open, 1 resolved · 1 draft not sent",
		"┆ Here, please.", "Power  1 draft not sent", "┆ An answer.", "┆ Too late.", "5 drafts not sent", "!your review")
	s.Keys("/", `"Here, please`, "enter", "esc")
	s.Want(t, "⏎ go to it", "e edit", "X drop")
	s.Keys("X")
	s.Want(t, "!Here, please.", "4 drafts not sent")
	s.Keys("u", "/", `"Here, please`, "enter", "esc", "enter")
	s.Want(t, "Quick start (1 of 3)", "▌ ┆ ✎ draft")
}

// TestThreadsFollowPageOrder checks that threads are in page tree order, and that the list next to the changes shows their
// number per page.
func TestThreadsFollowPageOrder(t *testing.T) {
	t.Parallel()
	first := func(s *tuitest.Screen) {
		tuitest.AddThread(s)
		c := s.Server.CommentList
		s.Server.CommentList = append([]api.Comment{c[len(c)-1]}, c[:len(c)-1]...) // the newest thread is on the last page
	}
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 160, 70, first)
	checkOrder(t, s, "Threads  3 open", "“Is green", "“How long", "“Which battery")
	s.Keys("C")
	checkOrder(t, s, "On the whole", "Quick start  2 open", "Power  1 open")
	s.Keys("esc", "enter")
	s.Want(t, "~ Quick start     ●2 open", "batt… ●1 open")
	s.Keys("J", "J")
	s.Want(t, "~ Quick start     ●2 open", "batt… ●1 open")
	s = tuitest.StartPrepared(tuitest.ReviewOptions, 160, 70, first)
	s.Keys("C", "/", `"Which battery`, "enter", "esc", "enter") // directly, without the change request
	s.Want(t, "~ Quick start     ●2 open", "batt… ●1 open")
}

func TestThreadsAreGroupedByPage(t *testing.T) {
	t.Parallel()
	s := openChange(t, tuitest.AddThread, 100, 40)
	s.Keys("C")
	s.Want(t, "On the whole  1 open", "Quick start  2 open, 1 resolved", "Power  1 open")
	s.Keys("/", `"Which battery`, "enter", "esc", "enter")
	s.Want(t, "(3 of 3)", "▌ ┃ ● open Grace", "Which battery?")
	s.Keys("esc", "esc", "esc")
	s.Want(t, "Threads  3 open, 1 resolved on pages")
	s.Keys("/", `"How long`, "enter", "esc", "enter")
	s.Want(t, "(1 of 3)", "▌ ┃ ● open Grace · 3h ago · about “until")
}
