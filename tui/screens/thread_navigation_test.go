package screens_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

// openThreads opens the change request with three open threads on two pages, the last of which waits for the user.
func openThreads(s *tuitest.Screen) {
	tuitest.AddThread(s)
	s.Server.Author = tuitest.NewUser("u_1", "Ada")
	s.Server.CommentList[0].PostedBy, s.Server.CommentList[3].PostedBy, s.Server.CommentList[2].PostedBy = tuitest.NewUser("u_1",
		"Ada"), tuitest.NewUser("u_1", "Ada"), tuitest.NewUser("u_1", "Ada")
	s.Server.ReplyLists = nil
}

// checkOrder checks that texts appear one below the other.
func checkOrder(t *testing.T, s *tuitest.Screen, texts ...string) {
	t.Helper()
	shown, last := s.View(), -1
	for _, text := range texts {
		at := strings.Index(shown, text)
		if at < last || at < 0 {
			t.Errorf("%q is at %d, after %d, in\n%s", text, at, last, shown)
		}
		last = at
	}
}

// TestNextThreadWrapsAround checks that the first open thread comes again after the last one, with a message, and that threads
// on the whole change request, which have no page, are named.
func TestNextThreadWrapsAround(t *testing.T) {
	t.Parallel()
	for beyond, whole := range map[string]api.CommentStatus{
		"; there is none": api.CommentResolved, " again; 1 about the request as a whole: C": api.CommentOpen,
	} {
		s := openChange(t, func(s *tuitest.Screen) { s.Server.CommentList[2].Status = whole }, 100, 40)
		s.Keys("n", "n")
		s.Want(t, "▌ ┃ ● open Grace · 3h ago · about “until")
		s.Keys("n")
		s.Want(t, "▌ ┃ ● open Grace · 3h ago  ", "the first open thread", beyond)
		s.Keys("N")
		s.Want(t, "▌ ┃ ● open Grace · 3h ago · about “until", "the last open thread", beyond)
	}
	s := openChange(t, func(s *tuitest.Screen) { s.Server.CommentList = s.Server.CommentList[:1] }, 100, 40)
	s.Keys("n", "n")
	s.Want(t, "▌ ┃ ● open Grace", "this is the only open thread")
	s = openChange(t, func(s *tuitest.Screen) { s.Server.CommentList = s.Server.CommentList[:3] }, 100, 40)
	s.Keys("n", "n")
	s.Want(t, "▌ ┃ ● open Grace", "the only one on a page; 1 about the request as a whole: C")
	s = openChange(t, func(s *tuitest.Screen) { s.Server.CommentList = s.Server.CommentList[1:3] }, 100, 40)
	s.Keys("n")
	s.Want(t, "no more on pages; 1 about the request as a whole: C")
}

// TestWaitingThreadsAreMarked checks that threads that wait for the author are marked, and that the menu shows only them.
func TestWaitingThreadsAreMarked(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 160, 60, tuitest.OwnChangeRequest) // Ada has replied to the first thread
	s.Want(t, "● Grace “Is green right? red”", "● Grace waits for you “How long is that?”")
	s.Keys("n")
	s.Want(t, "▌ ● Grace “Is green right? red”")
	s.Keys("n")
	s.Want(t, "▌ ● Grace waits for you “How long is that?”")
	s.Keys("enter")
	s.Want(t, "● open Grace · 3h ago · waits for you · about “until the light is green”")
	s.Keys("esc", ".", `"wait for me`, "enter")
	s.Want(t, "only the threads that wait for you are shown", "1 on pages that wait for you", "● Grace waits for you “How long",
		"!Is green right")
	s.Keys(".", `"wait for me`, "enter")
	s.Want(t, "all threads are shown", "Is green right")
	s = tuitest.Start(tuitest.ReviewOptions, 160, 60)
	s.Want(t, "!waits for you")
	s.Keys("n")
	s.Want(t, "▌ ● Grace “Is green right? red”")
}

