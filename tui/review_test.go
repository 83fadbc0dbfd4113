package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/remote"
)

// reviewEnv is the environment of a reviewer: a fake server, a journal directory, unique keys and a clock. It keeps the
// screens it opened, because the lock on a draft is released when its file is no longer referenced.
type reviewEnv struct {
	fake    *fake
	dir     drafts.Dir
	keys    int
	now     time.Time
	screens []*testScreen
}

func newReviewEnv(t *testing.T) *reviewEnv {
	t.Helper()
	d := &reviewEnv{fake: newFake(), dir: drafts.Dir(t.TempDir()), now: clock}
	t.Cleanup(func() { d.screens = nil })
	return d
}

// openScreen opens a screen. Several can be open.
func (e *reviewEnv) openScreen() *testScreen {
	o := reviewOptions
	o.Client, o.Drafts = e.fake.client(), e.dir
	o.NewKey = func() string { e.keys++; return fmt.Sprintf("key%d", e.keys) }
	o.Now = e.tick
	s := start(o, 120, 60)
	e.screens = append(e.screens, s)
	return s
}

// tick advances the clock and returns its time.
func (e *reviewEnv) tick() time.Time {
	e.now = e.now.Add(time.Second)
	return e.now
}

// journaled returns the journaled texts and the number of frozen submissions.
func (e *reviewEnv) journaled(t *testing.T) (texts []string, frozen int) {
	t.Helper()
	all, err := e.dir.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, draft := range all {
		texts = append(texts, draft.Text)
	}
	reviews, err := e.dir.Frozen()
	if err != nil {
		t.Fatal(err)
	}
	return texts, len(reviews)
}

// draftReview opens a screen and drafts a comment on a block, one on the page, and a reply.
func (e *reviewEnv) draftReview() *testScreen {
	s := e.openScreen()
	s.keys("enter", "]", "c", `"On a block.`, "ctrl+t", "ctrl+s", "n", "r", `"A reply.`, "ctrl+s", ":", `"on the page`, "enter", `"On the page.`, "ctrl+s")
	return s
}

const wholeReview = "submit changes-requested of r_7: In short.\n  p_quick/b_1 blocking at r_7: On a block.\n  reply c_4: A reply.\n  p_quick/ at r_7: On the page."

// If a screen ends while it sends a review, the next one resumes: nothing is lost or posted twice.
func TestReviewSurvivesExit(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		for steps := range 14 {
			t.Run(fmt.Sprintf("%v/%d", lost, steps), func(t *testing.T) {
				t.Parallel()
				d := newReviewEnv(t)
				s := d.draftReview()
				s.keys("S", "tab", "tab", "j", "enter", `"In short.`, "esc")
				d.fake.loseResponses = lost
				s.press("ctrl+s")
				for range steps {
					if len(s.waiting) > 0 {
						s.run(0)
					}
				}
				d.fake.loseResponses = false // the first screen has ended, so its commands never run
				next := d.openScreen()
				if texts, _ := d.journaled(t); len(texts) > 0 {
					next.keys("S")
					next.want(t, "Drafts  4 not sent", "(•) request changes", "In short.")
					next.keys("ctrl+s")
				}
				if diff := cmp.Diff([]string{wholeReview}, d.fake.writes); diff != "" {
					t.Error(diff)
				}
				if texts, frozen := d.journaled(t); len(texts) > 0 || frozen > 0 {
					t.Errorf("the disk has %q and %d reviews", texts, frozen)
				}
			})
		}
	}
}

// A review being sent cannot be edited, and is sent with the same id until it is stored.
func TestPendingReviewIsReadOnly(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.draftReview()
	d.fake.fail["submit"] = errUnreachable
	s.keys("S", "tab", "tab", "ctrl+s")
	s.want(t, "offline: your review of #2 is kept as it is", "on its way since", "no answer came")
	s.keys("tab")
	s.want(t, "nothing in it can be changed")
	s.keys("esc", "enter", "]", "/", `"On a block.`, "enter", "esc", "e")
	s.want(t, "on its way", "nothing in it can be changed", "!█")
	s.keys("X")
	s.want(t, "nothing in it can be changed", "┆ On a block.")
	d.fake.fail["submit"] = nil
	s.send(TimeMsg{})
	s.drain()
	s.want(t, "✓ requested changes, with 2 comments and 1 reply", "!on its way")
	if len(d.fake.writes) != 1 {
		t.Errorf("wrote %q", d.fake.writes)
	}
	if texts, frozen := d.journaled(t); len(texts) > 0 || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
}

