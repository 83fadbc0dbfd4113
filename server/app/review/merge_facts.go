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

// mergeFacts is all that decides whether a change request may be merged.
type mergeFacts struct {
	caller    *access.Caller
	people    map[string]string // names by user
	request   store.ChangeRequestDocument
	trashed   bool // the space is
	unchanged bool // there is nothing to merge
	conflicts int
	outdated  bool
	verdicts  []verdict
	threads   int               // open comments
	blocking  int               // that are called blocking
	broken    []reader.Link     // links that would be broken, and are not
	pages     []mergerules.Page // that would change
	ruleSet   RuleSet
	custom    []customRule // of the rules, by place; of others than custom ones it says nothing
}

// verdict is the last review of somebody, held against what would be merged.
type verdict struct {
	store.ReviewVerdict
	own    bool // of the request's author: it counts for nothing
	unseen []revision.ChangedItem
}

// stands reports whether the verdict is one about what would be merged.
func (v verdict) stands() bool { return !v.own && len(v.unseen) == 0 }

func (v verdict) approves() bool { return v.stands() && v.Status == api.ReviewApproved }

// facts gathers what decides about a merge that is computed. What would be merged is a revision that is made for the
// purpose and not stored: reviews are held against that, so that a page that both sides have changed is one that
// nobody has seen.
func (s *Service) facts(ctx context.Context, c *rest.Call, plan *mergePlan) (mergeFacts, error) {
	f := mergeFacts{
		caller: c.Caller, request: plan.Request.ChangeRequestDocument, conflicts: len(plan.conflicts), ruleSet: plan.rules,
		outdated: plan.base() != plan.ours.Revision, threads: plan.threads, blocking: plan.blocking, unchanged: plan.draft == nil || plan.draft.IsEmpty(),
	}
	f.name(c)
	if plan.draft != nil {
		if err := s.weigh(ctx, plan, &f, c.Caller.User); err != nil {
			return f, err
		}
	}
	return f, s.runCustomRules(ctx, &f)
}

// weigh adds what takes the revision that would be merged: whether it is as reviewers saw it, its pages and its links.
func (s *Service) weigh(ctx context.Context, plan *mergePlan, f *mergeFacts, author string) error {
	merged, err := plan.draft.Commit(ctx, revision.Revision{
		Type: api.RevisionMerge, Parents: []string{plan.ours.Revision, plan.Theirs.Revision}, MergedFrom: f.request.Fields.ID,
		Author: author, At: plan.Theirs.At,
	})
	if err != nil {
		return err
	}
	compare := s.Revisions.Compare(f.request.Fields.Space)
	compare.Content = plan.draft.Content // which has the new objects
	after := revision.Range{Base: plan.ours.Revision, Revision: merged.Revision}
	for _, given := range f.request.Private.Verdicts {
		v := verdict{ReviewVerdict: given, own: given.User == f.request.Private.Creator}
		if v.unseen, err = compare.Unseen(ctx, revision.SeenBy(given), after); err != nil {
			return err
		}
		f.verdicts = append(f.verdicts, v)
	}
	changes, err := compare.Between(ctx, after)
	if err != nil {
		return err
	}
	f.pages = changedPages(plan.draft, changes)
	f.broken, err = s.brokenByMerge(ctx, plan, merged)
	return err
}

// name takes down the names of those who may be spoken of.
func (f *mergeFacts) name(c *rest.Call) {
	users := []string{f.request.Private.Creator}
	for _, v := range f.request.Private.Verdicts {
		users = append(users, v.User)
	}
	for _, rule := range f.ruleSet.rules {
		users = append(users, rule.Users...)
	}
	f.people = map[string]string{}
	c.Access(func(model *access.Model) {
		f.trashed = model.Trashed(f.request.Fields.Space) != ""
		for _, user := range users {
			f.people[user] = "Former member"
			if p := model.Person(user); p != nil {
				f.people[user] = p.User.DisplayName
			}
		}
	})
}

// changedPages are the pages among changes, by path.
func changedPages(d *revision.Worktree, changes map[string]revision.ChangedItem) []mergerules.Page {
	var pages []mergerules.Page
	for id, change := range changes {
		if !strings.HasPrefix(id, revision.PagePrefix) {
			continue
		}
		from := d.Tree
		if from.Page(id) == nil {
			from = d.Start
		}
		pages = append(pages, mergerules.Page{ID: id, Path: from.Path(id), Title: change.Title, Change: string(change.Reason)})
	}
	slices.SortFunc(pages, func(a, b mergerules.Page) int { return strings.Compare(a.Path, b.Path) })
	return pages
}

// brokenByMerge lists the links that are broken in what would be merged and not in the space as it is. Links to other
// spaces are left out: whether they are broken depends on who asks.
func (s *Service) brokenByMerge(ctx context.Context, plan *mergePlan, merged store.Head) ([]reader.Link, error) {
	before, err := s.Links.Graph(ctx, s.Store.Content(plan.draft.Content.Space()), plan.ours)
	if err != nil {
		return nil, err
	}
	after, err := s.Links.Graph(ctx, plan.draft.Content, merged)
	if err != nil {
		return nil, err
	}
	var broken []reader.Link
	for _, page := range after.IDs {
		for _, l := range after.Pages[page] {
			was, had := before.Link(page, l.Key)
			if l.Status == api.LinkBroken && !l.Outside && (!had || was.Status != api.LinkBroken) {
				broken = append(broken, l)
			}
		}
	}
	return broken, nil
}

// input is what custom rules see of the facts.
func (f mergeFacts) input() mergerules.Input {
	in := mergerules.Input{
		ChangeRequest: mergerules.ChangeRequest{
			Number: f.request.Fields.Number, Subject: f.request.Fields.Subject, Status: string(f.request.Fields.Status),
			CreatedBy: f.request.Private.Creator, Outdated: f.outdated,
		},
		Actor:             mergerules.Actor{ID: f.caller.User, Role: string(f.caller.ContentRole)},
		UnresolvedThreads: f.threads, BrokenLinks: len(f.broken), Pages: f.pages,
	}
	for _, v := range f.verdicts {
		in.Reviews = append(in.Reviews, mergerules.Review{Reviewer: v.User, Status: string(v.Status), Outdated: len(v.unseen) > 0})
		if v.approves() {
			in.Approvals++
		}
	}
	return in
}
