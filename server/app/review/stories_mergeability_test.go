package review_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// getMergeability returns the mergeability of a change request for a user.
func getMergeability(w *servertest.World, as string, ref api.ChangeRequestRef) api.Mergeability {
	w.T.Helper()
	return servertest.Do(w, as, api.GetChangeRequestMergeability, ref)
}

// getGate returns the check of one rule for a user. It fails the test if there is none.
func getGate(w *servertest.World, as string, ref api.ChangeRequestRef, rule string) api.MergeGate {
	w.T.Helper()
	checks := getMergeability(w, as, ref).Rules
	index := slices.IndexFunc(checks, func(g api.MergeGate) bool { return g.Rule == rule })
	if index < 0 {
		w.T.Fatalf("no rule %s in %+v", rule, checks)
	}
	return checks[index]
}

// setRules sets the merge rules of the organization.
func setRules(w *servertest.World, rules ...api.MergeRule) {
	w.T.Helper()
	servertest.UpdateOrganization(w, api.OrganizationPatch{MergeRules: api.Some(api.MergeRules{Type: api.MergeRulesListed, Rules: rules})})
}

// TestMergeRules checks that each rule can be satisfied, and mergeability agrees with the merge.
func TestMergeRules(t *testing.T) {
	t.Parallel()
	user := func(w *servertest.World, name string) string { return w.Users[name].ID }
	for name, test := range map[string]struct {
		rule api.MergeRule
		meet func(w *servertest.World, ref api.ChangeRequestRef)
	}{
		"review": {api.MergeRule{Rule: api.RuleReview}, func(w *servertest.World, ref api.ChangeRequestRef) {
			postReview(w, "creator", ref, api.ReviewCreate{Status: api.ReviewChangesRequested})
		}},
		"approval": {api.MergeRule{Rule: api.RuleApproval}, func(w *servertest.World, ref api.ChangeRequestRef) {
			postReview(w, "creator", ref, api.ReviewCreate{Status: api.ReviewChangesRequested})
			servertest.Do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
				ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{user(w, "editor")}},
			})
			approve(w, "editor", ref)
			servertest.Equal(w.T, "approval of the author", "Only its author approved it, which does not count.",
				getGate(w, "reviewer", ref, string(api.RuleApproval)).Message)
			approve(w, "reviewer", ref)
		}},
		"rule for a team": {api.MergeRule{Rule: api.RuleSpecificReviewers, Users: []string{"reviewer", "creator"}}, func(
			w *servertest.World, ref api.ChangeRequestRef,
		) {
			approve(w, "reviewer", ref)
			by := getGate(w, "reviewer", ref, string(api.RuleSpecificReviewers)).ClearedBy.Users
			servertest.Equal(w.T, "who can clear it", []string{user(w, "creator")}, []string{by[0].ID})
			approve(w, "creator", ref)
		}},
		"one of several reviewers": {api.MergeRule{Rule: api.RuleOneOfSpecificReviewers, Users: []string{"admin", "creator"}}, func(
			w *servertest.World, ref api.ChangeRequestRef,
		) {
			approve(w, "creator", ref)
		}},
		"up to date": {api.MergeRule{Rule: api.RuleUpToDate}, func(w *servertest.World, ref api.ChangeRequestRef) { w.Pull(ref) }},
		"subject": {
			api.MergeRule{Rule: api.RuleSubject}, func(w *servertest.World, ref api.ChangeRequestRef) { setSubject(w, ref, "Why") },
		},
		"links": {customRule("brokenLinks == 0"), func(w *servertest.World, ref api.ChangeRequestRef) {
			w.Change(ref, servertest.Write(w.Pages(ref)[0].ID, "Red.\n"))
		}},
		"paths": {
			customRule(`none(pages, .path startsWith "page") || approvals > 0`), func(w *servertest.World, ref api.ChangeRequestRef) {
				approve(w, "creator", ref)
			},
		},
		"no open thread, by a custom rule": {customRule("unresolvedThreads == 0"), resolveNewestComment},
		"no open thread":                   {api.MergeRule{Rule: api.RuleThreads}, resolveNewestComment},
		"no blocking comment":              {api.MergeRule{Rule: api.RuleBlocking}, resolveNewestComment},
		"weight of blocking comment removed": {api.MergeRule{Rule: api.RuleBlocking}, func(w *servertest.World, ref api.ChangeRequestRef) {
			updateNewestComment(w, ref, api.CommentUpdate{Weight: api.Null[api.CommentWeight]()})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				space, page := w.NewSpaceWithPage("Green.\n")
				ref := w.NewRequest("editor", space)
				w.Change(ref, servertest.Write(page, "Red, as [there](nowhere.md).\n"))
				other := w.NewRequest("editor", space)
				w.InsertPage(other, servertest.NewPage("Beside", "x\n"))
				w.MustMerge(other)
				servertest.Do(w, "editor", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
					ChangeRequestRef: ref, Body: api.CommentCreate{Weight: api.WeightBlocking, Body: servertest.CommentBody("?")},
				})
				for i, who := range test.rule.Users {
					test.rule.Users[i] = user(w, who)
				}
				servertest.Equal(t, "mergeable without rules", true, getMergeability(w, "reviewer", ref).Mergeable)
				setRules(w, test.rule)
				servertest.Equal(t, "state", api.GateFailed, getGate(w, "reviewer", ref, string(test.rule.Rule)).State)
				servertest.Equal(t, "mergeable", false, getMergeability(w, "reviewer", ref).Mergeable)
				e := w.WantUntouched(func() api.Error {
					return servertest.Refused(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(ref), 409, api.ReasonMergeRules)
				})
				servertest.Equal(t, "which", string(test.rule.Rule), e.Fields[0].Path)
				servertest.Equal(t, "why", getGate(w, "reviewer", ref, string(test.rule.Rule)).Message, e.Fields[0].Message)
				test.meet(w, ref)
				if g := getGate(w, "reviewer", ref, string(test.rule.Rule)); g.State != api.GatePassed {
					t.Errorf("met, but %+v", g)
				}
				w.MustMerge(ref)
			})
		})
	}
}

