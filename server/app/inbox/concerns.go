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

// concerns are the open change requests that may concern the caller, by the indexes that say so. Who is asked for a
// review has that reason whatever else there is, so that those need not be read.
type concerns struct {
	asked, created, reviewed []string
}

// concerns reads the indexes. Who the caller is, is not known before.
func (s *Service) concerns(ctx context.Context, c *rest.Call) (k concerns, err error) {
	user, b := c.Caller.User, s.Store.Pipeline()
	b.Range(store.RequestsByCreationKey(c.Org, store.ReviewerFilter(user), api.StatusOpen), "", -1, true).Into(&k.asked)
	b.Range(store.RequestsByCreationKey(c.Org, store.CreatorFilter(user), api.StatusOpen), "", -1, true).Into(&k.created)
	b.Range(store.ReviewedKey(c.Org, user), "", -1, false).Into(&k.reviewed)
	if err := b.Do(ctx); err != nil {
		return k, fmt.Errorf("read what concerns %s: %w", user, err)
	}
	return k, nil
}

// split keeps those in spaces that the query is about and whose change requests the caller sees: members by creation of
// those whose reason is known, and RequestIDs of the others.
func (k concerns) split(c *rest.Call, q requestQuery) (asked, others []string) {
	asked = q.shown(c, slices.Clone(k.asked))
	known := map[string]bool{}
	for _, member := range k.asked {
		known[store.RequestID(store.SplitRequestMember(member))] = true
	}
	c.Access(func(model *access.Model) {
		v := access.NewViewer(model, c.Caller)
		add := func(id string) {
			space := store.HeadSpace(id)
			if !known[id] && (q.space == "" || q.space == space) && v.Has(space, api.RoleComment) {
				others = append(others, id)
			}
			known[id] = true
		}
		for _, member := range k.created {
			add(store.RequestID(store.SplitRequestMember(member)))
		}
		for _, id := range k.reviewed {
			add(id)
		}
	})
	return asked, others
}

// judgedRows reads and judges change requests, and has computed what is missing.
func (s *Service) judgedRows(ctx context.Context, c *rest.Call, ids []string) ([]judged, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, _, err := s.rows(ctx, c, wanted{ids: ids})
	if err != nil {
		return nil, err
	}
	s.want(ctx, c.Org, rows)
	all := make([]judged, len(rows))
	for i, r := range rows {
		if all[i], err = s.judge(ctx, r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// concerning finds the members by creation of what concerns the caller for one of the reasons of a query.
func (s *Service) concerning(ctx context.Context, c *rest.Call, q requestQuery) ([]string, error) {
	if !slices.Contains(q.statuses, api.StatusOpen) {
		return nil, nil
	}
	found, err := s.concerns(ctx, c)
	if err != nil {
		return nil, err
	}
	asked, others := found.split(c, q)
	if !slices.Contains(q.reasons, api.ReviewRequested) {
		asked = nil
	}
	if slices.Equal(q.reasons, []api.QueueReason{api.ReviewRequested}) {
		return asked, nil
	}
	all, err := s.judgedRows(ctx, c, others)
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

// getCounts counts what concerns the caller. It is asked again and again: with If-None-Match it answers nothing new.
func (s *Service) getCounts(ctx context.Context, c *rest.Call, _ api.OrganizationRef) (none rest.Result[api.QueueCounts], err error) {
	found, err := s.concerns(ctx, c)
	if err != nil {
		return none, err
	}
	asked, others := found.split(c, requestQuery{})
	all, err := s.judgedRows(ctx, c, others)
	if err != nil {
		return none, err
	}
	r, err := rest.Value(count(len(asked), all))
	return r.Versioned(countsVersion), err
}

// countsVersion is the version part of an ETag that says no more than the hash behind it.
const countsVersion = "counts"

// count puts judged change requests into their groups.
func count(asked int, all []judged) api.QueueCounts {
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
			if j.own() && j.pending() {
				n.Pending++
			}
		}
	}
	return n
}
