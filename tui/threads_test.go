package tui

import (
	"testing"

	"docspace.dev/wsd/client/api"
)

// AddThread adds an open thread on the new page.
func AddThread(s *Screen) {
	target := api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_new", Title: "Power"}, Node: &api.CommentNode{ID: "b_1"}}
	s.Server.CommentList = append(s.Server.CommentList, s.Server.NewComment("c_5", "Which battery?", target))
}

// n visits threads across pages and wraps around. N goes back to the last thread of the preceding page.
func TestNextThreadOnOtherPage(t *testing.T) {
	t.Parallel()
	s := openChange(t, AddThread, 100, 40)
	s.Keys("n", "n")
	s.Want(t, "▌ ┃ ● open Grace · 3h ago · about “until")
	s.Keys("n")
	s.Want(t, "(3 of 3)", "▌ ┃ ● open Grace", "Which battery?")
	s.Keys("n")
	s.Want(t, "Quick start (1 of 3)", "▌ ┃ ● open Grace · 3h ago  ")
	s.Keys("N", "N")
	s.Want(t, "Quick start (1 of 3)", "▌ ┃ ● open Grace · 3h ago · about “until")
}

func TestNoMoreOpenThreads(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *Screen) { s.Server.CommentList = nil }, 100, 40)
	s.Keys("n")
	s.Want(t, "no more open threads")
}

// A late response of the iteration does not replace a page that the user opened in the meantime.
func TestLateThreadIterationIsIgnored(t *testing.T) {
	t.Parallel()
	s := openChange(t, AddThread, 100, 40)
	s.Keys("n", "n")
	s.Press("n")
	s.Press("esc")
	shown := s.View()
	s.Drain()
	if s.View() != shown {
		t.Errorf("the walk went on:\n%s", s.View())
	}
}

func TestThreadsAreGroupedByPage(t *testing.T) {
	t.Parallel()
	s := openChange(t, AddThread, 100, 40)
	s.Keys("C")
	s.Want(t, "On the whole  1 open", "Quick start  2 open, 1 resolved", "Power  1 open")
	s.Keys("/", `"Which battery`, "enter", "esc", "enter")
	s.Want(t, "(3 of 3)", "▌ ┃ ● open Grace", "Which battery?")
	s.Keys("esc", "esc", "esc")
	s.Want(t, "Threads  3 open, 1 resolved on pages")
	s.Keys("/", `"How long`, "enter", "esc", "enter")
	s.Want(t, "(1 of 3)", "▌ ┃ ● open Grace · 3h ago · about “until")
}
