// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestsService manages change requests.
type ChangeRequestsService struct{ c *Client }

// ApplySuggestions applies what comments suggest, as one revision: all of it or nothing. It may take minutes, and
// only the context limits it.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/apply-suggestions (operation changeRequestsApplySuggestions)
func (s ChangeRequestsService) ApplySuggestions(ctx context.Context, in api.ApplySuggestionsInput, options ...CallOption) (api.SuggestionsApplied, error) {
	return call(ctx, s.c, api.ApplyChangeRequestSuggestions, in, options)
}

// Create starts a change request, as a draft. Body may be zero.
//
//	POST /v1/spaces/{spaceId}/change-requests (operation createChangeRequest)
func (s ChangeRequestsService) Create(ctx context.Context, in api.CreateChangeRequestInput, options ...CallOption) (api.ChangeRequest, error) {
	return call(ctx, s.c, api.CreateChangeRequest, in, options)
}

// Diff compares the texts that the change request changes, word by word; format=unified answers a patch.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/diff (operation changeRequestsDiff)
func (s ChangeRequestsService) Diff(ctx context.Context, in api.ChangeRequestDiffInput, options ...CallOption) (api.ContentDiff, error) {
	return call(ctx, s.c, api.DiffChangeRequest, in, options)
}

// Get shows a change request.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId} (operation getChangeRequestById)
func (s ChangeRequestsService) Get(ctx context.Context, in api.ChangeRequestRef, options ...CallOption) (api.ChangeRequest, error) {
	return call(ctx, s.c, api.GetChangeRequest, in, options)
}

// GetChanges shows what the change request changes, in the order of its pages: its own changes, not those that the
// space made since.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes (operation getChangeRequestChanges)
func (s ChangeRequestsService) GetChanges(ctx context.Context, in api.ChangeRequestChangesInput, options ...CallOption) (api.SemanticChanges, error) {
	return call(ctx, s.c, api.GetChangeRequestChanges, in, options)
}

// GetConflicts shows the conflicts that a merge or an update would meet now. It may take minutes, and only the
// context limits it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts (operation changeRequestsGetConflicts)
func (s ChangeRequestsService) GetConflicts(ctx context.Context, in api.ChangeRequestRef, options ...CallOption) (api.ConflictList, error) {
	return call(ctx, s.c, api.GetChangeRequestConflicts, in, options)
}

// GetCounts counts the open change requests that concern the caller, by the reason why they do.
//
//	GET /v1/orgs/{organizationId}/change-requests/counts (operation changeRequestsGetCounts)
func (s ChangeRequestsService) GetCounts(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.QueueCounts, error) {
	return call(ctx, s.c, api.GetChangeRequestCounts, in, options)
}

// GetMergeability shows what a merge depends on, how each of it stands, and who can clear it. It may take minutes,
// and only the context limits it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/mergeability (operation changeRequestsGetMergeability)
func (s ChangeRequestsService) GetMergeability(ctx context.Context, in api.ChangeRequestRef, options ...CallOption) (api.Mergeability, error) {
	return call(ctx, s.c, api.GetChangeRequestMergeability, in, options)
}

// GetPdf prints the content of a change request as a PDF and answers where it can be downloaded for an hour. It may
// take minutes, and only the context limits it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf (operation getChangeRequestPDF)
func (s ChangeRequestsService) GetPdf(ctx context.Context, in api.GetChangeRequestPDFInput, options ...CallOption) (api.PDF, error) {
	return call(ctx, s.c, api.GetChangeRequestPdf, in, options)
}

// GetReading shows what the caller has read of a change request as it is now, and where they looked last.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/reading (operation changeRequestsGetReading)
func (s ChangeRequestsService) GetReading(ctx context.Context, in api.ChangeRequestRef, options ...CallOption) (api.Reading, error) {
	return call(ctx, s.c, api.GetChangeRequestReading, in, options)
}

// GetSavedQueries shows the queries of change requests that the caller has saved, in their order.
//
//	GET /v1/orgs/{organizationId}/change-requests/saved-queries (operation changeRequestsGetSavedQueries)
func (s ChangeRequestsService) GetSavedQueries(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.SavedQueries, error) {
	return call(ctx, s.c, api.GetChangeRequestSavedQueries, in, options)
}

// GetTimeline shows what happened in a change request: the latest, or what is new behind a cursor.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/timeline (operation changeRequestsGetTimeline)
func (s ChangeRequestsService) GetTimeline(ctx context.Context, in api.GetTimelineInput, options ...CallOption) (api.Timeline, error) {
	return call(ctx, s.c, api.GetChangeRequestTimeline, in, options)
}

// List lists the change requests of a space, newest first; open ones unless a status is given. It answers a page of
// the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests (operation listChangeRequestsForSpace)
func (s ChangeRequestsService) List(ctx context.Context, in api.ListChangeRequestsInput, options ...CallOption) (api.Page[api.ChangeRequest], error) {
	return call(ctx, s.c, api.ListChangeRequests, in, options)
}

