package screens_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/tuitest"
)

// TestPageChangedSinceReadIsMarked checks that a page that changed after it was read is marked in lists, on the page and before
// a review is submitted.
func TestPageChangedSinceReadIsMarked(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.ChangedSinceRead = "p_quick"
	s.Open(150, 40)
	s.Want(t, "▏     changed since you read it")
	s.Keys("S")
	s.Want(t, "◌ Quick start · changed since you read it", "◌ Old page · deleted")
	s.Keys("esc", "enter")
	s.Want(t, "Quick start · edited · changed since you read it")
}

// TestReadCountsAgree checks that the inbox and its preview show the same number of read pages, also after reading one.
func TestReadCountsAgree(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Want(t, "●3 threads  read 0/4")
	s.Keys("enter", "enter", " ", " ", " ", " ", "esc")
	read := s.Page().Base().Session.Read.ShortCount(remote.Target{Space: "s_1", ChangeRequest: "cr_2"})
	if read == "read 0/4" {
		t.Fatal("nothing was read")
	}
	for len(s.Model.Pages()) > 2 {
		s.Keys("esc")
	}
	s.Want(t, "●3 threads  "+read)
}

// TestChangeRequestStartsAtUnreadPage checks that a change request opened again after an edit starts at the first unread page.
func TestChangeRequestStartsAtUnreadPage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 50)
	s.Keys("/", `"firmware`, "enter", "enter")
	s.Server.ReadItems = map[string]bool{"p_gone": true, "p_new": true, "p_quick": true}
	s.Keys("esc", "enter")
	first, _ := s.Page().Base().Selected()
	s.Keys("esc")
	var other string
	for _, id := range []string{"p_gone", "p_new", "p_quick"} {
		if first.Key != "page/"+id {
			other = id
		}
	}
	s.Server.ReadItems[other] = false // edited
	s.Keys("enter")
	if now, _ := s.Page().Base().Selected(); now.Key != "page/"+other {
		t.Errorf("it begins at %q, want %s", now.Key, other)
	}
}

// Paging with space marks each page as read at its end and opens the next unread one. Opening a page marks nothing.
func TestReadPageIsMarkedAtEnd(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
	s.Want(t, "read 0/4", "◌ ~ Quick start", "◌ + file light.png")
	s.Keys("enter", "J", "K", "V", "V", "esc")
	if len(s.Server.MarkWrites) > 0 {
		t.Errorf("marked by opening: %q", s.Server.MarkWrites)
	}
	s.Keys("enter", " ")
	s.Want(t, "Old page (2 of 3)", "✓ read · read 1/4", "u undo")
	s.Keys(" ")
	s.Want(t, "Power and battery, with a title that is longer than most (3 of 3)", "read 2/4")
	s.Keys("K", "K", " ") // already read and not marked again
	s.Want(t, "(3 of 3)")
	s.Keys(" ")
	s.Want(t, "the pages are read; on the page of the request: light.png")
	s.Keys("esc")
	s.Want(t, "read 3/4", "✓ ~ Quick start", "✓ - Old page", "◌ + file light.png")
	s.Keys("/", `"light.png`, "enter", "esc", ":", `"mark it read`, "enter")
	s.Want(t, "read 4/4", "✓ + file light.png")
	s.Keys("u")
	s.Want(t, "read 3/4", "◌ + file light.png")
	want := []string{"r_7 p_quick -", "r_7 p_gone -", "r_7 p_new -", "r_7 f_light -", "r_7  -f_light"}
	if diff := cmp.Diff(want, s.Server.MarkWrites); diff != "" {
		t.Error(diff)
	}
}

// TestLongPageIsMarkedAtEnd checks that a long page is marked at its end, and that a page that failed to load is not marked.
func TestLongPageIsMarkedAtEnd(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 16)
	s.Keys("enter", " ")
	s.Want(t, "Quick start (1 of 3)")
	if len(s.Server.MarkWrites) > 0 {
		t.Errorf("marked %q", s.Server.MarkWrites)
	}
	s.Keys("G", " ")
	s.Want(t, "Old page (2 of 3)")
	s.Server.Fail["diff"] = tuitest.ErrUnreachable
	s.Keys("J", " ", " ", " ")
	s.Want(t, "wait until it is loaded")
	if diff := cmp.Diff([]string{"r_7 p_quick -"}, s.Server.MarkWrites); diff != "" {
		t.Error(diff)
	}
}

// TestReadMarksWaitForServer checks that marks set while the server is unreachable are sent together later, including those of
// an earlier screen.
func TestReadMarksWaitForServer(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.OpenScreen()
	d.Server.Fail["mark"] = tuitest.ErrUnreachable
	s.Keys("enter", " ", " ")
	s.Want(t, "(3 of 3)", "read 2/4")
	if waiting, err := d.Dir.Marks(); err != nil || len(waiting) != 2 {
		t.Errorf("waiting %v, %v", waiting, err)
	}
	delete(d.Server.Fail, "mark")
	next := d.OpenScreen() // the first screen has ended
	next.Want(t, "read 2/4", "✓ ~   Quick start", "✓ - Old page")
	s.Send(tui.TimeMsg{}) // the same marks are sent again without effect
	s.Drain()
	if diff := cmp.Diff([]string{"r_7 p_gone,p_quick -", "r_7 p_gone,p_quick -"}, d.Server.MarkWrites); diff != "" {
		t.Error(diff)
	}
	if waiting, err := d.Dir.Marks(); err != nil || len(waiting) > 0 {
		t.Errorf("still waiting %v, %v", waiting, err)
	}
}

// TestRejectedReadMark checks that a mark that the server rejects is reported, reset to the state of the server, and not sent
// again.
func TestRejectedReadMark(t *testing.T) {
	t.Parallel()
	d := tuitest.NewReviewer(t)
	s := d.OpenScreen()
	d.Server.Fail["mark"] = api.InvalidField("read[0]", "is nothing that the change request changes")
	s.Keys("enter", " ")
	s.Want(t, "is nothing that the change request changes", "!read 1/4")
	s.Send(tui.TimeMsg{})
	s.Drain()
	if waiting, _ := d.Dir.Marks(); len(waiting) > 0 {
		t.Errorf("still waiting %v", waiting)
	}
}

// TestVariablesAreMarkedOnChangeRequest checks that variables are listed on the page of the change request, and that reading it
// to the end marks them.
func TestVariablesAreMarkedOnChangeRequest(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.Variable = true
	s.Open(120, 60)
	s.Want(t, "◌ ~ variable gust: 3 s, was 5 s", "read 0/5")
	s.Keys(" ")
	s.Want(t, "Quick start (1 of 3)", "read 1/5")
	if diff := cmp.Diff([]string{"r_7 variable:gust -"}, s.Server.MarkWrites); diff != "" {
		t.Error(diff)
	}
}
