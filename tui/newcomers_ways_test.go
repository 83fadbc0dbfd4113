package tui

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/tui/components"
)

// The list of authors refers to the space, and says so if it was opened from a change request.
func TestBlameNamesVersion(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("/", `"quick start`, "enter", "enter", "enter", ":", `"who wrote`, "enter")
	s.want(t, "As published in the space, without what the change request changes.", "▌ Grace")
	s = start(Options{Space: "s_1"}, 120, 40)
	s.keys("j", "enter", ":", `"who wrote`, "enter")
	s.want(t, "▌ Grace", "!As published")
}

// If the dates do not fit, the date of the row under the cursor is shown in the first line.
func TestDatesDependOnWidth(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 80, 24)
	s.keys("j", "enter", "H")
	s.want(t, "4 May 2026 · row 1 of 2", "2h    #2")
	s.keys("j")
	s.want(t, "30 Apr 2026 · row 2 of 2")
	s.keys("enter")
	s.want(t, "as it was in revision 1, by Ada, 4d ago, 30 Apr 2026")
}

// The label of d names its result, and is shown only if there is a review. A verdict shows all changes again.
func TestSinceReviewLabel(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 160, 50)
	s.want(t, "!d since my review")
	s = newPreparedScreen(reviewOptions, 160, 50, func(s *testScreen) { s.fake.reviewed = true })
	s.want(t, "d since my review", "Changed pages (3)")
	s.keys("enter")
	s.want(t, "d since my review")
	s.keys("d")
	s.want(t, "only what changed since")
	s.keys("j")
	s.want(t, "d all changes", "!d since my review")
	s.keys("esc", "d", "j")
	s.want(t, "Changed since your last review (1)", "d all changes")
	s.keys("a", "ctrl+s", "ctrl+s")
	s.want(t, "✓ approved", "Changed pages (3)")
}

// A new draft below the window is scrolled into view without moving the cursor.
func TestNewDraftIsScrolledIntoView(t *testing.T) {
	t.Parallel()
	for height := 14; height < 40; height++ {
		s := start(reviewOptions, 100, height)
		s.keys("enter")
		s.keys("]", "c", `"Why?`, "ctrl+s")
		s.want(t, "✎ draft · not sent", "Why?", "▌ ")
	}
	s := start(reviewOptions, 100, 16)
	s.keys("enter", "]", "]")
	row, _ := s.page().Base().Selected()
	s.keys("c", `"Why?`, "ctrl+s")
	s.want(t, "✎ draft", "Why?")
	if now, _ := s.page().Base().Selected(); now.Key != row.Key && !strings.HasPrefix(now.Key, "draft/") {
		t.Errorf("the cursor went from %q to %q", row.Key, now.Key)
	}
}

// A change request opened again after an edit starts at the first unread page.
func TestChangeRequestStartsAtUnreadPage(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 50)
	s.keys("/", `"firmware`, "enter", "enter")
	s.fake.read = map[string]bool{"p_gone": true, "p_new": true, "p_quick": true}
	s.keys("esc", "enter")
	first, _ := s.page().Base().Selected()
	s.keys("esc")
	var other string
	for _, id := range []string{"p_gone", "p_new", "p_quick"} {
		if first.Key != "page/"+id {
			other = id
		}
	}
	s.fake.read[other] = false // edited
	s.keys("enter")
	if now, _ := s.page().Base().Selected(); now.Key != "page/"+other {
		t.Errorf("it begins at %q, want %s", now.Key, other)
	}
}

func TestFoldLabels(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 50)
	s.keys("/", `"checks pass`, "enter")
	s.want(t, "⏎ unfold")
	s.keys("enter")
	s.want(t, "⏎ fold", "!⏎ unfold")
	s = start(inboxOptions, 120, 40)
	s.keys("G")
	s.want(t, "▌ ▸ Waiting for others", "⏎ unfold")
	s.keys("enter")
	s.want(t, "⏎ fold")
}

// ] selects the changed row of a table, not its header, in both views.
func TestNextChangeSelectsTableRow(t *testing.T) {
	t.Parallel()
	for _, views := range [][]string{nil, {"V"}} {
		s := newPreparedScreen(reviewOptions, 140, 60, func(s *testScreen) {
			s.fake.texts["cr_2"]["p_quick"] = strings.Replace(oldMarkdown, "| blue | paired |", "| blue | lost |", 1)
		})
		s.keys("/", `"quick start`, "enter", "enter")
		s.keys(views...)
		s.keys("]")
		if row, _ := s.page().Base().Selected(); !row.Change || !strings.Contains(row.Line.String(), "paired") {
			t.Errorf("%v: ] goes to %q", views, row.Line.String())
		}
		rows := s.page().Base().List.All()
		if n := len(slices.DeleteFunc(slices.Clone(rows), func(r components.Row) bool { return !r.Change })); n != 1 {
			t.Errorf("%v: %d changes", views, n)
		}
	}
}

// The first line shows no position on an empty page, and the number of hits during a search.
func TestHeadingShowsPosition(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1", Organization: "o_1"}, 100, 30)
	s.want(t, "row 1 of 4")
	s.keys("/", `"nothing has this`, "enter")
	s.want(t, "/nothing has this · no hits · esc clears")
	s = newPreparedScreen(Options{Space: "s_1"}, 100, 30, func(s *testScreen) { s.fake.empty = true })
	s.want(t, "!row 1")
}

// Unknown words show a message, and ⏎ keeps them for correction.
func TestPaletteWithoutMatch(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 80, 24)
	s.keys(":", `"withdraw`)
	s.want(t, ":withdraw", "nothing is called that")
	s.keys("enter")
	s.want(t, ":withdraw", "nothing is called that")
	s.keys("backspace", "esc")
	s.want(t, "!nothing is called that")
}

func TestSingleDraftMessage(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("c", `"Words.`, "ctrl+s", "q")
	s.want(t, "1 draft not sent; it is kept")
}
