package comments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// AnchorComment returns the anchor of a comment on a page or block, with enough context to locate it in later texts,
// and the tree at the head.
func (s *Service) AnchorComment(ctx context.Context, at revision.Target, head store.Head, on api.CommentPlace) (p store.CommentPrivate,
	t *revision.Tree, err error,
) {
	c := s.Store.Content(at.Space)
	if t, err = s.Revisions.Tree(ctx, c, head.Pages); err != nil || on.Page == "" && on.Node == "" {
		return p, t, err
	}
	if on.Page == "" {
		if on.Page, err = s.findPage(ctx, c, t, on.Node); err != nil {
			return p, t, err
		}
	}
	target := t.Page(on.Page)
	if target == nil {
		return p, t, api.InvalidField("page", "is not a page here")
	}
	p.Page = &store.CommentedPage{ID: target.ID, Title: target.Name(), Path: t.Path(target.ID), Text: target.Text, Blocks: target.Blocks}
	if on.Node == "" {
		return p, t, nil
	}
	text, err := revision.ReadText(ctx, c, target.Text, target.Blocks)
	if err != nil {
		return p, t, err
	}
	block, ok := text.Blocks.Find(on.Node)
	if !ok {
		return p, t, api.InvalidField("node", "is not a block of the page")
	}
	a, err := newAnchor(text, block, on)
	if err != nil {
		return p, t, err
	}
	p.Node = &store.CommentedBlock{
		ID: block.ID, Preview: view.Preview(text.Bytes(block)), At: block.Start + a.Start, Start: a.Start, Quote: a.Quote, Before: a.Before,
		After: a.After,
	}
	return p, t, nil
}

// newAnchor returns the anchor of a block, or of the quoted part of it.
func newAnchor(text content.Text, block content.Block, on api.CommentPlace) (content.Anchor, error) {
	if start, given := on.Start.Get(); given {
		a, ok := content.NewAnchorAt(text, block, start, on.Quote)
		if !ok {
			return a, api.InvalidField("quote", "does not stand at the byte %d of the block", start)
		}
		return a, nil
	}
	a, found := content.NewAnchor(text, block, on.Quote)
	if found != 1 {
		return a, api.InvalidField("quote", "stands in the block %d times; it has to stand there once, or start has to say where", found)
	}
	return a, nil
}

// findPage returns the page that contains a block. Block ids contain the id of their page, so only copied pages share
// them; then the request must name the page.
func (s *Service) findPage(ctx context.Context, c *objects.Content, t *revision.Tree, block string) (page string, err error) {
	const atOnce = 100
	for chunk := range slices.Chunk(t.Subtree(""), atOnce) {
		tables := map[string]string{}
		for _, id := range chunk {
			if p := t.Page(id); p != nil && p.Blocks != "" {
				tables[id] = p.Blocks
			}
		}
		read, err := c.Objects(ctx, slices.Collect(maps.Values(tables)))
		if err != nil {
			return "", fmt.Errorf("block tables: %w", err)
		}
		for _, id := range chunk {
			if tables[id] == "" {
				continue
			}
			text, err := revision.DecodeText(nil, read[tables[id]])
			if err != nil {
				return "", err
			}
			if _, has := text.Blocks.Find(block); !has {
				continue
			}
			if page != "" {
				return "", api.InvalidField("page", "is required: two pages have this block")
			}
			page = id
		}
	}
	if page == "" {
		return "", api.InvalidField("node", "is not a block of a page here")
	}
	return page, nil
}

// CommentPlace returns the place that a new comment refers to.
func CommentPlace(body api.CommentCreate) api.CommentPlace {
	return api.CommentPlace{Page: body.Page, Node: body.Node, Quote: body.Quote, Start: body.Start}
}

// reattach anchors a comment to another place. Its text and replies do not change.
func (s *Service) reattach(ctx context.Context, c *rest.Call, in api.ReattachChangeRequestCommentInput) (rest.Result[api.Comment], error) {
	target, id, on := revision.RequestTarget(in.ChangeRequestRef), in.Comment, in.Body
	return rest.RetryPlan(func() (rest.Result[api.Comment], error) {
		head, err := s.Revisions.ReadHead(ctx, c.Org, target)
		if err != nil {
			return rest.Result[api.Comment]{}, err
		}
		anchor, t, err := s.AnchorComment(ctx, target, head, on)
		if err != nil {
			return rest.Result[api.Comment]{}, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.Comment], error) {
			if err := revision.CheckHead(tx, c.Org, target, head); err != nil {
				return rest.Result[api.Comment]{}, err
			}
			return s.commitMove(ctx, c, tx, commentRef{target, id}, Content{Head: head, Tree: t}, anchor)
		})
	})
}

func (s *Service) commitMove(
	ctx context.Context, c *rest.Call, tx *store.Tx, ref commentRef, now Content, anchor store.CommentPrivate,
) (none rest.Result[api.Comment], err error) {
	d, err := loadComment(c, tx, ref.target, ref.id)
	if err != nil {
		return none, err
	}
	if allowed, err := mayResolve(c, tx, d); err != nil || !allowed {
		return none, cmp.Or(err,
			error(api.Errorf(403, api.ReasonForbidden, "Giving a comment another place takes the role edit, or to be an author here.")))
	}
	replies, _, err := tx.Field(txn.CountsKey(c.Org), ref.id)
	if err != nil {
		return none, err
	}
	if d.Fields.Suggestion != nil {
		return none, api.WrongState("A comment that suggests an edit stays where it was made: it is about the text that it would replace.")
	}
	old := d
	d.Private.Page, d.Private.Node, d.Private.Revision = anchor.Page, anchor.Node, now.Head.Revision
	record, err := tx.MoveComment(c.Org, d, old)
	if err != nil {
		return none, err
	}
	return s.commentResult(ctx, c, ref.target, now, storedComment{record, replies}, api.FormatMarkdown)
}
