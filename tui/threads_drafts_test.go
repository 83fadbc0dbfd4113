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
	s := start(reviewOptions, 120, 50)
	s.keys("c", `"Words.`, "ctrl+s", "enter", "G", " ")
	s.want(t, "✓ read", "u undo")
	s.keys("S", "u")
	s.want(t, "nothing to undo", "!u undo")
	if slices.ContainsFunc(s.fake.markWrites, func(m string) bool { return !strings.HasSuffix(m, " -") }) {
		t.Errorf("a mark was taken back: %v", s.fake.markWrites)
	}
	s.keys("j", "j", "X")
	s.want(t, "dropped", "u undo", "!Words.")
	s.keys("u")
	s.want(t, "Words.")
	s.keys("esc", "esc")
	s.want(t, "Changed pages")
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
			s := newPreparedScreen(reviewOptions, 120, 50, func(s *testScreen) { addDrafts(s, drafts.Draft{Target: onRequest, Text: "On all.", About: "comment"}) })
			s.keys(keys...)
			s.want(t, "✎ 1 draft not sent")
			offered := strings.Contains(s.screen(), "S sends")
			s.keys("S")
			if opened := strings.Contains(s.screen(), "Your review of #2"); opened != offered {
				t.Errorf("offered %v, opened %v:\n%s", offered, opened, s.screen())
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
	s := newPreparedScreen(reviewOptions, 120, 70, func(s *testScreen) {
		addDrafts(
			s, drafts.Draft{Target: onRequest, Text: "On all.", About: "comment on the change request"}, drafts.Draft{Target: onRequest, Page: "p_quick", Title: "Quick start", Node: "b_1", Text: "Here, please.", About: "comment on it"},
			drafts.Draft{Target: onRequest, Page: "p_new", Title: "Power", Original: "blue", Suggestion: &words, About: "suggestion for it"}, drafts.Draft{Target: onRequest, Comment: "c_4", Text: "An answer.", About: "reply to Grace"},
			drafts.Draft{Target: onRequest, Comment: "c_lost", Text: "Too late.", About: "reply to Lin"}, drafts.Draft{Target: onRequest, Review: true, Verdict: api.ReviewApproved, About: "your review"},
		)
	})
	s.keys("C")
	s.want(t, "On the whole  1 open, 0 resolved · 2 drafts not sent", "┆ On all.", "Quick start  2 open, 1 resolved · 1 draft not sent", "┆ Here, please.", "Power  1 draft not sent", "┆ An answer.", "┆ Too late.", "5 drafts not sent", "!your review")
	s.keys("/", `"Here, please`, "enter", "esc")
	s.want(t, "⏎ go to it", "e edit", "X drop")
	s.keys("X")
	s.want(t, "!Here, please.", "4 drafts not sent")
	s.keys("u", "/", `"Here, please`, "enter", "esc", "enter")
	s.want(t, "Quick start (1 of 3)", "▌ ┆ ✎ draft")
}

// openThreads opens the change request with three open threads on two pages, the last of which waits for the user.
func openThreads(s *testScreen) {
	addThread(s)
	s.fake.author = newUser("u_1", "Ada")
	s.fake.comments[0].PostedBy, s.fake.comments[3].PostedBy, s.fake.comments[2].PostedBy = newUser("u_1", "Ada"), newUser("u_1", "Ada"), newUser("u_1", "Ada")
	s.fake.replies = nil
}

