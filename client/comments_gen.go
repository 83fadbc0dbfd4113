// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// CommentsService manages the comments of a space.
type CommentsService struct{ c *Client }

// Create comments on a space, a page or a block of it.
//
//	POST /v1/spaces/{spaceId}/comments (operation postCommentInSpace)
func (s CommentsService) Create(ctx context.Context, in api.CreateCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.CreateComment, in, options)
}

// Delete deletes a comment and its replies.
//
//	DELETE /v1/spaces/{spaceId}/comments/{commentId} (operation deleteCommentInSpace)
func (s CommentsService) Delete(ctx context.Context, in api.CommentRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteComment, in, options)
}

// Get shows a comment.
//
//	GET /v1/spaces/{spaceId}/comments/{commentId} (operation getCommentInSpace)
func (s CommentsService) Get(ctx context.Context, in api.CommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.GetComment, in, options)
}

// List lists the comments of a space, newest first. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/comments (operation listCommentsInSpace)
func (s CommentsService) List(ctx context.Context, in api.ListCommentsInput, options ...CallOption) (api.Page[api.Comment], error) {
	return call(ctx, s.c, api.ListComments, in, options)
}

// Reattach gives a comment another place in the text, as it is now.
//
//	POST /v1/spaces/{spaceId}/comments/{commentId}/reattach (operation commentsReattach)
func (s CommentsService) Reattach(ctx context.Context, in api.ReattachCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.ReattachComment, in, options)
}

// Update edits, resolves or reacts to a comment.
//
//	PUT /v1/spaces/{spaceId}/comments/{commentId} (operation updateCommentInSpace)
func (s CommentsService) Update(ctx context.Context, in api.UpdateCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.UpdateComment, in, options)
}
