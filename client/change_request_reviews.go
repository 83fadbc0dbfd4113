package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestReviewsService manages the reviews of a change request.
type ChangeRequestReviewsService struct{ c *Client }

// List lists the reviews of a change request, newest first.
func (s ChangeRequestReviewsService) List(ctx context.Context, in api.ListReviewsInput, options ...CallOption) (api.Page[api.Review], error) {
	return call(ctx, s.c, api.ListChangeRequestReviews, in, options)
}

// Create approves the changes or asks for others, and posts drafted comments with it.
func (s ChangeRequestReviewsService) Create(ctx context.Context, in api.CreateReviewInput, options ...CallOption) (api.Review, error) {
	return call(ctx, s.c, api.CreateChangeRequestReview, in, options)
}

// Get shows a review.
func (s ChangeRequestReviewsService) Get(ctx context.Context, in api.ReviewInput, options ...CallOption) (api.Review, error) {
	return call(ctx, s.c, api.GetChangeRequestReview, in, options)
}
