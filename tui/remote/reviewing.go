package remote

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// Reviewer is what the screen needs of a server to review change requests. Client has it.
type Reviewer interface {
	// Reviews returns the verdicts, newest first, and who was asked for one.
	Reviews(ctx context.Context, at Target) ([]api.Review, []api.RequestedReviewer, error)
	// Submit posts a draft review, all of it or nothing. Under one id it is posted once, however often it is sent.
	Submit(ctx context.Context, at Target, id string, body api.ReviewSubmit) (api.Submission, error)

	// Reading is what the user has read of a change request, and Mark marks more of it.
	Reading(ctx context.Context, at Target) (api.Reading, error)
	Mark(ctx context.Context, at Target, body api.ReadingUpdate, key string) (api.Reading, error)

	// Apply writes what comments suggest, as one revision, if the head is still the one that they were shown for.
	Apply(ctx context.Context, at Target, revision string, comments []string, key string) (api.SuggestionsApplied, error)
}