// updateNewestComment updates the newest comment of a change request, and resolveNewestComment resolves it.
func updateNewestComment(w *servertest.World, ref api.ChangeRequestRef, body api.CommentUpdate) {
	w.T.Helper()
	c := servertest.Do(w, "editor", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref}).Items[0]
	servertest.Do(w, "editor", api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: c.ID}, Body: body,
	})
}

func resolveNewestComment(w *servertest.World, ref api.ChangeRequestRef) {
	w.T.Helper()
	updateNewestComment(w, ref, api.CommentUpdate{Resolved: api.Some(true)})
}

func customRule(expression string) api.MergeRule {
	return api.MergeRule{Rule: api.RuleCustom, Expression: expression, Message: "Not so."}
}

// TestMergeabilityListsAllChecks checks that mergeability includes the unconditional checks, the advice, and who can clear each
// check.
func TestMergeabilityListsAllChecks(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, page := newConflictingRequest(w)
		w.Change(ref, servertest.NewPage("Links", "See [it](nowhere.md) and [that](elsewhere.md).\n"))
		postReview(w, "reviewer", ref, api.ReviewCreate{Status: api.ReviewChangesRequested, Comment: new(servertest.CommentBody("No."))})
		states := map[string]api.GateState{}
		for _, g := range getMergeability(w, "editor", ref).Rules {
			states[g.Rule] = g.State
		}
		servertest.Equal(t, "states", map[string]api.GateState{
			api.GateSpace: api.GatePassed, api.GateStatus: api.GatePassed, api.GateRole: api.GateFailed, api.GateConflicts: api.GateFailed,
			api.GateUpToDate: api.GateAdvice, api.GateReview: api.GateAdvice, api.GateChangesRequested: api.GateAdvice,
			api.GateThreads: api.GateAdvice, api.GateBlocking: api.GatePassed, api.GateLinks: api.GateAdvice,
		}, states)
		servertest.Equal(t, "who can merge", api.RoleReview, getGate(w, "editor", ref, api.GateRole).ClearedBy.Role)
		servertest.Equal(t, "who asks for changes", w.Users["reviewer"].ID,
			getGate(w, "editor", ref, api.GateChangesRequested).ClearedBy.Users[0].ID)
		requested := getGate(w, "editor", ref, api.GateChangesRequested)
		servertest.Equal(t, "cause", api.CauseChangesRequested, requested.Cause)
		servertest.Equal(t, "whom the cause names", w.Users["reviewer"].ID, requested.Users[0].ID)
		conflicts, links := getGate(w, "editor", ref, api.GateConflicts), getGate(w, "editor", ref, api.GateLinks)
		servertest.Equal(t, "conflicts", []any{api.CauseConflicts, 1}, []any{conflicts.Cause, conflicts.Count})
		servertest.Equal(t, "broken links", []any{api.CauseLinks, 2, "elsewhere.md"}, []any{links.Cause, links.Count, links.Links[0]})
		servertest.Equal(t, "links", "It would break 2 links: elsewhere.md, nowhere.md.", getGate(w, "editor", ref, api.GateLinks).Message)
		w.Pull(ref, api.Resolution{Conflict: getConflicts(w, ref).Conflicts[0].ID, Take: api.TakeTheirs})
		servertest.Equal(t, "mergeable by the reviewer", true, getMergeability(w, "reviewer", ref).Mergeable)
		servertest.Equal(t, "text", "The lamp is red. The door is shut. The cat is asleep.\n", w.PageText(ref.Space, page))
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: ref.Space})
		servertest.Equal(t, "in the trash", api.GateFailed, getGate(w, "admin", ref, api.GateSpace).State)
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: ref.Space})
		w.MustMerge(ref)
		servertest.Equal(t, "merged", api.GateFailed, getGate(w, "reviewer", ref, api.GateStatus).State)
	})
}

