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

// maxSummaryItems is the maximum number of changed items, and of changed pages of the merge, in a summary. For larger
// change requests, unread changes and custom rules are evaluated only when they are opened.
const maxSummaryItems = 200

// Summarize computes the summary of a change request, given by its RequestID. It reuses the parts of previous that
// describe the same range. Only the background job calls it; lists never compute summaries.
func (s *Service) Summarize(ctx context.Context, org, key string, previous store.Summary) (store.Summary, error) {
	plan, err := s.loadMergePlan(ctx, org, key)
	if err != nil {
		return store.Summary{}, err
	}
	now := revision.CurrentRange(plan.Request.ChangeRequestDocument, plan.Theirs)
	sum := store.Summary{
		Base: now.Base, Revision: now.Revision, Pages: previous.Pages, Others: previous.Others, Added: previous.Added,
		Removed: previous.Removed,
		Sights:  previous.Sights, IsDiffTooLarge: previous.IsDiffTooLarge,
	}
	if previous.Base != now.Base || previous.Revision != now.Revision {
		sum = store.Summary{Base: now.Base, Revision: now.Revision}
		if err := s.summarizeRange(ctx, plan, now, &sum); IsPermanent(err) {
			sum = store.Summary{Base: now.Base, Revision: now.Revision, IsDiffTooLarge: true}
		} else if err != nil {
			return sum, err
		}
	}
	if CheckUnfinished(plan.Request.ChangeRequestDocument, "") != nil {
		return sum, nil
	}
	full := sum
	if err := s.summarizeMerge(ctx, &plan, &full); IsPermanent(err) {
		full = sum
		full.IsSecondPartUnknown = true
	} else if err != nil {
		return sum, err
	}
	full.Space = plan.ours.Revision
	return full, nil
}

// IsPermanent reports whether an error is permanent: data that cannot be read or that exceeds a budget. Retrying does not
// help then.
func IsPermanent(err error) bool {
	for _, passing := range []error{
		redis.ErrUnavailable, redis.ErrStale, redis.ErrNewerFormat, redis.ErrUpgradePending, txn.ErrBusy, budgets.ErrBusy,
		context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, passing) {
			return false
		}
	}
	return err != nil
}

// summarizeRange counts the changes of a change request.
func (s *Service) summarizeRange(ctx context.Context, plan mergePlan, now revision.Range, sum *store.Summary) error {
	space := plan.Request.Fields.Space
	compare := s.Revisions.Compare(space)
	items, err := compare.Changes(ctx, now)
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
	if err := s.countWords(ctx, revision.DiffSpec{Target: revision.Target{Space: space}, Base: now.Base, Revision: now.Revision},
		sum); err != nil {
		return err
	}
	if len(items) > maxSummaryItems {
		return nil
	}
	permit, err := s.Slow.Begin(ctx, len(items)*budgets.ChangedOverhead)
	if err != nil {
		return err
	}
	defer permit.End()
	fingerprints, err := compare.Fingerprints(ctx, now)
	if err != nil {
		return err
	}
	sum.Sights = make(map[string]string, len(fingerprints))
	for id, fingerprint := range fingerprints {
		sum.Sights[id] = fingerprint.Hash
	}
	return nil
}

// countWords counts the added and removed words. It sets Large instead if the texts exceed the limits of a diff.
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
	if sum.IsDiffTooLarge = len(read) < len(all); sum.IsDiffTooLarge {
		return nil
	}
	permit, err := s.Slow.Begin(ctx, totalSize(read)*budgets.CompareFactor)
	if err != nil {
		return err
	}
	defer permit.End()
	for _, t := range read {
		words := diff.CountWords(diff.Text(ctx, t.old, t.new))
		sum.Added, sum.Removed = sum.Added+words.Added, sum.Removed+words.Removed
		if err := ctx.Err(); err != nil {
			return err //nolint:wrapcheck // the end of the job
		}
	}
	return nil
}

// summarizeMerge computes the result of a merge: conflicts, broken links, changed pages and current verdicts.
func (s *Service) summarizeMerge(ctx context.Context, plan *mergePlan, sum *store.Summary) error {
	if err := s.merge(ctx, plan, nil); err != nil {
		return err
	}
	f := mergeFacts{request: plan.Request.ChangeRequestDocument}
	if err := s.evaluateMergeResult(ctx, plan, &f, ""); err != nil {
		return err
	}
	sum.Conflicts, sum.Broken, sum.Unchanged = len(plan.conflicts), len(f.brokenLinks), plan.worktree.IsEmpty()
	sum.Seen = map[string]bool{}
	for _, v := range f.verdicts {
		sum.Seen[v.Review] = len(v.unseen) == 0
	}
	if sum.HasTooManyChanges = len(f.pages) > maxSummaryItems; !sum.HasTooManyChanges {
		for _, p := range f.pages {
			sum.Changes = append(sum.Changes, store.MergedPage(p))
		}
	}
	return nil
}

// MergeStatus is the result of the merge checks of a change request for a caller.
type MergeStatus struct {
	Checks api.SummaryChecks
	Known  bool // false if the summary is not sufficient
}

// LiveState holds the inputs of the merge checks that are not part of the summary, with their current values.
type LiveState struct {
	Caller            *access.Caller // with the caller's role in the space
	Request           store.ChangeRequestDocument
	SpaceRevision     string // head revision of the space
	Threads, Blocking int    // open comments
	Rules             RuleSet
}

// EvaluateStatus evaluates the merge checks from a summary and the live state. It uses the same checks as the merge itself.
func (s *Service) EvaluateStatus(ctx context.Context, l LiveState, sum store.Summary) (st MergeStatus, err error) {
	f := mergeFacts{
		caller: l.Caller, request: l.Request, conflicts: sum.Conflicts, ruleSet: l.Rules, nothingToMerge: sum.Unchanged,
		outdated: sum.Base != l.SpaceRevision, openComments: l.Threads, blockingComments: l.Blocking, brokenLinks: make([]reader.Link,
			sum.Broken),
	}
	for _, given := range l.Request.Private.Verdicts {
		v := verdict{ReviewVerdict: given, byAuthor: given.User == l.Request.Private.Creator}
		if !sum.Seen[given.Review] {
			v.unseen = []revision.ChangedItem{{}}
		}
		f.verdicts = append(f.verdicts, v)
	}
	for _, p := range sum.Changes {
		f.pages = append(f.pages, mergerules.Page(p))
	}
	if sum.IsSecondPartUnknown || sum.HasTooManyChanges && f.hasRule(string(api.RuleCustom)) {
		return st, nil
	}
	if err := s.evaluateCustomRules(ctx, &f); err != nil {
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