// ListCommenters lists the members who commented on a change request. It answers a page of the list; [All] goes
// through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters (operation listCommentersInChangeRequest)
func (s ChangeRequestsService) ListCommenters(ctx context.Context, in api.ListChangeRequestCommentersInput, options ...CallOption) (api.Page[api.Member], error) {
	return call(ctx, s.c, api.ListChangeRequestCommenters, in, options)
}

// ListContributors lists who edited the content of a change request and who commented on it. It answers a page of the
// list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/contributors (operation getContributorsByChangeRequestId)
func (s ChangeRequestsService) ListContributors(ctx context.Context, in api.ListContributorsInput, options ...CallOption) (api.Page[api.Contributor], error) {
	return call(ctx, s.c, api.ListChangeRequestContributors, in, options)
}

// ListQueue lists the change requests of all spaces that the caller may comment in, last changed first, each with a
// summary. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/change-requests (operation listChangeRequestsForOrganization)
func (s ChangeRequestsService) ListQueue(ctx context.Context, in api.ListQueueInput, options ...CallOption) (api.Page[api.QueuedChangeRequest], error) {
	return call(ctx, s.c, api.ListChangeRequestQueue, in, options)
}

// ListReviewers lists who was asked for a review. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers (operation getRequestedReviewersByChangeRequestId)
func (s ChangeRequestsService) ListReviewers(ctx context.Context, in api.ListReviewersInput, options ...CallOption) (api.Page[api.RequestedReviewer], error) {
	return call(ctx, s.c, api.ListChangeRequestReviewers, in, options)
}

// ListRevisions lists the revisions that were made in a change request, newest first; of a source, those among the
// newest 1,000. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/revisions (operation changeRequestsListRevisions)
func (s ChangeRequestsService) ListRevisions(ctx context.Context, in api.ChangeRequestRevisionsInput, options ...CallOption) (api.Page[api.HistoryEntry], error) {
	return call(ctx, s.c, api.ListChangeRequestRevisions, in, options)
}

// Merge merges into the space; with conflicts nothing is applied and they are answered. Body may be zero. It may take
// minutes, and only the context limits it.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge (operation mergeChangeRequest)
func (s ChangeRequestsService) Merge(ctx context.Context, in api.MergeInput, options ...CallOption) (api.MergeResult, error) {
	return call(ctx, s.c, api.MergeChangeRequest, in, options)
}

// Pull brings the space's newest content into the change request. Body may be zero. It may take minutes, and only the
// context limits it.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/update (operation updateChangeRequest)
func (s ChangeRequestsService) Pull(ctx context.Context, in api.PullInput, options ...CallOption) (api.MergeResult, error) {
	return call(ctx, s.c, api.PullChangeRequest, in, options)
}

// PutSavedQueries saves queries of change requests in place of those that the caller has saved; nobody else sees
// them.
//
//	PUT /v1/orgs/{organizationId}/change-requests/saved-queries (operation changeRequestsPutSavedQueries)
func (s ChangeRequestsService) PutSavedQueries(ctx context.Context, in api.PutSavedQueriesInput, options ...CallOption) (api.SavedQueries, error) {
	return call(ctx, s.c, api.PutChangeRequestSavedQueries, in, options)
}

// RemoveReviewer takes back a request for a review.
//
//	DELETE /v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId} (operation removeRequestedReviewerFromChangeRequest)
func (s ChangeRequestsService) RemoveReviewer(ctx context.Context, in api.ReviewerRef, options ...CallOption) error {
	return perform(ctx, s.c, api.RemoveChangeRequestReviewer, in, options)
}

// RequestReview asks people for a review; a draft becomes open.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers (operation requestReviewersForChangeRequest)
func (s ChangeRequestsService) RequestReview(ctx context.Context, in api.RequestReviewInput, options ...CallOption) (api.RequestedReviewers, error) {
	return call(ctx, s.c, api.RequestChangeRequestReview, in, options)
}

// Update changes the subject, the description, the links, the status, or whether a push to it is complete.
//
//	PATCH /v1/spaces/{spaceId}/change-requests/{changeRequestId} (operation updateChangeRequestById)
func (s ChangeRequestsService) Update(ctx context.Context, in api.UpdateChangeRequestInput, options ...CallOption) (api.ChangeRequest, error) {
	return call(ctx, s.c, api.UpdateChangeRequest, in, options)
}

// UpdateReading marks what the caller has read of a change request, or take marks away; nobody else sees them. It may
// take minutes, and only the context limits it.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/reading (operation changeRequestsUpdateReading)
func (s ChangeRequestsService) UpdateReading(ctx context.Context, in api.UpdateReadingInput, options ...CallOption) (api.Reading, error) {
	return call(ctx, s.c, api.UpdateChangeRequestReading, in, options)
}
