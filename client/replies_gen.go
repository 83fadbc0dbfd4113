// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// RepliesService manages the replies to comments of a space.
type RepliesService struct{ c *Client }

// Create replies to a comment.
//
//	POST /v1/spaces/{spaceId}/comments/{commentId}/replies (operation postCommentReplyInSpace)
func (s RepliesService) Create(ctx context.Context, in api.CreateReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.CreateReply, in, options)
}

// Delete deletes a reply.
//
//	DELETE /v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId} (operation deleteCommentReplyInSpace)
func (s RepliesService) Delete(ctx context.Context, in api.ReplyRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteReply, in, options)
}

// Get shows a reply.
//
//	GET /v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId} (operation getCommentReplyInSpace)
func (s RepliesService) Get(ctx context.Context, in api.ReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.GetReply, in, options)
}

// List lists the replies to a comment, oldest first. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/comments/{commentId}/replies (operation listCommentRepliesInSpace)
func (s RepliesService) List(ctx context.Context, in api.ListRepliesInput, options ...CallOption) (api.Page[api.CommentReply], error) {
	return call(ctx, s.c, api.ListReplies, in, options)
}

// Update edits or reacts to a reply.
//
//	PUT /v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId} (operation updateCommentReplyInSpace)
func (s RepliesService) Update(ctx context.Context, in api.UpdateReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.UpdateReply, in, options)
}
