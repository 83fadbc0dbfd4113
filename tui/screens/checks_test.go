package screens_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/tuitest"
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
	s.Keys("/", `"comments to resolve`, "enter", "esc")
	s.Want(t, "▌ ! 2 open comments to resolve (only", "⏎ the threads")
	s.Keys("enter")
	s.Want(t, "▌ ● Grace “Is green right? red”")
	s.Keys("/", `"checks pass`, "enter", "esc", "enter")
	s.Want(t, "✓ Your role, review, may merge.")
}

// Reviewers with outdated approvals are asked again by the row of the check and by i.
func TestCheckNamesStaleReviewers(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enter", "i"} {
		s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin))
		s.Want(t, "1 check stops it", "✗ What Lin reviewed", "approvals · Lin has to review again: i asks", "!any reviewer")
		s.Keys("/", `"What Lin`, "enter", "esc")
		s.Want(t, "⏎ ask again")
		s.Keys(key)
		s.Want(t, "✓ asked Lin again")
		if diff := cmp.Diff([]string{"ask u_3"}, s.Server.Writes); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	s := newGatedScreen(200, 60, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserAda))
	s.Want(t, "✗ What you reviewed is not", "· you have to review again: a approves")
	s.Keys("/", `"What you`, "enter", "esc", "enter")
	s.Want(t, "Your review of #2")
	s = newGatedScreen(200, 60, staleGate(string(api.RuleSpecificReviewers), api.GateFailed, "", tuitest.UserLin, tuitest.UserAda))
	s.Want(t, "Lin and you have to review again: a")
	s = tuitest.StartPrepared(tuitest.ReviewOptions, 200, 60, func(s *tuitest.Screen) {
		s.Server.Gates = []api.MergeGate{staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin)}
		s.Server.ReviewList = []api.Review{tuitest.VerdictBy(tuitest.UserLin, api.ReviewApproved, true)}
		s.Server.RequestedReviewers = []api.RequestedReviewer{
			{User: tuitest.UserLin, RequestedBy: tuitest.UserGrace, CreatedAt: api.At(tuitest.Clock.Add(-time.Minute))},
		}
	})
	s.Want(t, "· Lin has to review again (asked)", "no longer counts, asked again", "!✓ Lin", "!pending")
}

// The footer names the action of a check, if it has one.
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

// Every failing check is shown, or counted if another has the same message.
func TestCheckCountsAddUp(t *testing.T) {
	t.Parallel()
	passed := api.MergeGate{Rule: api.GateSpace, State: api.GatePassed, Message: "The space exists."}
	s := newGatedScreen(
		200, 60, passed, staleGate(string(api.RuleAllApproved), api.GateFailed, "", tuitest.UserLin), staleGate(api.GateReview,
			api.GateAdvice, api.RoleReview, tuitest.UserLin),
		api.MergeGate{
			Rule: api.GateBlocking, State: api.GateAdvice, Message: "1 blocking comment to resolve.",
			ClearedBy: &api.GateClearers{Role: api.RoleEdit},
		},
	)
	s.Want(t, "1 check stops it, 1 warning", "▸ 1 of 4 checks pass, 1 says the same as another")
	s.Want(t, "1 blocking comment to resolve (marked as blocking by the author; no rule", "stops the merge) · any editor can resolve them")
	s.Keys("/", `"checks pass`, "enter", "esc", "enter")
	s.Want(t, "▾ 1 of 4", "review again, or any reviewer approves", "✓ The space exists.")
}

// Blocking gates and advice are distinguished, also for requested changes that no rule enforces.
func TestAdviceDoesNotBlockMerge(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tuitest.ReviewOptions, 200, 50, func(s *tuitest.Screen) { s.Server.AsksForChanges = true })
	s.Want(t, "Merge [NOT YET]  changes requested, 2 warnings",
		"! Piet requested changes (no rule stops it: m asks first, and takes a typed yes) · stands until Piet approves: i asks",
		"2 open comments to resolve (only a warning)", "!✗ 2 open", "▸ 1 of 4 checks pass", "!✓ 1 of 4")
	s = tuitest.Start(tuitest.ReviewOptions, 140, 50)
	s.Want(t, "Merge [CAN BE MERGED]  2 warnings", "!NOT YET", "!✗ 2 open")
}
