package review

import (
	"context"
	"errors"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/server/text/mergerules"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// maxKept is how many items of a change request, and pages of its merge, a summary keeps. Those who change more have to be
// opened to be told what a reader has left, and what rules of expressions say.
const maxKept = 200

// Summarize computes what lists say of a change request, given by its RequestID. What kept says of the range that there
// still is, is taken over. It is for the job alone: lists never compute.
func (s *Service) Summarize(ctx context.Context, org, key string, kept store.Summary) (store.Summary, error) {
	plan, err := s.inputs(ctx, org, key)
	if err != nil {
		return store.Summary{}, err
	}
	now := revision.RangeOf(plan.Request.ChangeRequestDocument, plan.Theirs)
	sum := store.Summary{
		Base: now.Base, Revision: now.Revision, Pages: kept.Pages, Others: kept.Others, Added: kept.Added, Removed: kept.Removed,
		Sights: kept.Sights, Large: kept.Large,
	}
	if kept.Base != now.Base || kept.Revision != now.Revision {
		sum = store.Summary{Base: now.Base, Revision: now.Revision}
		if err := s.summarizeRange(ctx, plan, now, &sum); Untold(err) {
			sum = store.Summary{Base: now.Base, Revision: now.Revision, Large: true}
		} else if err != nil {
			return sum, err
		}
	}
	if Unfinished(plan.Request.ChangeRequestDocument, "") != nil {
		return sum, nil
	}
	half := sum
	if err := s.summarizeMerge(ctx, &plan, &half); Untold(err) {
		half = sum
		half.Vast = true
	} else if err != nil {
		return sum, err
	}
	half.Space = plan.ours.Revision
	return half, nil
}

// Untold reports whether something cannot be told however often it is tried: what cannot be read, or is beyond a budget.
func Untold(err error) bool {
	for _, passing := range []error{
		redis.ErrUnavailable, redis.ErrStale, redis.ErrNewerForm, txn.ErrBusy, budgets.ErrBusy, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, passing) {
			return false
		}
	}
	return err != nil
}

// summarizeRange counts what a change request changes.
func (s *Service) summarizeRange(ctx context.Context, plan mergePlan, now revision.Range, sum *store.Summary) error {
	space := plan.Request.Fields.Space
	compare := s.Revisions.Compare(space)
	items, err := compare.Between(ctx, now)
	if err != nil {
		return err
	}
	for id := range items {
		if strings.HasPrefix(id, revision.PagePrefix) {
			sum.Pages++
		} else {
			sum.Others++
		}
	}
	if err := s.countWords(ctx, revision.DiffSpec{Place: revision.Target{Space: space}, Base: now.Base, Revision: now.Revision}, sum); err != nil {
		return err
	}
	if len(items) > maxKept {
		return nil
	}
	turn, err := s.Slow.Begin(ctx, len(items)*budgets.ChangedOverhead)
	if err != nil {
		return err
	}
	defer turn.End()
	sights, err := compare.Sights(ctx, now)
	if err != nil {
		return err
	}
	sum.Sights = make(map[string]string, len(sights))
	for id, sight := range sights {
		sum.Sights[id] = sight.Name
	}
	return nil
}

// countWords counts the words of texts, as a comparison of them does. Where it would stop, they are not counted.
func (s *Service) countWords(ctx context.Context, of revision.DiffSpec, sum *store.Summary) error {
	v, err := s.Revisions.Diff(ctx, of)
	if err != nil {
		return err
	}
	all, err := changedTexts(ctx, v, "")
	if err != nil {
		return err
	}
	read, err := readChangedTexts(ctx, v, all)
	if err != nil {
		return err
	}
	if sum.Large = len(read) < len(all); sum.Large {
		return nil
	}
	turn, err := s.Slow.Begin(ctx, sizeOf(read)*budgets.ComparedFactor)
	if err != nil {
		return err
	}
	defer turn.End()
	for _, t := range read {
		words := diff.Words(diff.Text(ctx, t.old, t.new))
		sum.Added, sum.Removed = sum.Added+words.Added, sum.Removed+words.Removed
		if err := ctx.Err(); err != nil {
			return err //nolint:wrapcheck // the end of the job
		}
	}
	return nil
}

// summarizeMerge finds what a merge would meet.
func (s *Service) summarizeMerge(ctx context.Context, plan *mergePlan, sum *store.Summary) error {
	if err := s.merge(ctx, plan, nil); err != nil {
		return err
	}
	f := mergeFacts{request: plan.Request.ChangeRequestDocument}
	if err := s.weigh(ctx, plan, &f, ""); err != nil {
		return err
	}
	sum.Conflicts, sum.Broken, sum.Unchanged = len(plan.conflicts), len(f.broken), plan.draft.IsEmpty()
	sum.Seen = map[string]bool{}
	for _, v := range f.verdicts {
		sum.Seen[v.Review] = len(v.unseen) == 0
	}
	if sum.Many = len(f.pages) > maxKept; !sum.Many {
		for _, p := range f.pages {
			sum.Changes = append(sum.Changes, store.MergedPage(p))
		}
	}
	return nil
}

// Standing is how the checks of a change request stand for somebody, by its summary.
type Standing struct {
	Checks api.SummaryChecks
	Known  bool // else they need what the summary does not keep
}

// Live is what decides about a merge beside what is computed, as it is at the moment.
type Live struct {
	Caller            *access.Caller // with the role in the space
	Request           store.ChangeRequestDocument
	Main              string // revision of the space
	Threads, Blocking int    // open comments
	Rules             RuleSet
}

// Stand holds the checks against a summary and what is live. They are the same that a merge is held against.
func (s *Service) Stand(ctx context.Context, l Live, sum store.Summary) (st Standing, err error) {
	f := mergeFacts{
		caller: l.Caller, request: l.Request, conflicts: sum.Conflicts, ruleSet: l.Rules, unchanged: sum.Unchanged,
		outdated: sum.Base != l.Main, threads: l.Threads, blocking: l.Blocking, broken: make([]reader.Link, sum.Broken),
	}
	for _, given := range l.Request.Private.Verdicts {
		v := verdict{ReviewVerdict: given, own: given.User == l.Request.Private.Creator}
		if !sum.Seen[given.Review] {
			v.unseen = []revision.ChangedItem{{}}
		}
		f.verdicts = append(f.verdicts, v)
	}
	for _, p := range sum.Changes {
		f.pages = append(f.pages, mergerules.Page(p))
	}
	if sum.Vast || sum.Many && f.asksFor(string(api.RuleCustom)) {
		return st, nil
	}
	if err := s.runCustomRules(ctx, &f); err != nil {
		return st, err
	}
	st.Known = true
	for _, g := range f.checks() {
		st.Checks.Total++
		switch g.state {
		case api.GateFailed:
			if st.Checks.Stops == "" {
				st.Checks.Stops = g.rule
			}
		case api.GateAdvice:
			if st.Checks.Advice == "" {
				st.Checks.Advice = g.rule
			}
		case api.GatePassed, api.GateBypassed:
			st.Checks.Holding++
		}
	}
	return st, nil
}
