package tui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// late is a check of a rule that waits for people whose approvals are of something else than what would be merged.
func late(rule string, s api.GateState, role api.Role, who ...api.User) api.MergeGate {
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

// verdictBy is a review of an hour ago.
func verdictBy(who api.User, s api.ReviewStatus, outdated bool) api.Review {
	return api.Review{ReviewFields: api.ReviewFields{ID: "rv_" + who.ID, Status: s, Revision: "r_4", CreatedAt: api.At(clock.Add(-time.Hour))}, Reviewer: who, Outdated: outdated}
}

var (
	ada   = user("u_1", "Ada")
	grace = user("u_2", "Grace")
	lin   = user("u_3", "Lin")
)

// gated is a screen of a request whose merge depends on what a test says.
func gated(width, height int, gates ...api.MergeGate) *stage {
	return opens(review, width, height, func(s *stage) { s.fake.gates = gates })
}

// Whose approval counts no more has to give it again; the row of the check asks them, and so does i.
func TestACheckSaysWhoHasToReviewAgain(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"enter", "i"} {
		s := gated(200, 60, late(string(api.RuleAllApproved), api.GateFailed, "", lin))
		s.want(t, "1 check stops it", "✗ What Lin reviewed", "approvals · Lin has to review again: i asks", "!any reviewer")
		s.keys("/", `"What Lin`, "enter", "esc")
		s.want(t, "⏎ ask again")
		s.keys(key)
		s.want(t, "✓ asked Lin again")
		if diff := cmp.Diff([]string{"ask u_3"}, s.fake.writes); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	s := gated(200, 60, late(string(api.RuleAllApproved), api.GateFailed, "", ada))
	s.want(t, "✗ What you reviewed is not", "· you have to review again: a approves")
	s.keys("/", `"What you`, "enter", "esc", "enter")
	s.want(t, "Your review of #2")
	s = gated(200, 60, late(string(api.RuleSpecificReviewers), api.GateFailed, "", lin, ada))
	s.want(t, "Lin and you have to review again: a")
	s = opens(review, 200, 60, func(s *stage) {
		s.fake.gates = []api.MergeGate{late(string(api.RuleAllApproved), api.GateFailed, "", lin)}
		s.fake.reviews = []api.Review{verdictBy(lin, api.ReviewApproved, true)}
		s.fake.asked = []api.RequestedReviewer{{User: lin, RequestedBy: grace, CreatedAt: api.At(clock.Add(-time.Minute))}}
	})
	s.want(t, "· Lin has to review again (asked)", "no longer counts, asked again", "!✓ Lin", "!pending")
}

// The last line says what opening a check does, and says nothing where it does nothing.
func TestACheckOffersWhatItDoes(t *testing.T) {
	t.Parallel()
	editor := &api.GateClearers{Role: api.RoleEdit}
	for rule, want := range map[string][2]string{
		api.GateLinks: {"⏎ the links", "› Power"}, api.GateUpToDate: {"⏎ update", "Update #2"}, api.GateConflicts: {"⏎ decide them", "2 conflicts"},
		string(api.RuleSubject): {"⏎ change the subject", "Subject"}, api.GateBlocking: {"⏎ the comment", "▌ ┃ ● open Grace · 3h ago · blocking"},
		api.GateThreads: {"⏎ the threads", "▌ ● Grace “Is green right? red”"}, api.GateReview: {"⏎ submit review", "Your review of #2"},
		api.GateRole: {"!⏎", "nothing to open here"}, string(api.RuleCustom): {"!⏎", "nothing to open here"}, api.GateStatus: {"!⏎", "nothing to open here"},
	} {
		s := opens(review, 120, 70, func(s *stage) {
			s.fake.gates = []api.MergeGate{{Rule: rule, State: api.GateAdvice, Message: "So it is.", ClearedBy: editor}}
			s.fake.comments[2].Weight = api.WeightBlocking
		})
		s.keys("/", `"So it is`, "enter", "esc")
		s.want(t, want[0])
		s.keys("enter")
		s.want(t, want[1])
	}
}

// Every check that does not pass is shown, or counted where it says the same as another.
func TestTheCountsOfChecksAddUp(t *testing.T) {
	t.Parallel()
	passed := api.MergeGate{Rule: api.GateSpace, State: api.GatePassed, Message: "The space exists."}
	s := gated(
		200, 60, passed, late(string(api.RuleAllApproved), api.GateFailed, "", lin), late(api.GateReview, api.GateAdvice, api.RoleReview, lin),
		api.MergeGate{Rule: api.GateBlocking, State: api.GateAdvice, Message: "1 blocking comment to resolve.", ClearedBy: &api.GateClearers{Role: api.RoleEdit}},
	)
	s.want(t, "1 check stops it, 1 warning", "▸ 1 of 4 checks pass, 1 says the same as another")
	s.want(t, "1 blocking comment to resolve (marked as blocking by the author; no rule", "stops the merge) · any editor can resolve them")
	s.keys("/", `"checks pass`, "enter", "esc", "enter")
	s.want(t, "▾ 1 of 4", "review again, or any reviewer approves", "✓ The space exists.")
}

// What a review says stands with it, and its thread says that it is of the review.
func TestWhatAReviewSaysStandsWithIt(t *testing.T) {
	t.Parallel()
	s := opens(review, 120, 70, func(s *stage) {
		said := s.fake.comment("c_v", "Not the light.", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Review: "rv_u_2"})
		s.fake.comments = append(s.fake.comments, said)
		v := verdictBy(grace, api.ReviewChangesRequested, false)
		v.Comment = &said
		s.fake.reviews = []api.Review{v}
	})
	s.want(t, "✗ Grace requested changes", "“Not the light.”", "● open Grace · 3h ago · of the review")
	s.keys("/", `"Grace requested`, "enter", "esc")
	s.want(t, "⏎ the thread")
	s.keys("enter")
	s.want(t, "▌ ┃ ● open Grace · 3h ago · of the review")
}

// Nothing of a review is cut: what has no room beside it stands below.
func TestReviewsAreNotCut(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		s := opens(review, width, 70, func(s *stage) {
			s.fake.reviews = []api.Review{verdictBy(user("u_7", "Wilhelmina von Lichtenberg"), api.ReviewApproved, true)}
		})
		s.want(t, "Wilhelmina von Lichtenberg approved", "1 page changed since · 1h ago")
	}
}

// Enter on the verdict begins its text: what is typed then is no command. The arrows, the digits and tab choose another verdict,
// and say which.
func TestEnterKeepsTheVerdict(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 40)
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

// Who asks for changes without a word is told once.
func TestChangesAreAskedForInWords(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 40)
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

// The user is you, in threads and where they answer themselves.
func TestTheUserIsYou(t *testing.T) {
	t.Parallel()
	s := opens(review, 120, 70, func(s *stage) { s.fake.comments[2].PostedBy = ada })
	s.want(t, "● open you · 3h ago", "!Ada ·", "!● open Ada")
	s.keys("/", `"open you`, "enter", "esc", "r")
	s.want(t, "reply in your thread")
}

// A request is merged from the page of its changes as from its own, and what stops the merge is told there, too.
func TestAChangeIsMergedFromItsPage(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 50)
	s.keys("enter", "m")
	s.want(t, "into “Skylark Handbook”? It changes 3 pages", "2 open comments to resolve.")
	s.keys(`"yes`, "enter")
	s.want(t, "✓ merged into the space", "Quick start (1 of 3)")
	if diff := cmp.Diff([]string{"merge "}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s = gated(120, 50, late(string(api.RuleAllApproved), api.GateFailed, "", lin))
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
