package tui

import (
	"testing"

	"docspace.dev/wsd/client/api"
)

// addThread adds an open thread on the new page.
func addThread(s *testScreen) {
	target := api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_new", Title: "Power"}, Node: &api.CommentNode{ID: "b_1"}}
	s.fake.comments = append(s.fake.comments, s.fake.comment("c_5", "Which battery?", target))
}

// n visits threads across pages and wraps around. N goes back to the last thread of the preceding page.
func TestNextThreadOnOtherPage(t *testing.T) {
	t.Parallel()
	s := openChange(t, addThread, 100, 40)
	s.keys("n", "n")
	s.want(t, "▌ ┃ ● open Grace · 3h ago · about “until")
	s.keys("n")
	s.want(t, "(3 of 3)", "▌ ┃ ● open Grace", "Which battery?")
	s.keys("n")
	s.want(t, "Quick start (1 of 3)", "▌ ┃ ● open Grace · 3h ago  ")
	s.keys("N", "N")
	s.want(t, "Quick start (1 of 3)", "▌ ┃ ● open Grace · 3h ago · about “until")
}

func TestNoMoreOpenThreads(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *testScreen) { s.fake.comments = nil }, 100, 40)
	s.keys("n")
	s.want(t, "no more open threads")
}

// A late response of the iteration does not replace a page that the user opened in the meantime.
func TestLateThreadIterationIsIgnored(t *testing.T) {
	t.Parallel()
	s := openChange(t, addThread, 100, 40)
	s.keys("n", "n")
	s.press("n")
	s.press("esc")
	shown := s.screen()
	s.drain()
	if s.screen() != shown {
		t.Errorf("the walk went on:\n%s", s.screen())
	}
}

func TestThreadsAreGroupedByPage(t *testing.T) {
	t.Parallel()
	s := openChange(t, addThread, 100, 40)
	s.keys("C")
	s.want(t, "On the whole  1 open", "Quick start  2 open, 1 resolved", "Power  1 open")
	s.keys("/", `"Which battery`, "enter", "esc", "enter")
	s.want(t, "(3 of 3)", "▌ ┃ ● open Grace", "Which battery?")
	s.keys("esc", "esc", "esc")
	s.want(t, "Threads  3 open, 1 resolved on pages")
	s.keys("/", `"How long`, "enter", "esc", "enter")
	s.want(t, "(1 of 3)", "▌ ┃ ● open Grace · 3h ago · about “until")
}
