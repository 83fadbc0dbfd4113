package remote

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
)

// Queue contains the operations for the inbox and the timelines. It is part of Client.
type Queue interface {
	// Queued returns the change requests of an organization that match a query, last changed first, up to the limit
	// of a screen, and whether there are more.
	Queued(ctx context.Context, organization string, query api.SavedQuery) (found []api.QueuedChangeRequest, more bool, err error)
	// Counts returns the number of change requests that concern the user. It returns ErrNotModified if nothing changed since
	// the response with the tag seen.
	Counts(ctx context.Context, organization, seen string) (counts api.QueueCounts, tag string, err error)
	SavedQueries(ctx context.Context, organization string) ([]api.SavedQuery, error)
	SaveQueries(ctx context.Context, organization string, all []api.SavedQuery, key string) error

	// Timeline returns the latest events of a change request.
	Timeline(ctx context.Context, at Target) (api.Timeline, error)
	// TimelineBefore returns the latest events before a cursor.
	TimelineBefore(ctx context.Context, at Target, cursor string) (api.Timeline, error)
	// TimelineAfter returns the events after a cursor. It returns ErrNotModified if there are none since the response with
	// the tag seen.
	TimelineAfter(ctx context.Context, at Target, cursor, seen string) (news api.Timeline, tag string, err error)
	// Look stores the user's read position in a timeline.
	Look(ctx context.Context, at Target, cursor, key string) error

	// Revisions returns the revisions of a change request, newest first.
	Revisions(ctx context.Context, at Target) ([]api.HistoryEntry, error)
	Sites(ctx context.Context, organization string) ([]api.Site, error)
	// Words returns the numbers of words added and removed by a change request, by page.
	Words(ctx context.Context, at Target, since string) (map[string]api.WordCount, error)
}

// ErrNotModified is returned if a response is unchanged.
var ErrNotModified = errors.New("nothing has changed")
