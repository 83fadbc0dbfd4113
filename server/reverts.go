package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/rest"
)

// revertPage puts a page back to what it was in an earlier revision: the whole page, or only some of its blocks.
func (e *contentEditor) revertPage(ctx context.Context, c *rest.Call, change api.ContentChange) error {
	id := e.resolve(change.Page)
	source, err := e.earlier(ctx, c, cmp.Or(change.Revision, e.initial))
	if err != nil {
		return err
	}
	then, now := source.page(id), e.draft.tree.page(id)
	existed, exists := then != nil, now != nil
	switch {
	case !existed && !exists:
		return api.InvalidField("page", "is not a page of the change request, nor of the revision")
	case !existed:
		if len(change.Block) > 0 {
			return api.InvalidField("page", "is not in the revision")
		}
		e.draft.drop(id)
		e.effect("deleted_page", "", id)
		return nil
	case len(change.Block) > 0:
		return e.revertBlocks(ctx, now, then, change.Block)
	}
	return e.revertWhole(now, then)
}

// earlier is the tree of a revision of the space.
func (e *contentEditor) earlier(ctx context.Context, c *rest.Call, id string) (*tree, error) {
	r, err := e.server.knownRevision(ctx, c, e.place.space, id)
	if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonNotFound {
		return nil, api.InvalidField("revision", "is not a revision of the space")
	}
	if err != nil {
		return nil, err
	}
	return e.server.tree(ctx, e.draft.content, r.Pages)
}

// revertWhole restores a page with its place. Where its parent or its slug is not to be had, the page comes back
// at the root, or with another slug: nothing stands in the way of getting a text back.
func (e *contentEditor) revertWhole(now, then *page) error {
	next := *then
	if e.draft.tree.page(next.Parent) == nil {
		next.Parent = ""
	}
	if now != nil && slices.Contains(e.draft.tree.under(now.ID), next.Parent) {
		next.Parent = now.Parent
	}
	if next.Slug != "" {
		next.Slug = e.draft.freeSlug(next.Parent, next.ID, next.Slug)
	}
	if now == nil {
		e.draft.put(&next)
		e.effect("created_page", "", next.ID)
		return nil
	}
	next.CreatedAt, next.UpdatedAt = now.CreatedAt, now.UpdatedAt
	if changed(*now, next) {
		next.UpdatedAt = notBefore(next.CreatedAt, e.now.Time)
		e.draft.put(&next)
	}
	e.effect("updated_page", "", next.ID)
	return nil
}

// revertBlocks gives some blocks of a page their earlier text, and puts back those that are gone.
func (e *contentEditor) revertBlocks(ctx context.Context, now, then *page, blocks []string) error {
	if now == nil {
		return api.InvalidField("page", "is not a page of the change request")
	}
	next := *now
	present, err := e.draft.text(ctx, now)
	if err != nil {
		return err
	}
	past, err := e.draft.text(ctx, then)
	if err != nil {
		return err
	}
	for i, id := range blocks {
		_, was := past.Blocks.Find(id)
		_, is := present.Blocks.Find(id)
		if !was && !is {
			return api.InvalidField(fmt.Sprintf("block[%d]", i), "is not a block of the page, nor of the revision")
		}
	}
	markdown := content.Restore(present, past, blocks)
	if err := e.draft.setMarkdown(ctx, &next, markdown, "block"); err != nil {
		return err
	}
	if changed(*now, next) {
		next.UpdatedAt = notBefore(next.CreatedAt, e.now.Time)
		e.draft.put(&next)
	}
	e.effect("updated_page", "", next.ID)
	return nil
}
