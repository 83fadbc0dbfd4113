package tui_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// TestUnavailableKeyIsExplained checks that an unavailable key is explained if another screen uses it, and ignored otherwise.
func TestUnavailableKeyIsExplained(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Organization: "o_1"}, 80, 24)
	s.Keys("alt+2")
	s.Want(t, "▌     🛠 ", "b requests") // the first space
	s.Keys("g")
	s.Want(t, "!requests", "⏎ fold")
	s.Keys("b")
	s.Want(t, "put the cursor on a space first")
	s.Keys("m")
	s.Want(t, "m does nothing here; on “change request” it is: merge")
	s.Keys("G", "k", "k", "k")
	s.Want(t, "b requests")
	s.Keys("ö")
	s.Want(t, "!nothing to do")
}

func TestRowMenu(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("enter", ".")
	s.Want(t, "comment; on a thread, reply", "!resolve or reopen", "!comment on the page as a whole", "!merge")
	s.Keys("esc", "n", ".")
	s.Want(t, "reply", "resolve or reopen")
	s.Keys(`"reply`, "enter")
	s.Want(t, "reply to Grace")
}

// TestDescriptionMenu checks that actions on the change request as a whole are in the menu of the rows that describe it.
func TestDescriptionMenu(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 50)
	s.Keys(".")
	s.Want(t, "mark it as read", "!archive", "!change the subject", "!approve")
	s.Keys("esc", "g", ".")
	s.Want(t, "archive it", "change the subject", "!mark it as read")
	s.Keys(`"archive`, "enter")
	s.Want(t, "Archive it?", "▌ no")
	s.Keys("enter")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Keys(".", `"archive`, "enter", "tab", "enter")
	s.Want(t, "✓ the status is archived now")
}

// TestSendingFromListNeedsConfirmation checks that ⏎ in a list asks for confirmation before it sends a review.
func TestSendingFromListNeedsConfirmation(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 50)
	s.Keys("enter", "]", "c", `"Words.`, "ctrl+s", "S", ":", `"kept until S`, "enter")
	s.Want(t, "Send the review?", "▌ no")
	s.Keys("enter")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Keys(":", `"kept until S`, "enter", "tab", "enter")
	if len(s.Server.Writes) != 1 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}

func TestListFilterAndPalette(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
	s.Keys("/", `"quick`, "enter")
	s.Want(t, "▌ │ Quick start", "!Welcome")
	s.Keys("enter")
	s.Want(t, "Plug the gateway in")
	s.Keys("esc", "esc")
	s.Want(t, "Welcome")
	s.Keys(":", `"change requests of`, "enter")
	s.Want(t, "[OPEN]")
}

func TestCopyAndOpenInBrowser(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("y", "o")
	if s.Copied != "https://docs.example/cr/2" || s.Browsed != s.Copied {
		t.Errorf("copied %q, opened %q", s.Copied, s.Browsed)
	}
	s.Keys("enter", "n", "Y")
	if s.Copied != "Is **green** right? \x1b[31mred\x1b[0m" {
		t.Errorf("copied %q", s.Copied)
	}
	s.Keys("]", "Y", ":", `"copy the wsctl`, "enter")
	if s.Copied != "wsctl change-requests diff cr_2 --space s_1 --page p_quick" {
		t.Errorf("copied %q", s.Copied)
	}
	s.Keys("C", "o")
	s.Want(t, "no address")
}

func TestFilteredListIsMarked(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
	s.Keys("/", `"quick`, "enter")
	s.Want(t, "/quick · hit 1 of 1 · esc clears")
	s.Keys("esc")
	s.Want(t, "row 2 of 4")
}

