package remote

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
)

// Queue is what the screen needs of a server for the inbox, and to say what others do. Client has it.
type Queue interface {
	// Queued returns the change requests of an organization that a query asks for, the last changed first, at most as many
	// as a screen goes through, and whether there are more.
	Queued(ctx context.Context, organization string, query api.SavedQuery) (found []api.QueuedChangeRequest, more bool, err error)
	// Counts returns how many concern the user, unless nothing has changed since the answer that had the tag: then ErrSame.
	Counts(ctx context.Context, organization, seen string) (counts api.QueueCounts, tag string, err error)
	SavedQueries(ctx context.Context, organization string) ([]api.SavedQuery, error)
	SaveQueries(ctx context.Context, organization string, all []api.SavedQuery, key string) error

	// Timeline returns what happened last in a change request.
	Timeline(ctx context.Context, at Target) (api.Timeline, error)
	// TimelineBefore returns what happened before a cursor, the latest of it.
	TimelineBefore(ctx context.Context, at Target, cursor string) (api.Timeline, error)
	// TimelineAfter returns what happened behind a cursor, unless nothing did since the answer that had the tag: then ErrSame.
	TimelineAfter(ctx context.Context, at Target, cursor, seen string) (news api.Timeline, tag string, err error)
	// Look keeps how far the user has looked at a timeline.
	Look(ctx context.Context, at Target, cursor, key string) error

	// Revisions returns those of a change request, newest first.
	Revisions(ctx context.Context, at Target) ([]api.HistoryEntry, error)
	Sites(ctx context.Context, organization string) ([]api.Site, error)
	// Words counts the words that a change request brings and takes, by page.
	Words(ctx context.Context, at Target, since string) (map[string]api.WordCount, error)
}

// ErrSame says that what was asked for is what it was.
var ErrSame = errors.New("nothing has changed")
