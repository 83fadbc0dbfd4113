package screens_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

const wholeReview = "submit changes-requested of r_7: In short.\n  p_quick/b_1 blocking at r_7: On a block.\n  reply c_4: A reply.\n" +
	"  p_quick/ at r_7: On the page."

// TestReviewSurvivesExit checks that the next screen resumes a review if a screen ends while it sends the review: nothing is
// lost or posted twice.
func TestReviewSurvivesExit(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		for steps := range 14 {
			t.Run(fmt.Sprintf("%v/%d", lost, steps), func(t *testing.T) {
				t.Parallel()
				d := tuitest.NewReviewer(t)
				s := d.DraftReview()
				s.Keys("S", "tab", "tab", "j", "enter", `"In short.`, "esc")
				d.Server.LoseResponses = lost
				s.Press("ctrl+s")
				for range steps {
					if len(s.Queued) > 0 {
						s.Run(0)
					}
				}
				d.Server.LoseResponses = false // the first screen has ended, so its commands never run
				next := d.OpenScreen()
				if texts, _ := d.Journaled(t); len(texts) > 0 {
					next.Keys("S")
					next.Want(t, "Drafts  4 not sent", "(•) request changes", "In short.")
					next.Keys("ctrl+s")
				}
				if diff := cmp.Diff([]string{wholeReview}, d.Server.Writes); diff != "" {
					t.Error(diff)
				}
				if texts, frozen := d.Journaled(t); len(texts) > 0 || frozen > 0 {
					t.Errorf("the disk has %q and %d reviews", texts, frozen)
				}
			})
		}
	}
}

// TestPendingReviewIsReadOnly checks that a review being sent cannot be edited, and is sent with the same id until it is
// stored.
func TestPendingReviewIsReadOnly(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.DraftReview()
	d.Server.Fail["submit"] = tuitest.ErrUnreachable
	s.Keys("S", "tab", "tab", "ctrl+s")
	s.Want(t, "offline: your review of #2 is kept as it is", "sent, not answered yet, ", "no answer came")
	s.Keys("tab")
	s.Want(t, "nothing in it can be changed")
	s.Keys("esc", "enter", "]", "/", `"On a block.`, "enter", "esc", "e")
	s.Want(t, "sent, not answered yet", "nothing in it can be changed", "!█")
	s.Keys("X")
	s.Want(t, "nothing in it can be changed", "┆ On a block.")
	d.Server.Fail["submit"] = nil
	s.Send(tui.TimeMsg{})
	s.Drain()
	s.Want(t, "✓ requested changes, with 2 comments and 1 reply", "!not answered yet")
	if len(d.Server.Writes) != 1 {
		t.Errorf("wrote %q", d.Server.Writes)
	}
	if texts, frozen := d.Journaled(t); len(texts) > 0 || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
}

