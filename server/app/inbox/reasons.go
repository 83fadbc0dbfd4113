package inbox

import (
	"context"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/store"
)

// judged is a row with what follows from it for the caller.
type judged struct {
	*row

	standing review.Standing // only of what is weighed
	ready    bool
	reason   api.QueueReason
}

// judge finds the reason why a change request concerns the caller.
func (s *Service) judge(ctx context.Context, r *row) (j judged, err error) {
	j.row = r
	if r.unfinished() && r.weighed() {
		j.standing, err = s.Reviews.Stand(ctx, review.Live{
			Caller: r.caller, Request: r.request, Main: r.state.Main, Threads: r.state.Comments, Blocking: r.blocking, Rules: r.rules,
		}, r.summary)
		if err != nil {
			return j, err
		}
	}
	p := r.request.Private
	j.ready = r.request.Fields.Status == api.StatusOpen && j.standing.Known && j.standing.Checks.Stops == "" &&
		len(p.Reviewers) == 0 && r.verdicts(api.ReviewChangesRequested) == 0
	j.reason = r.reason(j.ready)
	return j, nil
}

// reason is the first that holds; "" if the change request does not concern the caller, or is not open.
func (r *row) reason(ready bool) api.QueueReason {
	p := r.request.Private
	review, reviewed := p.LastReview(r.caller.User)
	switch {
	case r.request.Fields.Status != api.StatusOpen:
		return ""
	case r.asked() != nil:
		return api.ReviewRequested
	case r.own():
		return r.ownReason(ready)
	case !reviewed:
		return ""
	case r.edited(review) || r.repliesSince(review.Review) > 0:
		return api.NewSinceReview
	}
	return api.WaitingForOther
}

// ownReason is the reason for the author. Who is asked for changes has to act until they have edited something; then
// it is the reviewer's turn.
func (r *row) ownReason(ready bool) api.QueueReason {
	asked := slices.ContainsFunc(r.request.Private.Verdicts, func(v store.ReviewVerdict) bool {
		return v.Status == api.ReviewChangesRequested && !r.edited(v)
	})
	switch {
	case asked, r.weighed() && r.summary.Conflicts > 0, r.waiting() > 0:
		return api.NeedsAnswer
	case ready:
		return api.ReadyToMerge
	}
	return api.WaitingForOther
}

// asked is the request for a review of the caller's that is still to be made; nil if there is none.
func (r *row) asked() *store.Reviewer {
	at := slices.IndexFunc(r.request.Private.Reviewers, func(a store.Reviewer) bool { return a.User == r.caller.User })
	if at < 0 {
		return nil
	}
	return &r.request.Private.Reviewers[at]
}

// edited reports whether the change request was edited since a review.
func (r *row) edited(v store.ReviewVerdict) bool { return v.Revision != r.state.Head.Revision }

// verdicts counts those whose last review says something.
func (r *row) verdicts(status api.ReviewStatus) (n int) {
	for _, v := range r.request.Private.Verdicts {
		if v.Status == status {
			n++
		}
	}
	return n
}
