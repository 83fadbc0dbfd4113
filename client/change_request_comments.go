package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ChangeRequestCommentsService manages the comments of a change request.
type ChangeRequestCommentsService struct{ c *Client }

// List lists the comments of a change request, newest first.
func (s ChangeRequestCommentsService) List(ctx context.Context, in api.ListChangeRequestCommentsInput, options ...CallOption) (api.Page[api.Comment], error) {
	return call(ctx, s.c, api.ListChangeRequestComments, in, options)
}

// Create comments on a change request, a page or a block of it.
func (s ChangeRequestCommentsService) Create(ctx context.Context, in api.CreateChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.CreateChangeRequestComment, in, options)
}

// Get shows a comment.
func (s ChangeRequestCommentsService) Get(ctx context.Context, in api.ChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.GetChangeRequestComment, in, options)
}

// Update edit, resolve or react to a comment.
func (s ChangeRequestCommentsService) Update(ctx context.Context, in api.UpdateChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.UpdateChangeRequestComment, in, options)
}

// Reattach gives a comment another place in the text, as it is now.
func (s ChangeRequestCommentsService) Reattach(ctx context.Context, in api.ReattachChangeRequestCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.ReattachChangeRequestComment, in, options)
}

// Delete deletes a comment and its replies.
func (s ChangeRequestCommentsService) Delete(ctx context.Context, in api.ChangeRequestCommentRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteChangeRequestComment, in, options)
}

// ChangeRequestRepliesService manages the replies to comments of a change request.
type ChangeRequestRepliesService struct{ c *Client }

// List lists the replies to a comment, oldest first.
func (s ChangeRequestRepliesService) List(ctx context.Context, in api.ListChangeRequestRepliesInput, options ...CallOption) (api.Page[api.CommentReply], error) {
	return call(ctx, s.c, api.ListChangeRequestReplies, in, options)
}

// Create replies to a comment.
func (s ChangeRequestRepliesService) Create(ctx context.Context, in api.CreateChangeRequestReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.CreateChangeRequestReply, in, options)
}

// Get shows a reply.
func (s ChangeRequestRepliesService) Get(ctx context.Context, in api.ChangeRequestReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.GetChangeRequestReply, in, options)
}

// Update edits or react to a reply.
func (s ChangeRequestRepliesService) Update(ctx context.Context, in api.UpdateChangeRequestReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.UpdateChangeRequestReply, in, options)
}

// Delete deletes a reply.
func (s ChangeRequestRepliesService) Delete(ctx context.Context, in api.ChangeRequestReplyRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteChangeRequestReply, in, options)
}
