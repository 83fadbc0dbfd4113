package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

func TestGateCause(t *testing.T) {
	t.Parallel()
	users := func(names ...string) (out []api.User) {
		for _, name := range names {
			out = append(out, *newUser(name[:1], name))
		}
		return out
	}
	const approval = string(api.RuleApproval)
	for want, g := range map[string]api.MergeGate{
		"The space is in the trash":                   {Cause: api.CauseTrash},
		"It is archived":                              {Cause: api.CauseArchived},
		"It is already merged":                        {Cause: api.CauseMerged},
		"It changes nothing":                          {Cause: api.CauseEmpty},
		"A push of Jana is not complete":              {Cause: api.CausePushing, Users: users("Jana")},
		"You need the role reviewer to merge it":      {Cause: api.CauseRole},
		"1 conflict to decide":                        {Cause: api.CauseConflicts, Count: 1},
		"The space has changed since the last update": {Cause: api.CauseOutdated},
		"Nobody has reviewed it":                      {Cause: api.CauseNotReviewed},
		"Nobody has approved it":                      {Cause: api.CauseNotApproved},
		"It needs the approval of Jana and you":       {Cause: api.CauseNotApproved, Users: users("Jana", "Tomás")},
		"It needs the approval of you or Jana":        {Cause: api.CauseNoneApproved, Users: users("Tomás", "Jana")},
		"Only its author has approved it":             {Cause: api.CauseOwnVerdict, Rule: approval},
		"Only its author has reviewed it":             {Cause: api.CauseOwnVerdict, Rule: string(api.RuleReview)},
		"You requested changes":                       {Cause: api.CauseChangesRequested, Users: users("Tomás")},
		"It changed since Jana and you reviewed it":   {Cause: api.CauseStale, Stale: users("Jana", "Tomás")},
		"Ada requested changes; changed since Jana reviewed it": {
			Cause: api.CauseChangesRequested, Users: users("Ada"),
			Stale: users("Jana"),
		},
		"2 comments are open":                    {Cause: api.CauseComments, Count: 2},
		"1 blocking comment is open":             {Cause: api.CauseBlockingComments, Count: 1},
		"It would break 3 links":                 {Cause: api.CauseLinks, Count: 3},
		"It has no subject":                      {Cause: api.CauseNoSubject},
		"Only its author, Ada, may merge it":     {Cause: api.CauseNotAuthor, Users: users("Ada")},
		"The server does not know the rule moon": {Cause: api.CauseUnknownRule, Rule: "moon"},
		"Ask the legal department":               {Cause: api.CauseCustom, Message: "Ask the legal department."},
		"An older server has only a sentence":    {Message: "An older server has only a sentence."},
		"Bartholomew Featherstonehaugh and 3 others requested changes": {
			Cause: api.CauseChangesRequested, Users: users("Bartholomew Featherstonehaugh", "Christabel Fotheringay", "Dorothea", "Edmund"),
		},
	} {
		g.State = api.GateFailed
		if diff := cmp.Diff(want, GateTitle(g, "T")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestGateCauseFitsWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		people := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) api.User {
			return *newUser(rapid.String().Draw(t, "id"), rapid.String().Draw(t, "name"))
		}), 0, 5)
		g := api.MergeGate{
			Cause: rapid.SampledFrom(append(api.CauseCustom.Values(), "")).Draw(t, "cause"), Message: rapid.String().Draw(t, "message"),
			Rule: rapid.String().Draw(t, "rule"), Users: people.Draw(t, "users"), Stale: people.Draw(t, "stale"),
			Count: rapid.Int().Draw(t, "count"),
		}
		cause := GateCause(g, "T")
		if n := (Line{Plain(cause)}).Width(); n > MaxCause {
			t.Fatalf("%d cells: %q", n, cause)
		}
		if strings.ContainsAny(cause, "\n\x1b") {
			t.Fatalf("control characters: %q", cause)
		}
	})
}

// Checks that only repeat facts are left out: who requested changes and whose review is outdated is stated once.
func TestChecksStateFactsOnce(t *testing.T) {
	t.Parallel()
	ada, jana := *newUser("a", "Ada"), *newUser("j", "Jana")
	all := api.MergeGate{
		Rule: string(api.RuleAllApproved), State: api.GateFailed, Cause: api.CauseChangesRequested, Users: []api.User{ada},
		Stale: []api.User{jana},
	}
	asked := api.MergeGate{Rule: api.GateChangesRequested, State: api.GateAdvice, Cause: api.CauseChangesRequested, Users: []api.User{ada}}
	stale := api.MergeGate{Rule: api.GateReview, State: api.GateAdvice, Cause: api.CauseStale, Stale: []api.User{jana}}
	other := stale
	other.Stale = []api.User{jana, ada}
	stops, advice := MergeBlockers(api.Mergeability{Rules: []api.MergeGate{stale, asked, all}})
	if diff := cmp.Diff([]api.MergeGate{all}, stops); diff != "" || len(advice) != 0 {
		t.Errorf("%s, advice %v", diff, advice)
	}
	if _, advice = MergeBlockers(api.Mergeability{Rules: []api.MergeGate{other, asked, all}}); len(advice) != 1 {
		t.Errorf("a review that nothing else mentions is left out: %v", advice)
	}
}
