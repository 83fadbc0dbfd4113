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
func addLongPage(s *testScreen) {
	paragraphs := make([]string, 12)
	for i := range paragraphs {
		paragraphs[i] = "Paragraph " + string(rune('A'+i)) + " says what it says."
	}
	s.fake.texts[""]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	paragraphs[1], paragraphs[10] = "Paragraph B says something else.", "Paragraph K says something else."
	s.fake.texts["cr_2"]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	s.fake.comments = nil
}

func openChange(t *testing.T, prepare func(*testScreen), width, height int) *testScreen {
	t.Helper()
	s := newTestScreen(reviewOptions)
	prepare(s)
	s.open(width, height)
	s.keys("enter")
	return s
}

// A fold under the cursor is opened and closed by enter, and elsewhere all folds by z.
func TestFolds(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 100, 60)
	s.want(t, "6 blocks unchanged", "!Paragraph F")
	s.keys("/", `"unchanged`, "enter", "esc", "enter")
	s.want(t, "Paragraph F", "!blocks unchanged")
	s.keys("j", "j", "z")
	s.want(t, "6 blocks unchanged", "!Paragraph F")
	s.keys("g", "z")
	s.want(t, "Paragraph F")
}

func TestChangeViews(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 130, 60)
	s.want(t, "[-what it says-]{+something else+}")
	s.keys("V")
	s.want(t, "- Paragraph B says [-what it says-].")
	s.keys("V")
	s.want(t, "Paragraph B says something else.", "!what it says-]")
	s.keys("V")
	s.want(t, "Paragraph B says what it says.", "!something else")
	s.keys("]", "c")
	s.want(t, "this text is gone")
}

func TestChangeShowsPosition(t *testing.T) {
	t.Parallel()
	s := openChange(t, addLongPage, 100, 60)
	s.want(t, "change 1 of 2 ━━━━━─────")
	s.keys("]", "]")
	s.want(t, "change 2 of 2 ━━━━━━━━━━")
	s.keys("J")
	s.want(t, "Old page (2 of 3)")
	s.keys("K", "G", " ") // at the end, open the next page
	s.want(t, "Old page (2 of 3)")
}

// A comment can refer to words, which are marked on the page and quoted in the thread.
func TestCommentOnWords(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 100, 40)
	s.keys("enter", "]", "v")
	s.want(t, "Select words")
	s.keys("g", "right", "v", "right", "right", "enter", `"Which?`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 “the gateway in”@5 at r_7: Which?"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s.keys("g", "]", "v", "enter", `"New.`, "ctrl+s", "S", "ctrl+s") // added words are selected first
	if len(s.fake.writes) != 2 || !strings.Contains(s.fake.writes[1], "p_quick/b_1 “green.”@48 at r_7: New.") {
		t.Errorf("wrote %q", s.fake.writes)
	}
	s.keys("g", "v")
	s.want(t, "put the cursor on a text first")
}

func TestCommentOnRepeatedWords(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *testScreen) {
		addLongPage(s)
		s.fake.texts["cr_2"]["p_quick"] = "One two one two three.\n"
	}, 100, 40)
	s.keys("]", "v", "right", "right", "right", "enter", `"Second.`, "ctrl+s", "v", "right", "enter", `"First.`, "ctrl+s", "S", "ctrl+s")
	for _, want := range []string{"“two”@12 at r_7: Second.", "“two”@4 at r_7: First."} {
		if len(s.fake.writes) != 1 || !strings.Contains(s.fake.writes[0], want) {
			t.Errorf("wrote %v, want %s", s.fake.writes, want)
		}
	}
}

func TestThreadPhraseIsMarkedAtCurrentPosition(t *testing.T) {
	t.Parallel()
	o := reviewOptions
	o.Theme = render.NewTheme(render.Mono, termenv.Ascii)
	s := start(o, 100, 40)
	s.keys("enter")
	s.want(t, "about")
	if plain := strings.ReplaceAll(s.screen(), "\x1b[0m", ""); !strings.Contains(plain, "“until the light is green”") {
		t.Errorf("the thread does not quote:\n%s", plain)
	}
	s.keys("V", "V")
	if !strings.Contains(s.screen(), "\x1b[4muntil the light is green\x1b[0m") {
		t.Errorf("not marked:\n%q", s.screen())
	}
}

func TestResolvedThreadsAreFolded(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(*testScreen) {}, 100, 60)
	s.want(t, "┃ ✓ resolved · comment by Grace 3h ago · On a block that is gone.")
	s.keys("/", `"✓ resolved`, "enter", "esc", "enter")
	s.want(t, "┃ On a block that is gone.")
	s.keys("z")
	s.want(t, "!┃ On a block that is gone.")
}

// A page without changes since the review is shown as such and not as "edited since".
func TestNoChangesSinceReview(t *testing.T) {
	t.Parallel()
	s := openChange(t, func(s *testScreen) { addLongPage(s); s.fake.unchangedSinceReview, s.fake.reviewed = true, true }, 100, 60)
	s.want(t, "~ Quick start · edited", "!Nothing here changed")
	s.keys("d")
	s.want(t, "Nothing here changed since your last review; d shows all.", "!edited since", "12 blocks unchanged")
	s.keys("d")
	s.want(t, "~ Quick start · edited", "!Nothing here changed", "something else")
}

// In the page before and after the change, the cursor is on the changed row of a table.
func TestResultSelectsChangedTableRow(t *testing.T) {
	t.Parallel()
	const table = "| Place | Life |\n| --- | --- |\n| North | 4 years |\n| South | 6 years |\n"
	s := openChange(t, func(s *testScreen) {
		s.fake.comments = nil
		s.fake.texts[""]["p_quick"], s.fake.texts["cr_2"]["p_quick"] = "Words.\n\n"+table, "Words.\n\n"+strings.Replace(table, "6 years", "7 years", 1)
	}, 100, 60)
	for _, view := range []struct {
		keys []string
		want string
	}{{[]string{"V", "V"}, "South │ 7 years"}, {[]string{"V"}, "South │ 6 years"}} {
		s.keys(view.keys...)
		s.keys("g", "]")
		row, _ := s.page().Base().Selected()
		if got := strings.TrimSpace(row.Line.String()); got != view.want {
			t.Errorf("] went to %q, not to %q", got, view.want)
		}
	}
}

func TestEscapeReturnsToOriginOfChanges(t *testing.T) {
	t.Parallel()
	for _, way := range [][]string{{"d", "n", "n", "n"}, {"n", "d", "n", "n"}, {"J", "d", "n", "n", "K"}, {"d", "N", "N", "N"}} {
		s := openChange(t, func(s *testScreen) {
			s.fake.comments = append(s.fake.comments, s.fake.comment("c_9", "Why?", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_new", Title: "Power"}}))
		}, 120, 60)
		s.keys(way...)
		s.keys("esc")
		if kind := s.page().Kind(); kind != "change request" {
			t.Errorf("%v, esc led to %q: %q", way, kind, s.page().Title())
		}
	}
}
