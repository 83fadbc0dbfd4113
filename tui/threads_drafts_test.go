package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// onRequest is the target of the drafts in these tests.
var onRequest = remote.Target{Space: "s_1", ChangeRequest: "cr_2"}

// On a form, u undoes only actions of the form.
func TestFormUndoesOwnActionsOnly(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 50)
	s.Keys("c", `"Words.`, "ctrl+s", "enter", "G", " ")
	s.Want(t, "✓ read", "u undo")
	s.Keys("S", "u")
	s.Want(t, "nothing to undo", "!u undo")
	if slices.ContainsFunc(s.Server.MarkWrites, func(m string) bool { return !strings.HasSuffix(m, " -") }) {
		t.Errorf("a mark was taken back: %v", s.Server.MarkWrites)
	}
	s.Keys("j", "j", "X")
	s.Want(t, "dropped", "u undo", "!Words.")
	s.Keys("u")
	s.Want(t, "Words.")
	s.Keys("esc", "esc")
	s.Want(t, "Changed pages")
}

// S submits from every page that mentions it: those of a change request.
func TestSubmitKeyWorksWhereShown(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"the request": nil, "changes": {"enter"}, "page": {"enter", "enter"}, "threads": {"C"}, "threads from changes": {"enter", "C"},
		"pages": {":", `"all pages with`, "enter"}, "links": {"enter", "enter", ":", `"links of the page`, "enter"}, "blame": {"enter", "enter", ":", `"who wrote`, "enter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := StartPrepared(ReviewOptions, 120, 50, func(s *Screen) { AddDrafts(s, drafts.Draft{Target: onRequest, Text: "On all.", About: "comment"}) })
			s.Keys(keys...)
			s.Want(t, "✎ 1 draft not sent")
			offered := strings.Contains(s.View(), "S sends")
			s.Keys("S")
			if opened := strings.Contains(s.View(), "Your review of #2"); opened != offered {
				t.Errorf("offered %v, opened %v:\n%s", offered, opened, s.View())
			}
			if lists := name == "links" || name == "blame"; offered == lists {
				t.Errorf("offered %v on %s", offered, name)
			}
		})
	}
}

// The thread list includes all unsent drafts: new threads with their page, and replies with their thread.
func TestThreadListShowsAllDrafts(t *testing.T) {
	t.Parallel()
	words := "green"
	s := StartPrepared(ReviewOptions, 120, 70, func(s *Screen) {
		AddDrafts(
			s, drafts.Draft{Target: onRequest, Text: "On all.", About: "comment on the change request"}, drafts.Draft{Target: onRequest, Page: "p_quick", Title: "Quick start", Node: "b_1", Text: "Here, please.", About: "comment on it"},
			drafts.Draft{Target: onRequest, Page: "p_new", Title: "Power", Original: "blue", Suggestion: &words, About: "suggestion for it"}, drafts.Draft{Target: onRequest, Comment: "c_4", Text: "An answer.", About: "reply to Grace"},
			drafts.Draft{Target: onRequest, Comment: "c_lost", Text: "Too late.", About: "reply to Lin"}, drafts.Draft{Target: onRequest, Review: true, Verdict: api.ReviewApproved, About: "your review"},
		)
	})
	s.Keys("C")
	s.Want(t, "On the whole  1 open, 0 resolved · 2 drafts not sent", "┆ On all.", "Quick start  2 open, 1 resolved · 1 draft not sent", "┆ Here, please.", "Power  1 draft not sent", "┆ An answer.", "┆ Too late.", "5 drafts not sent", "!your review")
	s.Keys("/", `"Here, please`, "enter", "esc")
	s.Want(t, "⏎ go to it", "e edit", "X drop")
	s.Keys("X")
	s.Want(t, "!Here, please.", "4 drafts not sent")
	s.Keys("u", "/", `"Here, please`, "enter", "esc", "enter")
	s.Want(t, "Quick start (1 of 3)", "▌ ┆ ✎ draft")
}

// openThreads opens the change request with three open threads on two pages, the last of which waits for the user.
func openThreads(s *Screen) {
	AddThread(s)
	s.Server.Author = NewUser("u_1", "Ada")
	s.Server.CommentList[0].PostedBy, s.Server.CommentList[3].PostedBy, s.Server.CommentList[2].PostedBy = NewUser("u_1", "Ada"), NewUser("u_1", "Ada"), NewUser("u_1", "Ada")
	s.Server.ReplyLists = nil
}

