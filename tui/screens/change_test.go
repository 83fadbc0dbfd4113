package screens_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/tuitest"
)

// addLongPage creates a page with many paragraphs, two of which are changed.
func addLongPage(s *tuitest.Screen) {
	paragraphs := make([]string, 12)
	for i := range paragraphs {
		paragraphs[i] = "Paragraph " + string(rune('A'+i)) + " says what it says."
	}
	s.Server.Texts[""]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	paragraphs[1], paragraphs[10] = "Paragraph B says something else.", "Paragraph K says something else."
	s.Server.Texts["cr_2"]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	s.Server.CommentList = nil
}

func openChange(t *testing.T, prepare func(*tuitest.Screen), width, height int) *tuitest.Screen {
	t.Helper()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	prepare(s)
	s.Open(width, height)
	s.Keys("enter")
	return s
}

func TestSearchInPage(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 20)
	s.Keys("enter", "V", "V")
	s.Want(t, "result")
	s.Keys("/", `"open`, "enter")
	s.Want(t, "▌ ┃ ● open")
	s.Keys("n", "n")
	s.Want(t, "▌   1. Open the box", "!n open thread")
	s.Keys("N", "N", "N")
	s.Want(t, "Do not open it")
	s.Keys("esc")
	s.Want(t, "(1 of 3)")
}

// TestFolds checks that enter opens and closes the fold under the cursor, and that z opens and closes all folds elsewhere.
func TestFolds(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 100, 60)
	s.Want(t, "6 blocks unchanged", "!Paragraph F")
	s.Keys("/", `"unchanged`, "enter", "esc", "enter")
	s.Want(t, "Paragraph F", "!blocks unchanged")
	s.Keys("j", "j", "z")
	s.Want(t, "6 blocks unchanged", "!Paragraph F")
	s.Keys("g", "z")
	s.Want(t, "Paragraph F")
}

func TestChangeViews(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 130, 60)
	s.Want(t, "[-what it says-]{+something else+}")
	s.Keys("V")
	s.Want(t, "- Paragraph B says [-what it says-].")
	s.Keys("V")
	s.Want(t, "Paragraph B says something else.", "!what it says-]")
	s.Keys("V")
	s.Want(t, "Paragraph B says what it says.", "!something else")
	s.Keys("]", "v")
	s.Want(t, "this text is removed")
}

func TestChangeShowsPosition(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 100, 60)
	s.Want(t, "change 1 of 2 ━━━━━─────")
	s.Keys("]", "]")
	s.Want(t, "change 2 of 2 ━━━━━━━━━━")
	s.Keys("J")
	s.Want(t, "Old page (2 of 3)")
	s.Keys("K", "G", " ") // at the end, open the next page
	s.Want(t, "Old page (2 of 3)")
}

// TestCommentOnWords checks that a comment can refer to words, which are marked on the page and quoted in the thread.
func TestCommentOnWords(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("enter", "]", "v")
	s.Want(t, "Select words")
	s.Keys("g", "right", "v", "right", "right", "enter", `"Which?`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 “the gateway in”@5 at r_7: Which?"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s.Keys("g", "]", "v", "enter", `"New.`, "ctrl+s", "S", "ctrl+s") // added words are selected first
	if len(s.Server.Writes) != 2 || !strings.Contains(s.Server.Writes[1], "p_quick/b_1 “green.”@48 at r_7: New.") {
		t.Errorf("wrote %q", s.Server.Writes)
	}
	s.Keys("g", "v")
	s.Want(t, "put the cursor on a text first")
}

func TestCommentOnRepeatedWords(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *tuitest.Screen) {
		addLongPage(s)
		s.Server.Texts["cr_2"]["p_quick"] = "One two one two three.\n"
	}, 100, 40)
	s.Keys("]", "v", "right", "right", "right", "enter", `"Second.`, "ctrl+s", "v", "right", "enter", `"First.`, "ctrl+s", "S", "ctrl+s")
	for _, want := range []string{"“two”@12 at r_7: Second.", "“two”@4 at r_7: First."} {
		if len(s.Server.Writes) != 1 || !strings.Contains(s.Server.Writes[0], want) {
			t.Errorf("wrote %v, want %s", s.Server.Writes, want)
		}
	}
}

func TestThreadPhraseIsMarkedAtCurrentPosition(t *testing.T) {
	t.Parallel()
	o := tuitest.ReviewOptions
	o.Theme = render.NewTheme(render.Mono, termenv.Ascii)
	s := tuitest.Start(o, 100, 40)
	s.Keys("enter")
	s.Want(t, "about")
	if plain := strings.ReplaceAll(s.View(), "\x1b[0m", ""); !strings.Contains(plain, "“until the light is green”") {
		t.Errorf("the thread does not quote:\n%s", plain)
	}
	s.Keys("V", "V")
	if !strings.Contains(s.View(), "\x1b[4muntil the light is green\x1b[0m") {
		t.Errorf("not marked:\n%q", s.View())
	}
}

func TestResolvedThreadsAreFolded(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(*tuitest.Screen) {}, 100, 60)
	s.Want(t, "┃ ✓ resolved · comment by Grace 3h ago · On a block that is gone.")
	s.Keys("/", `"✓ resolved`, "enter", "esc", "enter")
	s.Want(t, "┃ On a block that is gone.")
	s.Keys("z")
	s.Want(t, "!┃ On a block that is gone.")
}

