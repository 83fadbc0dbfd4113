package spaces

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store"
)

// SamplePage is an initial page of a new space.
type SamplePage struct{ Title, Markdown string }

// addTo appends the page to a worktree.
func (p SamplePage) addTo(ctx context.Context, d *revision.Worktree, tx *store.Tx) error {
	now := api.At(tx.Now())
	made := &revision.Page{ID: tx.NewID(revision.PagePrefix), Type: api.PageDocument, CreatedAt: now, UpdatedAt: now}
	made.Slug = d.UniqueSlug("", made.ID, content.Slug(p.Title))
	var err error
	if made.Order, err = d.Order("", made.ID, -1); err != nil {
		return err
	}
	if err := d.SetMarkdown(ctx, made, []byte(p.Markdown), "spaces"); err != nil {
		return err
	}
	d.Put(made)
	return nil
}
