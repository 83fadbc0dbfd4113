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

// verdictBy returns a review submitted an hour ago.
func verdictBy(who api.User, s api.ReviewStatus, outdated bool) api.Review {
	return api.Review{ReviewFields: api.ReviewFields{ID: "rv_" + who.ID, Status: s, Revision: "r_4", CreatedAt: api.At(clock.Add(-time.Hour))}, Reviewer: who, Outdated: outdated}
}

var (
	userAda   = newUser("u_1", "Ada")
	userGrace = newUser("u_2", "Grace")
	userLin   = newUser("u_3", "Lin")
)

// newGatedScreen returns a screen with a change request that has the given merge gates.
func newGatedScreen(width, height int, gates ...api.MergeGate) *testScreen {
	return newPreparedScreen(reviewOptions, width, height, func(s *testScreen) { s.fake.gates = gates })
}

// Reviewers with outdated approvals are asked again by the row of the check and by i.
func TestCheckNamesStaleReviewers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enter", "i"} {
		s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", userLin))
		s.want(t, "1 check stops it", "✗ What Lin reviewed", "approvals · Lin has to review again: i asks", "!any reviewer")
		s.keys("/", `"What Lin`, "enter", "esc")
		s.want(t, "⏎ ask again")
		s.keys(key)
		s.want(t, "✓ asked Lin again")
		if diff := cmp.Diff([]string{"ask u_3"}, s.fake.writes); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", userAda))
	s.want(t, "✗ What you reviewed is not", "· you have to review again: a approves")
	s.keys("/", `"What you`, "enter", "esc", "enter")
	s.want(t, "Your review of #2")
	s = newGatedScreen(200, 60, staleGate(string(api.RuleSpecificReviewers), api.GateFailed, "", userLin, userAda))
	s.want(t, "Lin and you have to review again: a")
	s = newPreparedScreen(reviewOptions, 200, 60, func(s *testScreen) {
		s.fake.gates = []api.MergeGate{staleGate(string(api.RuleAllApproved), api.GateFailed, "", userLin)}
		s.fake.reviews = []api.Review{verdictBy(userLin, api.ReviewApproved, true)}
		s.fake.requested = []api.RequestedReviewer{{User: userLin, RequestedBy: userGrace, CreatedAt: api.At(clock.Add(-time.Minute))}}
	})
	s.want(t, "· Lin has to review again (asked)", "no longer counts, asked again", "!✓ Lin", "!pending")
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
		s := newPreparedScreen(reviewOptions, 120, 70, func(s *testScreen) {
			s.fake.gates = []api.MergeGate{{Rule: rule, State: api.GateAdvice, Message: "So it is.", ClearedBy: editor}}
			s.fake.comments[2].Weight = api.WeightBlocking
		})
		s.keys("/", `"So it is`, "enter", "esc")
		s.want(t, want[0])
		s.keys("enter")
		s.want(t, want[1])
	}
}

// Every failing check is shown, or counted if another has the same message.
func TestCheckCountsAddUp(t *testing.T) {
	t.Parallel()
	passed := api.MergeGate{Rule: api.GateSpace, State: api.GatePassed, Message: "The space exists."}
	s := newGatedScreen(
		200, 60, passed, staleGate(string(api.RuleAllApproved), api.GateFailed, "", userLin), staleGate(api.GateReview, api.GateAdvice, api.RoleReview, userLin),
		api.MergeGate{Rule: api.GateBlocking, State: api.GateAdvice, Message: "1 blocking comment to resolve.", ClearedBy: &api.GateClearers{Role: api.RoleEdit}},
	)
	s.want(t, "1 check stops it, 1 warning", "▸ 1 of 4 checks pass, 1 says the same as another")
	s.want(t, "1 blocking comment to resolve (marked as blocking by the author; no rule", "stops the merge) · any editor can resolve them")
	s.keys("/", `"checks pass`, "enter", "esc", "enter")
	s.want(t, "▾ 1 of 4", "review again, or any reviewer approves", "✓ The space exists.")
}