// TestSpaceRulesOverrideOrganizationRules checks that the rules of a space override those of the organization, and users with a
// bypass may ignore all of them.
func TestSpaceRulesOverrideOrganizationRules(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Green.\n")
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Red.\n"))
		setRules(w, api.MergeRule{Rule: api.RuleApproval})
		set := func(rules api.MergeRules) api.Space {
			return servertest.Do(w, "creator", api.UpdateSpace, api.UpdateSpaceInput{
				Space: space, Body: api.SpacePatch{MergeRules: api.Some(rules)},
			})
		}
		servertest.Equal(t, "stored", api.MergeRulesNone, set(api.MergeRules{Type: api.MergeRulesNone}).MergeRules.Type)
		servertest.Equal(t, "none", true, getMergeability(w, "reviewer", ref).Mergeable)
		set(api.MergeRules{Type: api.MergeRulesInherit})
		servertest.Equal(t, "inherited", false, getMergeability(w, "reviewer", ref).Mergeable)
		own := api.MergeRules{Type: api.MergeRulesListed, Rules: []api.MergeRule{
			{Rule: api.RuleAuthorMerges}, {Rule: api.RuleBypass, Users: []string{w.Users["admin"].ID}},
		}}
		servertest.Equal(t, "shown", own, *set(own).MergeRules)
		servertest.Equal(t, "the author", w.Users["editor"].ID,
			getGate(w, "reviewer", ref, string(api.RuleAuthorMerges)).ClearedBy.Users[0].ID)
		servertest.Equal(t, "bypassed", api.GateBypassed, getGate(w, "admin", ref, string(api.RuleAuthorMerges)).State)
		servertest.Refused(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(ref), 409, api.ReasonMergeRules)
		servertest.Do(w, "admin", api.MergeChangeRequest, servertest.MergeInput(ref))
		for path, rules := range map[string]api.MergeRules{
			"mergeRules.rules":          {Type: api.MergeRulesListed},
			"mergeRules.rules[0].users": {Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleBypass}}},
			"mergeRules.rules[0].users[0]": {
				Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleBypass, Users: []string{"u_none"}}},
			},
			"mergeRules.rules[0].expression": {Type: api.MergeRulesListed, Rules: []api.MergeRule{customRule("approvals + 1")}},
			"mergeRules.rules[0].message":    {Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: api.RuleReview, Message: "x"}}},
			"mergeRules.rules[0].rule":       {Type: api.MergeRulesListed, Rules: []api.MergeRule{{Rule: "require_agent_review"}}},
			"mergeRules.type":                {Type: api.MergeRulesInherit},
		} {
			e := servertest.Refused(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
				Organization: w.Org, Body: api.OrganizationPatch{MergeRules: api.Some(rules)},
			}, 422, api.ReasonInvalid)
			servertest.Equal(t, "field", path, e.Fields[0].Path)
		}
	})
}

