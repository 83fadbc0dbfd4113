package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
)

// The comments of a change request are those of a place, as the comments of a space are: the same handlers.
func (s *Server) changeRequestCommentEndpoints() []Endpoint {
	return []Endpoint{
		read(api.ListChangeRequestComments, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, b *store.Batch, in api.ListChangeRequestCommentsInput) finish[api.Page[api.Comment]] {
			return s.listComments(ctx, c, b, placeOf(in.ChangeRequestRef), in.CommentFilters)
		}),
		op(api.CreateChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, in api.CreateChangeRequestCommentInput) (Result[api.Comment], error) {
			return s.createComment(ctx, c, placeOf(in.ChangeRequestRef), in.Body)
		}),
		read(api.GetChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, b *store.Batch, in api.ChangeRequestCommentInput) finish[api.Comment] {
			return s.getComment(ctx, c, b, placeOf(in.ChangeRequestRef), in.Comment, in.Format)
		}),
		op(api.UpdateChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, in api.UpdateChangeRequestCommentInput) (Result[api.Comment], error) {
			return s.updateComment(ctx, c, placeOf(in.ChangeRequestRef), in.Comment, in.Body)
		}),
		op(api.ReattachChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, in api.ReattachChangeRequestCommentInput) (Result[api.Comment], error) {
			return s.reattach(ctx, c, placeOf(in.ChangeRequestRef), in.Comment, in.Body)
		}),
		write(api.DeleteChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, tx *store.Tx, in api.ChangeRequestCommentRef) (Result[api.None], error) {
			return s.deleteComment(ctx, c, tx, placeOf(in.ChangeRequestRef), in.Comment)
		}),
		read(api.ListChangeRequestReplies, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, b *store.Batch, in api.ListChangeRequestRepliesInput) finish[api.Page[api.CommentReply]] {
			return s.listReplies(ctx, c, b, placeOf(in.ChangeRequestRef), in.Comment, in.ListOptions, in.Format)
		}),
		write(api.CreateChangeRequestReply, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, tx *store.Tx, in api.CreateChangeRequestReplyInput) (Result[api.CommentReply], error) {
			return s.createReply(ctx, c, tx, placeOf(in.ChangeRequestRef), in.Comment, in.Body)
		}),
		read(api.GetChangeRequestReply, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, b *store.Batch, in api.ChangeRequestReplyInput) finish[api.CommentReply] {
			return s.getReply(ctx, c, b, placeOf(in.ChangeRequestRef), in.Comment, in.Reply, in.Format)
		}),
		write(api.UpdateChangeRequestReply, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, tx *store.Tx, in api.UpdateChangeRequestReplyInput) (Result[api.CommentReply], error) {
			return s.updateReply(ctx, c, tx, placeOf(in.ChangeRequestRef), in.Comment, in.Reply, in.Body)
		}),
		write(api.DeleteChangeRequestReply, auth.InSpace(api.RoleComment), func(ctx context.Context, c *call, tx *store.Tx, in api.ChangeRequestReplyRef) (Result[api.None], error) {
			return s.deleteReply(ctx, c, tx, placeOf(in.ChangeRequestRef), in.Comment, in.Reply)
		}),
	}
}
