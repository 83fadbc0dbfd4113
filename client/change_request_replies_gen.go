// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestRepliesService manages the replies to comments of a change request.
type ChangeRequestRepliesService struct{ c *Client }

// Create replies to a comment.
//
//	POST /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies (operation postCommentReplyInChangeRequest)
func (s ChangeRequestRepliesService) Create(ctx context.Context, in api.CreateChangeRequestReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.CreateChangeRequestReply, in, options)
}

// Delete deletes a reply.
//
//	DELETE /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId} (operation deleteCommentReplyInChangeRequest)
func (s ChangeRequestRepliesService) Delete(ctx context.Context, in api.ChangeRequestReplyRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteChangeRequestReply, in, options)
}

// Get shows a reply.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId} (operation getCommentReplyInChangeRequest)
func (s ChangeRequestRepliesService) Get(ctx context.Context, in api.ChangeRequestReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.GetChangeRequestReply, in, options)
}

// List lists the replies to a comment, oldest first. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies (operation listCommentRepliesInChangeRequest)
func (s ChangeRequestRepliesService) List(ctx context.Context, in api.ListChangeRequestRepliesInput, options ...CallOption) (api.Page[api.CommentReply], error) {
	return call(ctx, s.c, api.ListChangeRequestReplies, in, options)
}

// Update edits or reacts to a reply.
//
//	PUT /v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId} (operation updateCommentReplyInChangeRequest)
func (s ChangeRequestRepliesService) Update(ctx context.Context, in api.UpdateChangeRequestReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.UpdateChangeRequestReply, in, options)
}
