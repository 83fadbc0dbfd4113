package screen

import (
	"context"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Reviews implements remote.Reviewer.
func (s server) Reviews(ctx context.Context, at remote.Target) ([]api.Review, []api.RequestedReviewer, error) {
	reviews, err := readAll(ctx, s.c.ChangeRequestReviews.List, api.ListReviewsInput{
		ChangeRequestRef: requestRef(at), ListOptions: maxPage(),
	})
	if err != nil {
		return nil, nil, err
	}
	reviewers, err := readAll(ctx, s.c.ChangeRequests.ListReviewers, api.ListReviewersInput{
		ChangeRequestRef: requestRef(at), ListOptions: maxPage(),
	})
	return reviews, reviewers, err
}

// Submit implements remote.Reviewer.
func (s server) Submit(ctx context.Context, at remote.Target, id string, body api.ReviewSubmit) (api.Submission, error) {
	return s.c.ChangeRequestReviews.Submit(ctx, api.SubmitReviewInput{ChangeRequestRef: requestRef(at), Submission: id, Body: body})
}

// Reading implements remote.Reviewer.
func (s server) Reading(ctx context.Context, at remote.Target) (api.Reading, error) {
	return s.c.ChangeRequests.GetReading(ctx, requestRef(at))
}

// Mark implements remote.Reviewer.
func (s server) Mark(ctx context.Context, at remote.Target, body api.ReadingUpdate, key string) (api.Reading, error) {
	return s.c.ChangeRequests.UpdateReading(ctx, api.UpdateReadingInput{ChangeRequestRef: requestRef(at), Body: body},
		client.IdempotencyKey(key))
}

// Apply implements remote.Reviewer.
func (s server) Apply(ctx context.Context, at remote.Target, revision string, comments []string, key string) (api.SuggestionsApplied,
	error,
) {
	in := api.ApplySuggestionsInput{ChangeRequestRef: requestRef(at), Body: api.SuggestionsApply{Revision: revision, Comments: comments}}
	return s.c.ChangeRequests.ApplySuggestions(ctx, in, client.IdempotencyKey(key), ifHead(revision))
}