// TestRejectedDraftIsKept checks that a rejected draft is named and kept, and that the others are posted.
func TestRejectedDraftIsKept(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.DraftReview()
	d.Server.FailOnce["submit"] = api.InvalidField("drafts[1].replyTo", "is not a comment of this change request")
	s.Keys("S", "ctrl+s")
	s.Want(t, "▌ [x] ↳ reply to Grace", "✗ refused: the thread is not a comment of this change request", "Drafts  3 not sent")
	s.Keys(" ")
	s.Want(t, "[ ] ↳ reply to Grace", "held back", "Drafts  3 not sent · 1 held back")
	s.Keys("ctrl+s")
	s.Want(t, "✓ 2 comments posted")
	if texts, frozen := d.Journaled(t); len(texts) != 1 || texts[0] != "A reply." || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 blocking at r_7: On a block.\n  p_quick/ at r_7: On the page."},
		d.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestApprovalWarnings checks that unread pages, changed pages and the reviewer's own blocking comment are listed once before
// an approval is sent.
func TestApprovalWarnings(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.DraftReview()
	d.Server.Head = "r_8"
	s.Keys("a", "ctrl+s")
	s.Want(t, "it changed, nothing is sent", "▌ ! The request changed while you read", "+ Power and battery, with a title")
	s.Keys("ctrl+s")
	s.Want(t, "You approve, and one of your comments is blocking. Send both?")
	s.Keys("n", "R")
	s.Want(t, "Changed since you read it (1)")
	s.Keys("esc", "ctrl+s", "tab", "enter")
	s.Want(t, "approved, with 2 comments and 1 reply: does not count")
	if len(d.Server.Writes) != 1 || !strings.HasPrefix(d.Server.Writes[0], "submit approved of r_7\n") {
		t.Errorf("wrote %q", d.Server.Writes)
	}
}

// A verdict on a request that changed while the form was open is sent only after a warning, and is then shown as not counting.
func TestVerdictOnMovedHead(t *testing.T) {
	t.Parallel()
	for _, verdict := range []struct{ keys, want string }{
		{"a", "submit approved of r_7"}, {"shift+tab", "submit changes-requested of r_7: Why."},
	} {
		d := tuitest.NewReviewer(t)
		s := d.OpenScreen()
		s.Keys("S", verdict.keys)
		if verdict.keys != "a" {
			s.Keys("enter", `"Why.`, "esc")
		}
		d.Server.Head = "r_8"
		s.Keys("ctrl+s")
		s.Want(t, "it changed, nothing is sent", "▌ ! The request changed while you read")
		if len(d.Server.Writes) > 0 {
			t.Errorf("wrote %q without a warning", d.Server.Writes)
		}
		s.Keys("ctrl+s")
		s.Want(t, "does not count for what came in since: R shows it", "!✓ approved", "!✓ requested")
		if diff := cmp.Diff([]string{verdict.want}, d.Server.Writes); diff != "" {
			t.Error(diff)
		}
	}
}

// TestVerdictFollowsFastKeys checks that the verdict is the last one selected, even if keys arrive before the journal is
// loaded.
func TestVerdictFollowsFastKeys(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"tab", "tab"}, {"shift+tab"}, {"a", "tab"}} {
		d := tuitest.NewReviewer(t)
		s := d.OpenScreen()
		s.Keys("S")
		for _, key := range append(keys, "ctrl+s", "ctrl+s") {
			s.Press(key)
		}
		s.Drain()
		s.Want(t, "✓ requested changes")
		if diff := cmp.Diff([]string{"submit changes-requested of r_7"}, d.Server.Writes); diff != "" {
			t.Errorf("%v: %s", keys, diff)
		}
	}
}

// TestDraftOnRemovedText checks that a draft on a removed text is still shown and is posted with its quote.
func TestDraftOnRemovedText(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.DraftReview()
	d.Server.Texts["cr_2"]["p_quick"] = "# Quick start\n"
	s.Keys("R", "G")
	s.Want(t, "the text of these drafts is gone: they are posted with the quoted text", "┆ On a block.", "┆ On the page.")
	s.Keys("S", "ctrl+s")
	s.Want(t, "✓ 2 comments and 1 reply posted")
}

func TestReviewWholePage(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.OpenScreen()
	s.Keys("enter", "enter", "c", `"On the whole page.`, "ctrl+s", "a", "ctrl+s", "ctrl+s")
	s.Want(t, "✓ approved, with 1 comment")
	if len(d.Server.Writes) != 1 || !strings.HasPrefix(d.Server.Writes[0], "submit approved of r_7\n") ||
		!strings.Contains(d.Server.Writes[0], " at r_7: On the whole page.") {
		t.Errorf("wrote %q", d.Server.Writes)
	}
}

// TestScreensShareDrafts checks that two screens of a user share their drafts: one writes, the other is read-only.
func TestScreensShareDrafts(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	one, other := d.DraftReview(), d.OpenScreen()
	one.Keys("/", `"On a block.`, "enter", "esc", "e", `" And more.`)
	other.Keys("enter", "/", `"On a block.`, "enter", "esc", "e")
	other.Want(t, "being written on another screen of yours", "On a block. And more.", "!█")
	one.Keys(`" More still.`)
	other.Send(tui.TickMsg{})
	other.Drain()
	other.Want(t, "On a block. And more. More still.")
	one.Keys("ctrl+u", `"On a block. And more.`)
	other.Keys("X")
	other.Want(t, "being written on another screen of yours", "┆ On a block. And more.")
	other.Keys("S", "ctrl+s")
	other.Want(t, "not sent: a draft is being written on another screen of yours: hold it back, or finish it there")
	one.Keys(`" Last.`, "ctrl+s")
	other.Keys("ctrl+s")
	other.Want(t, "was changed on another screen", "On a block. And more. Last.")
	other.Keys("ctrl+s")
	other.Want(t, "✓ 2 comments and 1 reply posted")
	one.Send(tui.TimeMsg{})
	one.Drain()
	one.Want(t, "!┆ On a block.", "!drafts not sent")
	if len(d.Server.Writes) != 1 || !strings.Contains(d.Server.Writes[0], "On a block. And more. Last.") {
		t.Errorf("wrote %q", d.Server.Writes)
	}
}