// A rejected draft is named and kept; the others are posted.
func TestRejectedDraftIsKept(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.draftReview()
	d.fake.failOnce["submit"] = api.InvalidField("drafts[1].replyTo", "is not a comment of this change request")
	s.keys("S", "ctrl+s")
	s.want(t, "▌ [x] ↳ reply to Grace", "✗ refused: the thread is not a comment of this change request", "Drafts  3 not sent")
	s.keys(" ")
	s.want(t, "[ ] ↳ reply to Grace", "held back", "Drafts  3 not sent · 1 held back")
	s.keys("ctrl+s")
	s.want(t, "✓ 2 comments posted")
	if texts, frozen := d.journaled(t); len(texts) != 1 || texts[0] != "A reply." || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 blocking at r_7: On a block.\n  p_quick/ at r_7: On the page."}, d.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// Unread pages, changed pages and the reviewer's own blocking comment are listed once before an approval is sent.
func TestApprovalWarnings(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.draftReview()
	d.fake.head = "r_8"
	s.keys("a", "ctrl+s")
	s.want(t, "it changed while you read", "▌ ! The request changed while you read", "+ Power and battery, with a title")
	s.keys("ctrl+s")
	s.want(t, "You approve, and one of your comments is blocking. Send both?")
	s.keys("n", "R")
	s.want(t, "Changed since you read it (1)")
	s.keys("esc", "ctrl+s", "y")
	s.want(t, "✓ approved, with 2 comments and 1 reply")
	if len(d.fake.writes) != 1 || !strings.HasPrefix(d.fake.writes[0], "submit approved of r_7\n") {
		t.Errorf("wrote %q", d.fake.writes)
	}
}

// The verdict is the last one selected, even if keys arrive before the journal is loaded.
func TestVerdictFollowsFastKeys(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"tab", "tab"}, {"shift+tab"}, {"a", "tab"}} {
		d := newReviewEnv(t)
		s := d.openScreen()
		s.keys("S")
		for _, key := range append(keys, "ctrl+s", "ctrl+s") {
			s.press(key)
		}
		s.drain()
		s.want(t, "✓ requested changes")
		if diff := cmp.Diff([]string{"submit changes-requested of r_7"}, d.fake.writes); diff != "" {
			t.Errorf("%v: %s", keys, diff)
		}
	}
}

// A draft on a removed text is still shown and is posted with its quote.
func TestDraftOnRemovedText(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.draftReview()
	d.fake.texts["cr_2"]["p_quick"] = "# Quick start\n"
	s.keys("R", "G")
	s.want(t, "the text of these drafts is gone: they are posted with the quoted text", "┆ On a block.", "┆ On the page.")
	s.keys("S", "ctrl+s")
	s.want(t, "✓ 2 comments and 1 reply posted")
}

func TestReviewWholePage(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.openScreen()
	s.keys("enter", "enter", "c", `"On the whole page.`, "ctrl+s", "a", "ctrl+s", "ctrl+s")
	s.want(t, "✓ approved, with 1 comment")
	if len(d.fake.writes) != 1 || !strings.HasPrefix(d.fake.writes[0], "submit approved of r_7\n") || !strings.Contains(d.fake.writes[0], " at r_7: On the whole page.") {
		t.Errorf("wrote %q", d.fake.writes)
	}
}