// TestSingleVersionViewsSelectChangedTableRow checks that the cursor is on the changed row of a table in the page before and
// after the change.
func TestSingleVersionViewsSelectChangedTableRow(t *testing.T) {
	t.Parallel()
	const table = "| Place | Life |\n| --- | --- |\n| North | 4 years |\n| South | 6 years |\n"
	s := openChange(t, func(s *tuitest.Screen) {
		s.Server.CommentList = nil
		s.Server.Texts[""]["p_quick"], s.Server.Texts["cr_2"]["p_quick"] = "Words.\n\n"+table, "Words.\n\n"+
			strings.Replace(table, "6 years", "7 years", 1)
	}, 100, 60)
	for _, view := range []struct {
		keys []string
		want string
	}{{[]string{"V", "V"}, "+ South │ 7 years"}, {[]string{"V"}, "- South │ 6 years"}} {
		s.Keys(view.keys...)
		s.Keys("g", "]")
		row, _ := s.Page().Base().Selected()
		if got := strings.TrimSpace(row.Line.String()); got != view.want {
			t.Errorf("] went to %q, not to %q", got, view.want)
		}
	}
}

func TestEscapeReturnsToOriginOfChanges(t *testing.T) {
	t.Parallel()
	for _, way := range [][]string{{"d", "n", "n", "n"}, {"n", "d", "n", "n"}, {"J", "d", "n", "n", "K"}, {"d", "N", "N", "N"}} {
		s := openChange(t, func(s *tuitest.Screen) {
			s.Server.CommentList = append(s.Server.CommentList,
				s.Server.NewComment("c_9", "Why?", api.CommentTarget{
					Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_new", Title: "Power"},
				}))
		}, 120, 60)
		s.Keys(way...)
		s.Keys("esc")
		if kind := s.Page().Kind(); kind != "change request" {
			t.Errorf("%v, esc led to %q: %q", way, kind, s.Page().Title())
		}
	}
}

func TestLastPageNamesKeyToReturn(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("enter", "K")
	s.Want(t, "this is the first changed page: J goes to the next")
	s.Keys("J", "J", "J")
	s.Want(t, "this is the last changed page: K goes to the one before")
}

// Links in edited paragraphs are rendered as text, and their hidden targets do not count in the width that the side-by-side
// view needs.
func TestEditedParagraphHidesLinkTargets(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.Texts[""]["p_quick"] = "See [Power](/pages/p_0a1b2c3d) at **noon** first.\n"
	s.Server.Texts["cr_2"]["p_quick"] = "See [Power](/pages/p_0a1b2c3d) at **noon** last.\n"
	s.Open(120, 40)
	s.Keys("enter")
	s.Want(t, "~ See Power at noon [-first-]{+last+}.", "!/pages/")
	s.Keys("V")
	s.Want(t, "side by side", "!side by side needs", "- See Power at noon [-first-].", "!/pages/")
}

// TestChangedPageCountsWords checks that the counts of added and removed words are shown on a page opened from its neighbour,
// but not for another comparison.
func TestChangedPageCountsWords(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 40, func(s *tuitest.Screen) { s.Server.Reviewed = true })
	s.Keys("enter")
	s.Want(t, "~ Quick start · edited · +14 −6 words")
	s.Keys("J")
	s.Want(t, "- Old page · deleted · −1 words")
	s.Keys("J")
	s.Want(t, "· new · +160 words")
	s.Keys("d")
	s.Want(t, "!+160 words")
}

// TestDisplayedPageIsUpdated checks that a page that changed while it is shown is updated with its counts and description.
func TestDisplayedPageIsUpdated(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"enter"}, nil} { // the page and the preview of the change request
		s := tuitest.Start(tuitest.ReviewOptions, 120, 60)
		s.Keys(keys...)
		s.Want(t, "Quick start · edited · ", "+14 −6 words")
		s.Server.Queue.Words["p_quick"] = api.WordCount{Added: 18, Removed: 6}
		s.Server.Renamed = true
		s.Keys("R")
		s.Want(t, "Quick start · edited, renamed · ", "+18 −6 words", "!+14 −6")
	}
}

