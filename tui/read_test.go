package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// Reading on with space marks what was read, and goes from one unread page to the next; opening marks nothing.
func TestWhatWasReadIsMarkedAtItsEnd(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 60)
	s.want(t, "read 0/4", "◌ ~ Quick start", "◌ + file light.png")
	s.keys("enter", "J", "K", "V", "V", "esc")
	if len(s.fake.marked) > 0 {
		t.Errorf("marked by opening: %q", s.fake.marked)
	}
	s.keys("enter", " ")
	s.want(t, "Old page (2 of 3)", "✓ read · read 1/4", "u undo")
	s.keys(" ")
	s.want(t, "Power and battery, with a title that is longer than most (3 of 3)", "read 2/4")
	s.keys("K", "K", " ") // read already: it is not marked again
	s.want(t, "(3 of 3)")
	s.keys(" ")
	s.want(t, "the pages are read; on the page of the request: light.png")
	s.keys("esc")
	s.want(t, "read 3/4", "✓ ~ Quick start", "✓ - Old page", "◌ + file light.png")
	s.keys("/", `"light.png`, "enter", "esc", ":", `"mark it read`, "enter")
	s.want(t, "read 4/4", "✓ + file light.png")
	s.keys("u")
	s.want(t, "read 3 of 4 changes", "◌ + file light.png")
	want := []string{"r_7 p_quick -", "r_7 p_gone -", "r_7 p_new -", "r_7 f_light -", "r_7  -f_light"}
	if diff := cmp.Diff(want, s.fake.marked); diff != "" {
		t.Error(diff)
	}
}

// A page that is longer than the screen is read to its end first, and one that did not load is not read at all.
func TestALongPageIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	s := start(review, 80, 16)
	s.keys("enter", " ")
	s.want(t, "Quick start (1 of 3)")
	if len(s.fake.marked) > 0 {
		t.Errorf("marked %q", s.fake.marked)
	}
	s.keys("G", " ")
	s.want(t, "Old page (2 of 3)")
	s.fake.fail["diff"] = errOffline
	s.keys("J", " ", " ", " ")
	s.want(t, "wait until it is loaded")
	if diff := cmp.Diff([]string{"r_7 p_quick -"}, s.fake.marked); diff != "" {
		t.Error(diff)
	}
}

// What was read while the server is away is sent together when it is back, and so is what an earlier screen left.
func TestMarksWaitForTheServer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.screen()
	d.fake.fail["mark"] = errOffline
	s.keys("enter", " ", " ")
	s.want(t, "(3 of 3)", "read 2/4")
	if waiting, err := d.dir.Marks(); err != nil || len(waiting) != 2 {
		t.Errorf("waiting %v, %v", waiting, err)
	}
	delete(d.fake.fail, "mark")
	next := d.screen() // the first one is gone
	next.want(t, "read 2 of 4 changes", "✓ ~   Quick start", "✓ - Old page")
	s.tell(TimeMsg{}) // it was not: the same marks are sent again, and change nothing
	s.settle()
	if diff := cmp.Diff([]string{"r_7 p_gone,p_quick -", "r_7 p_gone,p_quick -"}, d.fake.marked); diff != "" {
		t.Error(diff)
	}
	if waiting, err := d.dir.Marks(); err != nil || len(waiting) > 0 {
		t.Errorf("still waiting %v, %v", waiting, err)
	}
}

// A mark that the server will never take is said, shown as it is there, and not sent again.
func TestARefusedMark(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := d.screen()
	d.fake.fail["mark"] = api.InvalidField("read[0]", "is nothing that the change request changes")
	s.keys("enter", " ")
	s.want(t, "is nothing that the change request changes", "!read 1/4")
	s.tell(TimeMsg{})
	s.settle()
	if waiting, _ := d.dir.Marks(); len(waiting) > 0 {
		t.Errorf("still waiting %v", waiting)
	}
}

// The variables stand whole on the page of the request: reading that to its end marks them.
func TestVariablesAreReadOnTheRequest(t *testing.T) {
	t.Parallel()
	s := newStage(review)
	s.fake.variable = true
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 60))
	s.settle()
	s.want(t, "◌ ~ variable gust: 3 s, was 5 s", "read 0/5")
	s.keys(" ")
	s.want(t, "Quick start (1 of 3)", "read 1/5")
	if diff := cmp.Diff([]string{"r_7 variable:gust -"}, s.fake.marked); diff != "" {
		t.Error(diff)
	}
}
