package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/render"
)

// long makes a page with many paragraphs, of which two change.
func long(s *stage) {
	paragraphs := make([]string, 12)
	for i := range paragraphs {
		paragraphs[i] = "Paragraph " + string(rune('A'+i)) + " says what it says."
	}
	s.fake.texts[""]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	paragraphs[1], paragraphs[10] = "Paragraph B says something else.", "Paragraph K says something else."
	s.fake.texts["cr_2"]["p_quick"] = strings.Join(paragraphs, "\n\n") + "\n"
	s.fake.comments = nil
}

func opened(t *testing.T, prepare func(*stage), width, height int) *stage {
	t.Helper()
	s := newStage(review)
	prepare(s)
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(width, height))
	s.settle()
	s.keys("enter")
	return s
}

// A fold opens where the cursor is, closes again, and all open at once elsewhere.
func TestFoldsOpenWithEnterAndZ(t *testing.T) {
	t.Parallel()
	s := opened(t, long, 100, 60)
	s.want(t, "6 blocks unchanged", "!Paragraph F")
	s.keys("/", `"unchanged`, "enter", "esc", "enter")
	s.want(t, "Paragraph F", "!blocks unchanged")
	s.keys("j", "j", "z")
	s.want(t, "6 blocks unchanged", "!Paragraph F")
	s.keys("g", "z")
	s.want(t, "Paragraph F")
}

func TestTheFourViewsOfAChange(t *testing.T) {
	t.Parallel()
	s := opened(t, long, 130, 60)
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

func TestAChangeSaysWhereOneIs(t *testing.T) {
	t.Parallel()
	s := opened(t, long, 100, 60)
	s.want(t, "change 1 of 2 ━━━━━─────")
	s.keys("]", "]")
	s.want(t, "change 2 of 2 ━━━━━━━━━━")
	s.keys("J")
	s.want(t, "Old page (2 of 3)")
	s.keys("K", "G", " ") // at the end, the next page
	s.want(t, "Old page (2 of 3)")
}

// A comment can be about words; they are marked where they stand, and quoted in the thread.
func TestACommentOnWords(t *testing.T) {
	t.Parallel()
	s := start(review, 100, 40)
	s.keys("enter", "]", "v")
	s.want(t, "Select words")
	s.keys("g", "right", "v", "right", "right", "enter", `"Which?`, "ctrl+s", "S", "ctrl+s")
	if diff := cmp.Diff([]string{"submit  of r_7\n  p_quick/b_1 “the gateway in”@5 at r_7: Which?"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s.keys("g", "]", "v", "enter", `"New.`, "ctrl+s", "S", "ctrl+s") // what came is selected first
	if len(s.fake.writes) != 2 || !strings.Contains(s.fake.writes[1], "p_quick/b_1 “green.”@48 at r_7: New.") {
		t.Errorf("wrote %q", s.fake.writes)
	}
	s.keys("g", "v")
	s.want(t, "put the cursor on a text first")
}

// Words that stand there twice are told apart by their place.
func TestWordsThatStandThereTwice(t *testing.T) {
	t.Parallel()
	s := opened(t, func(s *stage) {
		long(s)
		s.fake.texts["cr_2"]["p_quick"] = "One two one two three.\n"
	}, 100, 40)
	s.keys("]", "v", "right", "right", "right", "enter", `"Second.`, "ctrl+s", "v", "right", "enter", `"First.`, "ctrl+s", "S", "ctrl+s")
	for _, want := range []string{"“two”@12 at r_7: Second.", "“two”@4 at r_7: First."} {
		if len(s.fake.writes) != 1 || !strings.Contains(s.fake.writes[0], want) {
			t.Errorf("wrote %v, want %s", s.fake.writes, want)
		}
	}
}

func TestThePhraseOfAThreadIsMarkedWhereItStandsNow(t *testing.T) {
	t.Parallel()
	o := review
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

// Resolved threads are a line until they are opened.
func TestResolvedThreadsAreFolded(t *testing.T) {
	t.Parallel()
	s := opened(t, func(*stage) {}, 100, 60)
	s.want(t, "┃ ✓ resolved · comment by Grace 3h ago · On a block that is gone.")
	s.keys("/", `"✓ resolved`, "enter", "esc", "enter")
	s.want(t, "┃ On a block that is gone.")
	s.keys("z")
	s.want(t, "!┃ On a block that is gone.")
}

// Where nothing of a page is new since the review, that is said, and that the page is not "edited since".
func TestNothingNewSinceTheReview(t *testing.T) {
	t.Parallel()
	s := opened(t, func(s *stage) { long(s); s.fake.asReviewed, s.fake.reviewed = true, true }, 100, 60)
	s.want(t, "~ Quick start · edited", "!Nothing here changed")
	s.keys("d")
	s.want(t, "Nothing here changed since your last review; d shows all.", "!edited since", "12 blocks unchanged")
	s.keys("d")
	s.want(t, "~ Quick start · edited", "!Nothing here changed", "something else")
}

// In the page after the change, and before it, a change of a table is the row that changed.
func TestTheResultGoesToTheRowThatChanged(t *testing.T) {
	t.Parallel()
	const table = "| Place | Life |\n| --- | --- |\n| North | 4 years |\n| South | 6 years |\n"
	s := opened(t, func(s *stage) {
		s.fake.comments = nil
		s.fake.texts[""]["p_quick"], s.fake.texts["cr_2"]["p_quick"] = "Words.\n\n"+table, "Words.\n\n"+strings.Replace(table, "6 years", "7 years", 1)
	}, 100, 60)
	for _, view := range []struct {
		keys []string
		want string
	}{{[]string{"V", "V"}, "South │ 7 years"}, {[]string{"V"}, "South │ 6 years"}} {
		s.keys(view.keys...)
		s.keys("g", "]")
		row, _ := s.model.top().Base().Selected()
		if got := strings.TrimSpace(row.Line.String()); got != view.want {
			t.Errorf("] went to %q, not to %q", got, view.want)
		}
	}
}

// However one went through the changed pages, esc leads back to where one came to them from.
func TestEscLeadsBackToWhereTheChangesWereOpenedFrom(t *testing.T) {
	t.Parallel()
	for _, way := range [][]string{{"d", "n", "n", "n"}, {"n", "d", "n", "n"}, {"J", "d", "n", "n", "K"}, {"d", "N", "N", "N"}} {
		s := opened(t, func(s *stage) {
			s.fake.comments = append(s.fake.comments, s.fake.comment("c_9", "Why?", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_new", Title: "Power"}}))
		}, 120, 60)
		s.keys(way...)
		s.keys("esc")
		if kind := s.model.top().Kind(); kind != "change request" {
			t.Errorf("%v, esc led to %q: %q", way, kind, s.model.top().Title())
		}
	}
}