// TestNextChangeSelectsTableRow checks that the key ] selects the changed row of a table, not its header, in both views.
func TestNextChangeSelectsTableRow(t *testing.T) {
	t.Parallel()
	for _, views := range [][]string{nil, {"V"}} {
		s := tuitest.StartPrepared(tuitest.ReviewOptions, 140, 60, func(s *tuitest.Screen) {
			s.Server.Texts["cr_2"]["p_quick"] = strings.Replace(tuitest.OldMarkdown, "| blue | paired |", "| blue | lost |", 1)
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

// TestNextChangeWrapsAround checks that the first change comes again after the last one, with a message that names the key to
// continue.
func TestNextChangeWrapsAround(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("enter")
	s.View() // lays out the rows
	_, all := s.Page().Base().List.Count(func(r components.Row) bool { return r.Change })
	for range all {
		s.Want(t, "!around to")
		s.Keys("]")
	}
	s.Keys("]")
	s.Want(t, "around to the first change; J goes to the next page")
	s.Keys("[")
	s.Want(t, "around to the last change", "!goes to the page before")
	s.Keys("J", "]", "[")
	s.Want(t, "this is the only change", "; K goes to the page before")
}

// TestIncomingBlocksAreMarked checks that the blocks that are new after R are marked until the next R.
func TestIncomingBlocksAreMarked(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 100, 60)
	s.Want(t, "!came in")
	s.Server.Edit(tuitest.UserGrace)
	s.Server.OldSince = strings.Replace(s.Server.Texts["cr_2"]["p_quick"], "something else", "something", 1)
	s.Keys("R")
	s.Want(t, "● came in while you read")
	if n := strings.Count(s.View(), "came in while you read"); n != 1 {
		t.Errorf("%d blocks are marked in\n%s", n, s.View())
	}
	s.Keys("R")
	s.Want(t, "!came in")
}

// The last view shows the page with its variables evaluated. It is loaded again with the page.
func TestReaderView(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.Texts["cr_2"]["p_quick"] = "# Quick start\n\nWait {{gust}} for it.\n"
	s.Open(120, 40)
	s.Keys("enter", "V", "V", "V", "V")
	s.Want(t, "as readers see it", "Wait 3 s for it.", "!{{gust}}")
	s.Server.Texts["cr_2"]["p_quick"] = "# Quick start\n\nNow {{gust}}.\n"
	s.Keys("R")
	s.Want(t, "Now 3 s.")
	s.Keys("J")
	s.Want(t, "Readers see no text here.")
	s.Keys("K")
	s.Server.Fail["evaluated-text"] = api.Errorf(500, api.ReasonInternal, "It cannot be read.")
	s.Keys("V", "V", "V", "V", "V")
	s.Want(t, "It cannot be read.")
	s.Keys("V")
	s.Want(t, "unified", "{{gust}}")
}

// The view of the result marks added text, and the view of the earlier version marks removed text.
func TestResultMarksNewText(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 100, 60)
	s.Keys("V", "V")
	s.Want(t, "~ Paragraph B says something else.", "    Paragraph A says what it says.", "![-")
	s.Keys("V")
	s.Want(t, "~ Paragraph B says what it says.", "!something")
	s.Keys("]")
	s.Want(t, "▌ ~ Paragraph B")
}

// The diff has the actions to update the change request and to ask for reviews, like the page of the change request.
func TestUpdateAndRequestReviewInDiff(t *testing.T) {
	t.Parallel()
	s := openChange(t, tuitest.OwnChangeRequest, 120, 40)
	s.Keys("U")
	s.Want(t, "Update #2 with what has changed in the space?")
	s.Keys("esc", "i")
	s.Want(t, "Ask for a review of #2", "Lin")
}

// TestSinceReviewMovesToFirstChange checks that d moves the cursor to the first change since the review.
func TestSinceReviewMovesToFirstChange(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *tuitest.Screen) {
		addLongPage(s)
		s.Server.Reviewed = true
		s.Server.OldSince = strings.Replace(s.Server.Texts["cr_2"]["p_quick"], "K says something else", "K says something", 1)
	}, 100, 60)
	s.Want(t, "▌ ")
	s.Keys("d")
	s.Want(t, "▌ ~ Paragraph K")
}

// TestThreadListSkipsTitles checks that the cursor skips the titles of pages in the list of threads, because no action works on
// them.
func TestThreadListSkipsTitles(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 60)
	s.Keys("C", "g")
	s.Want(t, "!▌ On the whole", "!▌ Quick start", "▌ ┃")
	for range 30 {
		s.Keys("j")
		s.Want(t, "!▌ On the whole", "!▌ Quick start")
	}
}

// TestResultMarksWideTableAndCode checks that a changed row of a wide table and a changed line of wrapped code have signs in
// the result, whatever part of them is shown.
func TestResultMarksWideTableAndCode(t *testing.T) {
	t.Parallel()
	s := openChange(t, tuitest.AddWideContent, 80, 40)
	s.Keys("V", "V")
	s.Want(t, "columns 1–", "+ cell 3.0 │", "  cell 4.0 │", "+ wsd serve", "+ ↪ ", "!new value", "!old value")
	s.Keys("]", ">", ">")
	s.Want(t, "▌ + cell 3.0 ‹", "new value")
}

// The cursor moves to the first change since the review only if the user has not moved it before the changes are loaded.
func TestSinceReviewKeepsMovedCursor(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 60, func(s *tuitest.Screen) { s.Server.Reviewed = true })
	s.Keys("enter", "g")
	s.Press("d")
	s.Press("n")
	moved, _ := s.Page().Base().Selected()
	s.Drain()
	_ = s.View()
	if now, _ := s.Page().Base().Selected(); now.Key != moved.Key || !now.Thread {
		t.Errorf("on %q, moved to %q", now.Key, moved.Key)
	}
}
