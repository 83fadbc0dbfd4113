package comments

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// changeRequestCommentEndpoints returns the operations on comments of change requests. They share their handlers with
// the comments of spaces.
func (s *Service) changeRequestCommentEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListChangeRequestComments, auth.InSpace(api.RoleComment), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestCommentsInput,
		) rest.Finish[api.Page[api.Comment]] {
			return s.listComments(r, b, revision.RequestTarget(in.ChangeRequestRef), in.CommentFilters)
		}),
		rest.Op(api.CreateChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, in api.CreateChangeRequestCommentInput) (rest.Result[api.Comment], error) {
			return s.createComment(ctx, c, revision.RequestTarget(in.ChangeRequestRef), in.Body)
		}).On(rest.ChangeRequest),
		rest.Read(api.GetChangeRequestComment, auth.InSpace(api.RoleComment), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestCommentInput,
		) rest.Finish[api.Comment] {
			return s.getComment(r, b, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Format)
		}),
		rest.Op(api.UpdateChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, in api.UpdateChangeRequestCommentInput) (rest.Result[api.Comment], error) {
			return s.updateComment(ctx, c, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Body)
		}).On(rest.Comment),
		rest.Op(api.ReattachChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, in api.ReattachChangeRequestCommentInput) (rest.Result[api.Comment], error) {
			return s.reattach(ctx, c, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Body)
		}).On(rest.Comment),
		rest.Write(api.DeleteChangeRequestComment, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, tx *store.Tx, in api.ChangeRequestCommentRef) (rest.Result[api.None], error) {
			return s.deleteComment(ctx, c, tx, revision.RequestTarget(in.ChangeRequestRef), in.Comment)
		}).On(rest.Comment).AllowAbsent(auth.InSpace(api.RoleCreate)),
		rest.Read(api.ListChangeRequestReplies, auth.InSpace(api.RoleComment), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListChangeRequestRepliesInput,
		) rest.Finish[api.Page[api.CommentReply]] {
			return s.listReplies(r, b, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.ListOptions, in.Format)
		}),
		rest.Write(api.CreateChangeRequestReply, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateChangeRequestReplyInput) (rest.Result[api.CommentReply], error) {
			return s.createReply(c, tx, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Body, in.Format)
		}).On(rest.Comment),
		rest.Read(api.GetChangeRequestReply, auth.InSpace(api.RoleComment), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestReplyInput,
		) rest.Finish[api.CommentReply] {
			return s.getReply(r, b, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Reply, in.Format)
		}),
		rest.Write(api.UpdateChangeRequestReply, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateChangeRequestReplyInput) (rest.Result[api.CommentReply], error) {
			return s.updateReply(c, tx, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Reply, in.Body)
		}).On(rest.Reply),
		rest.Write(api.DeleteChangeRequestReply, auth.InSpace(api.RoleComment), func(ctx context.Context, c *rest.Call, tx *store.Tx, in api.ChangeRequestReplyRef) (rest.Result[api.None], error) {
			return s.deleteReply(c, tx, revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Reply)
		}).On(rest.Reply).AllowAbsent(auth.InSpace(api.RoleCreate)),
	}
}