// n visits the threads in list order, waiting ones first, each once, wrapping around from any start. Resolving one
// skips none.
func TestNextThreadFollowsListOrder(t *testing.T) {
	t.Parallel()
	says := map[string]string{"c_5": "Which battery?", "c_1": "Is green right?", "c_4": "How long is that?", "c_3": "On the whole."}
	order := []string{"c_5", "c_1", "c_4", "c_3"}
	goes := func(t *testing.T, s *testScreen, key string, ids ...string) {
		t.Helper()
		for _, id := range ids {
			s.keys(key)
			if r, _ := s.page().Base().Selected(); r.About.Comment != id || !r.Thread {
				t.Fatalf("%s goes to %q, not to %q", key, r.Line.String(), says[id])
			}
		}
	}
	for _, from := range [][]string{nil, {"g"}, {"G"}} {
		s := newPreparedScreen(reviewOptions, 120, 70, openThreads)
		s.keys(from...)
		goes(t, s, "n", append(slices.Clone(order), order...)...)
		goes(t, s, "N", "c_4", "c_1", "c_5", "c_3")
	}
	s := newPreparedScreen(reviewOptions, 120, 70, openThreads)
	s.want(t, "Threads  3 open, 1 resolved on pages")
	if shown := s.screen(); strings.Index(shown, "Which battery") > strings.Index(shown, "“Is green") {
		t.Errorf("what waits is not first:\n%s", shown)
	}
	goes(t, s, "n", "c_5")
	s.keys("x", "enter")
	s.want(t, "✓ resolved", "2 open, 2 resolved")
	goes(t, s, "n", "c_1", "c_4", "c_3", "c_1")
	s.keys("x", "enter")
	goes(t, s, "n", "c_4")
	s.want(t, "this is the next open thread")
	goes(t, s, "n", "c_3")
}

// On a page, waiting threads are visited first, and none is skipped.
func TestNextThreadSkipsNone(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 120, 70, func(s *testScreen) {
		openThreads(s)
		s.fake.comments[3].PostedBy = newUser("u_2", "Grace") // the second thread of the page waits
	})
	s.keys("enter")
	for _, want := range []string{"c_4", "c_1", "c_5", "c_4"} {
		s.keys("n")
		s.want(t, "▌ ┃ ● open")
		if r, _ := s.page().Base().Selected(); r.About.Comment != want {
			t.Errorf("n goes to %q, not to %s", r.Line.String(), want)
		}
	}
}

// The outcomes have fixed numbers; enter selects the likely one.
func TestOutcomeNumbersAreFixed(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"“Is green", "answered", "▌ 2 answered"}, {"“How long", "done", "▌ 1 done"}} {
		s := start(reviewOptions, 120, 60)
		s.keys("/", `"`+c[0], "enter", "esc", "x")
		s.want(t, "(⏎: "+c[1]+")", c[2], " 1 done: ", " 2 answered: ", " 3 declined: ")
		s.keys("enter")
		s.want(t, "✓ resolved as "+c[1])
	}
}

// A closed thread shows who opened and closed it, and when.
func TestClosedThreadShowsCloser(t *testing.T) {
	t.Parallel()
	imke := newUser("u_8", "Imke Adler")
	s := openChange(t, func(s *testScreen) {
		c := &s.fake.comments[0]
		c.Status, c.Outcome, c.PostedBy, c.PostedAt = api.CommentResolved, api.OutcomeApplied, newUser("u_1", "Ada"), api.At(clock.Add(-25*time.Hour))
		c.Suggestion, c.ResolvedBy, c.ResolvedAt = &api.Suggestion{Original: "a", Markdown: "b"}, &imke, api.At(clock.Add(-time.Minute))
		c = &s.fake.comments[3]
		c.Status, c.Outcome, c.ResolvedBy = api.CommentResolved, api.OutcomeDeclined, &imke
	}, 140, 60)
	s.want(t, "✓ applied by Imke Adler 1m ago · suggested by you 1d ago", "✓ declined by Imke Adler · comment by Grace 3h ago")
}

func TestClosingThreadWarnsAboutUnsentReply(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.keys("/", `"“How long`, "enter", "esc", "x", "enter")
	s.want(t, "✓ resolved as done", "!your reply there")
	s.keys("u", "/", `"“How long`, "enter", "esc", "r", `"A range.`, "ctrl+s", "x", "enter")
	s.want(t, "✓ resolved as done · your reply there is not sent yet")
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
		{[]api.Review{verdictBy(userAda, api.ReviewChangesRequested, true), verdictBy(userAda, api.ReviewApproved, true)}, "it takes the place of your request for changes", "✓ approved · this takes the place of your request for changes", "no verdict: your request for changes stays", "2"},
		{[]api.Review{verdictBy(userAda, api.ReviewApproved, false)}, "it takes the place of your approval", "✓ requested changes · this takes the place of your approval", "no verdict: your approval stays", "3"},
		{[]api.Review{verdictBy(userAda, api.ReviewApproved, true)}, "!takes the place", "!takes the place", "no verdict: your approval stays", "2"},
		{[]api.Review{verdictBy(userLin, api.ReviewChangesRequested, true)}, "!takes the place", "!takes the place", "no verdict: your earlier one on #2, if any, stays", "2"},
	} {
		s := newPreparedScreen(reviewOptions, 200, 50, func(s *testScreen) { s.fake.reviews = c.given })
		s.keys("S", "g")
		s.want(t, c.stays)
		s.keys(c.verdict)
		s.want(t, c.before)
		s.keys("ctrl+s", "ctrl+s")
		s.want(t, c.after)
	}
}