// TestNextThreadFollowsListOrder checks that n visits the threads in list order, each once, wrapping around from any start, and
// that resolving one skips none.
func TestNextThreadFollowsListOrder(t *testing.T) {
	t.Parallel()
	says := map[string]string{"c_5": "Which battery?", "c_1": "Is green right?", "c_4": "How long is that?", "c_3": "On the whole."}
	order := []string{"c_1", "c_4", "c_5", "c_3"}
	goes := func(t *testing.T, s *tuitest.Screen, key string, ids ...string) {
		t.Helper()
		for _, id := range ids {
			s.Keys(key)
			if r, _ := s.Page().Base().Selected(); r.About.Comment != id || !r.Thread {
				t.Fatalf("%s goes to %q, not to %q", key, r.Line.String(), says[id])
			}
		}
	}
	for _, from := range [][]string{nil, {"g"}, {"G"}} {
		s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, openThreads)
		s.Keys(from...)
		goes(t, s, "n", append(slices.Clone(order), order...)...)
		goes(t, s, "N", "c_5", "c_4", "c_1", "c_3")
	}
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, openThreads)
	s.Want(t, "Threads  3 open, 1 resolved on pages · text order")
	goes(t, s, "n", "c_1")
	s.Keys("x", "enter")
	s.Want(t, "✓ resolved", "2 open, 2 resolved")
	goes(t, s, "n", "c_4")
	s.Want(t, "this is the next open thread")
	goes(t, s, "n", "c_5", "c_3", "c_4")
}

// TestNextThreadFollowsTextOrder checks that threads on a page are visited in the order of the text, and that none is skipped.
func TestNextThreadFollowsTextOrder(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, func(s *tuitest.Screen) {
		openThreads(s)
		s.Server.CommentList[3].PostedBy = tuitest.NewUser("u_2", "Grace") // the second thread of the page waits
	})
	s.Keys("enter")
	for _, want := range []string{"c_1", "c_4", "c_5", "c_1"} {
		s.Keys("n")
		s.Want(t, "▌ ┃ ● open")
		if r, _ := s.Page().Base().Selected(); r.About.Comment != want {
			t.Errorf("n goes to %q, not to %s", r.Line.String(), want)
		}
	}
}

// TestNextThreadOnOtherPage checks that n visits threads across pages and wraps around, and that N goes back to the last thread
// of the preceding page.
func TestNextThreadOnOtherPage(t *testing.T) {
	t.Parallel()
	s := openChange(t, tuitest.AddThread, 100, 40)
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
	s := openChange(t, func(s *tuitest.Screen) { s.Server.CommentList = nil }, 100, 40)
	s.Keys("n")
	s.Want(t, "no more open threads")
}

// TestLateThreadIterationIsIgnored checks that a late response of the navigation through threads does not replace a page that
// the user opened in the meantime.
func TestLateThreadIterationIsIgnored(t *testing.T) {
	t.Parallel()
	s := openChange(t, tuitest.AddThread, 100, 40)
	s.Keys("n", "n")
	s.Press("n")
	s.Press("esc")
	shown := s.View()
	s.Drain()
	if s.View() != shown {
		t.Errorf("the walk went on:\n%s", s.View())
	}
}

// TestThreadsFollowTextOrder checks that threads are listed in the order of the text and not in that of their creation, in all
// lists.
func TestThreadsFollowTextOrder(t *testing.T) {
	t.Parallel()
	prepare := func(s *tuitest.Screen) {
		s.Server.ReplyLists = nil
		for i, start := range map[int]int{0: 40, 3: 3} { // the first comment is about a later text
			s.Server.CommentList[i].Target.Anchor = &api.CommentAnchor{State: api.AnchorExact, Page: "p_quick", Node: "b_1", Start: &start}
		}
	}
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, prepare)
	checkOrder(t, s, "Threads  ", "“How long is that?”", "“Is green right? red”")
	s.Keys("enter")
	checkOrder(t, s, "┃ How long is that?", "┃ Is green right?")
	s.Keys("C")
	checkOrder(t, s, "┃ How long is that?", "┃ Is green right?")
}
