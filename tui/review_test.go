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

// desk is where reviews are written in these tests: a server, a disk, keys that are never the same, a clock. It keeps the
// screens that it opened: a lock on a draft goes when nothing refers to its file any more.
type desk struct {
	fake *fake
	dir  drafts.Dir
	keys int
	now  time.Time
	open []*stage
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{fake: newFake(), dir: drafts.Dir(t.TempDir()), now: clock}
	t.Cleanup(func() { d.open = nil })
	return d
}

// screen opens a screen at the desk; several may be open.
func (d *desk) screen() *stage {
	o := review
	o.Client, o.Drafts = d.fake, d.dir
	o.NewKey = func() string { d.keys++; return fmt.Sprintf("key%d", d.keys) }
	o.Now = d.tick
	s := start(o, 120, 60)
	d.open = append(d.open, s)
	return s
}

// tick is a clock that is never the same.
func (d *desk) tick() time.Time {
	d.now = d.now.Add(time.Second)
	return d.now
}

// kept is what is on the disk.
func (d *desk) kept(t *testing.T) (texts []string, frozen int) {
	t.Helper()
	all, err := d.dir.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, draft := range all {
		texts = append(texts, draft.Text)
	}
	reviews, err := d.dir.Frozen()
	if err != nil {
		t.Fatal(err)
	}
	return texts, len(reviews)
}

// written has a screen with a comment on a block, one on the page, and a reply.
func (d *desk) written() *stage {
	s := d.screen()
	s.keys("enter", "]", "c", `"On a block.`, "ctrl+t", "ctrl+s", "n", "r", `"A reply.`, "ctrl+s", ":", `"on the page`, "enter", `"On the page.`, "ctrl+s")
	return s
}

const whole = "submit changes-requested of r_7: In short.\n  p_quick/b_1 blocking at r_7: On a block.\n  reply c_4: A reply.\n  p_quick/ at r_7: On the page."

// However a screen ends while it sends, the next one goes on: nothing is lost, and nothing is posted twice.
func TestAReviewSurvivesEveryEndOfTheScreen(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		for steps := range 14 {
			t.Run(fmt.Sprintf("%v/%d", lost, steps), func(t *testing.T) {
				t.Parallel()
				d := newDesk(t)
				s := d.written()
				s.keys("S", "tab", "tab", "j", "enter", `"In short.`, "esc")
				d.fake.lost = lost
				s.press("ctrl+s")
				for range steps {
					if len(s.waiting) > 0 {
						s.run(0)
					}
				}
				d.fake.lost = false // the screen is gone: what it waited for is never run
				next := d.screen()
				if texts, _ := d.kept(t); len(texts) > 0 {
					next.keys("S")
					next.want(t, "Drafts  4 not sent", "(•) request changes", "In short.")
					next.keys("ctrl+s")
				}
				if diff := cmp.Diff([]string{whole}, d.fake.writes); diff != "" {
					t.Error(diff)
				}
				if texts, frozen := d.kept(t); len(texts) > 0 || frozen > 0 {
					t.Errorf("the disk has %q and %d reviews", texts, frozen)
				}
			})
		}
	}
}

// Nothing in a review on its way can be edited, and it goes under the same id until it arrives.
func TestAReviewOnItsWayIsAsItWas(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.written()
	d.fake.fail["submit"] = errOffline
	s.keys("S", "tab", "tab", "ctrl+s")
	s.want(t, "offline: your review of #2 is kept as it is", "on its way since", "no answer came")
	s.keys("tab")
	s.want(t, "nothing in it can be changed")
	s.keys("esc", "enter", "]", "/", `"On a block.`, "enter", "esc", "e")
	s.want(t, "on its way", "nothing in it can be changed", "!█")
	s.keys("X")
	s.want(t, "nothing in it can be changed", "┆ On a block.")
	d.fake.fail["submit"] = nil
	s.tell(TimeMsg{})
	s.settle()
	s.want(t, "✓ requested changes, with 2 comments and 1 reply", "!on its way")
	if len(d.fake.writes) != 1 {
		t.Errorf("wrote %q", d.fake.writes)
	}
	if texts, frozen := d.kept(t); len(texts) > 0 || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
}

// A refusal names the draft, which is held back; the others go, and it stays.
func TestARefusedDraftIsHeldBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.written()
	d.fake.once["submit"] = api.InvalidField("drafts[1].replyTo", "is not a comment of this change request")
	s.keys("S", "ctrl+s")
	s.want(t, "▌ [x] ↳ reply to Grace", "✗ refused: the thread is not a comment of this change request", "Drafts  3 not sent")
	s.keys(" ")
	s.want(t, "[ ] ↳ reply to Grace", "held back", "Drafts  3 not sent · 1 held back")
	s.keys("ctrl+s")
	s.want(t, "✓ 2 comments posted")
	if texts, frozen := d.kept(t); len(texts) != 1 || texts[0] != "A reply." || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 blocking at r_7: On a block.\n  p_quick/ at r_7: On the page."}, d.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// What is against an approval is said before it is sent, once: what was not read, what moved, one's own blocking comment.
