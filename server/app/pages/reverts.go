package pages

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
)

// revertPage puts a page back to what it was in an earlier revision: the whole page, or only some of its blocks.
func (e *contentEditor) revertPage(ctx context.Context, c *rest.Call, change api.ContentChange) error {
	id := e.resolve(change.Page)
	source, err := e.earlier(ctx, c, cmp.Or(change.Revision, e.initial))
	if err != nil {
		return err
	}
	then, now := source.Page(id), e.draft.Tree.Page(id)
	existed, exists := then != nil, now != nil
	switch {
	case !existed && !exists:
		return api.InvalidField("page", "is not a page of the change request, nor of the revision")
	case !existed:
		if len(change.Block) > 0 {
			return api.InvalidField("page", "is not in the revision")
		}
		e.draft.Drop(id)
		e.effect("deleted_page", "", id)
		return nil
	case len(change.Block) > 0:
		return e.revertBlocks(ctx, now, then, change.Block)
	}
	return e.revertWhole(now, then)
}

// earlier is the tree of a revision of the space.
func (e *contentEditor) earlier(ctx context.Context, c *rest.Call, id string) (*revision.Tree, error) {
	r, err := e.service.Revisions.KnownRevision(ctx, c, e.place.Space, id)
	if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonNotFound {
		return nil, api.InvalidField("revision", "is not a revision of the space")
	}
	if err != nil {
		return nil, err
	}
	return e.service.Revisions.Tree(ctx, e.draft.Content, r.Pages)
}

// revertWhole restores a page with its place. Where its parent or its slug is not to be had, the page comes back
// at the root, or with another slug: nothing stands in the way of getting a text back.
func (e *contentEditor) revertWhole(now, then *revision.Page) error {
	next := *then
	if e.draft.Tree.Page(next.Parent) == nil {
		next.Parent = ""
	}
	if now != nil && slices.Contains(e.draft.Tree.Under(now.ID), next.Parent) {
		next.Parent = now.Parent
	}
	if next.Slug != "" {
		next.Slug = e.draft.FreeSlug(next.Parent, next.ID, next.Slug)
	}
	if now == nil {
		e.draft.Put(&next)
		e.effect("created_page", "", next.ID)
		return nil
	}
	next.CreatedAt, next.UpdatedAt = now.CreatedAt, now.UpdatedAt
	if changed(*now, next) {
		next.UpdatedAt = revision.NotBefore(next.CreatedAt, e.now.Time)
		e.draft.Put(&next)
	}
	e.effect("updated_page", "", next.ID)
	return nil
}

// revertBlocks gives some blocks of a page their earlier text, and puts back those that are gone.
func (e *contentEditor) revertBlocks(ctx context.Context, now, then *revision.Page, blocks []string) error {
	if now == nil {
		return api.InvalidField("page", "is not a page of the change request")
	}
	next := *now
	present, err := e.draft.Text(ctx, now)
	if err != nil {
		return err
	}
	past, err := e.draft.Text(ctx, then)
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
	restored := content.Restore(present, past, blocks)
	if err := e.draft.SetEdited(&next, restored.Markdown, restored, "block"); err != nil {
		return err
	}
	if changed(*now, next) {
		next.UpdatedAt = revision.NotBefore(next.CreatedAt, e.now.Time)
		e.draft.Put(&next)
	}
	e.effect("updated_page", "", next.ID)
	return nil
}
