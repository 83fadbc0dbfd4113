package screens_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
)

// staleGate returns a review gate that waits for users whose approvals are outdated.
func staleGate(rule string, s api.GateState, role api.Role, who ...api.User) api.MergeGate {
	return api.MergeGate{
		Rule: rule, State: s, Message: "It changed after somebody reviewed it: Quick start (text).", Cause: api.CauseStale, Stale: who,
		ClearedBy: &api.GateClearers{Users: who, Role: role}, Unseen: []api.UnseenChange{
			{ID: "p_quick", Title: "Quick start", Reason: api.UnseenText},
		},
	}
}

// newGatedScreen returns a screen with a change request that has the given merge gates.
func newGatedScreen(width, height int, gates ...api.MergeGate) *tuitest.Screen {
	return tuitest.StartPrepared(tuitest.ReviewOptions, width, height, func(s *tuitest.Screen) { s.Server.Gates = gates })
}

func TestCheckOpensItsCause(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 100, 40)
	s.Keys("/", `"comments are open`, "enter", "esc")
	s.Want(t, "▌ ! 2 comments are open", "only a warning", "any editor can resolve them", "⏎ the threads")
	s.Keys("enter")
	s.Want(t, "▌ ● Grace “Is green right? red”")
	s.Keys("/", `"checks pass`, "enter", "esc", "enter")
	s.Want(t, "✓ Your role, reviewer, can merge")
}

// TestCheckNamesStaleReviewers checks that reviewers with outdated approvals are asked again by the row of the check and by i.
func TestCheckNamesStaleReviewers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enter", "i"} {
		s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin))
		s.Want(t, "1 check stops it", "✗ It changed since Lin reviewed it · i asks", "!any reviewer")
		s.Keys("/", `"since Lin`, "enter", "esc")
		s.Want(t, "⏎ ask again", "rule: all reviews are approvals", "Lin has to review again: i asks", "changed: Quick start (text)")
		s.Keys(key)
		s.Want(t, "✓ asked Lin again")
		if diff := cmp.Diff([]string{"ask u_3"}, s.Server.Writes); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserAda))
	s.Want(t, "✗ It changed since you reviewed it · a approves")
	s.Keys("/", `"since you`, "enter", "esc", "enter")
	s.Want(t, "Your review of #2")
	s = newGatedScreen(200, 60, staleGate(string(api.RuleSpecificReviewers), api.GateFailed, "", tuitest.UserLin, tuitest.UserAda))
	s.Want(t, "✗ It changed since Lin and you reviewed it · a approves")
	s = tuitest.StartPrepared(tuitest.ReviewOptions, 200, 60, func(s *tuitest.Screen) {
		s.Server.Gates = []api.MergeGate{staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin)}
		s.Server.ReviewList = []api.Review{tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, true)}
		s.Server.RequestedReviewers = []api.RequestedReviewer{
			{User: tuitest.UserLin, RequestedBy: tuitest.UserGrace, CreatedAt: api.At(tuitest.Clock.Add(-time.Minute))},
		}
	})
	s.Want(t, "✗ It changed since Lin reviewed it · asked", "no longer counts, asked again", "!✓ Lin", "!pending")
}

// TestCheckActionLabels checks that the footer names the action of a check, if it has one.
func TestCheckActionLabels(t *testing.T) {
	t.Parallel()
	editor := &api.GateClearers{Role: api.RoleEdit}
	for rule, want := range map[string][2]string{
		api.GateLinks: {"⏎ the links", "› Power"}, api.GateUpToDate: {"⏎ update", "Update #2"}, api.GateConflicts: {
			"⏎ decide them", "2 conflicts",
		},
		string(api.RuleSubject): {
			"⏎ change the subject", "Subject",
		}, api.GateBlocking: {"⏎ the comment", "▌ ┃ ● open Grace · 3h ago · blocking"},
		api.GateThreads: {"⏎ the threads", "▌ ● Grace “Is green right? red”"}, api.GateReview: {"⏎ submit review", "Your review of #2"},
		api.GateRole: {"!⏎", "nothing to open here"}, string(api.RuleCustom): {"!⏎", "nothing to open here"},
		api.GateStatus: {"!⏎", "nothing to open here"},
	} {
		s := tuitest.StartPrepared(tuitest.ReviewOptions, 120, 70, func(s *tuitest.Screen) {
			s.Server.Gates = []api.MergeGate{{Rule: rule, State: api.GateAdvice, Message: "So it is.", ClearedBy: editor}}
			s.Server.CommentList[2].Weight = api.WeightBlocking
		})
		s.Keys("/", `"So it is`, "enter", "esc")
		s.Want(t, want[0])
		s.Keys("enter")
		s.Want(t, want[1])
	}
}

