package screen

import (
	"context"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// content is the content of a change request, or of the space if ref has no change request. The operations on both have
// the same outputs, and the same inputs except for the change request, so only the inputs of change requests are used.
type content struct {
	c   *client.Client
	ref api.ChangeRequestRef
}

// row returns the row for the content: request for a change request, otherwise space with the input type of request.
func (c content) row(space, request api.Row) api.Row {
	if c.ref.ChangeRequest != "" {
		return request
	}
	space.In = request.In
	return space
}

// operation returns a function that performs request for a change request, and its twin space for a space.
func operation[In, Out any](
	c content, space api.Row, request api.Route[In, Out],
) func(context.Context, In, ...client.CallOption) (Out, error) {
	return func(ctx context.Context, in In, options ...client.CallOption) (Out, error) {
		return client.Call(ctx, c.c, api.Route[In, Out]{Row: c.row(space, request.Row)}, in, options...)
	}
}

// remove performs the operation of row request, or of row space if c has no change request, with an idempotency key. It ignores
// the response.
func (c content) remove(ctx context.Context, space, request api.Row, in any, key string) error {
	r, err := client.Encode(c.row(space, request), in)
	if err != nil {
		return err
	}
	_, err = c.c.Do(ctx, r, client.IdempotencyKey(key))
	return err
}

// markdownOptions requests pages with their Markdown and blocks.
func markdownOptions() api.PageOptions { return api.PageOptions{Format: api.FormatMarkdown} }

func (c content) commentRef(id string) api.ChangeRequestCommentRef {
	return api.ChangeRequestCommentRef{ChangeRequestRef: c.ref, Comment: id}
}

func (c content) replyRef(comment, id string) api.ChangeRequestReplyRef {
	return api.ChangeRequestReplyRef{ChangeRequestCommentRef: c.commentRef(comment), Reply: id}
}

func (c content) Pages(ctx context.Context) ([]api.RevisionPage, error) {
	in := api.ChangeRequestContentInput{ChangeRequestRef: c.ref}
	tree, err := operation(c, api.ListContentPages.Row, api.ListChangeRequestContentPages)(ctx, in)
	return tree.Pages, err
}

func (c content) Page(ctx context.Context, page string) (api.RevisionPage, error) {
	in := api.ChangeRequestPageInput{ChangeRequestRef: c.ref, Page: page, PageOptions: markdownOptions()}
	return operation(c, api.GetContentPage.Row, api.GetChangeRequestContentPage)(ctx, in)
}

func (c content) Comments(ctx context.Context, page string) ([]api.Comment, error) {
	filters := api.CommentFilters{ListOptions: maxPage(), TargetPage: page}
	in := api.ListChangeRequestCommentsInput{ChangeRequestRef: c.ref, CommentFilters: filters}
	return readAll(ctx, operation(c, api.ListComments.Row, api.ListChangeRequestComments), in)
}

func (c content) Replies(ctx context.Context, comment string) ([]api.CommentReply, error) {
	in := api.ListChangeRequestRepliesInput{ChangeRequestCommentRef: c.commentRef(comment), ListOptions: maxPage()}
	return readAll(ctx, operation(c, api.ListReplies.Row, api.ListChangeRequestReplies), in)
}

func (c content) Links(ctx context.Context, page string) ([]api.Link, error) {
	in := api.ListChangeRequestLinksInput{ChangeRequestRef: c.ref, Page: page, ListOptions: maxPage()}
	return readAllLinks(ctx, operation(c, api.ListContentLinks.Row, api.ListChangeRequestContentLinks), in)
}

func (c content) CreateComment(ctx context.Context, body api.CommentCreate, key string) (string, error) {
	in := api.CreateChangeRequestCommentInput{ChangeRequestRef: c.ref, Body: body}
	made, err := operation(c, api.CreateComment.Row, api.CreateChangeRequestComment)(ctx, in, client.IdempotencyKey(key))
	return made.ID, err
}

func (c content) UpdateComment(ctx context.Context, comment string, body api.CommentUpdate, key string) error {
	in := api.UpdateChangeRequestCommentInput{ChangeRequestCommentRef: c.commentRef(comment), Body: body}
	_, err := operation(c, api.UpdateComment.Row, api.UpdateChangeRequestComment)(ctx, in, client.IdempotencyKey(key))
	return err
}

func (c content) Reattach(ctx context.Context, comment string, to api.CommentPlace, key string) error {
	in := api.ReattachChangeRequestCommentInput{ChangeRequestCommentRef: c.commentRef(comment), Body: to}
	_, err := operation(c, api.ReattachComment.Row, api.ReattachChangeRequestComment)(ctx, in, client.IdempotencyKey(key))
	return err
}

func (c content) CreateReply(ctx context.Context, comment string, body api.ReplyCreate, key string) (string, error) {
	in := api.CreateChangeRequestReplyInput{ChangeRequestCommentRef: c.commentRef(comment), Body: body}
	made, err := operation(c, api.CreateReply.Row, api.CreateChangeRequestReply)(ctx, in, client.IdempotencyKey(key))
	return made.ID, err
}

func (c content) UpdateReply(ctx context.Context, comment, reply string, body api.ReplyUpdate, key string) error {
	in := api.UpdateChangeRequestReplyInput{ChangeRequestReplyRef: c.replyRef(comment, reply), Body: body}
	_, err := operation(c, api.UpdateReply.Row, api.UpdateChangeRequestReply)(ctx, in, client.IdempotencyKey(key))
	return err
}

func (c content) DeleteComment(ctx context.Context, comment, key string) error {
	return c.remove(ctx, api.DeleteComment.Row, api.DeleteChangeRequestComment.Row, c.commentRef(comment), key)
}

func (c content) DeleteReply(ctx context.Context, comment, reply, key string) error {
	return c.remove(ctx, api.DeleteReply.Row, api.DeleteChangeRequestReply.Row, c.replyRef(comment, reply), key)
}
