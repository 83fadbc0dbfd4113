package screen

import (
	"context"
	"errors"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// maxQueued is the maximum number of change requests that a query fetches; filters narrow larger queues.
const maxQueued = 200

// Queued implements remote.Queue.
func (s server) Queued(ctx context.Context, organization string, query api.SavedQuery) ([]api.QueuedChangeRequest, bool, error) {
	list, err := s.c.ChangeRequests.ListQueue(ctx, api.ListQueueInput{
		Organization: organization, ListOptions: api.ListOptions{Limit: api.Some(maxQueued)}, Status: query.Status, Space: query.Space,
		Reason: query.Reason, OrderBy: query.OrderBy,
		ChangeRequestPeople: api.ChangeRequestPeople{
			Creator: query.Creator, Contributor: query.Contributor, RequestedReviewer: query.RequestedReviewer,
		},
	})
	return list.Items, list.Next != nil, err
}

// Counts implements remote.Queue.
func (s server) Counts(ctx context.Context, organization, seen string) (api.QueueCounts, string, error) {
	return readIfChanged(seen, func(options ...client.CallOption) (api.QueueCounts, error) {
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
	return readIfChanged(seen, func(options ...client.CallOption) (api.Timeline, error) {
		return s.c.ChangeRequests.GetTimeline(ctx, api.GetTimelineInput{ChangeRequestRef: requestRef(at), After: cursor}, options...)
	})
}

// readIfChanged performs a conditional read with the ETag seen. It returns the value and its ETag, or remote.ErrNotModified if
// it has not changed.
func readIfChanged[T any](seen string, read func(...client.CallOption) (T, error)) (found T, tag string, err error) {
	var response client.Response
	options := []client.CallOption{client.Capture(&response)}
	if seen != "" {
		options = append(options, client.IfNoneMatch(seen))
	}
	found, err = read(options...)
	if errors.Is(err, client.ErrNotModified) {
		return found, seen, remote.ErrNotModified
	}
	return found, response.ETag(), err
}

// Look implements remote.Queue.
func (s server) Look(ctx context.Context, at remote.Target, cursor, key string) error {
	in := api.UpdateReadingInput{ChangeRequestRef: requestRef(at), Body: api.ReadingUpdate{LastLook: api.Some(cursor)}}
	_, err := s.c.ChangeRequests.UpdateReading(ctx, in, client.IdempotencyKey(key))
	return err
}

// Words implements remote.Queue. It returns the word counts of changed pages by id, for as many texts as the server compares in
// one request.
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
	return readAll(ctx, s.c.ChangeRequests.ListRevisions, api.ChangeRequestRevisionsInput{
		ChangeRequestRef: requestRef(at), ListOptions: maxPage(),
	})
}

// Sites implements remote.Queue.
func (s server) Sites(ctx context.Context, organization string) ([]api.Site, error) {
	return readAll(ctx, s.c.Sites.List, api.ListSitesInput{Organization: organization, ListOptions: maxPage()})
}
