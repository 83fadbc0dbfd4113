package tui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// staleGate returns a review gate that waits for users whose approvals are outdated.
func staleGate(rule string, s api.GateState, role api.Role, who ...api.User) api.MergeGate {
	names := ""
	for i, u := range who {
		if i > 0 {
			names += ", "
		}
		names += u.DisplayName
	}
	return api.MergeGate{
		Rule: rule, State: s, Message: "What " + names + " reviewed is not what would be merged: Quick start (text).",
		ClearedBy: &api.GateClearers{Users: who, Role: role}, Unseen: []api.UnseenChange{{ID: "p_quick", Title: "Quick start", Reason: api.UnseenText}},
	}
}

// VerdictBy returns a review submitted an hour ago.
func VerdictBy(who api.User, s api.ReviewStatus, outdated bool) api.Review {
	return api.Review{ReviewFields: api.ReviewFields{ID: "rv_" + who.ID, Status: s, Revision: "r_4", CreatedAt: api.At(Clock.Add(-time.Hour))}, Reviewer: who, Outdated: outdated}
}

var (
	UserAda   = NewUser("u_1", "Ada")
	UserGrace = NewUser("u_2", "Grace")
	UserLin   = NewUser("u_3", "Lin")
)

// newGatedScreen returns a screen with a change request that has the given merge gates.
func newGatedScreen(width, height int, gates ...api.MergeGate) *Screen {
	return StartPrepared(ReviewOptions, width, height, func(s *Screen) { s.Server.Gates = gates })
}

// Reviewers with outdated approvals are asked again by the row of the check and by i.
func TestCheckNamesStaleReviewers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enter", "i"} {
		s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", UserLin))
		s.Want(t, "1 check stops it", "✗ What Lin reviewed", "approvals · Lin has to review again: i asks", "!any reviewer")
		s.Keys("/", `"What Lin`, "enter", "esc")
		s.Want(t, "⏎ ask again")
		s.Keys(key)
		s.Want(t, "✓ asked Lin again")
		if diff := cmp.Diff([]string{"ask u_3"}, s.Server.Writes); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", UserAda))
	s.Want(t, "✗ What you reviewed is not", "· you have to review again: a approves")
	s.Keys("/", `"What you`, "enter", "esc", "enter")
	s.Want(t, "Your review of #2")
	s = newGatedScreen(200, 60, staleGate(string(api.RuleSpecificReviewers), api.GateFailed, "", UserLin, UserAda))
	s.Want(t, "Lin and you have to review again: a")
	s = StartPrepared(ReviewOptions, 200, 60, func(s *Screen) {
		s.Server.Gates = []api.MergeGate{staleGate(string(api.RuleAllApproved), api.GateFailed, "", UserLin)}
		s.Server.ReviewList = []api.Review{VerdictBy(UserLin, api.ReviewApproved, true)}
		s.Server.RequestedReviewers = []api.RequestedReviewer{{User: UserLin, RequestedBy: UserGrace, CreatedAt: api.At(Clock.Add(-time.Minute))}}
	})
	s.Want(t, "· Lin has to review again (asked)", "no longer counts, asked again", "!✓ Lin", "!pending")
}

// The footer names the action of a check, if it has one.
func TestCheckActionLabels(t *testing.T) {
	t.Parallel()
	editor := &api.GateClearers{Role: api.RoleEdit}
	for rule, want := range map[string][2]string{
		api.GateLinks: {"⏎ the links", "› Power"}, api.GateUpToDate: {"⏎ update", "Update #2"}, api.GateConflicts: {"⏎ decide them", "2 conflicts"},
		string(api.RuleSubject): {"⏎ change the subject", "Subject"}, api.GateBlocking: {"⏎ the comment", "▌ ┃ ● open Grace · 3h ago · blocking"},
		api.GateThreads: {"⏎ the threads", "▌ ● Grace “Is green right? red”"}, api.GateReview: {"⏎ submit review", "Your review of #2"},
		api.GateRole: {"!⏎", "nothing to open here"}, string(api.RuleCustom): {"!⏎", "nothing to open here"}, api.GateStatus: {"!⏎", "nothing to open here"},
	} {
		s := StartPrepared(ReviewOptions, 120, 70, func(s *Screen) {
			s.Server.Gates = []api.MergeGate{{Rule: rule, State: api.GateAdvice, Message: "So it is.", ClearedBy: editor}}
			s.Server.CommentList[2].Weight = api.WeightBlocking
		})
		s.Keys("/", `"So it is`, "enter", "esc")
		s.Want(t, want[0])
		s.Keys("enter")
		s.Want(t, want[1])
	}
}

