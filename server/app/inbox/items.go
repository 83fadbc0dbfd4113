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

// queued writes out the change requests of the queue, and has computed what is missing.
func (s *Service) queued(ctx context.Context, c *rest.Call, ids, spaces []string) (items [][]byte, counts map[string]string, err error) {
	rows, counts, err := s.rows(ctx, c, wanted{ids: ids, private: true, counted: spaces})
	if err != nil {
		return nil, nil, err
	}
	s.want(ctx, c.Org, rows)
	list := make([]judged, len(rows))
	for i, r := range rows {
		if list[i], err = s.judge(ctx, r); err != nil {
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

// summaryObject is the summary with the people that it names.
func (s *Service) summaryObject(model *access.Model, j judged) *rest.Object {
	data, _ := json.Marshal(j.answer()) // of texts and numbers
	o := rest.Extend(data)
	if asked := j.asked(); asked != nil {
		o.Set("askedBy", s.View.Person(model, asked.RequestedBy))
	}
	return o
}

// answer is the summary as it is answered, but for people.
func (j judged) answer() api.RequestSummary {
	a := api.RequestSummary{
		Pending: j.pending(), Ready: j.ready,
		Threads:   api.SummaryThreads{Open: j.state.Comments, Waiting: j.waiting()},
		Approvals: j.verdicts(api.ReviewApproved), ChangesRequested: j.verdicts(api.ReviewChangesRequested),
	}
	if j.ranged() {
		a.Read = j.read()
		a.Large = j.summary.Large || a.Read == nil
		if !j.summary.Large {
			a.Changes = &api.SummaryChanges{
				Pages: j.summary.Pages, Others: j.summary.Others, Added: j.summary.Added, Removed: j.summary.Removed, PageIDs: j.pages(),
			}
		}
	}
	if j.unfinished() && j.weighed() {
		if !j.summary.Vast {
			a.Merge = &api.SummaryMerge{Conflicts: j.summary.Conflicts, BrokenLinks: j.summary.Broken}
		}
		if a.Large = a.Large || !j.standing.Known; j.standing.Known {
			a.Checks = &j.standing.Checks
		}
	}
	if v, ok := j.request.Private.LastReview(j.caller.User); ok {
		a.Verdict = &api.SummaryVerdict{Status: v.Status, Revision: v.Revision, Edited: j.edited(v), Replies: j.repliesSince(v.Review)}
	}
	if asked := j.asked(); asked != nil {
		a.AskedAt = asked.At
	}
	return a
}

// pages are the ids of the pages that it changes; nil where they are many, or not kept.
func (r *row) pages() (ids []string) {
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

// read is how much of it the caller has read; nil where it changes too much for the summary to tell.
func (r *row) read() *api.SummaryRead {
	if items := r.summary.Pages + r.summary.Others; len(r.summary.Sights) != items || r.summary.Large && items == 0 {
		return nil
	}
	read := api.SummaryRead{Total: len(r.summary.Sights)}
	for _, mark := range r.marks.Private.Marks {
		if seen, there := r.summary.Sights[mark.ID]; there && seen == mark.Seen {
			read.Read++
		}
	}
	return &read
}