func TestAnApprovalSaysWhatIsAgainstIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.written()
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

// A verdict is what was pressed, also where the keys come faster than the journal is read.
func TestAVerdictFollowsFastKeys(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"tab", "tab"}, {"shift+tab"}, {"a", "tab"}} {
		d := newDesk(t)
		s := d.screen()
		s.keys("S")
		for _, key := range append(keys, "ctrl+s", "ctrl+s") {
			s.press(key)
		}
		s.settle()
		s.want(t, "✓ requested changes")
		if diff := cmp.Diff([]string{"submit changes-requested of r_7"}, d.fake.writes); diff != "" {
			t.Errorf("%v: %s", keys, diff)
		}
	}
}

// A draft about a text that is gone is still there to see, and is posted with its quote.
func TestADraftWhoseTextIsGone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.written()
	d.fake.texts["cr_2"]["p_quick"] = "# Quick start\n"
	s.keys("R", "G")
	s.want(t, "the text of these drafts is gone: they are posted with the quoted text", "┆ On a block.", "┆ On the page.")
	s.keys("S", "ctrl+s")
	s.want(t, "✓ 2 comments and 1 reply posted")
}

// A whole page of a request is judged as its changes are.
func TestAWholePageIsJudged(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.screen()
	s.keys("enter", "enter", "c", `"On the whole page.`, "ctrl+s", "a", "ctrl+s", "ctrl+s")
	s.want(t, "✓ approved, with 1 comment")
	if len(d.fake.writes) != 1 || !strings.HasPrefix(d.fake.writes[0], "submit approved of r_7\n") || !strings.Contains(d.fake.writes[0], " at r_7: On the whole page.") {
		t.Errorf("wrote %q", d.fake.writes)
	}
}

// Two screens of one person share the drafts: one writes, the other reads.
func TestTwoScreensShareTheDrafts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	one, other := d.written(), d.screen()
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
	one.tell(TimeMsg{})
	one.settle()
	one.want(t, "!┆ On a block.", "!drafts not sent")
	if len(d.fake.writes) != 1 || !strings.Contains(d.fake.writes[0], "On a block. And more. Last.") {
		t.Errorf("wrote %q", d.fake.writes)
	}
}

// What was dropped is fetched back for a week.
func TestADroppedDraftIsThereForAWeek(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.written()
	s.keys("S", "j", "j", "X")
	s.want(t, "dropped: u brings it back", "Drafts  2 not sent")
	s = d.screen()
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

// Who leaves a request is told what of it is not sent; who wrote it gives no verdict, and sends all the same.
func TestLeavingAndTheAuthor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.fake.author = user("u_1", "Ada")
	s := d.written()
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

// A verdict that an earlier build kept is gone on with.
func TestAVerdictOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	old := drafts.Draft{Target: d.target(), Verdict: api.ReviewChangesRequested, Revision: "r_6", About: "ask for changes: what?", Text: "Not yet.", Key: "k"}
	if err := d.dir.Save(old); err != nil {
		t.Fatal(err)
	}
	s := d.screen()
	s.keys("S")
	s.want(t, "(•) request changes", "Not yet.")
	s.keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit changes-requested of r_7: Not yet."}, d.fake.writes); diff != "" {
		t.Error(diff)
	}
	if texts, _ := d.kept(t); len(texts) > 0 {
		t.Errorf("the disk has %q", texts)
	}
}

func (d *desk) target() remote.Target {
	return remote.Target{Space: "s_1", ChangeRequest: "cr_2"}
}

// A review is sent again under its id after days, and posted once.
func TestAReviewIsSentAgainAfterDays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.written()
	d.fake.lost = true
	s.keys("S", "ctrl+s", "q", "q")
	if !s.quit {
		t.Error("it does not end while a review is on its way")
	}
	d.now = d.now.Add(30 * time.Hour)
	d.fake.lost, d.fake.head = false, "r_9"
	next := d.screen()
	next.want(t, "✓ 2 comments and 1 reply posted")
	if len(d.fake.writes) != 1 {
		t.Errorf("wrote %q", d.fake.writes)
	}
	if texts, frozen := d.kept(t); len(texts) > 0 || frozen > 0 {
		t.Errorf("the disk has %q and %d reviews", texts, frozen)
	}
}

// A request that is asked for by its number is the one that has its id: its drafts are the same.
func TestDraftsOfARequestByItsNumber(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	old := drafts.Draft{Target: remote.Target{Space: "s_1", ChangeRequest: "2"}, About: "comment on the change request", Text: "By the number.", Key: "k"}
	if err := d.dir.Save(old); err != nil {
		t.Fatal(err)
	}
	o := review
	o.ChangeRequest, o.Client, o.Drafts = "2", d.fake, d.dir
	s := start(o, 120, 60)
	s.want(t, "read 0/4", "┆ By the number.")
	s.keys("enter", "]", "c", `"By the id.`, "ctrl+s")
	s = d.screen()
	s.keys("S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  / at : By the number.\n  p_quick/b_1 at r_7: By the id."}, d.fake.writes); diff != "" {
		t.Error(diff)
	}
}
