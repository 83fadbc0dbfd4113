package inbox

import (
	"context"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/store"
)

// classifiedRow is a row with the values derived for the caller.
type classifiedRow struct {
	*row

	status review.MergeStatus // set only if the merge part of the summary is current
	ready  bool
	reason api.QueueReason
}

// classify determines the reason why a change request concerns the caller.
func (s *Service) classify(ctx context.Context, r *row) (j classifiedRow, err error) {
	j.row = r
	if r.isUnfinished() && r.mergeIsCurrent() {
		j.status, err = s.Reviews.EvaluateStatus(ctx, review.LiveState{
			Caller: r.caller, Request: r.request, SpaceRevision: r.state.SpaceRevision, Threads: r.state.Comments, Blocking: r.blocking,
			Rules: r.rules,
		}, r.summary)
		if err != nil {
			return j, err
		}
	}
	p := r.request.Private
	j.ready = r.request.Fields.Status == api.StatusOpen && j.status.Known && j.status.Checks.Stops == "" &&
		len(p.Reviewers) == 0 && r.countVerdicts(api.ReviewChangesRequested) == 0
	j.reason = r.reason(j.ready)
	return j, nil
}

// reason returns the first reason that applies, or "" if the change request does not concern the caller or is not
// open.
func (r *row) reason(ready bool) api.QueueReason {
	p := r.request.Private
	review, reviewed := p.LastReview(r.caller.User)
	switch {
	case r.request.Fields.Status != api.StatusOpen:
		return ""
	case r.pendingReview() != nil:
		return api.ReviewRequested
	case r.isOwn():
		return r.ownReason(ready)
	case !reviewed:
		return ""
	case r.editedSince(review) || r.repliesSince(review.Review) > 0:
		return api.NewSinceReview
	}
	return api.WaitingForOther
}

// ownReason returns the reason for the author. An author who was asked for changes has to act until the next edit;
// after it, the reviewer has to.
func (r *row) ownReason(ready bool) api.QueueReason {
	asked := slices.ContainsFunc(r.request.Private.Verdicts, func(v store.ReviewVerdict) bool {
		return v.Status == api.ReviewChangesRequested && !r.editedSince(v)
	})
	switch {
	case asked, r.mergeIsCurrent() && r.summary.Conflicts > 0, r.countWaiting() > 0:
		return api.NeedsAnswer
	case ready:
		return api.ReadyToMerge
	}
	return api.WaitingForOther
}

// pendingReview returns the pending review request of the caller, or nil if there is none.
func (r *row) pendingReview() *store.Reviewer {
	index := slices.IndexFunc(r.request.Private.Reviewers, func(a store.Reviewer) bool { return a.User == r.caller.User })
	if index < 0 {
		return nil
	}
	return &r.request.Private.Reviewers[index]
}

// editedSince reports whether the change request was edited since a review.
func (r *row) editedSince(v store.ReviewVerdict) bool { return v.Revision != r.state.Head.Revision }

// countVerdicts counts the people whose last review has the given status.
func (r *row) countVerdicts(status api.ReviewStatus) (n int) {
	for _, v := range r.request.Private.Verdicts {
		if v.Status == status && !v.Service {
			n++
		}
	}
	return n
}
