package screens_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

func TestThreadActions(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("enter", "n", "x", "3", "x", "+", "2", "+", "1", "j", "j", "j", "+", "3", "e", `"!`, "ctrl+s")
	want := []string{
		"update-comment c_1 resolved true declined", "update-comment c_1 resolved false", "update-comment c_1👎",
		"update-comment c_1👍", "update-reply c_1/r_1🎉", "update-reply c_1/r_1 text Yes.!",
	}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// On a thread of another user, e edits the page; where there is no page, it reports that.
func TestEditOnForeignThread(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 80, 24, tuitest.OwnChangeRequest)
	tuitest.WritePage(s, "green", "red")
	s.Keys("enter", "n", "e")
	if len(s.Server.Writes) != 1 || !strings.HasPrefix(s.Server.Writes[0], "edit update_page p_quick") {
		t.Errorf("wrote %q", s.Server.Writes)
	}
	s.Keys("C", "e")
	s.Want(t, "put the cursor on a page, or on a comment of yours")
}

func TestCommentOnBlockUnderCursor(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("enter", "]", "c", "ctrl+e", "ctrl+s")
	s.Keys(":", `"on the page`, "enter", `"whole`, "ctrl+s", "S", "ctrl+s")
	want := []string{"submit  of r_7\n  p_quick/b_1 at r_7: from the editor\n  p_quick/ at r_7: whole"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// A comment on a removed text is attached to its page.
func TestCommentOnRemovedText(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("enter", "/", `"Old words`, "enter", "v")
	s.Want(t, "this text is removed: c comments on the page")
	s.Keys("c", `"why`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/ at r_7: why"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestFailedWriteIsReported(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Server.Fail["update-comment"] = api.Errorf(403, api.ReasonForbidden, "Only its author may resolve it.")
	s.Keys("enter", "n", "x", "enter")
	s.Want(t, "not allowed: Only its author may resolve it.", "● open Grace")
}

func TestUserIsShownAsYou(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, func(s *tuitest.Screen) {
		s.Server.CommentList[2].PostedBy = tuitest.UserAda
	})
	s.Want(t, "● open you · 3h ago", "!Ada ·", "!● open Ada")
	s.Keys("/", `"open you`, "enter", "esc", "r")
	s.Want(t, "reply in your thread")
}

// TestOutcomeNumbersAreFixed checks that the outcomes have fixed numbers, and that enter selects the likely one.
func TestOutcomeNumbersAreFixed(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"“Is green", "answered", "▌ 2 answered"}, {"“How long", "done", "▌ 1 done"}} {
		s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
		s.Keys("/", `"`+c[0], "enter", "esc", "x")
		s.Want(t, "(⏎: "+c[1]+")", c[2], " 1 done: ", " 2 answered: ", " 3 declined: ")
		s.Keys("enter")
		s.Want(t, "✓ resolved as "+c[1])
	}
}

// TestClosedThreadShowsCloser checks that a closed thread shows who opened and closed it, and when.
func TestClosedThreadShowsCloser(t *testing.T) {
	t.Parallel()
	imke := tuitest.NewUser("u_8", "Imke Adler")
	s := openChange(t, func(s *tuitest.Screen) {
		c := &s.Server.CommentList[0]
		c.Status, c.Outcome, c.PostedBy, c.PostedAt = api.CommentResolved, api.OutcomeApplied, tuitest.NewUser("u_1",
			"Ada"), api.At(tuitest.Clock.Add(-25*time.Hour))
		c.Suggestion, c.ResolvedBy, c.ResolvedAt = &api.Suggestion{Original: "a", Markdown: "b"}, &imke,
			api.At(tuitest.Clock.Add(-time.Minute))
		c = &s.Server.CommentList[3]
		c.Status, c.Outcome, c.ResolvedBy = api.CommentResolved, api.OutcomeDeclined, &imke
	}, 140, 60)
	s.Want(t, "✓ applied by Imke Adler 1m ago · suggested by you 1d ago", "✓ declined by Imke Adler · comment by Grace 3h ago")
}

func TestClosingThreadWarnsAboutUnsentReply(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Keys("/", `"“How long`, "enter", "esc", "x", "enter")
	s.Want(t, "✓ resolved as done", "!your reply there")
	s.Keys("u", "/", `"“How long`, "enter", "esc", "r", `"A range.`, "ctrl+s", "x", "enter")
	s.Want(t, "✓ resolved as done · your reply there is not sent yet")
}

// TestDeleteOwnComments checks that X deletes the user's own comments after naming the replies deleted with them, and that
// comments of others cannot be deleted.
func TestDeleteOwnComments(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, func(s *tuitest.Screen) {
		c := s.Server.CommentList
		c[3].PostedBy, c[3].Replies, c[3].Suggestion = tuitest.UserAda, 2, &api.Suggestion{Original: "a", Markdown: "b"}
		by := func(u api.User) api.CommentReply {
			return api.CommentReply{
				ReplyFields: api.ReplyFields{ID: "r_" + u.ID, Body: api.CommentText{Markdown: "Said by " + u.DisplayName}}, PostedBy: u,
			}
		}
		s.Server.ReplyLists["c_4"] = []api.CommentReply{by(tuitest.UserLin), by(tuitest.UserGrace)}
	})
	s.Keys("C", "/", `"Is green`, "enter", "esc", "X")
	s.Want(t, "only its author can delete it", "!Delete")
	s.Keys("/", `"Yes.`, "enter", "esc", "X")
	s.Want(t, "Delete your reply? It cannot be undone.")
	s.Keys("tab", "enter")
	s.Want(t, "✓ reply deleted", "!Yes.", "!u undo",
		"same as: wsctl change-request-replies delete r_1 --comment c_1 --space s_1 --change-request cr_2")
	s.Keys("/", `"How long`, "enter", "esc")
	s.Want(t, "!X d")
	s.Keys("e")
	s.Want(t, "to suggest other words, delete it (X) and suggest again")
	s.Keys("esc", "X")
	s.Want(t, "Delete your comment? What it suggests goes with it. The 2 replies by Lin and Grace go with it. It cannot be undone.")
	s.Keys("n")
	s.Want(t, "How long")
	s.Keys("X", "tab", "enter")
	s.Want(t, "✓ comment deleted", "!How long")
	if diff := cmp.Diff([]string{"delete-reply c_1/r_1", "delete-comment c_4"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}