// Every failing check is shown, or counted if another has the same message.
func TestCheckCountsAddUp(t *testing.T) {
	t.Parallel()
	passed := api.MergeGate{Rule: api.GateSpace, State: api.GatePassed, Message: "The space exists."}
	s := newGatedScreen(
		200, 60, passed, staleGate(string(api.RuleAllApproved), api.GateFailed, "", UserLin), staleGate(api.GateReview, api.GateAdvice, api.RoleReview, UserLin),
		api.MergeGate{Rule: api.GateBlocking, State: api.GateAdvice, Message: "1 blocking comment to resolve.", ClearedBy: &api.GateClearers{Role: api.RoleEdit}},
	)
	s.Want(t, "1 check stops it, 1 warning", "▸ 1 of 4 checks pass, 1 says the same as another")
	s.Want(t, "1 blocking comment to resolve (marked as blocking by the author; no rule", "stops the merge) · any editor can resolve them")
	s.Keys("/", `"checks pass`, "enter", "esc", "enter")
	s.Want(t, "▾ 1 of 4", "review again, or any reviewer approves", "✓ The space exists.")
}

// The text of a review is shown with it, and its thread refers to the review.
func TestReviewShowsText(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 120, 70, func(s *Screen) {
		said := s.Server.NewComment("c_v", "Not the light.", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Review: "rv_u_2"})
		s.Server.CommentList = append(s.Server.CommentList, said)
		v := VerdictBy(UserGrace, api.ReviewChangesRequested, false)
		v.Comment = &said
		s.Server.ReviewList = []api.Review{v}
	})
	s.Want(t, "✗ Grace requested changes", "“Not the light.”", "● open Grace · 3h ago · of the review")
	s.Keys("/", `"Grace requested`, "enter", "esc")
	s.Want(t, "⏎ the thread")
	s.Keys("enter")
	s.Want(t, "▌ ┃ ● open Grace · 3h ago · of the review")
}

// The text of a review is never cut: text that does not fit next to it is shown below.
func TestReviewTextIsNotCut(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		s := StartPrepared(ReviewOptions, width, 70, func(s *Screen) {
			s.Server.ReviewList = []api.Review{VerdictBy(NewUser("u_7", "Wilhelmina von Lichtenberg"), api.ReviewApproved, true)}
		})
		s.Want(t, "Wilhelmina von Lichtenberg approved", "1 page changed since · 1h ago")
	}
}

// Enter on the verdict starts its text, so that typed letters are not keys. Arrows, digits and tab select another
// verdict and show its name.
func TestEnterStartsVerdictText(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("a", "g")
	s.Want(t, "▌ ( ) comment only   (•) approve", "⏎ write a summary")
	for _, c := range [][2]string{{"right", "request changes"}, {"left", "approve"}, {"1", "comment only"}, {"3", "request changes"}, {"tab", "comment only"}, {"shift+tab", "request changes"}, {"a", "approve"}} {
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

// The warning about a request for changes without a text is shown once.
func TestRequestingChangesNeedsText(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
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

func TestUserIsShownAsYou(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 120, 70, func(s *Screen) { s.Server.CommentList[2].PostedBy = UserAda })
	s.Want(t, "● open you · 3h ago", "!Ada ·", "!● open Ada")
	s.Keys("/", `"open you`, "enter", "esc", "r")
	s.Want(t, "reply in your thread")
}

// The page of the changes has the same merge action and gates as the change request.
func TestMergeFromChangePage(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 50)
	s.Keys("enter", "m")
	s.Want(t, "into “Skylark Handbook”? It changes 3 pages", "2 open comments to resolve.")
	s.Keys(`"yes`, "enter")
	s.Want(t, "✓ merged into the space", "Quick start (1 of 3)")
	if diff := cmp.Diff([]string{"merge "}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s = newGatedScreen(120, 50, staleGate(string(api.RuleAllApproved), api.GateFailed, "", UserLin))
	s.Keys(".")
	s.Want(t, "merge (not yet: What Lin reviewed")
	s.Keys("esc", "enter", "m")
	s.Want(t, "not yet: What Lin reviewed")
	s.Keys(".")
	s.Want(t, "merge (not yet: What Lin reviewed")
	s.Keys("esc")
	if len(s.Server.Writes) > 0 {
		t.Errorf("wrote %v", s.Server.Writes)
	}
}
