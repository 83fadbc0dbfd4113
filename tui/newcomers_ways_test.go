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
	s := Start(ReviewOptions, 120, 40)
	s.Keys("/", `"quick start`, "enter", "enter", "enter", ":", `"who wrote`, "enter")
	s.Want(t, "As published in the space, without what the change request changes.", "▌ Grace")
	s = Start(Options{Space: "s_1"}, 120, 40)
	s.Keys("j", "enter", ":", `"who wrote`, "enter")
	s.Want(t, "▌ Grace", "!As published")
}

// If the dates do not fit, the date of the row under the cursor is shown in the first line.
func TestDatesDependOnWidth(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 80, 24)
	s.Keys("j", "enter", "H")
	s.Want(t, "4 May 2026 · row 1 of 2", "2h    #2")
	s.Keys("j")
	s.Want(t, "30 Apr 2026 · row 2 of 2")
	s.Keys("enter")
	s.Want(t, "as it was in revision 1, by Ada, 4d ago, 30 Apr 2026")
}

// The label of d names its result, and is shown only if there is a review. A verdict shows all changes again.
func TestSinceReviewLabel(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 160, 50)
	s.Want(t, "!d since my review")
	s = StartPrepared(ReviewOptions, 160, 50, func(s *Screen) { s.Server.Reviewed = true })
	s.Want(t, "d since my review", "Changed pages (3)")
	s.Keys("enter")
	s.Want(t, "d since my review")
	s.Keys("d")
	s.Want(t, "only what changed since")
	s.Keys("j")
	s.Want(t, "d all changes", "!d since my review")
	s.Keys("esc", "d", "j")
	s.Want(t, "Changed since your last review (1)", "d all changes")
	s.Keys("a", "ctrl+s", "ctrl+s")
	s.Want(t, "✓ approved", "Changed pages (3)")
}

// A new draft below the window is scrolled into view without moving the cursor.
func TestNewDraftIsScrolledIntoView(t *testing.T) {
	t.Parallel()
	for height := 14; height < 40; height++ {
		s := Start(ReviewOptions, 100, height)
		s.Keys("enter")
		s.Keys("]", "c", `"Why?`, "ctrl+s")
		s.Want(t, "✎ draft · not sent", "Why?", "▌ ")
	}
	s := Start(ReviewOptions, 100, 16)
	s.Keys("enter", "]", "]")
	row, _ := s.Page().Base().Selected()
	s.Keys("c", `"Why?`, "ctrl+s")
	s.Want(t, "✎ draft", "Why?")
	if now, _ := s.Page().Base().Selected(); now.Key != row.Key && !strings.HasPrefix(now.Key, "draft/") {
		t.Errorf("the cursor went from %q to %q", row.Key, now.Key)
	}
}

// A change request opened again after an edit starts at the first unread page.
func TestChangeRequestStartsAtUnreadPage(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 50)
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

func TestFoldLabels(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 50)
	s.Keys("/", `"checks pass`, "enter")
	s.Want(t, "⏎ unfold")
	s.Keys("enter")
	s.Want(t, "⏎ fold", "!⏎ unfold")
	s = Start(InboxOptions, 120, 40)
	s.Keys("G")
	s.Want(t, "▌ ▸ Waiting for others", "⏎ unfold")
	s.Keys("enter")
	s.Want(t, "⏎ fold")
}

// ] selects the changed row of a table, not its header, in both views.
func TestNextChangeSelectsTableRow(t *testing.T) {
	t.Parallel()
	for _, views := range [][]string{nil, {"V"}} {
		s := StartPrepared(ReviewOptions, 140, 60, func(s *Screen) {
			s.Server.Texts["cr_2"]["p_quick"] = strings.Replace(OldMarkdown, "| blue | paired |", "| blue | lost |", 1)
		})
		s.Keys("/", `"quick start`, "enter", "enter")
		s.Keys(views...)
		s.Keys("]")
		if row, _ := s.Page().Base().Selected(); !row.Change || !strings.Contains(row.Line.String(), "paired") {
			t.Errorf("%v: ] goes to %q", views, row.Line.String())
		}
		rows := s.Page().Base().List.All()
		if n := len(slices.DeleteFunc(slices.Clone(rows), func(r components.Row) bool { return !r.Change })); n != 1 {
			t.Errorf("%v: %d changes", views, n)
		}
	}
}

// The first line shows no position on an empty page, and the number of hits during a search.
func TestHeadingShowsPosition(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1", Organization: "o_1"}, 100, 30)
	s.Want(t, "row 1 of 4")
	s.Keys("/", `"nothing has this`, "enter")
	s.Want(t, "/nothing has this · no hits · esc clears")
	s = StartPrepared(Options{Space: "s_1"}, 100, 30, func(s *Screen) { s.Server.Empty = true })
	s.Want(t, "!row 1")
}

// Unknown words show a message, and ⏎ keeps them for correction.
func TestPaletteWithoutMatch(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 80, 24)
	s.Keys(":", `"withdraw`)
	s.Want(t, ":withdraw", "nothing is called that")
	s.Keys("enter")
	s.Want(t, ":withdraw", "nothing is called that")
	s.Keys("backspace", "esc")
	s.Want(t, "!nothing is called that")
}

func TestSingleDraftMessage(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
	s.Keys("c", `"Words.`, "ctrl+s", "q")
	s.Want(t, "1 draft not sent; it is kept")
}