// n visits the threads in list order, waiting ones first, each once, wrapping around from any start. Resolving one
// skips none.
func TestNextThreadFollowsListOrder(t *testing.T) {
	t.Parallel()
	says := map[string]string{"c_5": "Which battery?", "c_1": "Is green right?", "c_4": "How long is that?", "c_3": "On the whole."}
	order := []string{"c_5", "c_1", "c_4", "c_3"}
	goes := func(t *testing.T, s *Screen, key string, ids ...string) {
		t.Helper()
		for _, id := range ids {
			s.Keys(key)
			if r, _ := s.Page().Base().Selected(); r.About.Comment != id || !r.Thread {
				t.Fatalf("%s goes to %q, not to %q", key, r.Line.String(), says[id])
			}
		}
	}
	for _, from := range [][]string{nil, {"g"}, {"G"}} {
		s := StartPrepared(ReviewOptions, 120, 70, openThreads)
		s.Keys(from...)
		goes(t, s, "n", append(slices.Clone(order), order...)...)
		goes(t, s, "N", "c_4", "c_1", "c_5", "c_3")
	}
	s := StartPrepared(ReviewOptions, 120, 70, openThreads)
	s.Want(t, "Threads  3 open, 1 resolved on pages")
	if shown := s.View(); strings.Index(shown, "Which battery") > strings.Index(shown, "“Is green") {
		t.Errorf("what waits is not first:\n%s", shown)
	}
	goes(t, s, "n", "c_5")
	s.Keys("x", "enter")
	s.Want(t, "✓ resolved", "2 open, 2 resolved")
	goes(t, s, "n", "c_1", "c_4", "c_3", "c_1")
	s.Keys("x", "enter")
	goes(t, s, "n", "c_4")
	s.Want(t, "this is the next open thread")
	goes(t, s, "n", "c_3")
}

// On a page, waiting threads are visited first, and none is skipped.
func TestNextThreadSkipsNone(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 120, 70, func(s *Screen) {
		openThreads(s)
		s.Server.CommentList[3].PostedBy = NewUser("u_2", "Grace") // the second thread of the page waits
	})
	s.Keys("enter")
	for _, want := range []string{"c_4", "c_1", "c_5", "c_4"} {
		s.Keys("n")
		s.Want(t, "▌ ┃ ● open")
		if r, _ := s.Page().Base().Selected(); r.About.Comment != want {
			t.Errorf("n goes to %q, not to %s", r.Line.String(), want)
		}
	}
}

// The outcomes have fixed numbers; enter selects the likely one.
func TestOutcomeNumbersAreFixed(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"“Is green", "answered", "▌ 2 answered"}, {"“How long", "done", "▌ 1 done"}} {
		s := Start(ReviewOptions, 120, 60)
		s.Keys("/", `"`+c[0], "enter", "esc", "x")
		s.Want(t, "(⏎: "+c[1]+")", c[2], " 1 done: ", " 2 answered: ", " 3 declined: ")
		s.Keys("enter")
		s.Want(t, "✓ resolved as "+c[1])
	}
}

// A closed thread shows who opened and closed it, and when.
func TestClosedThreadShowsCloser(t *testing.T) {
	t.Parallel()
	imke := NewUser("u_8", "Imke Adler")
	s := openChange(t, func(s *Screen) {
		c := &s.Server.CommentList[0]
		c.Status, c.Outcome, c.PostedBy, c.PostedAt = api.CommentResolved, api.OutcomeApplied, NewUser("u_1", "Ada"), api.At(Clock.Add(-25*time.Hour))
		c.Suggestion, c.ResolvedBy, c.ResolvedAt = &api.Suggestion{Original: "a", Markdown: "b"}, &imke, api.At(Clock.Add(-time.Minute))
		c = &s.Server.CommentList[3]
		c.Status, c.Outcome, c.ResolvedBy = api.CommentResolved, api.OutcomeDeclined, &imke
	}, 140, 60)
	s.Want(t, "✓ applied by Imke Adler 1m ago · suggested by you 1d ago", "✓ declined by Imke Adler · comment by Grace 3h ago")
}

func TestClosingThreadWarnsAboutUnsentReply(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 60)
	s.Keys("/", `"“How long`, "enter", "esc", "x", "enter")
	s.Want(t, "✓ resolved as done", "!your reply there")
	s.Keys("u", "/", `"“How long`, "enter", "esc", "r", `"A range.`, "ctrl+s", "x", "enter")
	s.Want(t, "✓ resolved as done · your reply there is not sent yet")
}