// TestHelpScrollsInSmallWindow checks that the help is not cut in any window and scrolls to its end.
func TestHelpScrollsInSmallWindow(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 10}, {60, 20}, {24, 6}} {
		s := tuitest.Start(tuitest.ReviewOptions, size[0], size[1])
		s.Keys("?")
		var read strings.Builder
		seen := map[string]bool{}
		for range 400 {
			for line := range strings.SplitSeq(s.View(), "\n") {
				if !seen[line] {
					seen[line] = true
					read.WriteString(strings.TrimSpace(line) + " ")
				}
			}
			s.Keys("j")
		}
		words := map[string]bool{}
		for word := range strings.FieldsSeq(read.String()) {
			words[word] = true
		}
		for _, a := range slices.Concat(s.Page().Actions(), s.Model.SharedActions()) {
			for word := range strings.FieldsSeq(a.Help) {
				if !words[word] {
					t.Errorf("%v: %q of %q cannot be read", size, word, a.Help)
				}
			}
		}
	}
}

// TestFooterShowsImportantKeys checks that the footer shows the most important keys of a row and the key for all others.
func TestFooterShowsImportantKeys(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 40, tuitest.OwnChangeRequest)
	s.Want(t, "⏎ read  n open thread  S send comments  m merge  i ask for review", "? more")
	for _, width := range []int{80, 120} {
		s = tuitest.Start(tuitest.ReviewOptions, width, 40)
		s.Want(t, "a approve  S submit review  m merge", "? more")
	}
	s = tuitest.Start(tui.Options{Organization: "o_1"}, 120, 40)
	s.Keys("alt+2", "j")
	s.Want(t, "b requests  H history  w new request", "? more")
	s.Keys("m")
	s.Want(t, "m does nothing here; on “change request” it is: merge")
}

// TestFooterShowsRowActions checks that the footer shows the actions for the row under the cursor by importance, including
// those of the menu.
func TestFooterShowsRowActions(t *testing.T) {
	t.Parallel()
	bar := func(s *tuitest.Screen, says ...string) {
		t.Helper()
		lines := strings.Split(s.View(), "\n")
		for _, what := range append(says, "? more") {
			if last := lines[len(lines)-1]; !strings.Contains(last, what) {
				t.Errorf("%q is not in %q", what, last)
			}
		}
	}
	s := tuitest.Start(tui.Options{Space: "s_1"}, 120, 40)
	bar(s, "⏎ open", "e edit", "w new request", "H history")
	s.Keys("j", "enter")
	bar(s, "c comment", "e edit", "H history", "w new request", ". blame, links")
	s.Keys(":", `"who wrote`, "enter")
	bar(s, "⏎ its request")
	s = tuitest.Start(tuitest.ReviewOptions, 120, 40)
	bar(s, "⏎ read", "a approve", "S submit review", "m merge")
	s.Keys("enter", "]")
	bar(s, "c comment", "v select", "s suggest", "S submit review")
	s = tuitest.NewScreen(tuitest.ReviewOptions)
	tuitest.OwnChangeRequest(s)
	s.Open(120, 40)
	bar(s, "⏎ read", "m merge", "i ask for review", "e edit")
}

func TestFoldLabels(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 50)
	s.Keys("/", `"checks pass`, "enter")
	s.Want(t, "⏎ unfold")
	s.Keys("enter")
	s.Want(t, "⏎ fold", "!⏎ unfold")
	s = tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("G")
	s.Want(t, "▌ ▸ Waiting for others", "⏎ unfold")
	s.Keys("enter")
	s.Want(t, "⏎ fold")
}

// TestHeadingShowsPosition checks that the first line shows no position on an empty page, and the number of hits during a
// search.
func TestHeadingShowsPosition(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1", Organization: "o_1"}, 100, 30)
	s.Want(t, "row 1 of 4")
	s.Keys("/", `"nothing has this`, "enter")
	s.Want(t, "/nothing has this · no hits · esc clears")
	s = tuitest.StartPrepared(tui.Options{Space: "s_1"}, 100, 30, func(s *tuitest.Screen) { s.Server.Empty = true })
	s.Want(t, "!row 1")
}

// y reports that there is no address to copy.
func TestNothingToCopy(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{}, 100, 30)
	s.Keys("y")
	s.Want(t, "nothing to copy: this page has no address")
	s = tuitest.Start(tui.Options{Organization: "o_1"}, 120, 40)
	s.Keys("G", "y") // the cursor is on the title of a group
	s.Want(t, "nothing to copy: what is under the cursor has no address")
	if s.Copied != "" {
		t.Errorf("copied %q", s.Copied)
	}
}
