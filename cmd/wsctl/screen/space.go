package screen

import (
	"context"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// spaceContent is the content of a space. Its methods correspond to those of requestContent.
type spaceContent struct {
	c     *client.Client
	space string
}

// asMarkdown requests pages with their Markdown and blocks.
func asMarkdown() api.PageOptions { return api.PageOptions{Format: api.FormatMarkdown} }

func (s spaceContent) Pages(ctx context.Context) ([]api.RevisionPage, error) {
	tree, err := s.c.Content.ListPages(ctx, api.GetContentInput{Space: s.space})
	return tree.Pages, err
}

func (s spaceContent) Page(ctx context.Context, page string) (api.RevisionPage, error) {
	return s.c.Content.GetPage(ctx, api.PageInput{Space: s.space, Page: page, PageOptions: asMarkdown()})
}

func (s spaceContent) Comments(ctx context.Context, page string) ([]api.Comment, error) {
	filters := api.CommentFilters{ListOptions: maxPage(), TargetPage: page}
	return readAll(ctx, s.c.Comments.List, api.ListCommentsInput{Space: s.space, CommentFilters: filters})
}

func (s spaceContent) Replies(ctx context.Context, comment string) ([]api.CommentReply, error) {
	return readAll(ctx, s.c.Replies.List, api.ListRepliesInput{CommentRef: s.comment(comment), ListOptions: maxPage()})
}

func (s spaceContent) comment(id string) api.CommentRef {
	return api.CommentRef{Space: s.space, Comment: id}
}

func (s spaceContent) CreateComment(ctx context.Context, body api.CommentCreate, key string) (string, error) {
	made, err := s.c.Comments.Create(ctx, api.CreateCommentInput{Space: s.space, Body: body}, client.IdempotencyKey(key))
	return made.ID, err
}

func (s spaceContent) UpdateComment(ctx context.Context, comment string, body api.CommentUpdate, key string) error {
	_, err := s.c.Comments.Update(ctx, api.UpdateCommentInput{CommentRef: s.comment(comment), Body: body}, client.IdempotencyKey(key))
	return err
}

func (s spaceContent) Reattach(ctx context.Context, comment string, to api.CommentPlace, key string) error {
	_, err := s.c.Comments.Reattach(ctx, api.ReattachCommentInput{CommentRef: s.comment(comment), Body: to}, client.IdempotencyKey(key))
	return err
}

func (s spaceContent) CreateReply(ctx context.Context, comment string, body api.ReplyCreate, key string) (string, error) {
	made, err := s.c.Replies.Create(ctx, api.CreateReplyInput{CommentRef: s.comment(comment), Body: body}, client.IdempotencyKey(key))
	return made.ID, err
}

func (s spaceContent) UpdateReply(ctx context.Context, comment, reply string, body api.ReplyUpdate, key string) error {
	in := api.UpdateReplyInput{ReplyRef: api.ReplyRef{CommentRef: s.comment(comment), Reply: reply}, Body: body}
	_, err := s.c.Replies.Update(ctx, in, client.IdempotencyKey(key))
	return err
}

func (s spaceContent) DeleteComment(ctx context.Context, comment, key string) error {
	return s.c.Comments.Delete(ctx, s.comment(comment), client.IdempotencyKey(key))
}

func (s spaceContent) DeleteReply(ctx context.Context, comment, reply, key string) error {
	return s.c.Replies.Delete(ctx, api.ReplyRef{CommentRef: s.comment(comment), Reply: reply}, client.IdempotencyKey(key))
}