func TestSentMessageNamesItems(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 120, 60, ownChangeRequest)
	s.keys("/", `"Check the`, "enter", "esc", "e", `" More.`, "ctrl+s")
	s.want(t, "✓ description saved")
	s = start(reviewOptions, 120, 60)
	s.fake.comments[3].PostedBy = userAda
	s.keys("R", "/", `"“How long`, "enter", "esc", "e", `" More.`, "ctrl+s")
	s.want(t, "✓ comment saved")
}

// Threads are in page tree order, and the list next to the changes shows their number per page.
func TestThreadsFollowPageOrder(t *testing.T) {
	t.Parallel()
	first := func(s *testScreen) {
		addThread(s)
		c := s.fake.comments
		s.fake.comments = append([]api.Comment{c[len(c)-1]}, c[:len(c)-1]...) // the newest thread is on the last page
	}
	s := newPreparedScreen(reviewOptions, 160, 70, first)
	checkOrder(t, s, "Threads  3 open", "“Is green", "“How long", "“Which battery")
	s.keys("C")
	checkOrder(t, s, "On the whole", "Quick start  2 open", "Power  1 open")
	s.keys("esc", "enter")
	s.want(t, "~ Quick start         ● 2", "battery,… ● 1")
	s.keys("J", "J")
	s.want(t, "~ Quick start         ● 2", "battery,… ● 1")
	s = newPreparedScreen(reviewOptions, 160, 70, first)
	s.keys("C", "/", `"Which battery`, "enter", "esc", "enter") // directly, without the change request
	s.want(t, "~ Quick start         ● 2", "battery,… ● 1")
}

// checkOrder checks that texts appear one below the other.
func checkOrder(t *testing.T, s *testScreen, texts ...string) {
	t.Helper()
	shown, last := s.screen(), -1
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
	s := newPreparedScreen(reviewOptions, 120, 70, func(s *testScreen) {
		c := s.fake.comments
		c[3].PostedBy, c[3].Replies, c[3].Suggestion = userAda, 2, &api.Suggestion{Original: "a", Markdown: "b"}
		by := func(u api.User) api.CommentReply {
			return api.CommentReply{ReplyFields: api.ReplyFields{ID: "r_" + u.ID, Body: api.CommentText{Markdown: "Said by " + u.DisplayName}}, PostedBy: u}
		}
		s.fake.replies["c_4"] = []api.CommentReply{by(userLin), by(userGrace)}
	})
	s.keys("C", "/", `"Is green`, "enter", "esc", "X")
	s.want(t, "only its author can delete it", "!Delete")
	s.keys("/", `"Yes.`, "enter", "esc", "X")
	s.want(t, "Delete your reply? It cannot be undone.")
	s.keys("y")
	s.want(t, "✓ reply deleted", "!Yes.", "!u undo", "same as: wsctl change-request-replies delete r_1 --comment c_1 --space s_1 --change-request cr_2")
	s.keys("/", `"How long`, "enter", "esc")
	s.want(t, "!X d")
	s.keys("e")
	s.want(t, "to suggest other words, delete it (X) and suggest again")
	s.keys("esc", "X")
	s.want(t, "Delete your comment? What it suggests goes with it. The 2 replies by Lin and Grace go with it. It cannot be undone.")
	s.keys("n")
	s.want(t, "How long")
	s.keys("X", "y")
	s.want(t, "✓ comment deleted", "!How long")
	if diff := cmp.Diff([]string{"delete-reply c_1/r_1", "delete-comment c_4"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}
