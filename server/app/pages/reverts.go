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

// revertPage restores a page, or some of its blocks, from an earlier revision.
func (e *contentEditor) revertPage(ctx context.Context, c *rest.Call, change api.ContentChange) error {
	id := e.resolve(change.Page)
	source, err := e.earlierTree(ctx, c, cmp.Or(change.Revision, e.initial))
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
		e.addEffect("deleted_page", "", id)
		return nil
	case len(change.Block) > 0:
		return e.revertBlocks(ctx, now, then, change.Block)
	}
	return e.revertWholePage(now, then)
}

// earlierTree returns the page tree of an earlier revision of the space.
func (e *contentEditor) earlierTree(ctx context.Context, c *rest.Call, id string) (*revision.Tree, error) {
	r, err := e.service.Revisions.LookupRevision(ctx, c.Org, e.target.Space, id)
	if wrong, ok := api.AsError(err); ok && wrong.Reason == api.ReasonNotFound {
		return nil, api.InvalidField("revision", "is not a revision of the space")
	}
	if err != nil {
		return nil, err
	}
	return e.service.Revisions.Tree(ctx, e.draft.Content, r.Pages)
}

// revertWholePage restores a page and its position. If its parent or slug is not available any more, the page is
// restored at the root or with another slug.
func (e *contentEditor) revertWholePage(current, earlier *revision.Page) error {
	next := *earlier
	if e.draft.Tree.Page(next.Parent) == nil {
		next.Parent = ""
	}
	if current != nil && slices.Contains(e.draft.Tree.Subtree(current.ID), next.Parent) {
		next.Parent = current.Parent
	}
	if next.Slug != "" {
		next.Slug = e.draft.UniqueSlug(next.Parent, next.ID, next.Slug)
	}
	if current == nil {
		e.draft.Put(&next)
		e.addEffect("created_page", "", next.ID)
		return nil
	}
	next.CreatedAt, next.UpdatedAt = current.CreatedAt, current.UpdatedAt
	if pageChanged(*current, next) {
		next.UpdatedAt = revision.ChangeTime(next.CreatedAt, e.now.Time)
		e.draft.Put(&next)
	}
	e.addEffect("updated_page", "", next.ID)
	return nil
}

// revertBlocks restores the earlier text of some blocks, including deleted ones.
func (e *contentEditor) revertBlocks(ctx context.Context, current, earlier *revision.Page, blocks []string) error {
	if current == nil {
		return api.InvalidField("page", "is not a page of the change request")
	}
	next := *current
	present, err := e.draft.Text(ctx, current)
	if err != nil {
		return err
	}
	past, err := e.draft.Text(ctx, earlier)
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
	if pageChanged(*current, next) {
		next.UpdatedAt = revision.ChangeTime(next.CreatedAt, e.now.Time)
		e.draft.Put(&next)
	}
	e.addEffect("updated_page", "", next.ID)
	return nil
}
