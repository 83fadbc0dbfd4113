package server_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// mergeability asks what a merge by somebody depends on.
func mergeability(w *world, as string, ref api.ChangeRequestRef) api.Mergeability {
	w.t.Helper()
	return do(w, as, api.GetChangeRequestMergeability, ref)
}

// gate is what mergeability says of one rule.
func gate(w *world, as string, ref api.ChangeRequestRef, rule string) api.MergeGate {
	w.t.Helper()
	gates := mergeability(w, as, ref).Rules
	at := slices.IndexFunc(gates, func(g api.MergeGate) bool { return g.Rule == rule })
	if at < 0 {
		w.t.Fatalf("no rule %s in %+v", rule, gates)
	}
	return gates[at]
}

// rules sets the merge rules of the organization.
func rules(w *world, rules ...api.MergeRule) {
	w.t.Helper()
	settings(w, api.OrganizationPatch{MergeRules: api.Some(api.MergeRules{Type: api.MergeRulesListed, Rules: rules})})
}

// What a rule asks for, how it is met, and that mergeability says what the merge does.
func TestMergeRules(t *testing.T) {
	t.Parallel()
	user := func(w *world, name string) string { return w.users[name].ID }
	for name, test := range map[string]struct {
		rule api.MergeRule
		meet func(w *world, ref api.ChangeRequestRef)
	}{
		"review": {api.MergeRule{Rule: api.RuleReview}, func(w *world, ref api.ChangeRequestRef) {
			review(w, "creator", ref, api.ReviewCreate{Status: api.ReviewChangesRequested})
		}},
		"approval": {api.MergeRule{Rule: api.RuleApproval}, func(w *world, ref api.ChangeRequestRef) {
			review(w, "creator", ref, api.ReviewCreate{Status: api.ReviewChangesRequested})
			do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{user(w, "editor")}}})
			approve(w, "editor", ref)
			equal(w.t, "approval of the author", "There is no approval but the author's own, which does not count.", gate(w, "reviewer", ref, string(api.RuleApproval)).Message)
			approve(w, "reviewer", ref)
		}},
		"specific": {api.MergeRule{Rule: api.RuleSpecificReviewers, Users: []string{"reviewer", "creator"}}, func(w *world, ref api.ChangeRequestRef) {
			approve(w, "reviewer", ref)
			by := gate(w, "reviewer", ref, string(api.RuleSpecificReviewers)).ClearedBy.Users
			equal(w.t, "who can clear it", []string{user(w, "creator")}, []string{by[0].ID})
			approve(w, "creator", ref)
		}},
		"one of": {api.MergeRule{Rule: api.RuleOneOfSpecificReviewers, Users: []string{"admin", "creator"}}, func(w *world, ref api.ChangeRequestRef) {
			approve(w, "creator", ref)
		}},
		"up to date": {api.MergeRule{Rule: api.RuleUpToDate}, func(w *world, ref api.ChangeRequestRef) { w.pull(ref) }},
		"subject":    {api.MergeRule{Rule: api.RuleSubject}, func(w *world, ref api.ChangeRequestRef) { subject(w, ref, "Why") }},
		"links": {custom("brokenLinks == 0"), func(w *world, ref api.ChangeRequestRef) {
			w.change(ref, write(w.pages(ref)[0].ID, "Red.\n"))
		}},
		"paths": {custom(`none(pages, .path startsWith "page") || approvals > 0`), func(w *world, ref api.ChangeRequestRef) { approve(w, "creator", ref) }},
		"threads": {custom("unresolvedThreads == 0"), func(w *world, ref api.ChangeRequestRef) {
			c := do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Items[0]
			do(w, "editor", api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
				ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: c.ID}, Body: api.CommentUpdate{Resolved: api.Some(true)},
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(t *testing.T, w *world) {
				space, page := w.seed("Green.\n")
				ref := w.newRequest("editor", space)
				w.change(ref, write(page, "Red, as [there](nowhere.md).\n"))
				other := w.newRequest("editor", space)
				w.insertPage(other, newPage("Beside", "x\n"))
				w.merged(other)
				do(w, "editor", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: ref, Body: api.CommentCreate{Body: says("?")}})
				for i, who := range test.rule.Users {
					test.rule.Users[i] = user(w, who)
				}
				equal(t, "mergeable without rules", true, mergeability(w, "reviewer", ref).Mergeable)
				rules(w, test.rule)
				equal(t, "state", api.GateFailed, gate(w, "reviewer", ref, string(test.rule.Rule)).State)
				equal(t, "mergeable", false, mergeability(w, "reviewer", ref).Mergeable)
				e := w.untouched(func() api.Error {
					return refused(w, "reviewer", api.MergeChangeRequest, mergeOf(ref), 409, api.ReasonMergeRules)
				})
				equal(t, "which", string(test.rule.Rule), e.Fields[0].Path)
				equal(t, "why", gate(w, "reviewer", ref, string(test.rule.Rule)).Message, e.Fields[0].Message)
				test.meet(w, ref)
				if g := gate(w, "reviewer", ref, string(test.rule.Rule)); g.State != api.GatePassed {
					t.Errorf("met, but %+v", g)
				}
				w.merged(ref)
			})
		})
	}
}

