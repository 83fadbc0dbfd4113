package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
)

// queueItems returns the JSON objects of change requests in the queue, and requests the summaries that are missing.
func (s *Service) queueItems(ctx context.Context, c *rest.Call, ids, spaces []string) (items [][]byte, counts map[string]string,
	err error,
) {
	rows, counts, err := s.loadRows(ctx, c, rowQuery{ids: ids, private: true, countedSpaces: spaces})
	if err != nil {
		return nil, nil, err
	}
	s.requestSummaries(ctx, c.Org, rows)
	list := make([]classifiedRow, len(rows))
	for i, r := range rows {
		if list[i], err = s.classify(ctx, r); err != nil {
			return nil, nil, err
		}
	}
	items = make([][]byte, 0, len(list))
	c.Access(func(model *access.Model) {
		for _, j := range list {
			o := s.Reviews.Object(model, j.record.Public, j.request, j.state)
			item, e := o.SetIf(j.reason != "", "reason", j.reason).SetObject("summary", s.summaryObject(model, j)).Bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, counts, err
}

// summaryObject returns the JSON object of the summary, including the user who requested the review.
func (s *Service) summaryObject(model *access.Model, j classifiedRow) *rest.Object {
	data, _ := json.Marshal(j.apiSummary()) // strings and numbers always encode
	o := rest.ExtendObject(data)
	if asked := j.pendingReview(); asked != nil {
		o.Set("askedBy", s.View.Person(model, asked.RequestedBy))
	}
	return o
}

// apiSummary returns the summary without the users it refers to.
func (cr classifiedRow) apiSummary() api.RequestSummary {
	a := api.RequestSummary{
		Pending: cr.isPending(), Ready: cr.ready,
		Threads:   api.SummaryThreads{Open: cr.state.Comments, Waiting: cr.countWaiting()},
		Approvals: cr.countVerdicts(api.ReviewApproved), ChangesRequested: cr.countVerdicts(api.ReviewChangesRequested),
	}
	if cr.rangeIsCurrent() {
		a.Read = cr.readProgress()
		a.Large = cr.summary.IsDiffTooLarge || a.Read == nil
		if !cr.summary.IsDiffTooLarge {
			a.Changes = &api.SummaryChanges{
				Pages: cr.summary.Pages, Others: cr.summary.Others, Added: cr.summary.Added, Removed: cr.summary.Removed,
				PageIDs: cr.changedPageIDs(),
			}
		}
	}
	if cr.isUnfinished() && cr.mergeIsCurrent() {
		if !cr.summary.IsSecondPartUnknown {
			a.Merge = &api.SummaryMerge{Conflicts: cr.summary.Conflicts, BrokenLinks: cr.summary.Broken}
		}
		if a.Large = a.Large || !cr.status.Known; cr.status.Known {
			a.Checks = &cr.status.Checks
		}
	}
	if v, ok := cr.request.Private.LastReview(cr.caller.User); ok {
		a.Verdict = &api.SummaryVerdict{
			Status: v.Status, Revision: v.Revision, Edited: cr.editedSince(v), Replies: cr.repliesSince(v.Review),
		}
	}
	if asked := cr.pendingReview(); asked != nil {
		a.AskedAt = asked.AskedAt
	}
	return a
}

// changedPageIDs returns the sorted ids of the changed pages, or nil if there are too many or they were not stored.
func (r *row) changedPageIDs() (ids []string) {
	if r.summary.Pages > api.MaxSummaryPages {
		return nil
	}
	for id := range r.summary.Sights {
		if strings.HasPrefix(id, revision.PagePrefix) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// readProgress returns how many changed items the caller has read, or nil if the change request is too large for its
// summary to contain them.
func (r *row) readProgress() *api.SummaryRead {
	if items := r.summary.Pages + r.summary.Others; len(r.summary.Sights) != items || r.summary.IsDiffTooLarge && items == 0 {
		return nil
	}
	read := api.SummaryRead{Total: len(r.summary.Sights)}
	for _, mark := range r.marks.Private.Marks {
		if seen, exists := r.summary.Sights[mark.ID]; exists && seen == mark.Seen {
			read.Read++
		}
	}
	return &read
}
