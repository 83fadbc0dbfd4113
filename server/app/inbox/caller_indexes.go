package inbox

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// callerIndexes holds the open change requests that may concern the caller, by index. A requested review takes
// precedence over all other reasons, so the change requests in reviewRequested need not be read to classify them.
type callerIndexes struct {
	reviewRequested, created, reviewed []string
}

// readCallerIndexes reads the indexes of the caller. It takes a round trip of its own because the caller is not known
// when the request is prefetched.
func (s *Service) readCallerIndexes(ctx context.Context, c *rest.Call) (k callerIndexes, err error) {
	user, b := c.Caller.User, s.Store.NewBatch()
	b.Range(store.RequestsByCreationKey(c.Org, store.ReviewerFilter(user), api.StatusOpen), "", -1, true).Into(&k.reviewRequested)
	b.Range(store.RequestsByCreationKey(c.Org, store.CreatorFilter(user), api.StatusOpen), "", -1, true).Into(&k.created)
	b.Range(store.ReviewedKey(c.Org, user), "", -1, false).Into(&k.reviewed)
	if err := b.Do(ctx); err != nil {
		return k, fmt.Errorf("read what concerns %s: %w", user, err)
	}
	return k, nil
}

// visibleRequests returns the change requests that match the query and are visible to the caller. asked contains those with a
// review requested from the caller, as members by creation. others contains the rest, whose reasons are not known, by
// RequestID.
func (ci callerIndexes) visibleRequests(c *rest.Call, q requestQuery) (asked, others []string) {
	asked = q.filterVisible(c, slices.Clone(ci.reviewRequested))
	known := map[string]bool{}
	for _, member := range ci.reviewRequested {
		known[store.RequestID(store.SplitRequestMember(member))] = true
	}
	c.Access(func(model *access.Model) {
		v := access.NewViewer(model, c.Caller)
		add := func(id string) {
			space := store.HeadSpace(id)
			if !known[id] && (q.space == "" || q.space == space) && v.HasRole(space, api.RoleComment) {
				others = append(others, id)
			}
			known[id] = true
		}
		for _, member := range ci.created {
			add(store.RequestID(store.SplitRequestMember(member)))
		}
		for _, id := range ci.reviewed {
			add(id)
		}
	})
	return asked, others
}

// classifyRows reads and classifies change requests, and requests the summaries that are missing.
func (s *Service) classifyRows(ctx context.Context, c *rest.Call, ids []string) ([]classifiedRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, _, err := s.loadRows(ctx, c, rowQuery{ids: ids})
	if err != nil {
		return nil, err
	}
	s.requestSummaries(ctx, c.Org, rows)
	all := make([]classifiedRow, len(rows))
	for i, r := range rows {
		if all[i], err = s.classify(ctx, r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// requestsByReason returns the change requests that concern the caller for one of the reasons of the query, as
// members by creation, newest first.
func (s *Service) requestsByReason(ctx context.Context, c *rest.Call, q requestQuery) ([]string, error) {
	if !slices.Contains(q.statuses, api.StatusOpen) {
		return nil, nil
	}
	found, err := s.readCallerIndexes(ctx, c)
	if err != nil {
		return nil, err
	}
	asked, others := found.visibleRequests(c, q)
	if !slices.Contains(q.reasons, api.ReviewRequested) {
		asked = nil
	}
	if slices.Equal(q.reasons, []api.QueueReason{api.ReviewRequested}) {
		return asked, nil
	}
	all, err := s.classifyRows(ctx, c, others)
	if err != nil {
		return nil, err
	}
	members := asked
	for _, j := range all {
		if slices.Contains(q.reasons, j.reason) {
			f := j.request.Fields
			members = append(members, store.RequestMember(f.CreatedAt.Time, f.Space, f.Number))
		}
	}
	slices.SortFunc(members, rest.NewestFirst)
	return members, nil
}

// getCounts counts the change requests that concern the caller, by reason. Clients poll it with If-None-Match.
func (s *Service) getCounts(ctx context.Context, c *rest.Call, _ api.OrganizationRef) (none rest.Result[api.QueueCounts], err error) {
	found, err := s.readCallerIndexes(ctx, c)
	if err != nil {
		return none, err
	}
	asked, others := found.visibleRequests(c, requestQuery{})
	all, err := s.classifyRows(ctx, c, others)
	if err != nil {
		return none, err
	}
	r, err := rest.Value(countByReason(len(asked), all))
	return r.WithVersion(countsVersion), err
}

// countsVersion is the constant version part of an ETag that consists of the content hash only.
const countsVersion = "counts"

// countByReason counts change requests by reason. asked is the number of requested reviews.
func countByReason(asked int, all []classifiedRow) api.QueueCounts {
	n := api.QueueCounts{ReviewRequested: asked}
	for _, j := range all {
		switch j.reason {
		case api.ReviewRequested:
			n.ReviewRequested++
		case api.NewSinceReview:
			n.NewSinceReview++
		case api.NeedsAnswer:
			n.NeedsAnswer++
		case api.ReadyToMerge:
			n.Ready++
		case api.WaitingForOther:
			n.Waiting++
			if j.isOwn() && j.isPending() {
				n.Pending++
			}
		}
	}
	return n
}
