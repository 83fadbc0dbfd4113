package review

import (
	"context"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/mergerules"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// mergeFacts holds the inputs of the merge checks.
type mergeFacts struct {
	caller           *access.Caller
	names            map[string]string // display names by user id
	request          store.ChangeRequestDocument
	spaceInTrash     bool // the space is in the trash
	nothingToMerge   bool // there is nothing to merge
	conflicts        int
	outdated         bool
	verdicts         []verdict
	openComments     int               // open comments
	blockingComments int               // open comments that are blocking
	brokenLinks      []reader.Link     // links that the merge would break
	pages            []mergerules.Page // pages that would change
	ruleSet          RuleSet
	customResults    []customRuleResult // results of the custom rules, by index in ruleSet
}

// verdict is the last review of a user, compared with the content to be merged.
type verdict struct {
	store.ReviewVerdict
	byAuthor bool // given by the author of the request; it does not count
	unseen   []revision.ChangedItem
}

// isCurrent reports whether the verdict counts: it is not the author's own, and it covers the content to be merged.
func (v verdict) isCurrent() bool { return !v.byAuthor && len(v.unseen) == 0 }

// countsUnnamed reports whether the verdict counts for rules that do not name its user. Those of service accounts do not.
func (v verdict) countsUnnamed() bool { return !v.byAuthor && !v.Service }

func (v verdict) approves() bool { return v.isCurrent() && v.Status == api.ReviewApproved }

// gatherFacts gathers the inputs of the checks for a computed merge. Reviews are compared with the merge result,
// which is committed as a temporary revision, so that a page changed on both sides counts as unseen.
func (s *Service) gatherFacts(ctx context.Context, c *rest.Call, plan *mergePlan) (mergeFacts, error) {
	f := mergeFacts{
		caller: c.Caller, request: plan.Request.ChangeRequestDocument, conflicts: len(plan.conflicts), ruleSet: plan.rules,
		outdated: plan.baseRevision() != plan.ours.Revision, openComments: plan.openComments, blockingComments: plan.blockingComments,
		nothingToMerge: plan.worktree == nil || plan.worktree.IsEmpty(),
	}
	f.loadNames(c)
	if plan.worktree != nil {
		if err := s.evaluateMergeResult(ctx, plan, &f, c.Caller.User); err != nil {
			return f, err
		}
	}
	return f, s.evaluateCustomRules(ctx, &f)
}

// evaluateMergeResult commits the merge result as a temporary revision and adds the facts that depend on it: unseen
// changes of the verdicts, changed pages and broken links.
func (s *Service) evaluateMergeResult(ctx context.Context, plan *mergePlan, f *mergeFacts, author string) error {
	merged, err := plan.worktree.Commit(ctx, revision.Revision{
		Type: api.RevisionMerge, Parents: []string{plan.ours.Revision, plan.Theirs.Revision}, MergedFrom: f.request.Fields.ID,
		Author: author, CreatedAt: plan.Theirs.MovedAt,
	})
	if err != nil {
		return err
	}
	compare := s.Revisions.Compare(f.request.Fields.Space)
	compare.Content = plan.worktree.Content // which has the new objects
	after := revision.Range{Base: plan.ours.Revision, Revision: merged.Revision}
	for _, given := range f.request.Private.Verdicts {
		v := verdict{ReviewVerdict: given, byAuthor: given.User == f.request.Private.Creator}
		if v.unseen, err = compare.UnseenChanges(ctx, revision.ReviewedRange(given), after); err != nil {
			return err
		}
		f.verdicts = append(f.verdicts, v)
	}
	changes, err := compare.Changes(ctx, after)
	if err != nil {
		return err
	}
	f.pages = changedPages(plan.worktree, changes)
	f.brokenLinks, err = s.findBrokenLinks(ctx, plan, merged)
	return err
}

// loadNames sets the display names of all users that the checks may mention, and whether the space is trashed.
func (f *mergeFacts) loadNames(c *rest.Call) {
	users := []string{f.request.Private.Creator}
	for _, v := range f.request.Private.Verdicts {
		users = append(users, v.User)
	}
	for _, rule := range f.ruleSet.rules {
		users = append(users, rule.Users...)
	}
	if p := f.request.Private.Pushing; p != nil {
		users = append(users, p.User)
	}
	f.names = map[string]string{}
	c.Access(func(model *access.Model) {
		f.spaceInTrash = model.TrashedRoot(f.request.Fields.Space) != ""
		for _, user := range users {
			f.names[user] = "Former member"
			if p := model.Person(user); p != nil {
				f.names[user] = p.User.DisplayName
			}
		}
	})
}

// changedPages returns the changed pages, sorted by path.
func changedPages(d *revision.Worktree, changes map[string]revision.ChangedItem) []mergerules.Page {
	var pages []mergerules.Page
	for id, change := range changes {
		if !strings.HasPrefix(id, revision.PagePrefix) {
			continue
		}
		from := d.Tree
		if from.Page(id) == nil {
			from = d.BaseTree
		}
		pages = append(pages, mergerules.Page{ID: id, Path: from.Path(id), Title: change.Title, Change: string(change.Reason)})
	}
	slices.SortFunc(pages, func(a, b mergerules.Page) int { return strings.Compare(a.Path, b.Path) })
	return pages
}

// findBrokenLinks returns the links that are broken in the merge result but not in the space. It skips links to other
// spaces, whose status depends on the caller.
func (s *Service) findBrokenLinks(ctx context.Context, plan *mergePlan, merged store.Head) ([]reader.Link, error) {
	before, err := s.Links.Graph(ctx, s.Store.Content(plan.worktree.Content.Space()), plan.ours)
	if err != nil {
		return nil, err
	}
	after, err := s.Links.Graph(ctx, plan.worktree.Content, merged)
	if err != nil {
		return nil, err
	}
	var broken []reader.Link
	for _, page := range after.IDs {
		for _, l := range after.Pages[page] {
			previous, had := before.Link(page, l.Key)
			if l.Status == api.LinkBroken && !l.Outside && (!had || previous.Status != api.LinkBroken) {
				broken = append(broken, l)
			}
		}
	}
	return broken, nil
}

// ruleInput returns the facts as input of the custom rules.
func (f mergeFacts) ruleInput() mergerules.Input {
	in := mergerules.Input{
		ChangeRequest: mergerules.ChangeRequest{
			Number: f.request.Fields.Number, Subject: f.request.Fields.Subject, Status: string(f.request.Fields.Status),
			CreatedBy: f.request.Private.Creator, Outdated: f.outdated,
		},
		Actor:             mergerules.Actor{ID: f.caller.User, Role: string(f.caller.ContentRole)},
		UnresolvedThreads: f.openComments, BrokenLinks: len(f.brokenLinks), Pages: f.pages,
	}
	for _, v := range f.verdicts {
		given := mergerules.Review{Reviewer: v.User, Status: string(v.Status), Outdated: len(v.unseen) > 0}
		if v.Service {
			in.ServiceReviews = append(in.ServiceReviews, given)
			continue
		}
		in.Reviews = append(in.Reviews, given)
		if v.approves() {
			in.Approvals++
		}
	}
	return in
}
