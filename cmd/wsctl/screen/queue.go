package screen

import (
	"context"
	"errors"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// manyQueued is how many change requests of a query a screen goes through; the filters find the others.
const manyQueued = 200

// Queued implements remote.Queue.
func (s server) Queued(ctx context.Context, organization string, query api.SavedQuery) ([]api.QueuedChangeRequest, bool, error) {
	list, err := s.c.ChangeRequests.ListQueue(ctx, api.ListQueueInput{
		Organization: organization, ListOptions: api.ListOptions{Limit: api.Some(manyQueued)}, Status: query.Status, Space: query.Space, Reason: query.Reason, OrderBy: query.OrderBy,
		ChangeRequestPeople: api.ChangeRequestPeople{Creator: query.Creator, Contributor: query.Contributor, RequestedReviewer: query.RequestedReviewer},
	})
	return list.Items, list.Next != nil, err
}

// Counts implements remote.Queue.
func (s server) Counts(ctx context.Context, organization, seen string) (api.QueueCounts, string, error) {
	return unlessSame(seen, func(options ...client.CallOption) (api.QueueCounts, error) {
		return s.c.ChangeRequests.GetCounts(ctx, api.OrganizationRef{Organization: organization}, options...)
	})
}

// SavedQueries implements remote.Queue.
func (s server) SavedQueries(ctx context.Context, organization string) ([]api.SavedQuery, error) {
	saved, err := s.c.ChangeRequests.GetSavedQueries(ctx, api.OrganizationRef{Organization: organization})
	return saved.Queries, err
}

// SaveQueries implements remote.Queue.
func (s server) SaveQueries(ctx context.Context, organization string, all []api.SavedQuery, key string) error {
	in := api.PutSavedQueriesInput{OrganizationRef: api.OrganizationRef{Organization: organization}, Body: api.SavedQueries{Queries: all}}
	_, err := s.c.ChangeRequests.PutSavedQueries(ctx, in, client.IdempotencyKey(key))
	return err
}

// Timeline implements remote.Queue.
func (s server) Timeline(ctx context.Context, at remote.Target) (api.Timeline, error) {
	return s.c.ChangeRequests.GetTimeline(ctx, api.GetTimelineInput{ChangeRequestRef: requestRef(at)})
}

// TimelineBefore implements remote.Queue.
func (s server) TimelineBefore(ctx context.Context, at remote.Target, cursor string) (api.Timeline, error) {
	return s.c.ChangeRequests.GetTimeline(ctx, api.GetTimelineInput{ChangeRequestRef: requestRef(at), Before: cursor})
}

// TimelineAfter implements remote.Queue.
func (s server) TimelineAfter(ctx context.Context, at remote.Target, cursor, seen string) (api.Timeline, string, error) {
	return unlessSame(seen, func(options ...client.CallOption) (api.Timeline, error) {
		return s.c.ChangeRequests.GetTimeline(ctx, api.GetTimelineInput{ChangeRequestRef: requestRef(at), After: cursor}, options...)
	})
}

// unlessSame reads something, unless it is as it was when it had a tag; the answer's own goes with it.
func unlessSame[T any](seen string, read func(...client.CallOption) (T, error)) (found T, tag string, err error) {
	var answer client.Response
	options := []client.CallOption{client.Capture(&answer)}
	if seen != "" {
		options = append(options, client.IfNoneMatch(seen))
	}
	found, err = read(options...)
	if errors.Is(err, client.ErrNotModified) {
		return found, seen, remote.ErrSame
	}
	return found, answer.ETag(), err
}

// Look implements remote.Queue.
func (s server) Look(ctx context.Context, at remote.Target, cursor, key string) error {
	in := api.UpdateReadingInput{ChangeRequestRef: requestRef(at), Body: api.ReadingUpdate{LastLook: api.Some(cursor)}}
	_, err := s.c.ChangeRequests.UpdateReading(ctx, in, client.IdempotencyKey(key))
	return err
}

// Words implements remote.Queue: those of as many texts as the server compares at once.
func (s server) Words(ctx context.Context, at remote.Target, since string) (map[string]api.WordCount, error) {
	const most = 100
	d, err := s.c.ChangeRequests.Diff(ctx, api.ChangeRequestDiffInput{
		ChangeRequestRef: requestRef(at), SinceOptions: api.SinceOptions{Since: since}, DiffOptions: api.DiffOptions{Limit: api.Some(most)},
	})
	counts := map[string]api.WordCount{}
	for _, document := range d.Documents {
		if document.Page != nil {
			counts[document.Page.ID] = document.Words
		}
	}
	return counts, err
}

// Revisions implements remote.Queue.
func (s server) Revisions(ctx context.Context, at remote.Target) ([]api.HistoryEntry, error) {
	return all(ctx, s.c.ChangeRequests.ListRevisions, api.ChangeRequestRevisionsInput{ChangeRequestRef: requestRef(at), ListOptions: many()})
}

// Sites implements remote.Queue.
func (s server) Sites(ctx context.Context, organization string) ([]api.Site, error) {
	return all(ctx, s.c.Sites.List, api.ListSitesInput{Organization: organization, ListOptions: many()})
}
