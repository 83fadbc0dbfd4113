// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestCommentsService manages the comments of a change request.
type ChangeRequestCommentsService struct{ c *Client }

// Create comments on a change request, a page or a block of it.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments (operation postCommentInChangeRequest)
func (s ChangeRequestCommentsService) Create(ctx context.Context, in api.CreateChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.CreateChangeRequestComment, in, options)
}

// Delete deletes a comment and its replies.
//
//	DELETE /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId} (operation deleteCommentInChangeRequest)
func (s ChangeRequestCommentsService) Delete(ctx context.Context, in api.ChangeRequestCommentRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteChangeRequestComment, in, options)
}

// Get shows a comment.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId} (operation getCommentInChangeRequest)
func (s ChangeRequestCommentsService) Get(ctx context.Context, in api.ChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.GetChangeRequestComment, in, options)
}

// List lists the comments of a change request, newest first. It answers a page of the list; [All] goes through all of
// it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments (operation listCommentsInChangeRequest)
func (s ChangeRequestCommentsService) List(ctx context.Context, in api.ListChangeRequestCommentsInput, options ...CallOption) (api.Page[api.Comment], error) {
	return call(ctx, s.c, api.ListChangeRequestComments, in, options)
}

// Reattach gives a comment another place in the text, as it is now.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/reattach (operation changeRequestCommentsReattach)
func (s ChangeRequestCommentsService) Reattach(ctx context.Context, in api.ReattachChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.ReattachChangeRequestComment, in, options)
}

// Update edits, resolves or reacts to a comment.
//
//	PUT /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId} (operation updateCommentInChangeRequest)
func (s ChangeRequestCommentsService) Update(ctx context.Context, in api.UpdateChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.UpdateChangeRequestComment, in, options)
}
