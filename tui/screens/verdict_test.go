package screens_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

// TestVerdictRefersToDisplayedRevision checks that the reviewer sees the merge gates, and that the verdict refers to the
// displayed revision.
func TestVerdictRefersToDisplayedRevision(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Server.Blocked = true
	s.Open(100, 40)
	s.Keys("m")
	s.Want(t, "not yet: it changed since Grace reviewed it")
	s.Want(t, "Lin approved, no longer counts", "changed since", "!✓ Lin", "✗ Piet requested changes",
		"● you · asked by Grace, no review yet", "!✗ Lin", "[NOT YET]", "✗ It changed since Grace reviewed it",
		"2 comments are open", "▸ 1 of 3 checks pass", "!✓ 1 of 3")
	s.Keys("a")
	s.Want(t, "(•) approve", "Not read yet  4 of 4 changes")
	s.Keys("ctrl+s")
	if len(s.Server.Writes) != 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Want(t, "▌ ◌ Old page", "4 changes not read: ctrl+s again approves anyway")
	s.Keys("ctrl+s")
	s.Want(t, "✓ approved", "same as: wsctl change-request-reviews submit key", "Changed pages")
	s.Keys("enter", "S", "tab", "tab", "enter", `"Not the light.`, "ctrl+s")
	want := []string{"submit approved of r_7", "submit changes-requested of r_7: Not the light."}
	if diff := cmp.Diff(want, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	if len(s.Journal.Drafts) != 0 {
		t.Errorf("the journal still has %v", s.Journal.Drafts)
	}
}

// Changes that were opened but not marked as read cause the warning again.
func TestUnreadChangesAreListedAgain(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 70)
	s.Keys("a", "ctrl+s", "enter", "esc", "ctrl+s")
	s.Want(t, "4 changes not read: ctrl+s again approves anyway")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %q", s.Server.Writes)
	}
}

// TestReviewShowsText checks that the text of a review is shown with the review, and that its thread refers to the review.
func TestReviewShowsText(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, func(s *tuitest.Screen) {
		said := s.Server.NewComment("c_v", "Not the light.", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Review: "rv_u_2"})
		s.Server.CommentList = append(s.Server.CommentList, said)
		v := tuitest.VerdictBy(tuitest.UserGrace, api.ReviewChangesRequested, false)
		v.Comment = &said
		s.Server.ReviewList = []api.Review{v}
	})
	s.Want(t, "✗ Grace requested changes", "“Not the light.”", "● open Grace · 3h ago · of the review")
	s.Keys("/", `"Grace requested`, "enter", "esc")
	s.Want(t, "⏎ the thread")
	s.Keys("enter")
	s.Want(t, "▌ ┃ ● open Grace · 3h ago · of the review")
}

// TestReviewTextIsNotCut checks that the text of a review is never cut, and that text that does not fit next to the review is
// shown below.
func TestReviewTextIsNotCut(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		s := tuitest.StartPrepared(tuitest.ReviewOptions, width, 70, func(s *tuitest.Screen) {
			s.Server.ReviewList = []api.Review{
				tuitest.VerdictBy(tuitest.NewUser("u_7", "Wilhelmina von Lichtenberg"), api.ReviewApproved, true),
			}
		})
		s.Want(t, "Wilhelmina von Lichtenberg approved", "1 page changed since", " 1h ago")
	}
}

// TestEnterStartsVerdictText checks that enter on the verdict starts its text, so that typed letters are not keys, and that
// arrows, digits and tab select another verdict and show its name.
func TestEnterStartsVerdictText(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("a", "g")
	s.Want(t, "▌ ( ) comment only   (•) approve", "⏎ write a summary")
	for _, c := range [][2]string{
		{"right", "request changes"}, {"left", "approve"}, {"1", "comment only"}, {"3", "request changes"}, {"tab", "comment only"}, {
			"shift+tab", "request changes",
		}, {"a", "approve"},
	} {
		s.Keys("g", c[0])
		s.Want(t, "(•) "+c[1], "verdict: "+c[1])
	}
	s.Keys("enter", `"u`, `"a`, `"1`)
	s.Want(t, "(•) approve", "▌ Summary (optional)", "─ your review of #2", "ua1█")
	s.Keys("ctrl+s", "ctrl+s")
	if diff := cmp.Diff([]string{"submit approved of r_7: ua1"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

// TestRequestingChangesNeedsText checks that the warning about a request for changes without a text is shown once.
func TestRequestingChangesNeedsText(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("S", "g", "3", "ctrl+s")
	s.Want(t, "say what has to change: nothing is written yet", "▌ Summary", "you request changes in #2", "!withdraw")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
	s.Keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit changes-requested of r_7"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
}

func TestAuthorGivesNoVerdict(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 140, 60, tuitest.OwnChangeRequest)
	s.Want(t, "S send comments", "!submit review")
	s.Keys("S")
	s.Want(t, "› send your comments", "Your own change request", "A comment on all of it (optional)", "!verdict", "!( )", "!review")
	s.Keys("ctrl+s")
	s.Want(t, "nothing to send yet: c comments where you read, r replies")
	s.Keys("esc", "enter", "n", "r", `"Measured.`, "ctrl+s")
	s.Want(t, "your reply is kept here, not sent yet: S sends it")
	s.Keys("S")
	s.Want(t, "→ 1 reply posted")
	s.Keys("ctrl+s")
	s.Want(t, "✓ 1 reply posted", "!› send your comments")
}

func TestUnsentVerdictIsRestored(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("a", "esc", "S")
	s.Want(t, "(•) approve", "verdict: approve, kept from before")
}

// TestVerdictNamesReplacedVerdict checks that a verdict names the earlier verdict that it replaces, before and after it is
// sent.
func TestVerdictNamesReplacedVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given   []api.Review
		before  string
		after   string
		stays   string
		verdict string
	}{
		{
			[]api.Review{
				tuitest.VerdictBy(tuitest.UserAda, api.ReviewChangesRequested, true), tuitest.VerdictBy(tuitest.UserAda,
					api.ReviewApproved, true),
			},
			"it takes the place of your request for changes", "✓ approved · this takes the place of your request for changes",
			"no verdict: your request for changes stays", "2",
		},
		{
			[]api.Review{
				tuitest.VerdictBy(tuitest.UserAda, api.ReviewApproved, false),
			},
			"it takes the place of your approval", "✓ requested changes · this takes the place of your approval",
			"no verdict: your approval stays", "3",
		},
		{
			[]api.Review{
				tuitest.VerdictBy(tuitest.UserAda, api.ReviewApproved, true),
			}, "!takes the place", "!takes the place", "no verdict: your approval stays", "2",
		},
		{
			[]api.Review{
				tuitest.VerdictBy(tuitest.UserLin, api.ReviewChangesRequested, true),
			}, "!takes the place", "!takes the place", "no verdict: your earlier one on #2, if any, stays", "2",
		},
	} {
		s := tuitest.StartPrepared(tuitest.ReviewOptions, 200, 50, func(s *tuitest.Screen) { s.Server.ReviewList = c.given })
		s.Keys("S", "g")
		s.Want(t, c.stays)
		s.Keys(c.verdict)
		s.Want(t, c.before)
		s.Keys("ctrl+s", "ctrl+s")
		s.Want(t, c.after)
	}
}