func custom(expression string) api.MergeRule {
	return api.MergeRule{Rule: api.RuleCustom, Expression: expression, Message: "Not so."}
}

// What always has to hold, what is only told, and who can clear it.
func TestMergeabilitySaysAll(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		ref, page := conflicting(w)
		w.change(ref, newPage("Links", "See [it](nowhere.md) and [that](elsewhere.md).\n"))
		review(w, "reviewer", ref, api.ReviewCreate{Status: api.ReviewChangesRequested, Comment: new(says("No."))})
		states := map[string]api.GateState{}
		for _, g := range mergeability(w, "editor", ref).Rules {
			states[g.Rule] = g.State
		}
		equal(t, "states", map[string]api.GateState{
			api.GateSpace: api.GatePassed, api.GateStatus: api.GatePassed, api.GateRole: api.GateFailed, api.GateConflicts: api.GateFailed,
			api.GateUpToDate: api.GateAdvice, api.GateReview: api.GateAdvice, api.GateChangesRequested: api.GateAdvice,
			api.GateThreads: api.GateAdvice, api.GateLinks: api.GateAdvice,
		}, states)
		equal(t, "who can merge", api.RoleReview, gate(w, "editor", ref, api.GateRole).ClearedBy.Role)
		equal(t, "who asks for changes", w.users["reviewer"].ID, gate(w, "editor", ref, api.GateChangesRequested).ClearedBy.Users[0].ID)
		equal(t, "links", "2 links would be broken: elsewhere.md, nowhere.md.", gate(w, "editor", ref, api.GateLinks).Message)
		w.pull(ref, api.Resolution{Conflict: conflicts(w, ref).Conflicts[0].ID, Take: api.TakeTheirs})
		equal(t, "mergeable by the reviewer", true, mergeability(w, "reviewer", ref).Mergeable)
		equal(t, "text", "The lamp is red. The door is shut. The cat is asleep.\n", w.text(ref.Space, page))
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: ref.Space})
		equal(t, "in the trash", api.GateFailed, gate(w, "admin", ref, api.GateSpace).State)
		do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: ref.Space})
		w.merged(ref)
		equal(t, "merged", api.GateFailed, gate(w, "reviewer", ref, api.GateStatus).State)
	})
}

// The rules of a space stand before those of the organization, and some people may pass all of them.
func TestMergeRulesOfASpace(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Green.\n")
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "Red.\n"))
		rules(w, api.MergeRule{Rule: api.RuleApproval})
		set := func(rules api.MergeRules) api.Space {
			return do(w, "creator", api.UpdateSpace, api.UpdateSpaceInput{Space: space, Body: api.SpacePatch{MergeRules: api.Some(rules)}})
		}
		equal(t, "stored", api.MergeRulesNone, set(api.MergeRules{Type: api.MergeRulesNone}).MergeRules.Type)
		equal(t, "none", true, mergeability(w, "reviewer", ref).Mergeable)
		set(api.MergeRules{Type: api.MergeRulesInherit})
		equal(t, "inherited", false, mergeability(w, "reviewer", ref).Mergeable)
		own := api.MergeRules{Type: api.MergeRulesListed, Rules: []api.MergeRule{
			{Rule: api.RuleAuthorMerges}, {Rule: api.RuleBypass, Users: []string{w.users["admin"].ID}},
		}}
		equal(t, "shown", own, *set(own).MergeRules)
		equal(t, "the author", w.users["editor"].ID, gate(w, "reviewer", ref, string(api.RuleAuthorMerges)).ClearedBy.Users[0].ID)
		equal(t, "bypassed", api.GateBypassed, gate(w, "admin", ref, string(api.RuleAuthorMerges)).State)
		refused(w, "reviewer", api.MergeChangeRequest, mergeOf(ref), 409, api.ReasonMergeRules)
		do(w, "admin", api.MergeChangeRequest, mergeOf(ref))
		for path, rules := range map[string]api.MergeRules{
			"mergeRules.rules":               {Type: api.MergeRulesListed},
			"mergeRules.rules[0].users":      {Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleBypass}}},
			"mergeRules.rules[0].users[0]":   {Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleBypass, Users: []string{"u_none"}}}},
			"mergeRules.rules[0].expression": {Type: api.MergeRulesListed, Rules: []api.MergeRule{custom("approvals + 1")}},
			"mergeRules.rules[0].message":    {Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleReview, Message: "x"}}},
			"mergeRules.rules[0].rule":       {Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: "require_agent_review"}}},
			"mergeRules.type":                {Type: api.MergeRulesInherit},
		} {
			e := refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{Organization: w.org, Body: api.OrganizationPatch{MergeRules: api.Some(rules)}}, 422, api.ReasonInvalid)
			equal(t, "field", path, e.Fields[0].Path)
		}
	})
}

