package browse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui/tuitest"
)

// TestPendingValuesAreShown checks that values that are not computed yet are shown as pending, not as empty.
func TestPendingValuesAreShown(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	s.Server.Queue.Pending = true
	s.Open(80, 24)
	s.Want(t, "Grace        …", "●3", "!0 pages", "!0/4", "!ready")
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

// TestInboxColumnsAreAligned checks that the columns of the inbox are aligned with their headings, and that an objection shows
// its author.
func TestInboxColumnsAreAligned(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 40}, {80, 40}, {100, 40}} {
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

// TestWideInboxLabelsSigns checks that windows of 120 columns and more show a word next to each sign.
func TestWideInboxLabelsSigns(t *testing.T) {
	t.Parallel()
	for width, want := range map[int][]string{
		119: {"✗6/9 ", "checks threads  read", "!6/9 checks"},
		120: {"✗6/9 checks ●3 threads  read 0/4", "✓ ready", "!checks threads  read"},
		200: {"✗ 6 of 9 checks  ● 3 threads   read 0/4", "✓ ready to merge"},
	} {
		tuitest.Start(tuitest.InboxOptions, width, 40).Want(t, want...)
	}
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("tab", "tab")
	s.Want(t, "[All open]", "asks you")
}

// TestReadyRequestHasNoWarning checks that a change request that is ready to be merged has no warning sign, even if a check
// warns.
func TestReadyRequestHasNoWarning(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120, 200} {
		s := tuitest.Start(tuitest.InboxOptions, width, 60)
		_, ready, found := strings.Cut(s.View(), "READY TO MERGE")
		ready, _, _ = strings.Cut(ready, "Waiting for others")
		for line := range strings.SplitSeq(ready, "\n") {
			if line, _, _ = strings.Cut(line, "│"); strings.Contains(line, "!") || !found {
				t.Errorf("in %d columns: %s", width, line)
			}
		}
		if !strings.Contains(ready, "✓8/9") && !strings.Contains(ready, "✓ ready") {
			t.Errorf("in %d columns:\n%s", width, ready)
		}
	}
}

// TestInboxAgeIsNeverCut checks that the age of a change request is always shown and the subject is cut instead.
func TestInboxAgeIsNeverCut(t *testing.T) {
	t.Parallel()
	for width := 60; width <= 130; width++ {
		s := tuitest.Start(tuitest.InboxOptions, width, 40)
		for line := range strings.SplitSeq(s.View(), "\n") {
			line, _, _ = strings.Cut(line, "│")
			if strings.Contains(line, "#2 ") && !strings.HasSuffix(strings.TrimRight(line, " "), " 2d") {
				t.Errorf("in %d columns: %q", width, line)
			}
		}
	}
}

// TestMergedTabIsSortedByMergeTime checks that merged change requests are sorted by merge time, and that the order chosen for
// this tab does not affect the others.
func TestMergedTabIsSortedByMergeTime(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("shift+tab")
	s.Want(t, "[Merged]", "newest first", "▌  Skylark Handbook #5")
	s.Keys("tab")
	s.Want(t, "[Needs you]", "oldest first")
}