// A check that only repeats another one is neither shown nor counted.
func TestRedundantChecksAreNotCounted(t *testing.T) {
	t.Parallel()
	passed := api.MergeGate{Rule: api.GateSpace, State: api.GatePassed, Message: "The space exists."}
	s := newGatedScreen(
		200, 60, passed, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin), staleGate(api.GateReview,
			api.GateAdvice, api.RoleReview, tuitest.UserLin),
		api.MergeGate{
			Rule: api.GateBlocking, State: api.GateAdvice, Message: "1 blocking comment is open.", Cause: api.CauseBlockingComments,
			Count:     1,
			ClearedBy: &api.GateClearers{Role: api.RoleEdit},
		},
	)
	s.Want(t, "1 check stops it, 1 warning", "▸ 1 of 3 checks pass", "1 blocking comment is open")
	s.Keys("/", `"checks pass`, "enter", "esc", "enter")
	s.Want(t, "▾ 1 of 3", "✓ The space exists")
}

// TestAdviceDoesNotBlockMerge checks that blocking gates and advice are distinguished, also for requested changes that no rule
// enforces.
func TestAdviceDoesNotBlockMerge(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 200, 50, func(s *tuitest.Screen) { s.Server.AsksForChanges = true })
	s.Want(t, "Merge [NOT YET]  changes requested, 2 warnings",
		"Piet requested changes · i asks", "2 comments are open", "!✗ 2 comments", "▸ 1 of 4 checks pass", "!✓ 1 of 4")
	s = tuitest.Start(tuitest.ReviewOptions, 140, 50)
	s.Want(t, "Merge [CAN BE MERGED]  2 warnings", "!NOT YET", "!✗ 2 comments")
}

// TestCheckUnfoldsOnNarrowScreen checks that a narrow screen unfolds the rest of a check first, and then acts.
func TestCheckUnfoldsOnNarrowScreen(t *testing.T) {
	t.Parallel()
	s := newGatedScreen(80, 40, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin))
	s.Keys("/", `"since Lin`, "enter", "esc")
	s.Want(t, "⏎ why", "!has to review again")
	s.Keys("enter")
	s.Want(t, "⏎ ask again", "    rule: all reviews are approvals", "    Lin has to review again: i asks",
		"    changed: Quick start (text)")
	s.Keys("enter")
	s.Want(t, "✓ asked Lin again")
}

// At 80x24, at least four changed pages are visible below the checks.
func TestChangedPagesAreVisibleBelowChecks(t *testing.T) {
	t.Parallel()
	gates := []api.MergeGate{
		{
			Rule: string(api.RuleAllApproved), State: api.GateFailed, Cause: api.CauseChangesRequested, Users: []api.User{tuitest.UserLin},
			Stale: []api.User{tuitest.UserGrace},
		},
		{Rule: api.GateUpToDate, State: api.GateAdvice, Cause: api.CauseOutdated},
		{Rule: api.GateThreads, State: api.GateAdvice, Cause: api.CauseComments, Count: 2},
		{Rule: api.GateLinks, State: api.GateAdvice, Cause: api.CauseLinks, Count: 3},
		staleGate(api.GateReview, api.GateAdvice, api.RoleReview, tuitest.UserGrace),
	}
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 80, 24, func(s *tuitest.Screen) {
		s.Server.Gates, s.Server.MorePages = gates, 5
	})
	if n := strings.Count(s.View(), "◌ "); n < 4 {
		t.Errorf("%d changed pages in\n%s", n, s.View())
	}
	s.Want(t, "▌ ◌ ~   Quick start", "✗ Lin requested changes; changed since Grace reviewed it")
}