// The text of a review is shown with it, and its thread refers to the review.
func TestReviewShowsText(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 120, 70, func(s *testScreen) {
		said := s.fake.comment("c_v", "Not the light.", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Review: "rv_u_2"})
		s.fake.comments = append(s.fake.comments, said)
		v := verdictBy(userGrace, api.ReviewChangesRequested, false)
		v.Comment = &said
		s.fake.reviews = []api.Review{v}
	})
	s.want(t, "✗ Grace requested changes", "“Not the light.”", "● open Grace · 3h ago · of the review")
	s.keys("/", `"Grace requested`, "enter", "esc")
	s.want(t, "⏎ the thread")
	s.keys("enter")
	s.want(t, "▌ ┃ ● open Grace · 3h ago · of the review")
}

// The text of a review is never cut: text that does not fit next to it is shown below.
func TestReviewTextIsNotCut(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		s := newPreparedScreen(reviewOptions, width, 70, func(s *testScreen) {
			s.fake.reviews = []api.Review{verdictBy(newUser("u_7", "Wilhelmina von Lichtenberg"), api.ReviewApproved, true)}
		})
		s.want(t, "Wilhelmina von Lichtenberg approved", "1 page changed since · 1h ago")
	}
}

// Enter on the verdict starts its text, so that typed letters are not keys. Arrows, digits and tab select another
// verdict and show its name.
func TestEnterStartsVerdictText(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("a", "g")
	s.want(t, "▌ ( ) comment only   (•) approve", "⏎ write a summary")
	for _, c := range [][2]string{{"right", "request changes"}, {"left", "approve"}, {"1", "comment only"}, {"3", "request changes"}, {"tab", "comment only"}, {"shift+tab", "request changes"}, {"a", "approve"}} {
		s.keys("g", c[0])
		s.want(t, "(•) "+c[1], "verdict: "+c[1])
	}
	s.keys("enter", `"u`, `"a`, `"1`)
	s.want(t, "(•) approve", "▌ Summary (optional)", "─ your review of #2", "ua1█")
	s.keys("ctrl+s", "ctrl+s")
	if diff := cmp.Diff([]string{"submit approved of r_7: ua1"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

// The warning about a request for changes without a text is shown once.
func TestRequestingChangesNeedsText(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("S", "g", "3", "ctrl+s")
	s.want(t, "say what has to change: nothing is written yet", "▌ Summary", "you request changes in #2", "!withdraw")
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
	s.keys("ctrl+s")
	if diff := cmp.Diff([]string{"submit changes-requested of r_7"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
}

func TestUserIsShownAsYou(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 120, 70, func(s *testScreen) { s.fake.comments[2].PostedBy = userAda })
	s.want(t, "● open you · 3h ago", "!Ada ·", "!● open Ada")
	s.keys("/", `"open you`, "enter", "esc", "r")
	s.want(t, "reply in your thread")
}

// The page of the changes has the same merge action and gates as the change request.
func TestMergeFromChangePage(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 50)
	s.keys("enter", "m")
	s.want(t, "into “Skylark Handbook”? It changes 3 pages", "2 open comments to resolve.")
	s.keys(`"yes`, "enter")
	s.want(t, "✓ merged into the space", "Quick start (1 of 3)")
	if diff := cmp.Diff([]string{"merge "}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s = newGatedScreen(120, 50, staleGate(string(api.RuleAllApproved), api.GateFailed, "", userLin))
	s.keys(".")
	s.want(t, "merge (not yet: What Lin reviewed")
	s.keys("esc", "enter", "m")
	s.want(t, "not yet: What Lin reviewed")
	s.keys(".")
	s.want(t, "merge (not yet: What Lin reviewed")
	s.keys("esc")
	if len(s.fake.writes) > 0 {
		t.Errorf("wrote %v", s.fake.writes)
	}
}
