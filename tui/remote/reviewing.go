package remote

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Reviewer contains the operations for reviewing change requests. It is part of Client.
type Reviewer interface {
	// Reviews returns the reviews, newest first, and the requested reviewers.
	Reviews(ctx context.Context, at Target) ([]api.Review, []api.RequestedReviewer, error)
	// Submit posts a draft review atomically. It is posted once per id, however often it is sent.
	Submit(ctx context.Context, at Target, id string, body api.ReviewSubmit) (api.Submission, error)

	// Reading returns the user's read state of a change request; Mark changes it.
	Reading(ctx context.Context, at Target) (api.Reading, error)
	Mark(ctx context.Context, at Target, body api.ReadingUpdate, key string) (api.Reading, error)

	// Apply applies the suggestions of comments as one revision. It fails if the head is not revision.
	Apply(ctx context.Context, at Target, revision string, comments []string, key string) (api.SuggestionsApplied, error)
}