func TestDiscardedDraftIsKeptForAWeek(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.DraftReview()
	s.Keys("S", "j", "j", "X")
	s.Want(t, "dropped: u brings it back", "Drafts  2 not sent")
	s = d.OpenScreen()
	d.Now = d.Now.Add(3 * 24 * time.Hour)
	s.Keys("p")
	s.Want(t, "fetch back, dropped 3d ago: Skylark Handbook, comment on “Plug")
	s.Keys("3")
	s.Want(t, "✎ 3 drafts not sent")
	s.Keys("S", "j", "j", "X", "esc")
	d.Now = d.Now.Add(8 * 24 * time.Hour)
	s.Keys("p")
	s.Want(t, "!fetch back")
}

// TestLeavingWarnsAboutDrafts checks that leaving a change request warns about unsent drafts, and that its author gives no
// verdict but can submit comments.
func TestLeavingWarnsAboutDrafts(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	d.Server.Author = tuitest.NewUser("u_1", "Ada")
	s := d.DraftReview()
	s.Keys("esc", "a")
	s.Want(t, "it is your own change request: others approve it")
	s.Keys("S", "tab")
	s.Want(t, "others approve it", "Your own change request: you send comments")
	s.Keys("esc", "esc")
	s.Want(t, "3 drafts on #2 not sent; they are kept, and p lists them", "[OPEN]")
	s.Keys("enter", "S", "ctrl+s")
	if len(d.Server.Writes) != 1 || !strings.HasPrefix(d.Server.Writes[0], "submit  of r_7\n") {
		t.Errorf("wrote %q", d.Server.Writes)
	}
}

func TestVerdictOfEarlierBuild(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	old := drafts.Draft{
		Target: onRequest, Verdict: api.ReviewChangesRequested, Revision: "r_6", About: "ask for changes: what?",
		Text: "Not yet.", Key: "k",
	}
	if err := d.Dir.Save(old); err != nil {
		t.Fatal(err)
	}
	s := d.OpenScreen()
	s.Keys("S")
	s.Want(t, "(•) request changes", "Not yet.")
	s.Keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit changes-requested of r_7: Not yet."}, d.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if texts, _ := d.Journaled(t); len(texts) > 0 {
		t.Errorf("the disk has %q", texts)
	}
}

func TestReviewIsResentAfterDays(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.DraftReview()
	d.Server.LoseResponses = true
	s.Keys("S", "ctrl+s", "q", "q")
	if !s.Quit {
		t.Error("it does not end while a review is on its way")
	}
	d.Now = d.Now.Add(30 * time.Hour)
	d.Server.LoseResponses, d.Server.Head = false, "r_9"
	next := d.OpenScreen()
	next.Want(t, "✓ 2 comments and 1 reply posted")
	if len(d.Server.Writes) != 1 {
		t.Errorf("wrote %q", d.Server.Writes)
	}
	if texts, frozen := d.Journaled(t); len(texts) > 0 || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
}

// TestDraftsOfChangeRequestByNumber checks that a change request opened by number has the same drafts as by id.
func TestDraftsOfChangeRequestByNumber(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	old := drafts.Draft{
		Target: remote.Target{Space: "s_1", ChangeRequest: "2"}, About: "comment on the change request", Text: "By the number.", Key: "k",
	}
	if err := d.Dir.Save(old); err != nil {
		t.Fatal(err)
	}
	o := tuitest.ReviewOptions
	o.ChangeRequest, o.Client, o.Drafts = "2", d.Server.Client(), d.Dir
	s := tuitest.Start(o, 120, 60)
	s.Want(t, "read 0/4", "┆ By the number.")
	s.Keys("enter", "]", "c", `"By the id.`, "ctrl+s")
	s = d.OpenScreen()
	s.Keys("S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  / at : By the number.\n  p_quick/b_1 at r_7: By the id."},
		d.Server.Writes); diff != "" {
		t.Error(diff)
	}
}
