// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestReviewsService manages the reviews of a change request.
type ChangeRequestReviewsService struct{ c *Client }

// Create approves the changes or asks for others, and posts the comments that were drafted meanwhile.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews (operation submitChangeRequestReview)
func (s ChangeRequestReviewsService) Create(ctx context.Context, in api.CreateReviewInput, options ...CallOption) (api.Review, error) {
	return call(ctx, s.c, api.CreateChangeRequestReview, in, options)
}

// Get shows a review.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId} (operation getChangeRequestReviewById)
func (s ChangeRequestReviewsService) Get(ctx context.Context, in api.ReviewInput, options ...CallOption) (api.Review, error) {
	return call(ctx, s.c, api.GetChangeRequestReview, in, options)
}

// List lists the reviews of a change request, newest first. It answers a page of the list; [All] goes through all of
// it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews (operation getReviewsByChangeRequestId)
func (s ChangeRequestReviewsService) List(ctx context.Context, in api.ListReviewsInput, options ...CallOption) (api.Page[api.Review], error) {
	return call(ctx, s.c, api.ListChangeRequestReviews, in, options)
}

// Submit posts a whole draft review, all of it or nothing, under an id of the caller's choice: sent again, it posts
// nothing and answers the same. It may take minutes, and only the context limits it.
//
//	PUT /v1/spaces/{spaceId}/change-requests/{changeRequestId}/submissions/{submissionId} (operation changeRequestReviewsSubmit)
func (s ChangeRequestReviewsService) Submit(ctx context.Context, in api.SubmitReviewInput, options ...CallOption) (api.Submission, error) {
	return call(ctx, s.c, api.SubmitChangeRequestReview, in, options)
}
