package review_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// expensiveRules lists conditions that would occupy a core or exhaust the memory.
var expensiveRules = []string{
	`len(repeat(repeat("a", 900000), 1000000)) > 0`,
	`let a = 1..900; all(a, all(a, all(a, all(a, all(a, true)))))`,
	`all(pages, all(pages, all(pages, true)))`,
	`changeRequest.subject matches "((a{100}){10}b)+"`,
}

// TestExpensiveRulesAreRejected checks that expensive rules are rejected with a reason.
func TestExpensiveRulesAreRejected(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage("Green.\n")
		for _, text := range expensiveRules {
			e := w.WantUntouched(func() api.Error {
				rules := api.MergeRules{Type: api.MergeRulesListed, Rules: []api.MergeRule{customRule(text)}}
				return servertest.Refused(w, "creator", api.UpdateSpace, api.UpdateSpaceInput{
					Space: space, Body: api.SpacePatch{MergeRules: api.Some(rules)},
				}, 422, api.ReasonInvalid)
			})
			servertest.Equal(t, text, "mergeRules.rules[0].expression", e.Fields[0].Path)
		}
	})
}

// TestStoredExpensiveRulesFail checks that a stored rule that exceeds the limits introduced later fails and states the reason.
// It is not evaluated, does not affect other rules, may be sent back unchanged, and can be replaced.
func TestStoredExpensiveRulesFail(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Green.\n")
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Red.\n"))
		stored := api.MergeRules{Type: api.MergeRulesListed}
		for _, text := range expensiveRules {
			stored.Rules = append(stored.Rules, customRule(text))
		}
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			o, err := tx.Organization(w.Org)
			if err != nil {
				return err
			}
			o.Fields.MergeRules = &stored
			_, err = tx.PutOrganization(o)
			return err
		}))
		for _, g := range getMergeability(w, "reviewer", ref).Rules {
			if g.Rule != string(api.RuleCustom) {
				continue
			}
			servertest.Equal(t, "state", api.GateFailed, g.State)
			if !strings.HasPrefix(g.Message, "Not so. (") {
				t.Errorf("no reason: %s", g.Message)
			}
		}
		servertest.Refused(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(ref), 409, api.ReasonMergeRules)
		set := func(rules api.MergeRules) {
			servertest.Do(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
				Organization: w.Org, Body: api.OrganizationPatch{MergeRules: api.Some(rules)},
			})
		}
		set(stored)
		set(api.MergeRules{
			Type: api.MergeRulesListed, Rules: []api.MergeRule{customRule(`len(pages) == 1 and none(pages, .path contains "secret")`)},
		})
		w.MustMerge(ref)
	})
}