// Two screens of a user share their drafts: one writes, the other is read-only.
func TestScreensShareDrafts(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	one, other := d.draftReview(), d.openScreen()
	one.keys("/", `"On a block.`, "enter", "esc", "e", `" And more.`)
	other.keys("enter", "/", `"On a block.`, "enter", "esc", "e")
	other.want(t, "being written on another screen of yours", "On a block. And more.", "!█")
	other.keys("X")
	other.want(t, "being written on another screen of yours", "┆ On a block. And more.")
	other.keys("S", "ctrl+s")
	other.want(t, "not sent: a draft is being written on another screen of yours: hold it back, or finish it there")
	one.keys(`" Last.`, "ctrl+s")
	other.keys("ctrl+s")
	other.want(t, "was changed on another screen", "On a block. And more. Last.")
	other.keys("ctrl+s")
	other.want(t, "✓ 2 comments and 1 reply posted")
	one.send(TimeMsg{})
	one.drain()
	one.want(t, "!┆ On a block.", "!drafts not sent")
	if len(d.fake.writes) != 1 || !strings.Contains(d.fake.writes[0], "On a block. And more. Last.") {
		t.Errorf("wrote %q", d.fake.writes)
	}
}

func TestDiscardedDraftIsKeptForAWeek(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.draftReview()
	s.keys("S", "j", "j", "X")
	s.want(t, "dropped: u brings it back", "Drafts  2 not sent")
	s = d.openScreen()
	d.now = d.now.Add(3 * 24 * time.Hour)
	s.keys("p")
	s.want(t, "fetch back, dropped 3d ago: Skylark Handbook, comment on “Plug")
	s.keys("3")
	s.want(t, "✎ 3 drafts not sent")
	s.keys("S", "j", "j", "X", "esc")
	d.now = d.now.Add(8 * 24 * time.Hour)
	s.keys("p")
	s.want(t, "!fetch back")
}

// Leaving a change request warns about unsent drafts. Its author gives no verdict but can submit comments.
func TestLeavingWarnsAboutDrafts(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	d.fake.author = newUser("u_1", "Ada")
	s := d.draftReview()
	s.keys("esc", "a")
	s.want(t, "it is your own change request: others approve it")
	s.keys("S", "tab")
	s.want(t, "others approve it", "Your own change request: you send comments")
	s.keys("esc", "esc")
	s.want(t, "3 drafts on #2 not sent; they are kept, and p lists them", "[OPEN]")
	s.keys("enter", "S", "ctrl+s")
	if len(d.fake.writes) != 1 || !strings.HasPrefix(d.fake.writes[0], "submit  of r_7\n") {
		t.Errorf("wrote %q", d.fake.writes)
	}
}

func TestVerdictFromEarlierVersion(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	old := drafts.Draft{Target: onRequest, Verdict: api.ReviewChangesRequested, Revision: "r_6", About: "ask for changes: what?", Text: "Not yet.", Key: "k"}
	if err := d.dir.Save(old); err != nil {
		t.Fatal(err)
	}
	s := d.openScreen()
	s.keys("S")
	s.want(t, "(•) request changes", "Not yet.")
	s.keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit changes-requested of r_7: Not yet."}, d.fake.writes); diff != "" {
		t.Error(diff)
	}
	if texts, _ := d.journaled(t); len(texts) > 0 {
		t.Errorf("the disk has %q", texts)
	}
}

func TestReviewIsResentAfterDays(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.draftReview()
	d.fake.loseResponses = true
	s.keys("S", "ctrl+s", "q", "q")
	if !s.quit {
		t.Error("it does not end while a review is on its way")
	}
	d.now = d.now.Add(30 * time.Hour)
	d.fake.loseResponses, d.fake.head = false, "r_9"
	next := d.openScreen()
	next.want(t, "✓ 2 comments and 1 reply posted")
	if len(d.fake.writes) != 1 {
		t.Errorf("wrote %q", d.fake.writes)
	}
	if texts, frozen := d.journaled(t); len(texts) > 0 || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
}

// A change request opened by number has the same drafts as by id.
func TestDraftsOfChangeRequestByNumber(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	old := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "2"}, About: "comment on the change request", Text: "By the number.", Key: "k"}
	if err := d.dir.Save(old); err != nil {
		t.Fatal(err)
	}
	o := reviewOptions
	o.ChangeRequest, o.Client, o.Drafts = "2", d.fake.client(), d.dir
	s := start(o, 120, 60)
	s.want(t, "read 0/4", "┆ By the number.")
	s.keys("enter", "]", "c", `"By the id.`, "ctrl+s")
	s = d.openScreen()
	s.keys("S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  / at : By the number.\n  p_quick/b_1 at r_7: By the id."}, d.fake.writes); diff != "" {
		t.Error(diff)
	}
}
