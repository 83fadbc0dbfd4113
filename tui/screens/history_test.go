package screens_test

import (
	"testing"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// TestBlameRendersPage checks that the list of authors renders the page in columns, with the change request of each block.
func TestBlameRendersPage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 120, 40)
	s.Keys("j", "enter", ":", `"who wrote`, "enter")
	s.Want(
		t, "who                 when               request                        text",
		"▌ Grace               1h    4 May 2026   #2 Firmware 2.4: faster read…  Press the button, see Power",
		"  somebody, long ago                     —                              Old words", "!**", "!](",
	)
}

// TestBlameShowsVersion checks that the list of authors refers to the space, with a note if it was opened from a change
// request.
func TestBlameShowsVersion(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("/", `"quick start`, "enter", "enter", "enter", ":", `"who wrote`, "enter")
	s.Want(t, "As published in the space, without what the change request changes.", "▌ Grace")
	s = tuitest.Start(tui.Options{Space: "s_1"}, 120, 40)
	s.Keys("j", "enter", ":", `"who wrote`, "enter")
	s.Want(t, "▌ Grace", "!As published")
}

// TestDatesDependOnWidth checks that the date of the row under the cursor is shown in the first line if the dates do not fit.
func TestDatesDependOnWidth(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
	s.Keys("j", "enter", "H")
	s.Want(t, "4 May 2026 · row 1 of 2", "2h    #2")
	s.Keys("j")
	s.Want(t, "30 Apr 2026 · row 2 of 2")
	s.Keys("enter")
	s.Want(t, "as it was in revision 1, by Ada, 4d ago, 30 Apr 2026")
}

func TestHistoryAndBlame(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 40)
	s.Keys("H", "enter")
	s.Want(t, "#2 Firmware 2.4: faster readings")
	s.Keys("esc", "esc", "j", "enter", "H")
	s.Want(t, "row 1 of 2", "rev   who    when               request          what",
		"r7    Grace  2h    4 May 2026   #2 Firmware 2.4  merge", "r1    Ada    4d    30 Apr 2026  —                initial")
	s.Keys("j", "enter")
	s.Want(t, "as it was in revision 1, by Ada", "As it was in r_1.")
	s.Keys("esc", "esc", ":", `"who wrote`, "enter")
	s.Want(t, "Grace", "Press the button", "#2", "somebody, long ago")
	s.Keys("enter")
	s.Want(t, "Changed pages")
}

func TestBlameStartsAtBlock(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 120, 40)
	s.Keys("j", "enter", "j", "j", "j", "j")
	block := s.Page().Base().About().Block
	s.Server.Blamed = []string{"", block}
	s.Keys(":", `"who wrote`, "enter")
	s.Want(t, "▌ somebody, long ago", "row 2 of 2")
	if block == "" {
		t.Error("the cursor was on no block")
	}
}
