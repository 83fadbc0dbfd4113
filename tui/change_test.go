package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// addLongPage creates a page with many paragraphs, two of which are changed.
func addLongPage(s *Screen) {
	paragraphs := make([]string, 12)
	for i := range paragraphs {
		paragraphs[i] = "Paragraph " + string(rune('A'+i)) + " says what it says."
	}
	s.Server.Texts[""]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	paragraphs[1], paragraphs[10] = "Paragraph B says something else.", "Paragraph K says something else."
	s.Server.Texts["cr_2"]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	s.Server.CommentList = nil
}

func openChange(t *testing.T, prepare func(*Screen), width, height int) *Screen {
	t.Helper()
	s := NewScreen(ReviewOptions)
	prepare(s)
	s.Open(width, height)
	s.Keys("enter")
	return s
}

// A fold under the cursor is opened and closed by enter, and elsewhere all folds by z.
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
	s.Keys("]", "c")
	s.Want(t, "this text is gone")
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

// A comment can refer to words, which are marked on the page and quoted in the thread.
func TestCommentOnWords(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 100, 40)
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
	s := openChange(t, func(s *Screen) {
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
	o := ReviewOptions
	o.Theme = render.NewTheme(render.Mono, termenv.Ascii)
	s := Start(o, 100, 40)
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
	s := openChange(t, func(*Screen) {}, 100, 60)
	s.Want(t, "┃ ✓ resolved · comment by Grace 3h ago · On a block that is gone.")
	s.Keys("/", `"✓ resolved`, "enter", "esc", "enter")
	s.Want(t, "┃ On a block that is gone.")
	s.Keys("z")
	s.Want(t, "!┃ On a block that is gone.")
}

// A page without changes since the review is shown as such and not as "edited since".
func TestNoChangesSinceReview(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *Screen) { addLongPage(s); s.Server.UnchangedSinceReview, s.Server.Reviewed = true, true }, 100, 60)
	s.Want(t, "~ Quick start · edited", "!Nothing here changed")
	s.Keys("d")
	s.Want(t, "Nothing here changed since your last review; d shows all.", "!edited since", "12 blocks unchanged")
	s.Keys("d")
	s.Want(t, "~ Quick start · edited", "!Nothing here changed", "something else")
}

// In the page before and after the change, the cursor is on the changed row of a table.
func TestResultSelectsChangedTableRow(t *testing.T) {
	t.Parallel()
	const table = "| Place | Life |\n| --- | --- |\n| North | 4 years |\n| South | 6 years |\n"
	s := openChange(t, func(s *Screen) {
		s.Server.CommentList = nil
		s.Server.Texts[""]["p_quick"], s.Server.Texts["cr_2"]["p_quick"] = "Words.\n\n"+table, "Words.\n\n"+strings.Replace(table, "6 years", "7 years", 1)
	}, 100, 60)
	for _, view := range []struct {
		keys []string
		want string
	}{{[]string{"V", "V"}, "South │ 7 years"}, {[]string{"V"}, "South │ 6 years"}} {
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
		s := openChange(t, func(s *Screen) {
			s.Server.CommentList = append(s.Server.CommentList, s.Server.NewComment("c_9", "Why?", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_new", Title: "Power"}}))
		}, 120, 60)
		s.Keys(way...)
		s.Keys("esc")
		if kind := s.Page().Kind(); kind != "change request" {
			t.Errorf("%v, esc led to %q: %q", way, kind, s.Page().Title())
		}
	}
}
