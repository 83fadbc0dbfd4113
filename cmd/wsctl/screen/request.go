package screen

import (
	"context"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// requestContent is the content of a change request. Its methods correspond to those of spaceContent.
type requestContent struct {
	c   *client.Client
	ref api.ChangeRequestRef
}

func (r requestContent) Pages(ctx context.Context) ([]api.RevisionPage, error) {
	tree, err := r.c.ChangeRequestContent.ListPages(ctx, api.ChangeRequestContentInput{ChangeRequestRef: r.ref})
	return tree.Pages, err
}

func (r requestContent) Page(ctx context.Context, page string) (api.RevisionPage, error) {
	return r.c.ChangeRequestContent.GetPage(ctx, api.ChangeRequestPageInput{ChangeRequestRef: r.ref, Page: page, PageOptions: asMarkdown()})
}

func (r requestContent) Comments(ctx context.Context, page string) ([]api.Comment, error) {
	filters := api.CommentFilters{ListOptions: maxPage(), TargetPage: page}
	in := api.ListChangeRequestCommentsInput{ChangeRequestRef: r.ref, CommentFilters: filters}
	return readAll(ctx, r.c.ChangeRequestComments.List, in)
}

func (r requestContent) Replies(ctx context.Context, comment string) ([]api.CommentReply, error) {
	in := api.ListChangeRequestRepliesInput{ChangeRequestCommentRef: r.comment(comment), ListOptions: maxPage()}
	return readAll(ctx, r.c.ChangeRequestReplies.List, in)
}

func (r requestContent) comment(id string) api.ChangeRequestCommentRef {
	return api.ChangeRequestCommentRef{ChangeRequestRef: r.ref, Comment: id}
}

func (r requestContent) CreateComment(ctx context.Context, body api.CommentCreate, key string) (string, error) {
	in := api.CreateChangeRequestCommentInput{ChangeRequestRef: r.ref, Body: body}
	made, err := r.c.ChangeRequestComments.Create(ctx, in, client.IdempotencyKey(key))
	return made.ID, err
}

func (r requestContent) UpdateComment(ctx context.Context, comment string, body api.CommentUpdate, key string) error {
	in := api.UpdateChangeRequestCommentInput{ChangeRequestCommentRef: r.comment(comment), Body: body}
	_, err := r.c.ChangeRequestComments.Update(ctx, in, client.IdempotencyKey(key))
	return err
}

func (r requestContent) Reattach(ctx context.Context, comment string, to api.CommentPlace, key string) error {
	in := api.ReattachChangeRequestCommentInput{ChangeRequestCommentRef: r.comment(comment), Body: to}
	_, err := r.c.ChangeRequestComments.Reattach(ctx, in, client.IdempotencyKey(key))
	return err
}

func (r requestContent) CreateReply(ctx context.Context, comment string, body api.ReplyCreate, key string) (string, error) {
	in := api.CreateChangeRequestReplyInput{ChangeRequestCommentRef: r.comment(comment), Body: body}
	made, err := r.c.ChangeRequestReplies.Create(ctx, in, client.IdempotencyKey(key))
	return made.ID, err
}

func (r requestContent) UpdateReply(ctx context.Context, comment, reply string, body api.ReplyUpdate, key string) error {
	ref := api.ChangeRequestReplyRef{ChangeRequestCommentRef: r.comment(comment), Reply: reply}
	_, err := r.c.ChangeRequestReplies.Update(ctx, api.UpdateChangeRequestReplyInput{ChangeRequestReplyRef: ref, Body: body}, client.IdempotencyKey(key))
	return err
}

func (r requestContent) DeleteComment(ctx context.Context, comment, key string) error {
	return r.c.ChangeRequestComments.Delete(ctx, r.comment(comment), client.IdempotencyKey(key))
}

func (r requestContent) DeleteReply(ctx context.Context, comment, reply, key string) error {
	ref := api.ChangeRequestReplyRef{ChangeRequestCommentRef: r.comment(comment), Reply: reply}
	return r.c.ChangeRequestReplies.Delete(ctx, ref, client.IdempotencyKey(key))
}