// TestApprovalCoversMergedContent checks that an approval of one side does not cover the result of merging both sides.
func TestApprovalCoversMergedContent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		setRules(w, api.MergeRule{Rule: api.RuleApproval}, api.MergeRule{Rule: api.RuleBypass, Users: []string{w.Users["reviewer"].ID}})
		space, page := w.NewSpaceWithPage(servertest.ThreeSentences)
		first, second := w.NewRequest("editor", space), w.NewRequest("editor", space)
		w.Change(first, servertest.Write(page, "The lamp is red. The door is shut. The cat is asleep.\n"))
		w.Change(second, servertest.Write(page, "The lamp is green. The door is shut. The cat is awake now.\n"))
		review := approve(w, "creator", second)
		w.MustMerge(first)
		servertest.Equal(t, "outdated", false, isOutdated(w, second, review))
		g := getGate(w, "creator", second, string(api.RuleApproval))
		servertest.Equal(t, "unseen", []api.UnseenChange{{ID: page, Title: "Page", Reason: api.UnseenText}}, g.Unseen)
		servertest.Refused(w, "creator", api.MergeChangeRequest, servertest.MergeInput(second), 409, api.ReasonMergeRules)
		w.Pull(second)
		approve(w, "creator", second)
		servertest.Do(w, "creator", api.MergeChangeRequest, servertest.MergeInput(second))
	})
}

