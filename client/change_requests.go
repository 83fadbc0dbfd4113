package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestsService manages change requests.
type ChangeRequestsService struct{ c *Client }

// List lists the change requests of a space, newest first.
func (s ChangeRequestsService) List(ctx context.Context, in api.ListChangeRequestsInput, options ...CallOption) (api.Page[api.ChangeRequest], error) {
	return call(ctx, s.c, api.ListChangeRequests, in, options)
}

// ListQueue lists the change requests of all spaces that the caller may comment in, last changed first.
func (s ChangeRequestsService) ListQueue(ctx context.Context, in api.ListQueueInput, options ...CallOption) (api.Page[api.ChangeRequest], error) {
	return call(ctx, s.c, api.ListChangeRequestQueue, in, options)
}

// Create starts a change request, as a draft.
func (s ChangeRequestsService) Create(ctx context.Context, in api.CreateChangeRequestInput, options ...CallOption) (api.ChangeRequest, error) {
	return call(ctx, s.c, api.CreateChangeRequest, in, options)
}

// Get shows a change request.
func (s ChangeRequestsService) Get(ctx context.Context, in api.ChangeRequestRef, options ...CallOption) (api.ChangeRequest, error) {
	return call(ctx, s.c, api.GetChangeRequest, in, options)
}

// Update changes the subject or the status.
func (s ChangeRequestsService) Update(ctx context.Context, in api.UpdateChangeRequestInput, options ...CallOption) (api.ChangeRequest, error) {
	return call(ctx, s.c, api.UpdateChangeRequest, in, options)
}

// Merge merges into the space.
func (s ChangeRequestsService) Merge(ctx context.Context, in api.MergeInput, options ...CallOption) (api.MergeResult, error) {
	return call(ctx, s.c, api.MergeChangeRequest, in, options)
}

// Pull brings the space's newest content into the change request.
func (s ChangeRequestsService) Pull(ctx context.Context, in api.PullInput, options ...CallOption) (api.MergeResult, error) {
	return call(ctx, s.c, api.PullChangeRequest, in, options)
}

// GetConflicts shows the conflicts that a merge or an update would meet now.
func (s ChangeRequestsService) GetConflicts(ctx context.Context, in api.ChangeRequestRef, options ...CallOption) (api.ConflictList, error) {
	return call(ctx, s.c, api.GetChangeRequestConflicts, in, options)
}

// GetMergeability shows what a merge depends on, how each of it stands, and who can clear it.
func (s ChangeRequestsService) GetMergeability(ctx context.Context, in api.ChangeRequestRef, options ...CallOption) (api.Mergeability, error) {
	return call(ctx, s.c, api.GetChangeRequestMergeability, in, options)
}

// GetChanges shows what the change request changes.
func (s ChangeRequestsService) GetChanges(ctx context.Context, in api.ChangeRequestChangesInput, options ...CallOption) (api.SemanticChanges, error) {
	return call(ctx, s.c, api.GetChangeRequestChanges, in, options)
}

// Diff compares the texts that the change request changes.
func (s ChangeRequestsService) Diff(ctx context.Context, in api.ChangeRequestDiffInput, options ...CallOption) (api.ContentDiff, error) {
	return call(ctx, s.c, api.DiffChangeRequest, in, options)
}

// GetPdf prints the content as a PDF and says where it can be downloaded.
func (s ChangeRequestsService) GetPdf(ctx context.Context, in api.GetChangeRequestPDFInput, options ...CallOption) (api.PDF, error) {
	return call(ctx, s.c, api.GetChangeRequestPdf, in, options)
}

// ListContributors lists who edited the content and who commented.
func (s ChangeRequestsService) ListContributors(ctx context.Context, in api.ListContributorsInput, options ...CallOption) (api.Page[api.Contributor], error) {
	return call(ctx, s.c, api.ListChangeRequestContributors, in, options)
}

// ListCommenters lists the members who commented on a change request.
func (s ChangeRequestsService) ListCommenters(ctx context.Context, in api.ListChangeRequestCommentersInput, options ...CallOption) (api.Page[api.Member], error) {
	return call(ctx, s.c, api.ListChangeRequestCommenters, in, options)
}

// ListReviewers lists who was asked for a review.
func (s ChangeRequestsService) ListReviewers(ctx context.Context, in api.ListReviewersInput, options ...CallOption) (api.Page[api.RequestedReviewer], error) {
	return call(ctx, s.c, api.ListChangeRequestReviewers, in, options)
}

// RequestReview asks people for a review.
func (s ChangeRequestsService) RequestReview(ctx context.Context, in api.RequestReviewInput, options ...CallOption) (api.RequestedReviewers, error) {
	return call(ctx, s.c, api.RequestChangeRequestReview, in, options)
}

// RemoveReviewer takes back a request for a review.
func (s ChangeRequestsService) RemoveReviewer(ctx context.Context, in api.ReviewerRef, options ...CallOption) error {
	return perform(ctx, s.c, api.RemoveChangeRequestReviewer, in, options)
}