// Approval of what one side wrote is none of what a merge makes of both.
func TestApprovalIsOfWhatIsMerged(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		rules(w, api.MergeRule{Rule: api.RuleApproval}, api.MergeRule{Rule: api.RuleBypass, Users: []string{w.users["reviewer"].ID}})
		space, page := w.seed(threeSentences)
		first, second := w.newRequest("editor", space), w.newRequest("editor", space)
		w.change(first, write(page, "The lamp is red. The door is shut. The cat is asleep.\n"))
		w.change(second, write(page, "The lamp is green. The door is shut. The cat is awake now.\n"))
		review := approve(w, "creator", second)
		w.merged(first)
		equal(t, "outdated", false, outdated(w, second, review))
		g := gate(w, "creator", second, string(api.RuleApproval))
		equal(t, "unseen", []api.UnseenChange{{ID: page, Title: "Page", Reason: api.UnseenText}}, g.Unseen)
		refused(w, "creator", api.MergeChangeRequest, mergeOf(second), 409, api.ReasonMergeRules)
		w.pull(second)
		approve(w, "creator", second)
		do(w, "creator", api.MergeChangeRequest, mergeOf(second))
	})
}

// intruder does something right after the next reading of heads: between a plan and its commit.
type intruder struct {
	act   func()
	armed atomic.Bool
}

// DialHook implements redis.Hook.
func (i *intruder) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (i *intruder) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (i *intruder) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		heads := slices.ContainsFunc(cmds, func(c redis.Cmder) bool {
			return strings.HasSuffix(c.String(), ":heads") || strings.Contains(c.String(), ":heads ")
		})
		if heads && i.armed.CompareAndSwap(true, false) {
			i.act()
		}
		return err
	}
}

// The reviewer has approved revision A and merges it; in that very moment the author brings revision B with a page that
// nobody has seen. It does not get through, and mergeability says why.
func TestVerdictDoesNotLetUnseenPagesThrough(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		spy := &intruder{}
		w := newWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, spy) })
		space, page := w.seed("Green.\n")
		rules(w, api.MergeRule{Rule: api.RuleApproval})
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, "Red.\n"))
		approve(w, "reviewer", ref)
		equal(t, "mergeable at A", true, mergeability(w, "reviewer", ref).Mergeable)
		spy.act = func() { w.insertPage(ref, newPage("Unseen", "Nobody has read this.\n")) }
		spy.armed.Store(true)
		e := refused(w, "reviewer", api.MergeChangeRequest, mergeOf(ref), 409, api.ReasonMergeRules)
		equal(t, "the race was run", false, spy.armed.Load())
		equal(t, "why", "What The reviewer reviewed is not what would be merged: Unseen (created).", e.Fields[0].Message)
		equal(t, "unseen", "Unseen", gate(w, "reviewer", ref, string(api.RuleApproval)).Unseen[0].Title)
		equal(t, "text of the space", "Green.\n", w.text(space, page))
		spy.act = func() { rules(w, api.MergeRule{Rule: api.RuleSubject}) } // nor does a rule come too late
		approve(w, "reviewer", ref)
		spy.armed.Store(true)
		e = refused(w, "reviewer", api.MergeChangeRequest, mergeOf(ref), 409, api.ReasonMergeRules)
		equal(t, "the new rule", string(api.RuleSubject), e.Fields[0].Path)
		subject(w, ref, "Seen by all")
		w.merged(ref)
	})
}