// TestRuleIsClearedByReviewersWithOutdatedApprovals checks that any reviewer can clear a rule that requires one approval. If all reviews
// must be approvals, only the reviewers with outdated approvals can clear it.
func TestRuleIsClearedByReviewersWithOutdatedApprovals(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		one, all := string(api.RuleApproval), string(api.RuleAllApproved)
		space, page := w.NewSpaceWithPage("Green.\n")
		setRules(w, api.MergeRule{Rule: api.RuleApproval}, api.MergeRule{Rule: api.RuleAllApproved})
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Red.\n"))
		servertest.Equal(t, "without a review", "Nobody has reviewed it, so all reviews are approvals.", getGate(w, "reviewer", ref,
			all).Message)
		approve(w, "creator", ref)
		approve(w, "admin", ref)
		servertest.Equal(t, "approved", "All reviews are approvals.", getGate(w, "reviewer", ref, all).Message)
		w.Change(ref, servertest.Write(page, "Blue.\n"))
		who := func(rule string) (ids []string) {
			by := getGate(w, "reviewer", ref, rule).ClearedBy
			for _, u := range by.Users {
				ids = append(ids, u.ID)
			}
			return append(ids, string(by.Role))
		}
		creator, admin := w.Users["creator"].ID, w.Users["admin"].ID
		servertest.Equal(t, "one approval", []string{creator, admin, string(api.RoleReview)}, who(one))
		servertest.Equal(t, "all approvals", []string{creator, admin, ""}, who(all))
		servertest.Equal(t, "alike", getGate(w, "reviewer", ref, one).Message, getGate(w, "reviewer", ref, all).Message)
		servertest.Equal(t, "what is known of reviews promises nobody else's", []string{creator, admin, ""}, who(api.GateReview))
		postReview(w, "reviewer", ref, api.ReviewCreate{Status: api.ReviewChangesRequested})
		objector := w.Users["reviewer"].ID
		servertest.Equal(t, "who asks for changes hides nobody", []string{objector, creator, admin, ""}, who(all))
		both := getGate(w, "reviewer", ref, all)
		servertest.Equal(t, "cause", api.CauseChangesRequested, both.Cause)
		servertest.Equal(t, "who requests changes, whose reviews are outdated", []string{objector, creator, admin},
			[]string{both.Users[0].ID, both.Stale[0].ID, both.Stale[1].ID})
		servertest.Equal(t, "both are said", true, strings.HasPrefix(getGate(w, "reviewer", ref, all).Message,
			"The reviewer requested changes. It changed after The"))
		approve(w, "reviewer", ref)
		servertest.Equal(t, "approved by somebody else", api.GatePassed, getGate(w, "reviewer", ref, one).State)
		servertest.Equal(t, "not for those", api.GateFailed, getGate(w, "reviewer", ref, all).State)
		approve(w, "creator", ref)
		servertest.Equal(t, "one is left", []string{admin, ""}, who(all))
		approve(w, "admin", ref)
		w.MustMerge(ref)
	})
}

// interceptor runs a function after the next read of heads, between a plan and its commit.
type interceptor struct {
	action func()
	armed  atomic.Bool
}

// DialHook implements redis.Hook.
func (i *interceptor) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (i *interceptor) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (i *interceptor) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		heads := slices.ContainsFunc(cmds, func(c redis.Cmder) bool {
			return strings.HasSuffix(c.String(), ":heads") || strings.Contains(c.String(), ":heads ")
		})
		if heads && i.armed.CompareAndSwap(true, false) {
			i.action()
		}
		return err
	}
}

// TestMergeRejectsPagesAddedAfterApproval checks that a page that the author adds between the approval of revision A and its
// merge is not merged, and mergeability states the reason.
func TestMergeRejectsPagesAddedAfterApproval(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		spy := &interceptor{}
		w := servertest.NewWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, spy) })
		space, page := w.NewSpaceWithPage("Green.\n")
		setRules(w, api.MergeRule{Rule: api.RuleApproval})
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, "Red.\n"))
		approve(w, "reviewer", ref)
		servertest.Equal(t, "mergeable at A", true, getMergeability(w, "reviewer", ref).Mergeable)
		spy.action = func() { w.InsertPage(ref, servertest.NewPage("Unseen", "Nobody has read this.\n")) }
		spy.armed.Store(true)
		e := servertest.Refused(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(ref), 409, api.ReasonMergeRules)
		servertest.Equal(t, "the race was run", false, spy.armed.Load())
		servertest.Equal(t, "why", "It changed after The reviewer reviewed it: Unseen (created).", e.Fields[0].Message)
		servertest.Equal(t, "unseen", "Unseen", getGate(w, "reviewer", ref, string(api.RuleApproval)).Unseen[0].Title)
		servertest.Equal(t, "text of the space", "Green.\n", w.PageText(space, page))
		spy.action = func() { setRules(w, api.MergeRule{Rule: api.RuleSubject}) } // added between the plan and the commit
		approve(w, "reviewer", ref)
		spy.armed.Store(true)
		e = servertest.Refused(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(ref), 409, api.ReasonMergeRules)
		servertest.Equal(t, "the new rule", string(api.RuleSubject), e.Fields[0].Path)
		setSubject(w, ref, "Seen by all")
		w.MustMerge(ref)
	})
}
