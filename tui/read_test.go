package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// Reading on with space marks pages as read and opens the next unread one. Opening a page marks nothing.
func TestReadPageIsMarkedAtEnd(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 60)
	s.want(t, "read 0/4", "◌ ~ Quick start", "◌ + file light.png")
	s.keys("enter", "J", "K", "V", "V", "esc")
	if len(s.fake.markWrites) > 0 {
		t.Errorf("marked by opening: %q", s.fake.markWrites)
	}
	s.keys("enter", " ")
	s.want(t, "Old page (2 of 3)", "✓ read · read 1/4", "u undo")
	s.keys(" ")
	s.want(t, "Power and battery, with a title that is longer than most (3 of 3)", "read 2/4")
	s.keys("K", "K", " ") // already read and not marked again
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
	if diff := cmp.Diff(want, s.fake.markWrites); diff != "" {
		t.Error(diff)
	}
}

// A long page is marked at its end, and a page that failed to load is not marked.
func TestLongPageIsMarkedAtEnd(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 16)
	s.keys("enter", " ")
	s.want(t, "Quick start (1 of 3)")
	if len(s.fake.markWrites) > 0 {
		t.Errorf("marked %q", s.fake.markWrites)
	}
	s.keys("G", " ")
	s.want(t, "Old page (2 of 3)")
	s.fake.fail["diff"] = errUnreachable
	s.keys("J", " ", " ", " ")
	s.want(t, "wait until it is loaded")
	if diff := cmp.Diff([]string{"r_7 p_quick -"}, s.fake.markWrites); diff != "" {
		t.Error(diff)
	}
}

// Marks set while the server is unreachable are sent together later, including those of an earlier screen.
func TestReadMarksWaitForServer(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.openScreen()
	d.fake.fail["mark"] = errUnreachable
	s.keys("enter", " ", " ")
	s.want(t, "(3 of 3)", "read 2/4")
	if waiting, err := d.dir.Marks(); err != nil || len(waiting) != 2 {
		t.Errorf("waiting %v, %v", waiting, err)
	}
	delete(d.fake.fail, "mark")
	next := d.openScreen() // the first screen has ended
	next.want(t, "read 2 of 4 changes", "✓ ~   Quick start", "✓ - Old page")
	s.send(TimeMsg{}) // the same marks are sent again without effect
	s.drain()
	if diff := cmp.Diff([]string{"r_7 p_gone,p_quick -", "r_7 p_gone,p_quick -"}, d.fake.markWrites); diff != "" {
		t.Error(diff)
	}
	if waiting, err := d.dir.Marks(); err != nil || len(waiting) > 0 {
		t.Errorf("still waiting %v, %v", waiting, err)
	}
}

// A mark that the server rejects is reported, reset to the state of the server, and not sent again.
func TestRejectedReadMark(t *testing.T) {
	t.Parallel()
	d := newReviewEnv(t)
	s := d.openScreen()
	d.fake.fail["mark"] = api.InvalidField("read[0]", "is nothing that the change request changes")
	s.keys("enter", " ")
	s.want(t, "is nothing that the change request changes", "!read 1/4")
	s.send(TimeMsg{})
	s.drain()
	if waiting, _ := d.dir.Marks(); len(waiting) > 0 {
		t.Errorf("still waiting %v", waiting)
	}
}

// Variables are listed on the page of the change request, and reading it to the end marks them.
func TestVariablesAreMarkedOnChangeRequest(t *testing.T) {
	t.Parallel()
	s := newTestScreen(reviewOptions)
	s.fake.variable = true
	s.open(120, 60)
	s.want(t, "◌ ~ variable gust: 3 s, was 5 s", "read 0/5")
	s.keys(" ")
	s.want(t, "Quick start (1 of 3)", "read 1/5")
	if diff := cmp.Diff([]string{"r_7 variable:gust -"}, s.fake.markWrites); diff != "" {
		t.Error(diff)
	}
}
