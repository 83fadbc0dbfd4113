package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// CommentsService manages the comments of a space.
type CommentsService struct{ c *Client }

// List lists the comments of a space, newest first.
func (s CommentsService) List(ctx context.Context, in api.ListCommentsInput, options ...CallOption) (api.Page[api.Comment], error) {
	return call(ctx, s.c, api.ListComments, in, options)
}

// Create comments on a space, a page or a block of it.
func (s CommentsService) Create(ctx context.Context, in api.CreateCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.CreateComment, in, options)
}

// Get shows a comment.
func (s CommentsService) Get(ctx context.Context, in api.CommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.GetComment, in, options)
}

// Update edit, resolve or react to a comment.
func (s CommentsService) Update(ctx context.Context, in api.UpdateCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.UpdateComment, in, options)
}

// Reattach gives a comment another place in the text, as it is now.
func (s CommentsService) Reattach(ctx context.Context, in api.ReattachCommentInput, options ...CallOption) (api.Comment, error) {
	return call(ctx, s.c, api.ReattachComment, in, options)
}

// Delete deletes a comment and its replies.
func (s CommentsService) Delete(ctx context.Context, in api.CommentRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteComment, in, options)
}

// RepliesService manages the replies to comments of a space.
type RepliesService struct{ c *Client }

// List lists the replies to a comment, oldest first.
func (s RepliesService) List(ctx context.Context, in api.ListRepliesInput, options ...CallOption) (api.Page[api.CommentReply], error) {
	return call(ctx, s.c, api.ListReplies, in, options)
}

// Create replies to a comment.
func (s RepliesService) Create(ctx context.Context, in api.CreateReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.CreateReply, in, options)
}

// Get shows a reply.
func (s RepliesService) Get(ctx context.Context, in api.ReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.GetReply, in, options)
}

// Update edits or react to a reply.
func (s RepliesService) Update(ctx context.Context, in api.UpdateReplyInput, options ...CallOption) (api.CommentReply, error) {
	return call(ctx, s.c, api.UpdateReply, in, options)
}

// Delete deletes a reply.
func (s RepliesService) Delete(ctx context.Context, in api.ReplyRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteReply, in, options)
}
