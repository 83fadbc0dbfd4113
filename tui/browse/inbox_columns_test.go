package browse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui/tuitest"
)

// Values that are not computed yet are shown as pending, not as empty.
func TestPendingValuesAreShown(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	s.Server.Queue.Pending = true
	s.Open(80, 24)
	s.Want(t, "Grace         …", "●3", "!0 pages", "!0/4", "!ready")
	s.Keys("G")
	s.Want(t, "▸ Waiting for others 1 · 1 not looked through yet")
}

func TestInboxTabsOrdersAndQueries(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("t")
	s.Want(t, "newest first")
	s.Keys("tab")
	s.Want(t, "[Waiting]", "A picture of the wind arm", "!Firmware")
	s.Keys("tab", "t")
	s.Want(t, "[All open]", "largest first", "#33")
	s.Keys("tab")
	s.Want(t, "THIS WEEK 1", "More time to acknowledge", "EARLIER 1", "The office in winter")
	s.Keys("shift+tab", "g", ":", `"requests of this space`, "enter", "enter")
	s.Want(t, "✓ the tab “Skylark Handbook” saved", "same as: wsctl")
	s.Keys("tab", "tab")
	s.Want(t, "[Skylark Handbook]", "#27", "!#31")
	s.Keys(":", `"remove this tab`, "enter")
	s.Want(t, "removed", "![Skylark Handbook]")
	s.Keys("u")
	want := []string{"save-queries Skylark Handbook s_1;", "save-queries ", "save-queries Skylark Handbook s_1;"}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// The columns of the inbox are aligned with their headings, and an objection shows its author.
func TestInboxColumnsAreAligned(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 40}, {80, 40}, {120, 40}} {
		s := tuitest.Start(tuitest.InboxOptions, size[0], size[1])
		var ends []int
		for line := range strings.SplitSeq(s.View(), "\n") {
			line, _, _ = strings.Cut(line, "│")
			line, heading := strings.CutSuffix(strings.TrimRight(line, " "), " checks threads  read")
			if heading {
				ends = append(ends, len([]rune(line))+len(" checks"))
			}
			for _, checks := range []string{"✗6/9", "✓9/9", "✗5/9"} {
				if before, _, has := strings.Cut(line, checks); has {
					ends = append(ends, len([]rune(before))+len([]rune(checks)))
				}
			}
		}
		if len(ends) < 4 || len(slices.Compact(ends)) != 1 {
			t.Errorf("the checks end at %v in\n%s", ends, s.View())
		}
	}
}

// Merged change requests are sorted by merge time. The order chosen for this tab is independent of the others.
func TestMergedTabIsSortedByMergeTime(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("shift+tab")
	s.Want(t, "[Merged]", "newest first", "▌  Skylark Handbook #5")
	s.Keys("tab")
	s.Want(t, "[Needs you]", "oldest first")
}