// A verdict names the earlier verdict that it replaces, before and after it is sent.
func TestVerdictNamesReplacedVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given   []api.Review
		before  string
		after   string
		stays   string
		verdict string
	}{
		{[]api.Review{VerdictBy(UserAda, api.ReviewChangesRequested, true), VerdictBy(UserAda, api.ReviewApproved, true)}, "it takes the place of your request for changes", "✓ approved · this takes the place of your request for changes", "no verdict: your request for changes stays", "2"},
		{[]api.Review{VerdictBy(UserAda, api.ReviewApproved, false)}, "it takes the place of your approval", "✓ requested changes · this takes the place of your approval", "no verdict: your approval stays", "3"},
		{[]api.Review{VerdictBy(UserAda, api.ReviewApproved, true)}, "!takes the place", "!takes the place", "no verdict: your approval stays", "2"},
		{[]api.Review{VerdictBy(UserLin, api.ReviewChangesRequested, true)}, "!takes the place", "!takes the place", "no verdict: your earlier one on #2, if any, stays", "2"},
	} {
		s := StartPrepared(ReviewOptions, 200, 50, func(s *Screen) { s.Server.ReviewList = c.given })
		s.Keys("S", "g")
		s.Want(t, c.stays)
		s.Keys(c.verdict)
		s.Want(t, c.before)
		s.Keys("ctrl+s", "ctrl+s")
		s.Want(t, c.after)
	}
}

func TestSentMessageNamesItems(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 120, 60, OwnChangeRequest)
	s.Keys("/", `"Check the`, "enter", "esc", "e", `" More.`, "ctrl+s")
	s.Want(t, "✓ description saved")
	s = Start(ReviewOptions, 120, 60)
	s.Server.CommentList[3].PostedBy = UserAda
	s.Keys("R", "/", `"“How long`, "enter", "esc", "e", `" More.`, "ctrl+s")
	s.Want(t, "✓ comment saved")
}

// Threads are in page tree order, and the list next to the changes shows their number per page.
func TestThreadsFollowPageOrder(t *testing.T) {
	t.Parallel()
	first := func(s *Screen) {
		AddThread(s)
		c := s.Server.CommentList
		s.Server.CommentList = append([]api.Comment{c[len(c)-1]}, c[:len(c)-1]...) // the newest thread is on the last page
	}
	s := StartPrepared(ReviewOptions, 160, 70, first)
	checkOrder(t, s, "Threads  3 open", "“Is green", "“How long", "“Which battery")
	s.Keys("C")
	checkOrder(t, s, "On the whole", "Quick start  2 open", "Power  1 open")
	s.Keys("esc", "enter")
	s.Want(t, "~ Quick start         ● 2", "battery,… ● 1")
	s.Keys("J", "J")
	s.Want(t, "~ Quick start         ● 2", "battery,… ● 1")
	s = StartPrepared(ReviewOptions, 160, 70, first)
	s.Keys("C", "/", `"Which battery`, "enter", "esc", "enter") // directly, without the change request
	s.Want(t, "~ Quick start         ● 2", "battery,… ● 1")
}

// checkOrder checks that texts appear one below the other.
func checkOrder(t *testing.T, s *Screen, texts ...string) {
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

// X deletes the user's own comments after naming the replies deleted with them. Comments of others cannot be deleted.
func TestDeleteOwnComments(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 120, 70, func(s *Screen) {
		c := s.Server.CommentList
		c[3].PostedBy, c[3].Replies, c[3].Suggestion = UserAda, 2, &api.Suggestion{Original: "a", Markdown: "b"}
		by := func(u api.User) api.CommentReply {
			return api.CommentReply{ReplyFields: api.ReplyFields{ID: "r_" + u.ID, Body: api.CommentText{Markdown: "Said by " + u.DisplayName}}, PostedBy: u}
		}
		s.Server.ReplyLists["c_4"] = []api.CommentReply{by(UserLin), by(UserGrace)}
	})
	s.Keys("C", "/", `"Is green`, "enter", "esc", "X")
	s.Want(t, "only its author can delete it", "!Delete")
	s.Keys("/", `"Yes.`, "enter", "esc", "X")
	s.Want(t, "Delete your reply? It cannot be undone.")
	s.Keys("y")
	s.Want(t, "✓ reply deleted", "!Yes.", "!u undo", "same as: wsctl change-request-replies delete r_1 --comment c_1 --space s_1 --change-request cr_2")
	s.Keys("/", `"How long`, "enter", "esc")
	s.Want(t, "!X d")
	s.Keys("e")
	s.Want(t, "to suggest other words, delete it (X) and suggest again")
	s.Keys("esc", "X")
	s.Want(t, "Delete your comment? What it suggests goes with it. The 2 replies by Lin and Grace go with it. It cannot be undone.")
	s.Keys("n")
	s.Want(t, "How long")
	s.Keys("X", "y")
	s.Want(t, "✓ comment deleted", "!How long")
	if diff := cmp.Diff([]string{"delete-reply c_1/r_1", "delete-comment c_4"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}
